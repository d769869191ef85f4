"""One kind of non-matches: a tree of fields, each depending on one other (Chow & Liu 1968)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from workbench.arrays import Float, Int8

MISSING = 0
PRIOR_COUNT = 0.1
EDGE_COUNT = 2.0
FAR = 1


@dataclass(frozen=True)
class EveryPair:
    """All pairs of records that could match, candidates or not.

    Attributes
    ----------
    totals : tuple of float64 arrays, shape (n_levels,)
        How many pairs have each level of each field; of MISSING none are counted.
    """

    number: float
    totals: tuple[Float, ...]

    def times(self, by: float) -> EveryPair:
        """So many times as many."""
        return EveryPair(self.number * by, tuple(one * by for one in self.totals))

    def without(self, levels: Int8, weight: Float) -> EveryPair:
        """Without some, of which `weight` have each of the rows of `levels`."""
        less = [
            np.bincount(levels[:, at], weight, minlength=len(one))
            for at, one in enumerate(self.totals)
        ]
        totals = tuple(np.maximum(one - other, 0.0) for one, other in zip(self.totals, less))
        return EveryPair(max(self.number - float(weight.sum()), 1.0), totals)


@dataclass(frozen=True)
class FieldTree:
    """One kind of non-matches.

    Attributes
    ----------
    parent : tuple of int
        The field that each depends on; -1 for the root.
    tables : tuple of float64 arrays, shape (n_levels of the parent or 1, n_levels)
        log P(level | level of the parent).
    share : float
        The logarithm of its share of all pairs.
    """

    parent: tuple[int, ...]
    tables: tuple[Float, ...]
    share: float

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        tables = [table.tolist() for table in self.tables]
        return {"parent": self.parent, "tables": tables, "share": self.share}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> FieldTree:
        """The kind that `as_record` described."""
        return cls(tuple(said["parent"]), tuple(map(np.array, said["tables"])), said["share"])

    def parts(self, levels: Int8) -> Float:
        """log P of each field's level, shape (n, n_fields)."""
        found = np.empty(levels.shape)
        for place, (table, parent) in enumerate(zip(self.tables, self.parent)):
            found[:, place] = table[levels[:, parent] if parent >= 0 else 0, levels[:, place]]
        return found

    def total(self, levels: Int8) -> Float:
        """log P(levels and kind), shape (n,): the sum of `parts` and `share`, several times as
        fast.
        """
        found = np.full(len(levels), self.share)
        for place, (table, parent) in enumerate(zip(self.tables, self.parent)):
            code = levels[:, place].astype(np.intp)
            if parent >= 0:
                code += table.shape[1] * levels[:, parent].astype(np.intp)
            found += table.ravel()[code]
        return found


def log_shares(counts: Float) -> Float:
    """Of levels along the last axis, given that both values are there:
    what is missing says nothing.
    """
    found = counts.copy()
    found[..., MISSING] = 0.0
    found /= found.sum(axis=-1, keepdims=True)
    found[..., MISSING] = 1.0
    return np.asarray(np.log(found))


def field_tree(
    levels: Int8,
    weight: Float,
    sizes: Sequence[int],
    share: float,
    every: EveryPair | None,
    parent: tuple[int, ...] | None = None,
) -> FieldTree:
    """The tree of most shared information (Chow & Liu 1968) of pairs of these levels and weights,
    or the one of these parents; of all pairs, where these are known.

    Parameters
    ----------
    share : float
        The logarithm of the pairs' share of all.
    """
    n = len(sizes)
    alone: list[Float] = [
        np.asarray(np.bincount(levels[:, place], weight, minlength=size), np.float64)
        for place, size in enumerate(sizes)
    ]
    if every is not None:
        alone = [np.asarray(np.maximum(*both)) for both in zip(alone, every.totals)]

    def joint(one: int, two: int) -> Float:
        code = levels[:, one].astype(np.int64) * sizes[two] + levels[:, two]
        flat = np.asarray(np.bincount(code, weight, minlength=sizes[one] * sizes[two]), np.float64)
        table: Float = flat.reshape(sizes[one], sizes[two])
        if every is not None:
            table = np.maximum(table, np.outer(alone[one], alone[two]) / every.number)
        return table

    if parent is None:
        shared = np.zeros((n, n))
        for one, two in combinations(range(n), 2):
            information = _shared_information(joint(one, two)[FAR:, FAR:])
            shared[one, two] = shared[two, one] = information
        parent = _tree(shared)
    tables = []
    for place, above in enumerate(parent):
        base = log_shares(alone[place] + PRIOR_COUNT)
        if above < 0:
            tables.append(base[None, :])
        else:
            table = log_shares(joint(above, place) + EDGE_COUNT * np.exp(base))
            table[MISSING] = base
            tables.append(table)
    return FieldTree(parent, tuple(tables), share)


def _shared_information(table: Float) -> float:
    """Mutual information, times the number of pairs."""
    total = table.sum()
    if total <= 0:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    there = table > 0
    return float((table[there] * np.log(table[there] / expected[there])).sum())


def _tree(shared: Float) -> tuple[int, ...]:
    """The parents in the tree of largest sum (Prim 1957)."""
    n = len(shared)
    parent, inside = np.full(n, -1), np.zeros(n, np.bool_)
    nearest = np.full(n, -np.inf)
    nearest[0] = np.inf
    for _ in range(n):
        one = int(np.argmax(np.where(inside, -np.inf, nearest)))
        inside[one] = True
        closer = ~inside & (shared[one] > nearest)
        parent[closer], nearest[closer] = one, shared[one][closer]
    return tuple(parent.tolist())
