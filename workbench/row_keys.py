"""Rows of any widths by 128-bit keys, so that equal ones are found by sorting numbers."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Array, Bool, UInt64

_SEEDS = np.array([0x9E3779B97F4A7C15, 0xD1B54A32D192ED03], np.uint64)


def _mix(words: UInt64) -> UInt64:
    """SplitMix64's finaliser (Steele, Lea and Flood 2014): an input bit changes half of it."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _bits(values: Array) -> UInt64:
    return np.ascontiguousarray(values, np.float64).view(np.uint64)


def row_keys(indptr: Array, indices: Array, data: Array, b: Array, template: Array) -> UInt64:
    """A key of two words a row, shape (n, 2): of its template, its constant and its entries as a
    set.

    Every row has an entry. Different rows share a key with probability 2 ** -128 a pair.
    """
    keys = np.empty((b.size, 2), np.uint64)
    first = indptr[:-1].astype(np.int64) - int(indptr[0])
    for lane, seed in enumerate(_SEEDS):
        entries = _mix(_mix(indices.astype(np.uint64) + seed) ^ _bits(data))
        ends = _mix(_mix(template.astype(np.int64).view(np.uint64) + seed) ^ _bits(b + 0.0))
        keys[:, lane] = _mix(np.add.reduceat(entries, first) + ends) if b.size else ends
    return keys


def equal_rows(keys: UInt64) -> Array:
    """For each row the number of its first equal, shape (n,)."""
    # One word tells nearly all rows apart, and sorting by one is several times as fast as by two.
    order = np.argsort(keys[:, 0])
    new = _starts(keys[order, 0])
    if np.any(_starts(keys[order, 1]) & ~new):
        order = np.lexsort((keys[:, 1], keys[:, 0]))
        new = _starts(keys[order, 0]) | _starts(keys[order, 1])
    first = np.empty(order.size, np.int64)
    if order.size:
        first[order] = np.minimum.reduceat(order, np.flatnonzero(new))[np.cumsum(new) - 1]
    return first


def _starts(ordered: UInt64) -> Bool:
    """Where words in order differ from the one before."""
    new = np.ones(ordered.size, np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return new


class RowKeys:
    """A growing set of keys."""

    def __init__(self) -> None:
        self._seen = np.empty((0, 2), np.uint64)

    def add(self, keys: UInt64) -> Bool:
        """Take keys in; which are new, counting the first of equal ones only, shape (n,)."""
        everything = np.concatenate([self._seen, keys])
        first = equal_rows(everything) == np.arange(len(everything))
        self._seen = everything[first]
        return np.asarray(first[len(everything) - len(keys) :], bool)
