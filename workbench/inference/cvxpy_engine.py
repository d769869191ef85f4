"""General convex solvers through CVXPY: the reference engine for MAP on [0, 1], ECOS first."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from importlib.util import find_spec
from io import StringIO
from time import monotonic
from typing import Any, ClassVar, Literal

import numpy as np

from workbench.arrays import Float, Int64
from workbench.errors import InputError, UsageError
from workbench.inference.accepts import CONVEX, Accepts
from workbench.inference.conflict import smallest_conflict
from workbench.inference.convex_solution import Point, Recorder, conclude
from workbench.inference.elsewhere import Stopped, elsewhere
from workbench.inference.folding import fold
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.hinge_problem import HingeProblem, RowKind
from workbench.network.relax import relax
from workbench.progress import Conduct, remaining

SOLVERS: Mapping[str, str] = {
    "ecos": "ECOS",
    "clarabel": "CLARABEL",
    "highs": "HIGHS",
    "osqp": "OSQP",
    "scs": "SCS",
}

_PACKAGES: Mapping[str, str] = {"highs": "highspy"}
_TIME_LIMITS: Mapping[str, str] = {
    "clarabel": "time_limit",
    "osqp": "time_limit",
    "scs": "time_limit_secs",
}


@dataclass(frozen=True)
class ConvexSolver(Engine):
    """A solver that CVXPY knows, on the whole problem in vectorised form.

    Parameters
    ----------
    solver : {'ecos', 'clarabel', 'highs', 'osqp', 'scs'} or None
        None takes ECOS where it is installed, else Clarabel.
    options : mapping
        Passed to the solver as they are.
    tolerance : float
        The relative gap, measured with our own energy and dual bound, that counts as optimal.
    """

    task: ClassVar[Literal["map", "marginal"]] = "map"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.UNIT: CONVEX},
        bound=True,
        requires=("cvxpy",),
        extra="solvers",
        suits="small and medium problems; a second opinion",
    )

    solver: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = 1e-4

    @property
    def name(self) -> str:
        """The solver's where it is named."""
        return self.solver or "cvxpy"

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """MAP state in [0, 1] and the bound of the solver's own dual values.

        Raises E0402, where no solver has that name; E0402, where it is not installed.
        """
        solver = self._chosen()
        program = fold(relax(network, weights))
        recorder = Recorder(conduct, self.name)
        began = monotonic()
        options = dict(self.options)
        if conduct.deadline is not None and solver in _TIME_LIMITS:
            options.setdefault(_TIME_LIMITS[solver], max(remaining(conduct.deadline), 0.01))
        if program.n:
            try:
                point, said = elsewhere(conduct, _solve, program, SOLVERS[solver], options)
            except Stopped:
                middle = np.clip(np.full(program.n, 0.5), program.lower, program.upper)
                stopped = Status.CANCELLED if conduct.progress.cancelled else Status.LIMIT
                point, said = Point(middle, -np.inf, stopped), "stopped"
        else:
            point, said = Point(np.zeros(0), program.energy(np.zeros(0))), "nothing to solve"
        if point is None:
            conflict = smallest_conflict(network, conduct=conduct)
            if conflict is not None:
                return infeasible(self.name, network, conflict)
            raise UsageError.of(
                "E0403",
                f"{solver} gave no point for this network (it says: {said})",
                help="try another solver, or the admm engine",
            )
        recorder.note(1, program.energy(point.x), point.bound, program.violation(point.x))
        found = point
        return conclude(
            self.name,
            network,
            program,
            lambda tolerance: found,
            recorder,
            tolerance=self.tolerance,
            diagnostics=lambda: {"solver": solver, "said": said, "seconds": monotonic() - began},
        )

    def _chosen(self) -> str:
        installed = {name for name in SOLVERS if find_spec(_PACKAGES.get(name, name)) is not None}
        if self.solver is None:
            return "ecos" if "ecos" in installed else "clarabel"
        name = self.solver.casefold()
        if name not in SOLVERS:
            raise UsageError.of(
                "E0402",
                f"no convex solver is called {self.solver!r}",
                help=f"one of {', '.join(SOLVERS)}",
            )
        if name not in installed:
            extra = (
                "install it with: pip install 'relational-workbench[ecos]'; "
                if name == "ecos"
                else ""
            )
            raise InputError.of(
                "E0402",
                f"{name} is not installed",
                help=f"{extra}installed: {', '.join(sorted(installed))}",
            )
        return name


def _fails(model: Any, solver: str, options: Mapping[str, Any]) -> str:
    """Solve a CVXPY problem; what the solver says where it fails, else nothing."""
    import cvxpy as cp

    try:
        # OSQP prints a line on its polishing now and then, whatever it is asked.
        with warnings.catch_warnings(), redirect_stdout(StringIO()):
            # An inaccurate answer is said by its status and measured by its gap.
            warnings.filterwarnings("ignore", "Solution may be inaccurate")
            model.solve(solver=solver, **options)
    except cp.error.SolverError as error:
        return str(error).splitlines()[0]
    return ""


def _solve(
    program: HingeProblem, solver: str, options: Mapping[str, Any]
) -> tuple[Point | None, str]:
    """Solve, with slacks `s >= ell, s >= 0` for the soft rows; multipliers of `s >= ell`."""
    import cvxpy as cp

    rows = program.blocks_as_rows()
    soft = np.flatnonzero(rows.kind <= RowKind.SQUARED)
    at_most = np.flatnonzero(rows.kind == RowKind.AT_MOST)
    equal = np.flatnonzero(rows.kind == RowKind.EQUAL)
    squared = rows.kind[soft] == RowKind.SQUARED
    weight = rows.weight[soft]
    x = cp.Variable(rows.n)
    slack = cp.Variable(soft.size, nonneg=True) if soft.size else None
    objective = rows.cost @ x
    groups: list[tuple[Int64, Any]] = []
    if slack is not None:
        objective = objective + np.where(squared, 0.0, weight) @ slack
        if np.any(squared):
            root = np.sqrt(weight[squared])
            objective = objective + cp.sum_squares(
                cp.multiply(root, slack[np.flatnonzero(squared)])
            )
        groups.append((soft, rows.A[soft] @ x + rows.b[soft] <= slack))
    if at_most.size:
        groups.append((at_most, rows.A[at_most] @ x + rows.b[at_most] <= 0))
    if equal.size:
        groups.append((equal, rows.A[equal] @ x + rows.b[equal] == 0))
    box = [x >= rows.lower, x <= rows.upper]
    model = cp.Problem(cp.Minimize(objective), [constraint for _, constraint in groups] + box)
    failure = _fails(model, solver, options)
    if failure or x.value is None:
        return None, failure or str(model.status)
    multipliers = np.zeros(rows.n_rows)
    for index, constraint in groups:
        if constraint.dual_value is not None:
            multipliers[index] = constraint.dual_value
    stopped = None if model.status in ("optimal", "optimal_inaccurate") else Status.LIMIT
    bound = program.dual_bound(multipliers[: program.n_rows])
    point = Point(np.clip(x.value, rows.lower, rows.upper), bound, stopped or Status.FEASIBLE)
    return point, str(model.status)
