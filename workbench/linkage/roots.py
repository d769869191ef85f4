"""Where a decreasing function is 0: SciPy's solvers take half a second to import."""

from __future__ import annotations

from collections.abc import Callable

STEPS = 50


def root_of(falling: Callable[[float], float], low: float, high: float) -> float:
    """The root between `low` and `high`, or the end that it lies beyond, by halving."""
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2.0
