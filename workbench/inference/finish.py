"""An exact solver for small problems that a first-order method leaves, as of extreme weights."""

from __future__ import annotations

from dataclasses import replace

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.solution import Engine, Solution, Status
from workbench.network.ground_network import GroundNetwork
from workbench.progress import Conduct

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
