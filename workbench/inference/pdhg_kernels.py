"""The compiled iteration of restarted, reflected Halpern PDHG: one pass over the rows each."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Real
from workbench.inference.simplex import project_to_simplex
from workbench.network.compiled import compiled
from workbench.network.hinge_problem import AT_MOST, LINEAR, SQUARED, HingeArrays


class Iterate(NamedTuple):
    """Where a run stands; arrays over atoms or rows, of the program's precision.

    Attributes
    ----------
    primal_step, dual_step
        Diagonal steps, over atoms and over rows.
    x, multiplier
        z.
    anchor_x, anchor_multiplier
        Where z is pulled to.
    mapped_x, mapped_multiplier
        T(z).
    slope
        `A^T multiplier`.
    reflected
        Scratch, as `scratch`, float64 of shape (2, members of the largest block), is; that is None
        without blocks, and kernels are compiled for none.
    """

    primal_step: Real
    dual_step: Real
    x: Real
    multiplier: Real
    anchor_x: Real
    anchor_multiplier: Real
    mapped_x: Real
    mapped_multiplier: Real
    slope: Real
    reflected: Real
    scratch: Float | None


@compiled
def halpern_steps(
    program: HingeArrays, z: Iterate, before: Real, steps: int, done: int, primal_weight: float
) -> float:
    """Run `steps` iterations from `(x, multiplier)` in place, `done` since the anchor was set.

    An iteration maps z to T(z), one step of PDHG with diagonal steps `primal_step / primal_weight`
    and `dual_step * primal_weight`, and moves to `(k + 1) / (k + 2) * (2 T(z) - z) + 1 / (k + 2) *
    anchor`. Returns the last `|z - T(z)|` in the norm in which T is firmly nonexpansive. `before`
    is room for the multipliers.
    """
    residual = 0.0
    for iteration in range(done, done + steps):
        keep = (iteration + 1.0) / (iteration + 2.0)
        last = iteration == done + steps - 1
        for j in range(before.size if last else 0):
            before[j] = z.multiplier[j]
        residual = primal_pass(program, z, z.scratch, primal_weight)
        dual_pass(program, z, keep, primal_weight)
        if last:
            residual += dual_residual(program, z, before, primal_weight)
        for i in range(z.x.size):
            z.x[i] = keep * z.reflected[i] + (1.0 - keep) * z.anchor_x[i]
    return math.sqrt(max(residual, 0.0))


@compiled
def primal_pass(
    program: HingeArrays, z: Iterate, scratch: Float | None, primal_weight: float
) -> float:
    """Move `x` against the slope onto bounds: `mapped_x` and its reflection; `slope` ends at 0."""
    cost, lower, upper, block_of = program.cost, program.lower, program.upper, program.block_of
    primal_step, x, slope, mapped_x = z.primal_step, z.x, z.slope, z.mapped_x
    # Atoms of a block are only moved here: their simplex, not a box, says where they may be.
    for i in range(cost.size):
        moved = x[i] - primal_step[i] / primal_weight * (cost[i] + slope[i])
        mapped_x[i] = moved if block_of[i] >= 0 else min(max(moved, lower[i]), upper[i])
        slope[i] = 0.0
    if scratch is not None:
        _project(program, primal_step, mapped_x, scratch)
    # Rows are looked at in the reflection 2 T(x) - x, so that a pass needs no second look at them.
    residual = 0.0
    for i in range(cost.size):
        change = mapped_x[i] - x[i]
        z.reflected[i] = mapped_x[i] + change
        residual += change * change * primal_weight / primal_step[i]
    return residual


@compiled
def _project(program: HingeArrays, primal_step: Real, mapped_x: Real, scratch: Float) -> None:
    """Project the atoms of each block onto its simplex, in the metric of the step."""
    for k in range(program.block_right.size):
        start = program.block_start[k]
        size = program.block_start[k + 1] - start
        right, exact = program.block_right[k], program.block_exact[k]
        # Where clipping at 0 keeps an at-most block within its sum, that is the projection already.
        sum_above = 0.0
        for q in range(size):
            i = program.block_member[start + q]
            sum_above += max(mapped_x[i], 0.0)
            scratch[0, q] = mapped_x[i]
            scratch[1, q] = 1.0 / primal_step[i]
        if not exact and sum_above <= right:
            for q in range(size):
                i = program.block_member[start + q]
                mapped_x[i] = max(mapped_x[i], 0.0)
            continue
        project_to_simplex(scratch[0], scratch[1], size, right, exact)
        for q in range(size):
            mapped_x[program.block_member[start + q]] = scratch[0, q]


@compiled
def dual_pass(program: HingeArrays, z: Iterate, keep: float, primal_weight: float) -> None:
    """Move every multiplier along its row at `reflected`, anchor it, and add its part to `slope`.

    Rows over two atoms, the most common by far, take a path without inner loops. A function of its
    own: inlined among the other passes the loop runs out of registers and takes more than twice as
    long.
    """
    indptr, indices, values = program.indptr, program.indices, program.values
    b, weight, kind, dual_step = program.b, program.weight, program.kind, z.dual_step
    multiplier, anchor_multiplier = z.multiplier, z.anchor_multiplier
    mapped_multiplier = z.mapped_multiplier
    reflected, slope = z.reflected, z.slope
    for j in range(b.size):
        start, end = indptr[j], indptr[j + 1]
        pair = end - start == 2
        ell = b[j]
        if pair:
            one, other = indices[start], indices[start + 1]
            ell += values[start] * reflected[one] + values[start + 1] * reflected[other]
        else:
            one = other = np.int32(0)
            for p in range(start, end):
                ell += values[p] * reflected[indices[p]]
        # The step of each conjugate: into [0, w] for a linear hinge, shrunk and above 0 for a
        # squared one, above 0 for `ell <= 0`, anywhere for `ell = 0`.
        step = dual_step[j] * primal_weight
        old = multiplier[j]
        moved = old + step * ell
        code = kind[j]
        if code == LINEAR:
            moved = min(max(moved, 0.0), weight[j])
        elif code == SQUARED:
            moved = max(moved / (1.0 + 0.5 * step / weight[j]), 0.0)
        elif code == AT_MOST:
            moved = max(moved, 0.0)
        mapped_multiplier[j] = moved
        # The new multiplier's part of the next slope is added while the row is at hand.
        new = keep * (2.0 * moved - old) + (1.0 - keep) * anchor_multiplier[j]
        multiplier[j] = new
        if pair:
            slope[one] += new * values[start]
            slope[other] += new * values[start + 1]
        else:
            for p in range(start, end):
                slope[indices[p]] += new * values[p]


@compiled
def dual_residual(program: HingeArrays, z: Iterate, before: Real, primal_weight: float) -> float:
    """The multipliers' part of `|z - T(z)|^2`, and the cross term with the atoms' part."""
    indptr, indices, values = program.indptr, program.indices, program.values
    residual = 0.0
    for j in range(before.size):
        change = z.mapped_multiplier[j] - before[j]
        across = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            across += values[p] * (z.mapped_x[indices[p]] - z.x[indices[p]])
        residual += change * (change / (z.dual_step[j] * primal_weight) - 2.0 * across)
    return residual
