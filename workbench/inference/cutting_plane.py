"""Cutting-plane inference: solve, add the rows left out that are violated, again (Riedel 2008)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.errors import Cancelled, UsageError
from workbench.inference.accepts import RELAXABLE, Accepts
from workbench.inference.conflict import smallest_conflict
from workbench.inference.growing import Growing
from workbench.inference.lp import local_search
from workbench.inference.registry import make_engine
from workbench.inference.row_source import RowSource, set_aside
from workbench.inference.solution import Engine, Solution, Status
from workbench.network.components import connected
from workbench.network.energy import hard_violation, hard_violations
from workbench.network.ground_network import Domain, GroundNetwork, Rows
from workbench.network.part import part
from workbench.progress import Conduct

MENDING = 1 / 8
"""Of the time, what is kept for a state that breaks nothing, where the rounds do not end."""

NO_STATE = "the rows added so far admit no state"


@dataclass(frozen=True)
class CuttingPlane(Engine):
    """MAP by an engine on a network that grows by the rows its own answers violate.

    The bound of a partial network holds for the whole one, because rows left out cost nothing or
    more. The energy counts every violated row of the source, for the last question returned them
    all.

    Parameters
    ----------
    engine : str or Engine
        Solves each partial network; with `ilp` the answer is proven optimal once nothing is
        violated.
    source : RowSource or None
        Where further rows come from, such as a lazily grounded rule; None takes the network's own
        rows a few at a time.
    finish : Engine or None
        Solves what the other leaves unproven, once nothing left out is violated.
    most_rows : float
        Share of the network's own rows. Where a partial network needs more, the whole is solved at
        once, for rounds only pay while few rows matter.

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
    finish: Engine | None = None
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
        partial, source = (
            # A copy: what is offered of the rows so far is no answer of the whole.
            (replace(network), self.source)
            if self.source is not None
            else set_aside(network, weights)
        )
        growing = Growing(self._inner(), weights, partial)
        if self.source is not None:
            self._offer_empty(network, growing, conduct)
        in_time = replace(conduct, deadline=conduct.share(1 - MENDING))
        end = _End(Status.LIMIT, f"stopped after {self.max_rounds} rounds")
        for _ in range(self.max_rounds):
            solution = growing.solve(in_time, start)
            start = solution.values
            if solution.status == Status.INFEASIBLE:
                growing.best = start
                answer = growing.answer(self.name, solution.status, NO_STATE)
                return replace(answer, conflict=self._conflict(network, solution, conduct))
            rows = source.violated(start)
            _refuse_negative(rows, weights)
            growing.add(rows, solution)
            if not rows.n and self.finish is not None and growing.turn_to(self.finish):
                continue
            if not rows.n:
                growing.best = start
                reason = f"nothing left out is violated; {solution.reason}"
                return growing.answer(self.name, solution.status, reason)
            if self.source is None and growing.partial.n_rows > self.most_rows * network.n_rows:
                whole = growing.engine.infer(network, weights, conduct, start)
                return replace(
                    whole,
                    reason=f"too many rows are violated to add them by and by; {whole.reason}",
                )
            stopped = _stopped(in_time, growing.rounds, rows)
            if stopped is not None:
                end = stopped
                break
        mend(growing, source, conduct)
        return growing.answer(self.name, *end)

    def _offer_empty(self, network: GroundNetwork, growing: Growing, conduct: Conduct) -> None:
        """Offer the state that is nearly empty, where it breaks nothing, with the bound so far."""
        assert self.source is not None
        state = nearly_empty(network)
        rows = self.source.violated(state)
        growing.extend(rows)
        if not rows.n and not hard_violation(network, state):
            conduct.offer(network, lambda: (state, growing.bound))

    def _conflict(
        self, network: GroundNetwork, solution: Solution, conduct: Conduct
    ) -> Int64 | None:
        """Rows that no state keeps together: of the network, with a source of the grown one."""
        if self.source is None:
            return smallest_conflict(network, conduct=conduct)
        return solution.conflict

    def _inner(self) -> Engine:
        return make_engine(self.engine, "map") if isinstance(self.engine, str) else self.engine


class _End(NamedTuple):
    """How a course of rounds ended, and why."""

    status: Status
    reason: str


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


ROUNDS = 20
"""Searches before the state is given up that the rounds of an engine ended with."""


def mend(growing: Growing, source: RowSource, conduct: Conduct) -> None:
    """Make the best state a legal one: MaxWalkSAT over the components that break hard rows, as long
    as the conduct allows; then those components nearly empty.

    A state that cannot be mended so is left as it was.
    """
    state = growing.best
    assert state is not None
    for _ in range(ROUNDS):
        network = growing.partial
        broken = hard_violations(network, state) > 0
        if not broken.any() and _keeps(growing, source, state):
            growing.best = state
            return
        if conduct.over:
            break
        state = _searched(growing, state, replace(conduct, deadline=conduct.share(1 / 4)))
    for _ in range(ROUNDS):
        state = _lowered(growing.partial, state)
        if hard_violations(growing.partial, state).any():
            return
        if _keeps(growing, source, state):
            growing.best = state
            return


def _keeps(growing: Growing, source: RowSource, state: Float) -> bool:
    """Whether a state keeps all rows left out; what it violates is added."""
    rows = source.violated(state)
    growing.extend(rows)
    return not rows.n


def _searched(growing: Growing, state: Float, conduct: Conduct) -> Float:
    network = growing.partial
    piece = part(network, _around_broken(network, state))
    found = local_search(piece.problem, growing.weights, state[piece.variables], conduct)
    return piece.lift(found, state)


def _lowered(network: GroundNetwork, state: Float) -> Float:
    """The state, as near to all false as can be in components that break hard rows."""
    return np.where(_around_broken(network, state), nearly_empty(network), state)


def nearly_empty(network: GroundNetwork) -> Float:
    """All atoms false but those that hard rows of one atom want true."""
    single = np.flatnonzero((np.diff(network.A.indptr) == 1) & network.hard & (network.b != 0))
    state = np.zeros(network.n_atoms)
    state[network.A.indices[network.A.indptr[single]]] = 1.0
    return state


def _around_broken(network: GroundNetwork, state: Float) -> Bool:
    """The atoms of components that break hard rows."""
    of_atom = connected(network.n_atoms, network.A, network.blocks.members)
    broken = np.flatnonzero(hard_violations(network, state) > 0)
    touched = np.zeros(network.n_atoms, np.bool_)
    touched[of_atom[network.A[broken].indices]] = True
    around: Bool = touched[of_atom]
    return around
