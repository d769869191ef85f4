"""A standing answer: a ground network with its solution, and what is asked of it again,
and how sure its parts are: status, and how far bound is from energy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.database import Database
from workbench.grounding import Grounding, GroundRequest
from workbench.grounding.again import ground_again
from workbench.grounding.data_shape import DataShape
from workbench.grounding.edited_rows import EditedRows
from workbench.inference import Solution, Status
from workbench.inference.accepts import Task
from workbench.language.program import Program
from workbench.network import GroundNetwork, components
from workbench.network.energy import RowSums, row_sums
from workbench.progress import SILENT, Progress
from workbench.verbs.infer import solve
from workbench.verbs.inference_faults import infeasible_error, require_weights
from workbench.verbs.number_inference import asks_for_numbers, solve_numbers

_ORDER = ("exact", "optimal", "converged", "feasible", "limit", "cancelled")
"""Statuses, the surest first: an answer in parts is as sure as its least sure part."""
PROVEN = _ORDER.index("converged")


def sureness(status: Status) -> int:
    """The place of a status among all, the surest first."""
    return _ORDER.index(str(status))


@dataclass(frozen=True)
class Shares:
    """Which atoms were solved together, how sure that is, and how far its bound stayed below its
    energy.

    Least energies add up over parts that no row joins, so a bound of the whole is its energy less
    the parts' slack. Of a part, some of whose atoms have been solved again since, the rest keeps
    the whole slack: what the others have at least is no more than the energy they had.

    Attributes
    ----------
    of_atom : int32 array, shape (n_atoms,)
    slack : float64 array, shape (n,)
    status : int32 array, shape (n,)
        Places in the order of statuses.
    """

    of_atom: Int32
    slack: Float
    status: Int32

    def with_part(self, atoms: Int64, slack: float, status: Status) -> Shares:
        """The shares after some atoms were solved together; shares without atoms go."""
        of_atom = self.of_atom.copy()
        of_atom[atoms] = self.slack.size
        statuses = np.append(self.status, np.int32(sureness(status)))
        return Shares(of_atom, np.append(self.slack, slack), statuses).without_empty()

    def without_empty(self) -> Shares:
        """Without shares that no atom has any more."""
        if not self.of_atom.size:
            return self
        there = np.bincount(self.of_atom, minlength=self.slack.size) > 0
        if there.all():
            return self
        place = np.cumsum(there, dtype=np.int32) - np.int32(1)
        return Shares(place[self.of_atom], self.slack[there], self.status[there])

    @property
    def worst(self) -> Status:
        return Status(_ORDER[int(self.status.max(initial=0))])


@dataclass(frozen=True)
class Asked:
    """What is asked of the data again and again.

    Attributes
    ----------
    task : {'map', 'marginal'}
    options : mapping
    time_limit : float or None
        Seconds for each solution.
    """

    program: Program
    request: GroundRequest
    task: Task
    engine: str = "auto"
    options: Mapping[str, object] | None = None
    seed: int = 0
    time_limit: float | None = None

    def numbers(self, grounding: Grounding) -> bool:
        """Whether the open atoms are numbers."""
        return asks_for_numbers(self.program, grounding.atoms.predicates)

    def solve(
        self, grounding: Grounding, progress: Progress = SILENT, start: Float | None = None
    ) -> Solution:
        """The answer of one network, or of a part of it."""
        if self.numbers(grounding):
            weights = grounding.templates.weight
            return solve_numbers(self.program, grounding, weights, self.task, self.engine)
        return solve(
            grounding,
            grounding.templates.weight,
            self.task,
            self.engine,
            self.options or {},
            seed=self.seed,
            time_limit=self.time_limit,
            progress=progress,
            start=start,
        )


@dataclass(frozen=True)
class Known:
    """What a recorded run says of its answer.

    Attributes
    ----------
    values : callable
        From a grounding to the value of each of its atoms, NaN where the run has none.
    """

    values: Callable[[Grounding], Float]
    slack: float
    status: Status
    engine: str


@dataclass(frozen=True)
class LiveGrounding:
    """A grounding with its solution, and what it takes to bring both up to date.

    Attributes
    ----------
    rows : EditedRows
        The network's, with the rule of each.
    values : float64 array, shape (n_atoms,)
    engine : str
        Which gave the last answer.
    component : int32 array, shape (n_atoms,)
        A label of the atoms that rows and blocks join; others that were joined once may share it.
    sums : RowSums or None
        Of a state, what its rows come to; None where they have not been summed.
    reason : str
        How far the last marginals that were solved can be trusted.
    """

    asked: Asked
    grounding: Grounding
    rows: EditedRows
    shape: DataShape
    values: Float
    shares: Shares
    engine: str
    component: Int32
    sums: RowSums | None = None
    reason: str = ""

    @property
    def bounded(self) -> bool:
        """Whether the answer is a state, with an energy and a bound."""
        return self.asked.task == "map" and not self.asked.numbers(self.grounding)

    def sums_over(self, network: GroundNetwork, rule: Int32, values: Float) -> RowSums:
        """What rows come to at a state."""
        weights = self.grounding.templates.weight
        return row_sums(network, rule, len(self.grounding.rules), weights, values)

    def summed(self) -> LiveGrounding:
        """With what the rows of a state come to."""
        if self.sums is not None or not self.bounded:
            return self
        network, rule = self.grounding.network, self.rows.written.rule
        return replace(self, sums=self.sums_over(network, rule, self.values))

    def solution(self) -> Solution:
        """The answer as a whole."""
        if self.asked.numbers(self.grounding):
            return self.asked.solve(self.grounding)
        network, weights = self.grounding.network, self.grounding.templates.weight
        energy = bound = float("nan")
        violation, sums = 0.0, self.summed().sums
        if sums is not None:
            energy = sums.reported_energy(network, weights, self.values)
            bound = energy - float(self.shares.slack.sum())
            violation = sums.hard_violation(network, self.values)
        return Solution(
            self.shares.worst, self.values, energy, bound, violation, self.engine, self.reason
        )


def standing(
    database: Database, asked: Asked, *, known: Known | None = None, progress: Progress = SILENT
) -> LiveGrounding:
    """Ground in full, and solve where `known` does not say the value of every atom."""
    piece = ground_again(database, asked.program, asked.request, progress=progress)
    require_weights(piece.grounding.templates, piece.grounding.templates.weight)
    values = None if known is None else known.values(piece.grounding)
    if known is None or values is None or np.isnan(values).any():
        solution = asked.solve(piece.grounding, progress)
        refuse_infeasible(piece.grounding, solution)
        values, engine = solution.values, solution.engine
        gap, status = slack(solution), solution.status
    else:
        engine, gap, status = known.engine, known.slack, known.status
    shares = Shares(
        np.zeros(values.size, np.int32), np.array([gap]), np.array([sureness(status)], np.int32)
    )
    component = components(piece.grounding.network).of_atom
    rows = EditedRows.of(piece.grounding.network, piece.rule)
    return LiveGrounding(
        asked, piece.grounding, rows, piece.shape, values, shares, engine, component
    ).summed()


def slack(solution: Solution) -> float:
    """How far the bound stayed below the energy."""
    return max(0.0, solution.energy - solution.bound) if np.isfinite(solution.energy) else 0.0


def refuse_infeasible(grounding: Grounding, solution: Solution) -> None:
    """Name the ground rules that clash, where hard rules admit no state."""
    if solution.status is Status.INFEASIBLE:
        raise infeasible_error(grounding, solution)
