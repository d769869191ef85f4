"""Makers of cross-validation folds: by world, by item, by group of items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.arrays import Int64
from workbench.errors import UsageError

__all__ = ["Fold", "grouped_folds", "k_fold", "leave_one_world_out"]


@dataclass(frozen=True)
class Fold:
    """One split: indices (of worlds or items) to train on and to test on, ascending."""

    name: str
    train: Int64
    test: Int64


def leave_one_world_out(names: Sequence[str]) -> tuple[Fold, ...]:
    """One fold a world, named after it: that world is the test, all others train."""
    if len(names) < 2:
        raise UsageError.of("E0705", f"leaving one world out needs two worlds, not {len(names)}")
    every = np.arange(len(names))
    return tuple(Fold(name, np.delete(every, held), every[held : held + 1]) for held, name in enumerate(names))


def k_fold(n: int, k: int, *, seed: int = 0, labels: npt.ArrayLike | None = None) -> tuple[Fold, ...]:
    """`k` folds over `n` shuffled items, sizes differing by at most one.

    With `labels`, shape (n,), each label is dealt out evenly (stratified), the dealing going on from one label to the
    next so that sizes stay even.
    """
    if not 2 <= k <= n:
        raise UsageError.of("E0705", f"cannot make {k} folds of {n} items")
    order = np.random.default_rng(seed).permutation(n)
    if labels is not None:
        label = np.unique(np.asarray(labels), return_inverse=True)[1].ravel()
        order = order[np.argsort(label[order], kind="stable")]
    member = np.empty(n, np.int64)
    member[order] = np.arange(n) % k
    return _folds(member, k)


def grouped_folds(groups: Sequence[Hashable], k: int, *, seed: int = 0) -> tuple[Fold, ...]:
    """`k` folds over items such that no group is split; the largest groups are placed first, each in the smallest fold.

    Parameters
    ----------
    groups : sequence, shape (n,)
        The group of each item.
    """
    names: dict[Hashable, int] = {}
    group = np.array([names.setdefault(name, len(names)) for name in groups], np.int64)
    if not 2 <= k <= len(names):
        raise UsageError.of("E0705", f"cannot make {k} folds of {len(names)} groups")
    size = np.bincount(group)
    shuffled = np.random.default_rng(seed).permutation(size.size)
    filled = np.zeros(k, np.int64)
    fold_of = np.empty(size.size, np.int64)
    for index in shuffled[np.argsort(-size[shuffled], kind="stable")]:
        fold_of[index] = np.argmin(filled)
        filled[fold_of[index]] += size[index]
    return _folds(fold_of[group], k)


def _folds(member: Int64, k: int) -> tuple[Fold, ...]:
    return tuple(Fold(str(i + 1), np.flatnonzero(member != i), np.flatnonzero(member == i)) for i in range(k))
