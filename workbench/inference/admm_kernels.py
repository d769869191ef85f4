"""Compiled sweeps of consensus ADMM; one array of local states `s = z + u` is all they keep between sweeps."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Bool, Float, Int8, Int32, Int64
from workbench.inference.simplex import project_to_simplex
from workbench.network.compiled import compiled

__all__ = ["advance", "appraise", "sweep"]


@compiled
def sweep(
    sweeps: int,
    atom_from: int,
    atom_to: int,
    row_from: int,
    row_to: int,
    block_from: int,
    block_to: int,
    indptr: Int32,
    indices: Int32,
    values: Float,
    offset: Float,
    weight: Float,
    kind: Int8,
    norm: Float,
    block_start: Int64,
    block_member: Int64,
    block_right: Float,
    block_exact: Bool,
    cost: Float,
    lower: Float,
    upper: Float,
    degree: Float,
    in_block: Bool,
    penalty: float,
    relaxation: float,
    state: Float,
    x: Float,
    total: Float,
    multiplier: Float,
    scratch: Float,
) -> float:
    """Run `sweeps` ADMM iterations on one connected component, in place.

    Each sweep reflects every local state about the consensus, applies the row's closed-form proximal step, moves the
    state and scatters it into `total`; the consensus is then the average, clipped to the box or projected onto its
    simplex. `multiplier` gets each row's dual.

    Returns
    -------
    float
        Summed squared distance between the local copies and the consensus in the last sweep.
    """
    residual = 0.0
    inverse = 1.0 / penalty
    for _ in range(sweeps):
        residual = 0.0
        for i in range(atom_from, atom_to):
            total[i] = -cost[i] * inverse
        for j in range(row_from, row_to):
            start = indptr[j]
            end = indptr[j + 1]
            ell = offset[j]
            for p in range(start, end):
                ell += values[p] * (2.0 * x[indices[p]] - state[p])
            code = kind[j]
            if code == 0:
                step = min(max(ell / norm[j], 0.0), weight[j] * inverse)
            elif code == 1:
                step = max(2.0 * weight[j] * ell / (penalty + 2.0 * weight[j] * norm[j]), 0.0)
            elif code == 2:
                step = max(ell / norm[j], 0.0)
            else:
                step = ell / norm[j]
            multiplier[j] = step * penalty
            for p in range(start, end):
                i = indices[p]
                moved = x[i] - state[p] - step * values[p]
                residual += moved * moved
                moved = state[p] + relaxation * moved
                state[p] = moved
                total[i] += moved
        for i in range(atom_from, atom_to):
            if in_block[i]:
                total[i] = total[i] / degree[i] if degree[i] > 0.0 else x[i] + total[i]
            elif degree[i] > 0.0:
                x[i] = min(max(total[i] / degree[i], lower[i]), upper[i])
        for k in range(block_from, block_to):
            start = block_start[k]
            size = block_start[k + 1] - start
            for q in range(size):
                i = block_member[start + q]
                scratch[0, q] = total[i]
                scratch[1, q] = max(degree[i], 1.0)
            project_to_simplex(scratch[0], scratch[1], size, block_right[k], block_exact[k])
            for q in range(size):
                x[block_member[start + q]] = scratch[0, q]
    return residual


@compiled
def appraise(
    atom_from: int,
    atom_to: int,
    row_from: int,
    row_to: int,
    block_from: int,
    block_to: int,
    indptr: Int32,
    indices: Int32,
    values: Float,
    offset: Float,
    weight: Float,
    kind: Int8,
    block_start: Int64,
    block_member: Int64,
    block_right: Float,
    block_exact: Bool,
    cost: Float,
    lower: Float,
    upper: Float,
    x: Float,
    multiplier: Float,
    slope: Float,
    in_block: Bool,
) -> tuple[float, float, float]:
    """Energy of `x`, the dual bound of `multiplier` and the largest hard violation, over one component.

    `slope` is scratch of shape (n,); multipliers are read as clipped to where the conjugates are finite.
    """
    energy = 0.0
    bound = 0.0
    violation = 0.0
    for i in range(atom_from, atom_to):
        slope[i] = cost[i]
        energy += cost[i] * x[i]
    for j in range(row_from, row_to):
        ell = offset[j]
        for p in range(indptr[j], indptr[j + 1]):
            ell += values[p] * x[indices[p]]
        code = kind[j]
        dual = multiplier[j]
        if code == 0:
            energy += weight[j] * max(ell, 0.0)
            dual = min(max(dual, 0.0), weight[j])
        elif code == 1:
            energy += weight[j] * max(ell, 0.0) ** 2
            dual = max(dual, 0.0)
            bound -= dual * dual / (4.0 * weight[j])
        elif code == 2:
            violation = max(violation, ell)
            dual = max(dual, 0.0)
        else:
            violation = max(violation, abs(ell))
        bound += dual * offset[j]
        if dual != 0.0:
            for p in range(indptr[j], indptr[j + 1]):
                slope[indices[p]] += dual * values[p]
    for k in range(block_from, block_to):
        least = np.inf
        reached = 0.0
        for q in range(block_start[k], block_start[k + 1]):
            i = block_member[q]
            least = min(least, slope[i])
            reached += x[i]
        excess = reached - block_right[k]
        violation = max(violation, abs(excess) if block_exact[k] else excess)
        bound += block_right[k] * (least if block_exact[k] else min(least, 0.0))
    for i in range(atom_from, atom_to):
        if not in_block[i]:
            bound += min(slope[i] * lower[i], slope[i] * upper[i])
    return energy, bound, violation


@compiled
def advance(
    components: Int64,
    sweeps: int,
    atom_start: Int64,
    row_start: Int64,
    component_block_start: Int64,
    indptr: Int32,
    indices: Int32,
    values: Float,
    offset: Float,
    weight: Float,
    kind: Int8,
    norm: Float,
    block_start: Int64,
    block_member: Int64,
    block_right: Float,
    block_exact: Bool,
    cost: Float,
    lower: Float,
    upper: Float,
    degree: Float,
    in_block: Bool,
    relaxation: float,
    adapt: float,
    least_penalty: float,
    greatest_penalty: float,
    penalty: Float,
    state: Float,
    x: Float,
    multiplier: Float,
    total: Float,
    before: Float,
    scratch: Float,
    figures: Float,
) -> None:
    """Run `sweeps` iterations on each of `components`, appraise them, and balance their penalties.

    `figures[c]` gets energy, bound, hard violation, primal residual, dual residual. A penalty moves by at most the
    factor `adapt` towards equal residuals; local states are rescaled so that the multipliers stay as they are.
    """
    for c in components:
        a, b = atom_start[c], atom_start[c + 1]
        r, e = row_start[c], row_start[c + 1]
        k, m = component_block_start[c], component_block_start[c + 1]
        primal = 0.0
        for part in range(2):
            primal = sweep(
                1 if part else sweeps - 1,
                a, b, r, e, k, m,
                indptr, indices, values, offset, weight, kind, norm,
                block_start, block_member, block_right, block_exact,
                cost, lower, upper, degree, in_block,
                penalty[c], relaxation, state, x, total, multiplier, scratch,
            )  # fmt: skip
            if not part:
                before[a:b] = x[a:b]
        dual = 0.0
        for i in range(a, b):
            dual += degree[i] * (x[i] - before[i]) ** 2
        figures[c, 3] = np.sqrt(primal)
        figures[c, 4] = np.sqrt(dual) * penalty[c]
        figures[c, 0], figures[c, 1], figures[c, 2] = appraise(
            a, b, r, e, k, m,
            indptr, indices, values, offset, weight, kind,
            block_start, block_member, block_right, block_exact,
            cost, lower, upper, x, multiplier, total, in_block,
        )  # fmt: skip
        if adapt > 1.0 and primal > 0.0 and dual > 0.0:
            # In units where the penalty is 1, the primal residual over the dual one says by how much to scale it.
            factor = min(max(np.sqrt(np.sqrt(primal / dual)), 1.0 / adapt), adapt)
            factor = min(max(factor, least_penalty / penalty[c]), greatest_penalty / penalty[c])
            if factor > 1.05 or factor < 0.95:
                penalty[c] *= factor
                for p in range(indptr[r], indptr[e]):
                    state[p] = x[indices[p]] + (state[p] - x[indices[p]]) / factor
