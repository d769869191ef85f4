"""The compiled iteration of restarted, reflected Halpern primal-dual hybrid gradient: one pass over the rows each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from workbench.network.compiled import compiled

__all__ = ["halpern_steps"]

Float = npt.NDArray[np.float64]
Int8 = npt.NDArray[np.int8]
Int32 = npt.NDArray[np.int32]


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
    primal_step: Float,
    dual_step: Float,
    primal_weight: float,
    x: Float,
    multiplier: Float,
    anchor_x: Float,
    anchor_multiplier: Float,
    slope: Float,
    mapped_x: Float,
    mapped_multiplier: Float,
) -> float:
    """Run `steps` iterations from `(x, multiplier)` in place; `done` have run since the anchor was set.

    An iteration maps z to T(z), one step of PDHG with diagonal steps `primal_step / primal_weight` and
    `dual_step * primal_weight`, and moves to `(k + 1) / (k + 2) * (2 T(z) - z) + 1 / (k + 2) * anchor`.
    `slope` holds `A^T multiplier` on entry and exit; the last T(z) is left in `mapped_x`, `mapped_multiplier`.

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
            moved = min(max(x[i] - step * (cost[i] + slope[i]), lower[i]), upper[i])
            mapped_x[i] = moved
            residual += (moved - x[i]) ** 2 / step
            slope[i] = 0.0
        for j in range(offset.size):
            now = 0.0
            ahead = 0.0
            for p in range(indptr[j], indptr[j + 1]):
                i = indices[p]
                now += values[p] * x[i]
                ahead += values[p] * mapped_x[i]
            step = dual_step[j] * primal_weight
            code = kind[j]
            moved = multiplier[j] + step * (2.0 * ahead - now + offset[j])
            if code == 0:
                moved = min(max(moved, 0.0), weight[j])
            elif code == 1:
                moved = max(moved / (1.0 + 0.5 * step / weight[j]), 0.0)
            elif code == 2:
                moved = max(moved, 0.0)
            mapped_multiplier[j] = moved
            change = moved - multiplier[j]
            residual += change * (change / step - 2.0 * (ahead - now))
            new = keep * (multiplier[j] + 2.0 * change) + (1.0 - keep) * anchor_multiplier[j]
            multiplier[j] = new
            if new != 0.0:
                for p in range(indptr[j], indptr[j + 1]):
                    slope[indices[p]] += new * values[p]
        for i in range(cost.size):
            x[i] = keep * (2.0 * mapped_x[i] - x[i]) + (1.0 - keep) * anchor_x[i]
    return float(np.sqrt(max(residual, 0.0)))
