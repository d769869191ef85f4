"""The compiled iteration of restarted, reflected Halpern primal-dual hybrid gradient: one pass over the rows each."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Bool, Float, Int8, Int32, Int64, Real
from workbench.inference.simplex import project_to_simplex
from workbench.network.compiled import compiled

__all__ = ["halpern_steps"]


@compiled
def halpern_steps(
    steps: int,
    done: int,
    indptr: Int32,
    indices: Int32,
    values: Real,
    offset: Real,
    weight: Real,
    kind: Int8,
    cost: Real,
    lower: Real,
    upper: Real,
    in_block: Bool,
    block_start: Int64,
    block_member: Int64,
    block_right: Float,
    block_exact: Bool,
    scratch: Float,
    primal_step: Real,
    dual_step: Real,
    primal_weight: float,
    x: Real,
    multiplier: Real,
    anchor_x: Real,
    anchor_multiplier: Real,
    slope: Real,
    reflected: Real,
    mapped_x: Real,
    mapped_multiplier: Real,
) -> float:
    """Run `steps` iterations from `(x, multiplier)` in place; `done` have run since the anchor was set.

    An iteration maps z to T(z), one step of PDHG with diagonal steps `primal_step / primal_weight` and
    `dual_step * primal_weight`, and moves to `(k + 1) / (k + 2) * (2 T(z) - z) + 1 / (k + 2) * anchor`.
    `slope` holds `A^T multiplier` on entry and exit, `reflected` is scratch; the last T(z) is left in `mapped_x` and
    `mapped_multiplier`. All real arrays but those of the blocks have one precision, single or double.

    Returns
    -------
    float
        The last `|z - T(z)|` in the norm in which T is firmly nonexpansive.
    """
    residual = 0.0
    for iteration in range(done, done + steps):
        keep = (iteration + 1.0) / (iteration + 2.0)
        last = iteration == done + steps - 1
        before = multiplier.copy() if last else multiplier[:0]
        residual = _primal_pass(
            cost,
            lower,
            upper,
            in_block,
            block_start,
            block_member,
            block_right,
            block_exact,
            scratch,
            primal_step,
            primal_weight,
            x,
            slope,
            mapped_x,
            reflected,
        )
        _dual_pass(
            keep,
            indptr,
            indices,
            values,
            offset,
            weight,
            kind,
            dual_step,
            primal_weight,
            multiplier,
            anchor_multiplier,
            reflected,
            slope,
            mapped_multiplier,
        )
        if last:
            residual += _dual_residual(
                indptr, indices, values, dual_step, primal_weight, before, mapped_multiplier, mapped_x, x
            )
        for i in range(cost.size):
            x[i] = keep * reflected[i] + (1.0 - keep) * anchor_x[i]
    return float(np.sqrt(max(residual, 0.0)))


@compiled
def _primal_pass(
    cost: Real,
    lower: Real,
    upper: Real,
    in_block: Bool,
    block_start: Int64,
    block_member: Int64,
    block_right: Float,
    block_exact: Bool,
    scratch: Float,
    primal_step: Real,
    primal_weight: float,
    x: Real,
    slope: Real,
    mapped_x: Real,
    reflected: Real,
) -> float:
    """Move `x` against the slope onto box and blocks: `mapped_x` and its reflection; `slope` ends at 0."""
    for i in range(cost.size):
        moved = x[i] - primal_step[i] / primal_weight * (cost[i] + slope[i])
        mapped_x[i] = moved if in_block[i] else min(max(moved, lower[i]), upper[i])
        slope[i] = 0.0
    for k in range(block_right.size):
        start = block_start[k]
        size = block_start[k + 1] - start
        sum_above = 0.0
        for q in range(size):
            i = block_member[start + q]
            sum_above += max(mapped_x[i], 0.0)
            scratch[0, q] = mapped_x[i]
            scratch[1, q] = 1.0 / primal_step[i]
        if not block_exact[k] and sum_above <= block_right[k]:
            for q in range(size):
                i = block_member[start + q]
                mapped_x[i] = max(mapped_x[i], 0.0)
            continue
        project_to_simplex(scratch[0], scratch[1], size, block_right[k], block_exact[k])
        for q in range(size):
            mapped_x[block_member[start + q]] = scratch[0, q]
    residual = 0.0
    for i in range(cost.size):
        change = mapped_x[i] - x[i]
        reflected[i] = mapped_x[i] + change
        residual += change * change * primal_weight / primal_step[i]
    return residual


@compiled
def _dual_pass(
    keep: float,
    indptr: Int32,
    indices: Int32,
    values: Real,
    offset: Real,
    weight: Real,
    kind: Int8,
    dual_step: Real,
    primal_weight: float,
    multiplier: Real,
    anchor_multiplier: Real,
    reflected: Real,
    slope: Real,
    mapped_multiplier: Real,
) -> None:
    """Move every multiplier along its row at `reflected`, anchor it, and add its part to `slope`.

    Rows over two atoms, the most common by far, take a path without inner loops. A function of its own: inlined among
    the other passes the loop runs out of registers and takes more than twice as long.
    """
    for j in range(offset.size):
        start, end = indptr[j], indptr[j + 1]
        pair = end - start == 2
        ell = offset[j]
        if pair:
            one, other = indices[start], indices[start + 1]
            ell += values[start] * reflected[one] + values[start + 1] * reflected[other]
        else:
            one = other = np.int32(0)
            for p in range(start, end):
                ell += values[p] * reflected[indices[p]]
        step = dual_step[j] * primal_weight
        old = multiplier[j]
        moved = old + step * ell
        code = kind[j]
        if code == 0:
            moved = min(max(moved, 0.0), weight[j])
        elif code == 1:
            moved = max(moved / (1.0 + 0.5 * step / weight[j]), 0.0)
        elif code == 2:
            moved = max(moved, 0.0)
        mapped_multiplier[j] = moved
        new = keep * (2.0 * moved - old) + (1.0 - keep) * anchor_multiplier[j]
        multiplier[j] = new
        if pair:
            slope[one] += new * values[start]
            slope[other] += new * values[start + 1]
        else:
            for p in range(start, end):
                slope[indices[p]] += new * values[p]


@compiled
def _dual_residual(
    indptr: Int32,
    indices: Int32,
    values: Real,
    dual_step: Real,
    primal_weight: float,
    before: Real,
    after: Real,
    mapped_x: Real,
    x: Real,
) -> float:
    """The multipliers' part of `|z - T(z)|^2`, and the cross term with the atoms' part."""
    residual = 0.0
    for j in range(before.size):
        change = after[j] - before[j]
        across = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            across += values[p] * (mapped_x[indices[p]] - x[indices[p]])
        residual += change * (change / (dual_step[j] * primal_weight) - 2.0 * across)
    return residual
