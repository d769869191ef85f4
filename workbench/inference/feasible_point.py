"""Moving a nearly feasible point onto hard rows, blocks and box."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, hstack

from workbench.arrays import Float
from workbench.inference.elsewhere import AT_ONCE, Stopped, elsewhere
from workbench.inference.simplex import project_to_simplex
from workbench.network.compiled import compiled, interpreted
from workbench.network.hinge_problem import HingeArrays, HingeProblem, RowKind
from workbench.progress import PLAIN, Conduct, remaining

TOLERANCE = 1e-9


def make_feasible(
    problem: HingeProblem, x: Float, *, passes: int = 2000, conduct: Conduct = PLAIN
) -> Float | None:
    """A point near `x` that keeps box, blocks and hard rows to 1e-7; None if not found in time.

    Blocks are projected exactly. Hard rows are visited in turn, each violated one projected onto
    (alternating projections); where that has not converged after `passes`, a linear program finds
    the nearest point in the sum of absolute distances. `smallest_conflict` tells whether there is
    none.
    """
    moved = np.clip(x, problem.lower, problem.upper)
    if np.any(problem.lower > problem.upper):
        return None
    rows = problem.take_rows(np.flatnonzero(problem.kind >= RowKind.AT_MOST))
    if not rows.n_rows and not problem.block_right.size:
        return moved
    norm = np.asarray(rows.A.multiply(rows.A).sum(axis=1)).ravel()
    with interpreted(passes * (rows.A.nnz + problem.n)):
        room = np.ones((2, problem.widest_block))
        worst = _alternate(rows.arrays(), passes, norm, moved, room[0], room[1])
    if worst <= 1e-7:
        return moved
    if rows.A.nnz <= AT_ONCE:
        return _nearest_by_linear_program(problem, x, conduct.deadline)
    try:
        return elsewhere(conduct, _nearest_by_linear_program, problem, x, conduct.deadline)
    except Stopped:
        return None


@compiled
def _alternate(
    rows: HingeArrays, passes: int, norm: Float, x: Float, scratch: Float, flat: Float
) -> float:
    """Project in turn onto hard rows, then blocks and box; the last pass's largest violation.

    `flat` is ones, `scratch` as long: as long as the widest block.
    """
    indptr, indices, values, lower = rows.indptr, rows.indices, rows.values, rows.lower
    upper = rows.upper
    worst = np.inf
    for turn in range(passes):
        worst = 0.0
        for j in range(norm.size):
            ell = rows.b[j]
            for p in range(indptr[j], indptr[j + 1]):
                ell += values[p] * x[indices[p]]
            if rows.kind[j] != 3 and ell <= 0.0:
                continue
            worst = max(worst, abs(ell))
            if norm[j] > 0.0 and abs(ell) > TOLERANCE:
                step = ell / norm[j]
                for p in range(indptr[j], indptr[j + 1]):
                    i = indices[p]
                    x[i] = min(max(x[i] - step * values[p], lower[i]), upper[i])
        for k in range(rows.block_right.size):
            members = rows.block_member[rows.block_start[k] : rows.block_start[k + 1]]
            for q in range(members.size):
                scratch[q] = x[members[q]]
            project_to_simplex(
                scratch, flat, members.size, rows.block_right[k], rows.block_exact[k]
            )
            for q in range(members.size):
                x[members[q]] = scratch[q]
        if (worst <= TOLERANCE and turn > 0) or norm.size == 0:
            break
    return worst


def _nearest_by_linear_program(
    problem: HingeProblem, x: Float, deadline: float | None
) -> Float | None:
    from scipy.optimize import linprog

    rows = problem.blocks_as_rows()
    n = rows.n
    hard = np.flatnonzero(rows.kind >= RowKind.AT_MOST)
    split = csr_array(hstack([rows.A[hard], -rows.A[hard]], format="csr"))
    right = -(rows.b[hard] + rows.A[hard] @ x)
    equal = rows.kind[hard] == RowKind.EQUAL
    away = np.concatenate([np.maximum(rows.upper - x, 0.0), np.maximum(x - rows.lower, 0.0)])
    cost: Float = np.ones(2 * n)
    answer = linprog(
        cost,
        A_ub=split[~equal] if np.any(~equal) else None,
        b_ub=right[~equal] if np.any(~equal) else None,
        A_eq=split[equal] if np.any(equal) else None,
        b_eq=right[equal] if np.any(equal) else None,
        bounds=[(0.0, float(limit)) for limit in away],
        method="highs",
        options={} if deadline is None else {"time_limit": max(remaining(deadline), 0.1)},
    )
    if answer.status != 0 or answer.x is None:
        return None
    return np.clip(x + answer.x[:n] - answer.x[n:], rows.lower, rows.upper)
