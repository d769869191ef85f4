"""The relaxation solved as suits it, and judging 0/1 states against its bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.linear_program import LinearAnswer, solve_highs
from workbench.inference.roof_duality import has_roof_dual, solve_roof_dual
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import GroundNetwork
from workbench.network.hinge_problem import HingeProblem
from workbench.progress import PLAIN, Conduct

RelaxationSolver = Literal["auto", "flow", "highs", "simplex", "ipm", "pdhg"]

HIGHS_LIMIT = 60_000
"""Entries beyond which PDHG overtakes the simplex method (benchmarks/mln_map.py)."""


def solve_relaxation(
    problem: HingeProblem,
    solver: RelaxationSolver = "auto",
    conduct: Conduct = PLAIN,
    *,
    start: Float | None = None,
    tolerance: float = 1e-6,
) -> LinearAnswer:
    """Minimise a hinge problem over [0, 1].

    Raises E0406, where the named solver cannot take the problem.

    Parameters
    ----------
    solver : {'auto', 'flow', 'highs', 'simplex', 'ipm', 'pdhg'}
        `auto`: a maximum flow where clauses have at most two literals, HiGHS for small linear
        programs, else restarted primal-dual hybrid gradient.
    start : float64 array, shape (n,), optional
        Where the first-order method starts.
    tolerance : float
        Relative gap at which the first-order method stops.
    """
    if solver == "auto":
        if has_roof_dual(problem):
            solver = "flow"
        elif problem.is_linear and problem.A.nnz <= HIGHS_LIMIT:
            solver = "highs"
        else:
            solver = "pdhg"
    if solver == "flow":
        if not has_roof_dual(problem):
            raise UsageError.of(
                "E0406", "the flow solver takes clauses of at most two literals, without blocks"
            )
        return solve_roof_dual(problem, conduct)
    if solver == "pdhg":
        return _first_order(problem, conduct, start, tolerance)
    if not problem.is_linear:
        raise UsageError.of(
            "E0406", "a linear program cannot hold squared potentials", help="use admm or pdhg"
        )
    method = "choose" if solver == "highs" else solver
    return solve_highs(problem, method=method, conduct=replace(conduct, seed=0))


def _first_order(
    problem: HingeProblem, conduct: Conduct, start: Float | None, tolerance: float
) -> LinearAnswer:
    from workbench.inference.folding import fold
    from workbench.inference.primal_dual import PrimalDual
    from workbench.inference.solution import Status

    program = fold(problem)

    def note(*figures: float) -> Status | None:
        return Status.LIMIT if conduct.expired or conduct.progress.cancelled else None

    run = PrimalDual(program, start=start, note=note)
    point = run.run(tolerance)
    status = "optimal" if point.stopped is None else "limit"
    x = np.clip(point.x, 0.0, 1.0)
    return LinearAnswer(status, x, problem.energy(x), point.bound, run.iteration)


def is_proven(energy: float, bound: float, scale: float) -> bool:
    """Whether a bound proves an energy least, up to rounding at `scale` (summed |weights|)."""
    return energy - bound <= 1e-7 * max(1.0, abs(energy)) + 1e-12 * scale


def better(network: GroundNetwork, weights: Float, left: Float, right: Float) -> Float:
    """The state that breaks fewer hard rows, then of less energy."""
    return left if rank(network, weights, left) <= rank(network, weights, right) else right


def rank(network: GroundNetwork, weights: Float, values: Float) -> tuple[float, float]:
    """By what states are compared, the least first: broken hard rows, then energy."""
    return hard_violation(network, values), reported_energy(network, weights, values)
