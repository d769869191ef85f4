"""The compiled iteration of restarted, reflected Halpern primal-dual hybrid gradient: one pass over the rows each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from workbench.inference.simplex import project_to_simplex
from workbench.network.compiled import compiled

__all__ = ["halpern_steps"]

Float = npt.NDArray[np.float64]
Int8 = npt.NDArray[np.int8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


@compiled
def halpern_steps(
    steps: int,
    done: int,
    indptr: Int32,
    indices: Int32,
    values: Float,
    offset: Float,
    weight: Float,
    kind: Int8,
    cost: Float,
    lower: Float,
    upper: Float,
    in_block: Bool,
    block_start: Int64,
    block_member: Int64,
    block_right: Float,
    block_exact: Bool,
    scratch: Float,
    primal_step: Float,
    dual_step: Float,
    primal_weight: float,
    x: Float,
    multiplier: Float,
    anchor_x: Float,
    anchor_multiplier: Float,
    slope: Float,
    reflected: Float,
    mapped_x: Float,
    mapped_multiplier: Float,
) -> float:
    """Run `steps` iterations from `(x, multiplier)` in place; `done` have run since the anchor was set.

    An iteration maps z to T(z), one step of PDHG with diagonal steps `primal_step / primal_weight` and
    `dual_step * primal_weight`, and moves to `(k + 1) / (k + 2) * (2 T(z) - z) + 1 / (k + 2) * anchor`.
    `slope` holds `A^T multiplier` on entry and exit, `reflected` is scratch; the last T(z) is left in `mapped_x` and
    `mapped_multiplier`.

    Returns
    -------
    float
        The last `|z - T(z)|` in the norm in which T is firmly nonexpansive.
    """
    residual = 0.0
    for iteration in range(done, done + steps):
        keep = (iteration + 1.0) / (iteration + 2.0)
        residual = 0.0
        for i in range(cost.size):
            step = primal_step[i] / primal_weight
            mapped_x[i] = x[i] - step * (cost[i] + slope[i])
            if not in_block[i]:
                mapped_x[i] = min(max(mapped_x[i], lower[i]), upper[i])
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
        for i in range(cost.size):
            reflected[i] = 2.0 * mapped_x[i] - x[i]
            residual += (mapped_x[i] - x[i]) ** 2 * primal_weight / primal_step[i]
        for j in range(offset.size):
            ell = offset[j]
            for p in range(indptr[j], indptr[j + 1]):
                ell += values[p] * reflected[indices[p]]
            step = dual_step[j] * primal_weight
            code = kind[j]
            moved = multiplier[j] + step * ell
            if code == 0:
                moved = min(max(moved, 0.0), weight[j])
            elif code == 1:
                moved = max(moved / (1.0 + 0.5 * step / weight[j]), 0.0)
            elif code == 2:
                moved = max(moved, 0.0)
            mapped_multiplier[j] = moved
            change = moved - multiplier[j]
            if iteration == done + steps - 1:
                across = 0.0
                for p in range(indptr[j], indptr[j + 1]):
                    across += values[p] * (reflected[indices[p]] - x[indices[p]])
                residual += change * (change / step - across)
            new = keep * (multiplier[j] + 2.0 * change) + (1.0 - keep) * anchor_multiplier[j]
            multiplier[j] = new
            if new != 0.0:
                for p in range(indptr[j], indptr[j + 1]):
                    slope[indices[p]] += new * values[p]
        for i in range(cost.size):
            x[i] = keep * (2.0 * mapped_x[i] - x[i]) + (1.0 - keep) * anchor_x[i]
    return float(np.sqrt(max(residual, 0.0)))
