"""What convex engines on [0, 1] share: limits, declining, a point and a bound as a Solution."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import ClassVar, Protocol

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.accepts import Task
from workbench.inference.conflict import smallest_conflict
from workbench.inference.feasible_point import make_feasible
from workbench.inference.folding import fold
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.network.ground_network import GroundNetwork
from workbench.network.hinge_problem import HingeProblem
from workbench.network.relax import relax
from workbench.progress import Conduct


@dataclass(frozen=True)
class Point:
    """Where an iterative solver stands: a point of the box, and a proven bound on the energy."""

    x: Float
    bound: float
    stopped: Status | None = None


COLUMNS = (
    "seconds",
    "iteration",
    "energy",
    "bound",
    "violation",
    "primal_residual",
    "dual_residual",
)


@dataclass
class Recorder:
    """The trace of a run: seconds, energy, bound, violation at every check; tells when to stop."""

    conduct: Conduct
    stage: str
    began: float = field(default_factory=monotonic)
    columns: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in COLUMNS})

    def note(
        self,
        iteration: int,
        energy: float,
        bound: float,
        violation: float,
        primal_residual: float = np.nan,
        dual_residual: float = np.nan,
    ) -> Status | None:
        """Record one check; a status when time is up or the work was cancelled."""
        row = (
            monotonic() - self.began,
            iteration,
            energy,
            bound,
            violation,
            primal_residual,
            dual_residual,
        )
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(float(value))
        if self.conduct.progress.cancelled:
            return Status.CANCELLED
        self.conduct.progress.report(
            self.stage, iteration, None, f"energy {energy:.6g}, bound {bound:.6g}"
        )
        self.conduct.progress.observe({"energy": energy, "bound": bound})
        return Status.LIMIT if self.conduct.expired else None

    def trace(self) -> Mapping[str, Float]:
        """The columns as arrays."""
        return {name: np.array(column) for name, column in self.columns.items()}


def _without_state(
    engine: str, network: GroundNetwork, problem: HingeProblem, point: Point, recorder: Recorder
) -> Solution:
    """The answer where no state was found that keeps the hard rows: infeasible where proven."""
    cut_short = point.stopped is Status.CANCELLED or recorder.conduct.expired
    conflict = None if cut_short else smallest_conflict(network, conduct=recorder.conduct)
    if conflict is not None:
        return infeasible(engine, network, conflict)
    values = np.clip(point.x, problem.lower, problem.upper)
    return Solution(
        point.stopped or Status.LIMIT,
        values,
        problem.energy(values),
        point.bound,
        problem.violation(values),
        engine,
        "no state that keeps the hard rows was found" + (" in time" if cut_short else ""),
        trace=recorder.trace(),
    )


def conclude(
    engine: str,
    network: GroundNetwork,
    problem: HingeProblem,
    run: Callable[[float], Point],
    recorder: Recorder,
    *,
    tolerance: float,
    diagnostics: Callable[[], Mapping[str, object]],
) -> Solution:
    """Run a solver, move its point onto hard rows, and run on, tighter, while that costs the gap.

    Parameters
    ----------
    run : callable
        `run(tolerance)` continues until its own relative gap is at most `tolerance`, or it stops.
    tolerance : float
        The relative gap that counts as optimal.
    """
    inner = tolerance
    best: Float | None = None
    best_energy = np.inf
    while True:
        point = run(inner)
        feasible = make_feasible(problem, point.x, conduct=recorder.conduct)
        if feasible is None and best is None:
            return _without_state(engine, network, problem, point, recorder)
        energy = np.inf if feasible is None else problem.energy(feasible)
        if best is None or energy < best_energy:
            best, best_energy = feasible, energy
        certified = best_energy - point.bound <= max(tolerance * abs(best_energy), 1e-9)
        if certified or point.stopped is not None or inner < 1e-3 * tolerance:
            break
        inner *= 0.2
    assert best is not None
    gap = (best_energy - point.bound) / max(abs(best_energy), 1e-9)
    status = Status.OPTIMAL if certified else point.stopped or Status.FEASIBLE
    reasons = {
        Status.OPTIMAL: f"relative gap {gap:.2g} proven by the dual bound",
        Status.LIMIT: f"stopped at its limit with relative gap {gap:.2g}",
        Status.CANCELLED: f"cancelled with relative gap {gap:.2g}",
        Status.FEASIBLE: f"no further progress, relative gap {gap:.2g}",
    }
    return Solution(
        status,
        best,
        best_energy,
        point.bound,
        problem.violation(best),
        engine,
        reasons[status],
        trace=recorder.trace(),
        diagnostics=dict(diagnostics()),
    )


class Iterates(Protocol):
    """The mutable state of one run of a first-order method."""

    def run(self, tolerance: float) -> Point:
        """Iterate until the relative gap is at most `tolerance` or at a limit; resumable."""
        ...

    def so_far(self) -> Point:
        """Where the run stands, also while it iterates."""
        ...

    def diagnostics(self) -> Mapping[str, object]:
        """The figures that a `Solution` reports."""
        ...


class Reweighable(Iterates, Protocol):
    """Iterates whose layout serves other weights too."""

    def begin_again(self, problem: HingeProblem, start: Float | None, recorder: Recorder) -> None:
        """Be as new, for other weights of the same rows and other costs."""
        ...


class FirstOrder(Engine):
    """A convex engine that iterates to a point and a dual bound. Deterministic."""

    task: ClassVar[Task] = "map"
    tolerance: float
    max_iterations: int
    check_every: int
    finish: bool = False

    def problem(self, network: GroundNetwork, weights: Float) -> HingeProblem:
        """What is minimised."""
        return fold(relax(network, weights))

    @abstractmethod
    def iterates(self, problem: HingeProblem, start: Float | None, recorder: Recorder) -> Iterates:
        """A run on a problem, from a state where one is given."""

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """MAP state in [0, 1] with a dual lower bound; O(nonzeros) time an iteration."""
        problem, recorder = self.problem(network, weights), Recorder(conduct, self.name)
        return self.settled(
            network, weights, problem, self.iterates(problem, start, recorder), recorder
        )

    def settled(
        self,
        network: GroundNetwork,
        weights: Float,
        problem: HingeProblem,
        run: Iterates,
        recorder: Recorder,
    ) -> Solution:
        """Where a run on `problem` comes to rest."""
        conduct = recorder.conduct

        def best() -> tuple[Float, float]:
            point = run.so_far()
            return np.clip(point.x, problem.lower, problem.upper), point.bound

        conduct.offer(network, best)
        answer = conclude(
            self.name,
            network,
            problem,
            run.run,
            recorder,
            tolerance=self.tolerance,
            diagnostics=run.diagnostics,
        )
        return finished(network, weights, answer, conduct) if self.finish else answer


SMALL = 200_000
"""Entries of the largest network that is finished so: seconds for an interior-point method."""


def finished(
    network: GroundNetwork, weights: Float, solution: Solution, conduct: Conduct
) -> Solution:
    """The better of a convex engine's answer and an exact solver's, with the better bound.

    The answer comes back as it is where it is proven, where time is up or the work was cancelled,
    or where the network is large.
    """
    open_ended = solution.status in (Status.LIMIT, Status.FEASIBLE)
    if not open_ended or conduct.expired or conduct.progress.cancelled or network.A.nnz > SMALL:
        return solution
    try:
        exact = _exact(network, weights).infer(network, weights, replace(conduct, seed=0))
    except UsageError:  # the solver gave no point: the answer stays as far as it came
        return solution
    if exact.status is Status.INFEASIBLE:
        return exact
    better = min(solution, exact, key=lambda one: (one.hard_violation > 1e-6, one.energy))
    bound = min(max(solution.bound, exact.bound), better.energy)
    return replace(
        better,
        bound=bound,
        status=exact.status,
        engine=solution.engine,
        reason=f"{solution.reason}; {exact.engine} went on: {exact.reason}",
        trace=solution.trace,
        diagnostics={**solution.diagnostics, "finished_by": exact.engine},
    )


def _exact(network: GroundNetwork, weights: Float) -> Engine:
    """A linear program's solver where all hinges are linear, else an interior-point method."""
    from workbench.inference.registry import make_engine

    linear = make_engine("lp", solver="highs", rounding="none")
    return linear if linear.declines(network, weights) is None else make_engine("clarabel")
