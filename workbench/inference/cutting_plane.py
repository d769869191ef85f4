"""Cutting-plane inference: solve, ask which rows left out are violated, add those,
solve again (Riedel 2008).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import monotonic
from typing import ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.errors import Cancelled, UsageError
from workbench.inference.accepts import RELAXABLE, Accepts
from workbench.inference.conflict import smallest_conflict
from workbench.inference.registry import make_engine
from workbench.inference.relaxation import rank
from workbench.inference.solution import Engine, Solution, Status
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import Domain, GroundNetwork, Relation, Rows
from workbench.network.growth import extend, take
from workbench.progress import Conduct

__all__ = ["CuttingPlane", "RowSource", "StoredRows", "set_aside"]


class RowSource(Protocol):
    """Rows that are not in the network yet and can be asked for by the state that violates them.

    Only hard rows and rows of non-negative weight may be left to a source: what is left out costs
    nothing until it is violated, so that the partial network's energy is a lower bound.
    """

    def violated(self, values: Float) -> Rows:
        """All rows of the source that a 0/1 state violates and that no earlier call has returned.

        Parameters
        ----------
        values : float64 array, shape (n_atoms,)
        """
        ...


@dataclass
class StoredRows:
    """A source of rows that are all in memory; it saves the solver's work, not the grounding."""

    rows: Rows
    given: Bool = field(init=False)

    def __post_init__(self) -> None:
        self.given = np.zeros(self.rows.n, np.bool_)

    def violated(self, values: Float) -> Rows:
        """See `RowSource`; one sparse product."""
        found = np.flatnonzero(~self.given & (self.rows.A @ values + self.rows.b > 1e-9))
        self.given[found] = True
        return take(self.rows, found)


def set_aside(network: GroundNetwork, weights: Float) -> tuple[GroundNetwork, StoredRows]:
    """The network with the rows that have to be there from the start, and a source of the others.

    Rows of negative weight, equalities and rows that the empty state already violates stay.
    """
    effective = network.effective_weights(weights)
    unviolated = network.b.astype(np.float64) <= 0.0
    wait = (network.relation != Relation.EQUAL) & (network.hard | (effective >= 0.0)) & unviolated
    stay, later = np.flatnonzero(~wait), np.flatnonzero(wait)
    whole = Rows(network.A, network.b, network.template, network.relation, network.scale)
    kept = take(whole, stay)
    smaller = replace(
        network,
        A=kept.A,
        b=kept.b,
        template=kept.template,
        relation=kept.relation,
        scale=kept.scale,
    )
    return smaller, StoredRows(take(whole, later))


@dataclass(frozen=True)
class CuttingPlane(Engine):
    """MAP by an engine on a network that grows by the rows its own answers violate.

    Parameters
    ----------
    engine : str or Engine
        Solves each partial network; with `ilp` the answer is proven optimal once nothing is
        violated.
    source : RowSource or None
        Where further rows come from, such as a lazily grounded rule; None takes the network's own
        rows a few at a time.
    most_rows : float
        Share of the network's own rows. Where a partial network needs more, the whole is solved at
        once, for rounds only pay while few rows matter.

    Notes
    -----
    The bound of a partial network holds for the whole one, because rows left out cost nothing or
    more. The energy counts every violated row of the source, for the last question returned them
    all.

    References
    ----------
    Riedel 2008, Improving the accuracy and efficiency of MAP inference for Markov logic; Noessner,
    Niepert & Stuckenschmidt 2013, RockIt.
    """

    name: ClassVar[str] = "cpi"
    task: ClassVar[Literal["map", "marginal"]] = "map"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: RELAXABLE},
        bound=True,
        suits="large networks of which few rows matter; `auto`'s choice there, and it solves the "
        "whole at once where a quarter of the rows is needed",
    )

    engine: str | Engine = "ilp"
    source: RowSource | None = None
    max_rounds: int = 100
    most_rows: float = 1.0

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """What the inner engine declines."""
        return self._inner().declines(network, weights)

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Solve and grow until the state violates nothing that was left out, or a limit is reached.

        `diagnostics` holds `rounds`, `rows_added`, `rows` and the grown `network`; `relaxed`, where
        the engine gives one, is the last partial network's.
        """
        began, engine = monotonic(), self._inner()
        partial, source = (
            (network, self.source) if self.source is not None else set_aside(network, weights)
        )
        growth = _Growth(weights, partial, began)
        for _ in range(self.max_rounds):
            solution = engine.infer(growth.partial, weights, conduct, start)
            start = solution.values
            growth.rounds += 1
            if solution.status == Status.INFEASIBLE:
                growth.best = start
                end = _End(Status.INFEASIBLE, "the rows added so far admit no state")
                conflict = self._conflict(network, solution, conduct)
                return replace(growth.answer(self.name, end, engine, solution), conflict=conflict)
            rows = source.violated(start)
            _refuse_negative(rows, weights)
            growth.add(rows, solution)
            if not rows.n:
                growth.best = start
                end = _End(solution.status, f"nothing left out is violated; {solution.reason}")
                return growth.answer(self.name, end, engine, solution)
            if self.source is None and growth.partial.n_rows > self.most_rows * network.n_rows:
                whole = engine.infer(network, weights, conduct, start)
                return replace(
                    whole,
                    reason=f"too many rows are violated to add them by and by; {whole.reason}",
                )
            stopped = _stopped(conduct, growth.rounds, rows)
            if stopped is not None:
                return growth.answer(self.name, stopped, engine, solution)
        end = _End(Status.LIMIT, f"stopped after {self.max_rounds} rounds")
        return growth.answer(self.name, end, engine, solution)

    def _conflict(
        self, network: GroundNetwork, solution: Solution, conduct: Conduct
    ) -> Int64 | None:
        """Rows of the given network that no state keeps together; a source's have no number."""
        if self.source is None:
            return smallest_conflict(network, conduct=conduct)
        return (
            None
            if solution.conflict is None
            else solution.conflict[solution.conflict < network.n_rows]
        )

    def _inner(self) -> Engine:
        return make_engine(self.engine, "map") if isinstance(self.engine, str) else self.engine


