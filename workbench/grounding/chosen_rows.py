"""Some rows of long columns and matrices, copied by stretches where they stand in long ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array, Int64

LONG = 64
"""Rows a stretch, on average, from which copying stretches is faster than looking up row by row."""


@dataclass(frozen=True)
class ChosenRows:
    """Rows in an order, with the stretches of consecutive ones that they make, if long.

    Attributes
    ----------
    rows : int64 array
    """

    rows: Int64
    stretches: tuple[slice, ...] | None

    @classmethod
    def of(cls, rows: Int64) -> ChosenRows:
        """Find the stretches. Linear in the rows."""
        ends = np.flatnonzero(np.diff(rows) != 1) + 1
        if not rows.size or ends.size * LONG > rows.size:
            return cls(rows, None)
        first, last = np.append(0, ends), np.append(ends, rows.size) - 1
        return cls(
            rows, tuple(slice(a, b + 1) for a, b in zip(rows[first].tolist(), rows[last].tolist()))
        )

    def of_column(self, column: Array) -> Array:
        """The rows of a column; the column's own memory where they are one stretch."""
        return column[self.rows] if self.stretches is None else _joined(column, self.stretches)

    def rows_of(self, A: csr_array) -> csr_array:
        """The rows of a matrix; its own memory where they are one stretch."""
        if self.stretches is None:
            return csr_array(A[self.rows])
        entries = tuple(
            slice(int(A.indptr[one.start]), int(A.indptr[one.stop])) for one in self.stretches
        )
        lengths = _joined(np.diff(A.indptr), self.stretches)
        indptr = np.append(0, np.cumsum(lengths)).astype(A.indptr.dtype)
        return csr_array(
            (_joined(A.data, entries), _joined(A.indices, entries), indptr),
            shape=(self.rows.size, A.shape[1]),
        )


def _joined(column: Array, stretches: tuple[slice, ...]) -> Array:
    if len(stretches) == 1:
        return column[stretches[0]]
    return np.concatenate([column[one] for one in stretches])
