"""What the convex engines on [0, 1] share: their limits, declining, and turning a point and a bound into a Solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from workbench.arrays import Float
from workbench.inference.conflict import smallest_conflict
from workbench.inference.feasible_point import make_feasible
from workbench.inference.solution import Solution, Status, infeasible
from workbench.network.ground_network import GroundNetwork
from workbench.network.hinge_problem import HingeProblem
from workbench.progress import Conduct

__all__ = ["Point", "Recorder", "conclude"]


@dataclass(frozen=True)
class Point:
    """Where an iterative solver stands: a point of the box, and a proven lower bound on the least energy."""

    x: Float
    bound: float
    stopped: Status | None = None


@dataclass
class Recorder:
    """The trace of a run: seconds, energy, bound and violation at every check; tells when to stop."""

    conduct: Conduct
    stage: str
    began: float = field(default_factory=monotonic)
    columns: dict[str, list[float]] = field(
        default_factory=lambda: {
            "seconds": [],
            "iteration": [],
            "energy": [],
            "bound": [],
            "violation": [],
            "primal_residual": [],
            "dual_residual": [],
        }
    )

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
        row = (monotonic() - self.began, iteration, energy, bound, violation, primal_residual, dual_residual)
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(float(value))
        if self.conduct.progress.cancelled:
            return Status.CANCELLED
        self.conduct.progress.report(self.stage, iteration, None, f"energy {energy:.6g}, bound {bound:.6g}")
        self.conduct.progress.observe({"energy": energy, "bound": bound})
        return Status.LIMIT if self.conduct.expired else None

    def trace(self) -> Mapping[str, Float]:
        """The columns as arrays."""
        return {name: np.array(column) for name, column in self.columns.items()}


def _without_state(
    engine: str, network: GroundNetwork, problem: HingeProblem, point: Point, recorder: Recorder
) -> Solution:
    """The answer where no state was found that keeps the hard rows: infeasible only where that is proven."""
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
    diagnostics: Callable[[], Mapping[str, object]] = dict,
) -> Solution:
    """Run a solver, move its point onto the hard rows, and run on at a tighter tolerance while that costs the gap.

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
