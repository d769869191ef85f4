"""Rows of a relation by the values of whole-number columns, found by arithmetic or halving."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from workbench.arrays import Array, Int64
from workbench.grounding.columns_with_nulls import Column, NotInArraysError

SPARSEST, SMALL = 4, 2**16
"""Codes are looked up in an array while it has at most so many places a row, and so many more."""


@dataclass(frozen=True)
class KeyIndex:
    """Rows in order of their codes, which count the combinations of values within their ranges.

    Attributes
    ----------
    columns : tuple of arrays
        The columns that were read.
    low, span : tuples of int
        Least value of each column, and how many there could be from it to the largest.
    order : int64 array, shape (n_rows,)
        Row numbers in order of codes, and as they came where codes agree.
    codes_there : int64 array
        The codes that there are, ascending; where `dense`, all that there could be.
    starts : int64 array
        The place in `order` where the rows of each begin, and the end of the last.
    """

    columns: tuple[Array, ...]
    low: tuple[int, ...]
    span: tuple[int, ...]
    order: Int64
    codes_there: Int64
    starts: Int64
    dense: bool

    @classmethod
    def of(cls, columns: Sequence[Array]) -> KeyIndex:
        if any(column.dtype.kind != "i" for column in columns):
            raise NotInArraysError
        low = tuple(int(column.min()) if len(column) else 0 for column in columns)
        span = tuple(
            int(column.max()) - one + 1 if len(column) else 1 for column, one in zip(columns, low)
        )
        if (places := prod(span)) > 2**62:
            raise NotInArraysError
        codes = _coded(columns, low, span)
        order = np.argsort(codes, kind="stable")
        dense = places <= SPARSEST * len(codes) + SMALL
        if dense:
            there = np.arange(places)
            counts = np.bincount(codes, minlength=places)
        else:
            there, counts = np.unique(codes, return_counts=True)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return cls(tuple(columns), low, span, order, there, starts, dense)

    def reads(self, columns: Iterable[Array]) -> bool:
        """Whether the index is of these very columns."""
        return all(one is other for one, other in zip(self.columns, columns, strict=True))

    def codes(self, keys: Sequence[Column]) -> Int64:
        """The place in `starts` of each combination of keys; -1 where there is no such row."""
        values = [np.asarray(key.values) for key in keys]
        if any(one.dtype.kind != "i" for one in values):
            raise NotInArraysError
        values = list(np.broadcast_arrays(*values))
        inside = np.ones(values[0].shape, bool)
        for key, one, low, span in zip(keys, values, self.low, self.span):
            inside &= (one >= low) & (one < low + span) & ~key.is_null
        within = [np.where(inside, one, low) for one, low in zip(values, self.low)]
        codes = _coded(within, self.low, self.span)
        if self.dense:
            return np.where(inside, codes, -1)
        place = np.minimum(np.searchsorted(self.codes_there, codes), len(self.codes_there) - 1)
        return np.where(inside & (self.codes_there[place] == codes), place, -1)

    def counts(self, codes: Int64) -> Int64:
        """How many rows each code has."""
        return np.where(codes >= 0, self.starts[codes + 1] - self.starts[np.maximum(codes, 0)], 0)

    def matches(self, codes: Int64, most_added: int, *, outer: bool) -> tuple[Int64, Int64]:
        """The number of the code and of the row of each match, in order of codes as given and of
        rows; with `outer` a row -1 for each code that has none.
        """
        counts = self.counts(codes)
        wanted = np.maximum(counts, 1) if outer else counts
        total = int(wanted.sum())
        if total > len(codes) + most_added:
            raise NotInArraysError
        owner = np.repeat(np.arange(len(codes)), wanted)
        first = np.cumsum(wanted) - wanted
        place = self.starts[np.maximum(codes, 0)][owner] + np.arange(total) - first[owner]
        missing = counts[owner] == 0
        if not len(self.order):
            return owner, np.full(total, -1)
        rows = self.order[np.minimum(place, len(self.order) - 1)]
        return owner, np.where(missing, -1, rows)


def _coded(columns: Sequence[Array], low: Sequence[int], span: Sequence[int]) -> Int64:
    codes = np.zeros(columns[0].shape, np.int64)
    for column, one, size in zip(columns, low, span):
        codes = codes * size + (column.astype(np.int64) - one)
    return codes
