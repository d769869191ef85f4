"""Some rows of long columns and matrices, copied by stretches where they stand in long ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array, Int64

LONG = 64
"""Rows a stretch, on average, from which copying stretches is faster than looking up row by row."""


Piece = tuple[int, int, int]
"""Of the source with that number: from, to."""


def copied(sources: Sequence[Array], pieces: Sequence[Piece]) -> Array:
    """Stretches of columns, one after the other; a single one's own memory."""
    parts = [sources[which][start:stop] for which, start, stop in pieces]
    return parts[0] if len(parts) == 1 else np.concatenate(parts or [sources[0][:0]])


def copied_rows(sources: Sequence[csr_array], pieces: Sequence[Piece]) -> csr_array:
    """The same of matrices of one width."""
    bounds = [one.indptr for one in sources]
    ends = np.cumsum(copied([np.diff(one) for one in bounds], pieces))
    indptr = np.append(0, ends).astype(bounds[0].dtype)
    entries = [
        (which, int(bounds[which][start]), int(bounds[which][stop]))
        for which, start, stop in pieces
    ]
    data = copied([one.data for one in sources], entries)
    indices = copied([one.indices for one in sources], entries)
    return csr_array((data, indices, indptr), shape=(ends.size, sources[0].shape[1]))


@dataclass(frozen=True)
class ChosenRows:
    """Rows in an order, with the stretches of consecutive ones that they make, if long.

    Attributes
    ----------
    rows : int64 array
    """

    rows: Int64
    stretches: tuple[Piece, ...] | None

    @classmethod
    def of(cls, rows: Int64) -> ChosenRows:
        """Find the stretches. Linear in the rows."""
        ends = np.flatnonzero(np.diff(rows) != 1) + 1
        if not rows.size or ends.size * LONG > rows.size:
            return cls(rows, None)
        first, last = np.append(0, ends), np.append(ends, rows.size) - 1
        pieces = ((0, a, b + 1) for a, b in zip(rows[first].tolist(), rows[last].tolist()))
        return cls(rows, tuple(pieces))

    def of_column(self, column: Array) -> Array:
        """The rows of a column; the column's own memory where they are one stretch."""
        return column[self.rows] if self.stretches is None else copied([column], self.stretches)

    def rows_of(self, A: csr_array) -> csr_array:
        """The rows of a matrix; its own memory where they are one stretch."""
        if self.stretches is None:
            return csr_array(A[self.rows])
        return copied_rows([A], self.stretches)
