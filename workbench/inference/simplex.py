"""Projection onto a scaled simplex in a diagonal metric, compiled."""

from __future__ import annotations

from workbench.arrays import Float
from workbench.network.compiled import compiled


@compiled
def project_to_simplex(values: Float, metric: Float, size: int, right: float, exact: bool) -> None:
    """Project `values[:size]` onto `{x >= 0, sum x = right}` (or `<=`) in a diagonal metric.

    Minimises `sum_k metric_k (x_k - values_k)^2`: `x_k = max(0, values_k - m / metric_k)`.
    Michelot's method finds m: shift all coordinates to the sum, drop those that fall below zero,
    repeat with the rest. O(size^2) at worst.
    """
    total = 0.0
    give = 0.0
    clipped = 0.0
    for k in range(size):
        total += values[k]
        give += 1.0 / metric[k]
        clipped += max(values[k], 0.0)
    if right <= 0.0:
        for k in range(size):
            values[k] = 0.0
        return
    if not exact and clipped <= right:
        for k in range(size):
            values[k] = max(values[k], 0.0)
        return
    count = size
    while True:
        shift = (total - right) / give
        total = 0.0
        give = 0.0
        above = 0
        for k in range(size):
            if values[k] * metric[k] > shift:
                total += values[k]
                give += 1.0 / metric[k]
                above += 1
        if above >= count or above == 0:  # rounding may let a dropped coordinate return
            break
        count = above
    for k in range(size):
        values[k] = max(values[k] - shift / metric[k], 0.0)