class _End(NamedTuple):
    """How a course of rounds ended, and why."""

    status: Status
    reason: str


@dataclass
class _Growth:
    """A network that grows by violated rows, the best state so far, and what holds of the whole."""

    weights: Float
    partial: GroundNetwork
    began: float
    bound: float = -np.inf
    best: Float | None = None
    rounds: int = 0

    def __post_init__(self) -> None:
        self.first_rows = self.partial.n_rows
        self.trace: dict[str, list[float]] = {"seconds": [], "rows": [], "energy": [], "bound": []}

    def add(self, rows: Rows, solution: Solution) -> None:
        """Add the rows that a partial network's answer violates."""
        if np.isfinite(solution.bound):
            self.bound = max(self.bound, solution.bound)
        self.partial = extend(self.partial, rows)
        state = solution.values
        if self.best is None or self._rank(state) <= self._rank(self.best):
            self.best = state
        now = (
            monotonic() - self.began,
            self.partial.n_rows,
            self._rank(self.best)[1],
            self.bound,
        )
        for column, value in zip(self.trace.values(), now):
            column.append(float(value))

    def _rank(self, state: Float) -> tuple[float, float]:
        return rank(self.partial, self.weights, state)

    def answer(self, name: str, end: _End, engine: Engine, last: Solution) -> Solution:
        assert self.best is not None
        energy = violation = np.inf
        if end.status != Status.INFEASIBLE:
            energy = reported_energy(self.partial, self.weights, self.best)
            violation = hard_violation(self.partial, self.best)
        diagnostics: dict[str, object] = {
            "rounds": self.rounds,
            "rows_added": self.partial.n_rows - self.first_rows,
            "rows": self.partial.n_rows,
            "network": self.partial,
            "inner": engine.name,
        }
        if "relaxed" in last.diagnostics:
            diagnostics["relaxed"] = last.diagnostics["relaxed"]
        return Solution(
            end.status,
            self.best,
            energy,
            min(self.bound, energy) if violation == 0.0 else self.bound,
            violation,
            name,
            end.reason,
            {column: np.array(values) for column, values in self.trace.items()},
            diagnostics,
        )


def _stopped(conduct: Conduct, rounds: int, rows: Rows) -> _End | None:
    """Tell the progress of a round; the end where there is no time or wish for another."""
    if conduct.expired:
        return _End(Status.LIMIT, "time ran out while rows were still violated")
    try:
        conduct.progress.step("cutting planes", rounds, None, f"{rows.n} violated rows added")
    except Cancelled:
        return _End(Status.CANCELLED, "cancelled while rows were still violated")
    return None


def _refuse_negative(rows: Rows, weights: Float) -> None:
    """A source's rows must cost nothing while they are left out."""
    soft = rows.template >= 0
    effective = weights[rows.template[soft]] * (1.0 if rows.scale is None else rows.scale[soft])
    if np.any(effective < 0.0):
        raise UsageError.of(
            "E0407",
            "a rule of negative weight cannot be grounded lazily",
            help="ground it in full, or negate it",
        )
