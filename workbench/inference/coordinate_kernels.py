"""Compiled sweeps of block coordinate descent on squared hinges over a box and disjoint simplexes."""

from __future__ import annotations

from workbench.arrays import Bool, Float, Int8, Int32, Int64
from workbench.inference.admm_kernels import appraise
from workbench.inference.simplex import project_to_simplex
from workbench.network.compiled import compiled

__all__ = ["descend"]


@compiled
def _exact_step(
    atom: int,
    column: Int32,
    row_of: Int32,
    value_of: Float,
    weight: Float,
    cost: Float,
    lower: Float,
    upper: Float,
    x: Float,
    ell: Float,
) -> float:
    """Minimise over one atom exactly, and update `ell`; returns how far it moved. O(rows of the atom) time.

    The derivative is piecewise linear and increasing: Newton's method inside a shrinking bracket ends at its root.
    """
    low = lower[atom] - x[atom]
    high = upper[atom] - x[atom]
    low_seen = False
    high_seen = False
    step = 0.0
    for _ in range(50):
        slope = cost[atom]
        curvature = 0.0
        for p in range(column[atom], column[atom + 1]):
            j = row_of[p]
            reach = ell[j] + value_of[p] * step
            if reach > 0.0:
                scaled = 2.0 * weight[j] * value_of[p]
                slope += scaled * reach
                curvature += scaled * value_of[p]
        if abs(slope) <= 1e-14:
            break
        if slope > 0.0:
            high = step
            high_seen = True
        else:
            low = step
            low_seen = True
        end = low if slope > 0.0 else high
        proposed = step - slope / curvature if curvature > 0.0 else end
        # An end of the box is worth trying once; an end that was tried already is halved away from.
        if proposed <= low:
            proposed = 0.5 * (low + high) if low_seen else low
        elif proposed >= high:
            proposed = 0.5 * (low + high) if high_seen else high
        if abs(proposed - step) <= 1e-12:
            break
        step = proposed
    if step != 0.0:
        x[atom] += step
        for p in range(column[atom], column[atom + 1]):
            ell[row_of[p]] += value_of[p] * step
    return abs(step)


@compiled
def _simplex_step(
    start: int,
    end: int,
    member: Int64,
    right: float,
    exact: bool,
    column: Int32,
    row_of: Int32,
    value_of: Float,
    weight: Float,
    cost: Float,
    curvature: Float,
    x: Float,
    ell: Float,
    target: Float,
) -> float:
    """Minimise a separable quadratic above the energy over one simplex, and update `ell`.

    With curvatures H that is the projection of `x - gradient / H` in the metric H.
    """
    size = end - start
    for q in range(size):
        i = member[start + q]
        slope = cost[i]
        for p in range(column[i], column[i + 1]):
            j = row_of[p]
            if ell[j] > 0.0:
                slope += 2.0 * weight[j] * value_of[p] * ell[j]
        target[0, q] = x[i] - slope / curvature[i]
        target[1, q] = curvature[i]
    project_to_simplex(target[0], target[1], size, right, exact)
    moved = 0.0
    for q in range(size):
        i = member[start + q]
        step = target[0, q] - x[i]
        if step != 0.0:
            moved = max(moved, abs(step))
            x[i] = target[0, q]
            for p in range(column[i], column[i + 1]):
                ell[row_of[p]] += value_of[p] * step
    return moved


@compiled
def descend(
    components: Int64,
    sweeps: int,
    atom_start: Int64,
    row_start: Int64,
    component_block_start: Int64,
    indptr: Int32,
    indices: Int32,
    values: Float,
    column: Int32,
    row_of: Int32,
    value_of: Float,
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
    in_block: Bool,
    curvature: Float,
    x: Float,
    ell: Float,
    multiplier: Float,
    slope: Float,
    scratch: Float,
    figures: Float,
) -> None:
    """Sweep each of `components` there and back `sweeps` times, in place, then appraise it.

    `figures[c]` gets energy, dual bound (of the potentials' own derivatives), largest hard violation, largest move.
    """
    for c in components:
        first, last = atom_start[c], atom_start[c + 1]
        row_from, row_to = row_start[c], row_start[c + 1]
        block_from, block_to = component_block_start[c], component_block_start[c + 1]
        moved = 0.0
        for _ in range(sweeps):
            moved = 0.0
            for k in range(block_from, block_to):
                moved = max(
                    moved,
                    _simplex_step(
                        block_start[k], block_start[k + 1], block_member, block_right[k], block_exact[k],
                        column, row_of, value_of, weight, cost, curvature, x, ell, scratch,
                    ),
                )  # fmt: skip
            for turn in range(2):
                for k in range(first, last):
                    i = first + last - 1 - k if turn else k
                    if not in_block[i]:
                        moved = max(
                            moved,
                            _exact_step(i, column, row_of, value_of, weight, cost, lower, upper, x, ell),
                        )  # fmt: skip
        for j in range(row_from, row_to):
            reach = offset[j]
            for p in range(indptr[j], indptr[j + 1]):
                reach += values[p] * x[indices[p]]
            ell[j] = reach
            multiplier[j] = 2.0 * weight[j] * max(reach, 0.0)
        figures[c, 0], figures[c, 1], figures[c, 2] = appraise(
            first, last, row_from, row_to, block_from, block_to,
            indptr, indices, values, offset, weight, kind,
            block_start, block_member, block_right, block_exact,
            cost, lower, upper, x, multiplier, slope, in_block,
        )  # fmt: skip
        figures[c, 3] = moved
