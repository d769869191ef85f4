"""A problem of linear hinges as one program, and HiGHS to solve it, whole or over 0/1 atoms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

from workbench.arrays import Float
from workbench.inference.elsewhere import Stopped, elsewhere
from workbench.network.hinge_problem import HingeProblem, RowKind
from workbench.progress import PLAIN, Conduct, remaining

AT_ONCE, AT_ONCE_INTEGER = 20_000, 2_000
"""Entries of programs solved in this process, where HiGHS is deaf for up to a second."""


@dataclass(frozen=True)
class LinearProgram:
    """Minimise `cost . x + offset`, `low <= M x <= high`, `lower <= x <= upper`.

    Variables: those of the hinge problem, then one slack per hinge (the cost of violating it).
    """

    cost: Float
    offset: float
    M: csr_array
    low: Float
    high: Float
    lower: Float
    upper: Float
    n_atoms: int


@dataclass(frozen=True)
class LinearAnswer:
    """What a solver made of a relaxation.

    Attributes
    ----------
    status : {'optimal', 'feasible', 'limit', 'infeasible'}
    x : float64 array, shape (n_variables,)
        The hinge problem's variables (atoms first), clipped to [0, 1]; all 1/2 where the solver
        gave none.
    objective : float
        At `x`, recomputed from the hinge problem; infinite where the solver gave none.
    bound : float
        A lower bound on the optimum that the solver proved (to its tolerance); -inf where it has
        none.
    """

    status: str
    x: Float
    objective: float
    bound: float
    iterations: int


def as_linear_program(problem: HingeProblem) -> LinearProgram:
    """The linear program of a problem whose hinges are all linear.

    A hinge whose least possible cost is positive keeps that in its slack; hinges of one variable
    are rows like others.
    """
    soft = np.flatnonzero(~problem.hard)
    slacks = csr_array(
        (-np.ones(soft.size), (soft, np.arange(soft.size))), shape=(problem.n_rows, soft.size)
    )
    return LinearProgram(
        cost=np.concatenate([problem.cost, problem.weight[soft]]),
        offset=problem.constant,
        M=csr_array(hstack([problem.A, slacks], format="csr")),
        low=np.where(problem.kind == RowKind.EQUAL, -problem.b, -np.inf),
        high=-problem.b,
        lower=np.concatenate([problem.lower, np.zeros(soft.size)]),
        upper=np.concatenate([problem.upper, np.full(soft.size, np.inf)]),
        n_atoms=problem.n_atoms,
    )


def solve_highs(
    problem: HingeProblem,
    *,
    integer: bool = False,
    start: Float | None = None,
    conduct: Conduct = PLAIN,
    method: str = "choose",
    relative_gap: float = 0.0,
    max_nodes: int | None = None,
) -> LinearAnswer:
    """Solve by HiGHS: the linear program, or with `integer` the program whose atoms are 0/1.

    Parameters
    ----------
    problem : HingeProblem
        Without squared hinges and blocks.
    integer : bool
        Demand 0/1 atoms (slacks and auxiliaries follow by themselves).
    start : float64 array, shape (n_atoms,), optional
        A 0/1 state to start the integer search from.
    method : {'choose', 'simplex', 'ipm', 'pdlp'}
        HiGHS's algorithm for the linear program.
    relative_gap : float
        Where the integer search may stop, relative to the objective.
    max_nodes : int, optional
        Nodes of branch and cut after which the integer search stops.

    References
    ----------
    Huangfu & Hall 2018, Parallelizing the dual revised simplex method.
    """
    if problem.n == 0:
        return LinearAnswer("optimal", np.zeros(0), problem.constant, problem.constant, 0)
    limits = (
        integer,
        start,
        remaining(conduct.deadline),
        method,
        relative_gap,
        max_nodes,
        conduct.seed,
    )
    if problem.A.nnz <= (AT_ONCE_INTEGER if integer else AT_ONCE):
        return _solve(problem, *limits)
    try:
        return elsewhere(conduct, _solve, problem, *limits)
    except Stopped:
        return nothing(problem)


def _solve(
    problem: HingeProblem,
    integer: bool,
    start: Float | None,
    time_limit: float,
    method: str,
    relative_gap: float,
    max_nodes: int | None,
    seed: int,
) -> LinearAnswer:
    program = as_linear_program(problem)
    solver = _solver_of(program, integer)
    solver.setOptionValue("random_seed", seed)
    if np.isfinite(time_limit):
        solver.setOptionValue("time_limit", max(time_limit, 0.0))
    if not integer:
        solver.setOptionValue("solver", method)
    else:
        solver.setOptionValue("mip_rel_gap", relative_gap)
        if max_nodes is not None:
            solver.setOptionValue("mip_max_nodes", max_nodes)
    if integer and start is not None:
        solver.setSolution(
            program.n_atoms, np.arange(program.n_atoms, dtype=np.int32), start.astype(np.float64)
        )
    solver.run()
    answer = _read(solver, problem, integer)
    if not integer or start is None or _agrees(solver, program, answer):
        return answer
    # HiGHS 1.16.0 can misjudge the state that it was given, and with it everything that it cut off.
    solver.clearSolver()
    solver.run()
    answer = _read(solver, problem, integer)
    return (
        answer
        if _agrees(solver, program, answer)
        else replace(answer, status="feasible", bound=-float("inf"))
    )


def _solver_of(program: LinearProgram, integer: bool) -> Any:
    """HiGHS on one thread, with the program in it."""
    import highspy

    infinity = highspy.kHighsInf
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    if integer:
        solver.setOptionValue(
            "mip_abs_gap", 1e-9 * max(1.0, abs(program.offset), float(np.abs(program.cost).sum()))
        )
    solver.passModel(
        program.cost.size,
        program.low.size,
        program.M.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        program.offset,
        program.cost,
        program.lower,
        np.where(np.isinf(program.upper), infinity, program.upper),
        np.where(np.isinf(program.low), -infinity, program.low),
        program.high,
        program.M.indptr.astype(np.int32),
        program.M.indices.astype(np.int32),
        program.M.data.astype(np.float64),
        (np.arange(program.cost.size) < (program.n_atoms if integer else 0)).astype(np.int32),
    )
    return solver


def _agrees(solver: Any, program: LinearProgram, answer: LinearAnswer) -> bool:
    """Whether the energy of the state is the one that HiGHS claims for it; or it has no state."""
    claimed = float(solver.getInfo().objective_function_value)
    scale = max(1.0, abs(program.offset), float(np.abs(program.cost).sum()))
    return not np.isfinite(answer.objective) or abs(answer.objective - claimed) <= 1e-6 * scale


def nothing(problem: HingeProblem) -> LinearAnswer:
    """No point and no bound."""
    return LinearAnswer("limit", np.full(problem.n, 0.5), float("inf"), -float("inf"), 0)


def _read(solver: Any, problem: HingeProblem, integer: bool) -> LinearAnswer:
    """HiGHS's outcome as ours."""
    import highspy

    outcome, info = solver.getModelStatus(), solver.getInfo()
    statuses = highspy.HighsModelStatus
    none = nothing(problem)
    if outcome in (statuses.kInfeasible, statuses.kUnboundedOrInfeasible):
        return LinearAnswer("infeasible", none.x, none.objective, none.bound, 0)
    optimal = outcome == statuses.kOptimal
    if integer:
        bound = float(info.objective_function_value if optimal else info.mip_dual_bound)
        if optimal:
            bound = float(min(bound, info.mip_dual_bound))
    else:
        bound = float(info.objective_function_value) if optimal else -float("inf")
    iterations = int(max(0, info.simplex_iteration_count) + max(0, info.ipm_iteration_count))
    if info.primal_solution_status != int(highspy.SolutionStatus.kSolutionStatusFeasible):
        return LinearAnswer("limit", none.x, none.objective, bound, iterations)
    x = np.clip(np.asarray(solver.getSolution().col_value)[: problem.n], 0.0, 1.0)
    if integer:
        x[: problem.n_atoms] = np.round(x[: problem.n_atoms])
    return LinearAnswer(
        "optimal" if optimal else "feasible", x, problem.energy(x), bound, iterations
    )
