"""Terms with their values of all rows of a design, those of a column made once: thresholds see no label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.terms import Term, terms_of

__all__ = ["TermColumns"]


@dataclass(frozen=True)
class TermColumns:
    """The terms of a design's columns, kept as they are made.

    Attributes
    ----------
    X : float array, shape (n_rows, n_columns)
    """

    X: Real
    _made: dict[int, list[tuple[Term, Float, bytes]]] = field(default_factory=dict)

    def of(self, columns: Int64, most: int) -> tuple[list[Term], Float]:
        """Terms of some columns, at most so many, and their values times handicaps, shape (n_rows, n_terms).

        Of conditions that hold of the same rows the first stays.
        """
        found = list(self._different(columns, most))
        values = np.empty((len(self.X), len(found)))
        for place, (_, column) in enumerate(found):
            values[:, place] = column
        return [term for term, _ in found], values

    def _different(self, columns: Int64, most: int) -> Iterator[tuple[Term, Float]]:
        seen: set[bytes] = set()
        n = 0
        for column in columns.tolist():
            for term, values, pattern in self._of(column):
                if n == most:
                    return
                if not pattern or pattern not in seen:
                    seen.add(pattern)
                    n += 1
                    yield term, values

    def _of(self, column: int) -> list[tuple[Term, Float, bytes]]:
        if column not in self._made:
            self._made[column] = list(self._new(column))
        return self._made[column]

    def _new(self, column: int) -> Iterator[tuple[Term, Float, bytes]]:
        for term in terms_of(self.X, [column]):
            values = term.handicap * term.values(self.X)
            # Columns of one table are unknown in the same rows.
            yield term, values, np.packbits(values > 0).tobytes() if term.form == "condition" else b""
