"""Moving a nearly feasible point onto hard rows, blocks and box, and naming the rows of an infeasible network."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, hstack, vstack
from scipy.sparse import identity as sparse_identity

from workbench.arrays import Float, Int64
from workbench.inference.convex_program import ConvexArrays, ConvexProgram, RowKind
from workbench.inference.simplex import project_to_simplex
from workbench.network.compiled import compiled
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation
from workbench.progress import remaining

__all__ = ["find_conflict", "make_feasible"]

TOLERANCE = 1e-9
PROVEN_INFEASIBLE = 2
"""SciPy's status of a linear program without a point."""


def make_feasible(
    problem: ConvexProgram, x: Float, *, passes: int = 2000, deadline: float | None = None
) -> Float | None:
    """A point close to `x` that keeps box, blocks and hard rows to 1e-7; None when none was found by the deadline.

    Blocks are projected exactly. Hard rows are visited in turn, each violated one projected onto (alternating
    projections); where that has not converged after `passes`, a linear program finds the nearest point in the sum
    of absolute distances. `find_conflict` tells whether there is none.
    """
    moved = np.clip(x, problem.lower, problem.upper)
    if np.any(problem.lower > problem.upper):
        return None
    rows = problem.take_rows(np.flatnonzero(problem.kind >= RowKind.AT_MOST))
    norm = np.asarray(rows.A.multiply(rows.A).sum(axis=1)).ravel()
    worst = _alternate(rows.arrays(), passes, norm, moved, np.empty(problem.widest_block))
    return moved if worst <= 1e-7 else _nearest_by_linear_program(problem, x, deadline)


@compiled
def _alternate(rows: ConvexArrays, passes: int, norm: Float, x: Float, scratch: Float) -> float:
    """Project in turn onto hard rows, then blocks and box; return the last pass's largest violation of a row."""
    indptr, indices, values, lower, upper = rows.indptr, rows.indices, rows.values, rows.lower, rows.upper
    worst = np.inf
    flat = np.ones(scratch.size)
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
            project_to_simplex(scratch, flat, members.size, rows.block_right[k], rows.block_exact[k])
            for q in range(members.size):
                x[members[q]] = scratch[q]
        if (worst <= TOLERANCE and turn > 0) or norm.size == 0:
            break
    return worst


def _nearest_by_linear_program(problem: ConvexProgram, x: Float, deadline: float | None) -> Float | None:
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


def find_conflict(network: GroundNetwork, *, largest: int = 200) -> Int64 | None:
    """Hard rows of `network` that no state in [0, 1] meets together; None when none are proven to conflict.

    An elastic linear program (least sum of violations) finds rows whose duals prove the conflict; a deletion pass
    shrinks a set of at most `largest` rows to an irreducible one. Blocks enter the program but are not named.

    Returns
    -------
    int64 array or None
        Indices of rows; empty when the blocks alone conflict.
    """
    rows = np.flatnonzero(network.hard)
    total, duals = _least_violation(network, rows)
    if not total > 1e-7:
        return None
    named = rows[np.abs(duals) > 1e-9]
    if named.size <= largest:
        for row in named.copy():
            without = named[named != row]
            if _least_violation(network, without)[0] > 1e-7:
                named = without
    return named.astype(np.int64)


def _least_violation(network: GroundNetwork, rows: Int64) -> tuple[float, Float]:
    """Least summed violation of `rows` with blocks kept, infinite where those conflict, NaN where no solver can tell;
    and the rows' duals."""
    from scipy.optimize import linprog

    m, n = rows.size, network.n_atoms
    A, b = network.A[rows].astype(np.float64), network.b[rows].astype(np.float64)
    equal = network.relation[rows] == Relation.EQUAL
    slack = sparse_identity(m, format="csr")
    upper_rows = [hstack([A, -slack])]
    upper_right = [-b]
    if np.any(equal):
        upper_rows.append(hstack([-A[equal], -slack[equal]]))
        upper_right.append(b[equal])
    members = network.blocks.members.astype(np.float64)
    exact = network.blocks.kind == BlockKind.EXACTLY_ONE
    right = network.blocks.right.astype(np.float64)
    padded = hstack([members, csr_array((members.shape[0], m))], format="csr")
    if np.any(~exact):
        upper_rows.append(padded[~exact])
        upper_right.append(right[~exact])
    answer = linprog(
        np.concatenate([np.zeros(n), np.ones(m)]),
        A_ub=vstack(upper_rows, format="csr"),
        b_ub=np.concatenate(upper_right),
        A_eq=padded[exact] if np.any(exact) else None,
        b_eq=right[exact] if np.any(exact) else None,
        bounds=[(0.0, 1.0)] * n + [(0.0, None)] * m,
        method="highs",
    )
    if answer.status != 0:
        return np.inf if answer.status == PROVEN_INFEASIBLE else np.nan, np.zeros(m)
    marginal = answer.ineqlin.marginals
    duals = marginal[:m].copy()
    duals[equal] -= marginal[m : m + int(equal.sum())]
    return float(answer.fun or 0.0), duals
