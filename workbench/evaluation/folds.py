"""Makers of cross-validation folds: by world, by item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Int64
from workbench.errors import UsageError


@dataclass(frozen=True)
class Fold:
    """One split: indices (of worlds or items) to train on and to test on, ascending."""

    name: str
    train: Int64
    test: Int64


def k_fold(n: int, k: int, *, seed: int = 0) -> tuple[Fold, ...]:
    """`k` folds over `n` shuffled items, sizes differing by at most one."""
    if not 2 <= k <= n:
        raise UsageError.of("E0705", f"cannot make {k} folds of {n} items")
    member = np.empty(n, np.int64)
    member[np.random.default_rng(seed).permutation(n)] = np.arange(n) % k
    return tuple(
        Fold(str(i + 1), np.flatnonzero(member != i), np.flatnonzero(member == i)) for i in range(k)
    )
