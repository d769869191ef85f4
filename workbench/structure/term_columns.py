"""Terms with their values of all rows, a column's made once: thresholds see no label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from workbench.arrays import Bool, Float, Int64, UInt8
from workbench.structure.rule_task import RuleTask
from workbench.structure.screening import AT_ONCE
from workbench.structure.term_choices import (
    ColumnValues,
    MadeTerm,
    column_terms,
    edges_of,
    step_terms,
)
from workbench.structure.terms import Term, plain_between

FINE_CUTS = 40
"""Thresholds of a column whose most telling one is taken beside those all rows share."""
CLEARLY = 5.0
"""By how much log likelihood it tells more than these: of forty, one fits chance best."""


class TermColumns:
    """The terms of a design's columns, kept as they are made.

    Attributes
    ----------
    task : RuleTask
    terms : list of Term
        Those made so far. What is said of a term goes by its place among them.
    """

    def __init__(self, task: RuleTask) -> None:
        self.task = task
        self.terms: list[Term] = []
        self._values: list[Bool | Float] = []
        self._first_alike: list[int] = []
        self._patterns: dict[bytes, int] = {}
        self._of: dict[int, list[int]] = {}
        self._steps: dict[tuple[int, float], list[int]] = {}
        self._fine: dict[int, _Fine] = {}
        self._read: dict[int, ColumnValues] = {}

    def of(self, columns: Int64, most: int, y: Float, rows: Int64) -> Int64:
        """The places of at most so many terms of some columns, and of as many thresholds beside.

        Beside the thresholds that all rows share, of each column that which tells most of `y`, 0 or
        1, of some rows. Of conditions that hold of the same rows the first stays.
        """
        shared = chain.from_iterable(self._of_column(column) for column in columns.tolist())
        found = self._different(shared, most)
        sharpest = (self._step(*step) for step in self._sharpest(columns, y, rows))
        steps = chain.from_iterable(sharpest)
        return np.array(self._different(chain(found, steps), len(found) + most), np.int64)

    def plain(self, columns: Int64) -> Int64:
        """The places of columns' numbers, of which of two values, and of being unknown."""
        found = chain.from_iterable(self._of_column(column) for column in columns.tolist())
        plain = (place for place in found if self._is_plain(self.terms[place]))
        return np.array(self._different(plain, len(columns) * 3), np.int64)

    def _is_plain(self, term: Term) -> bool:
        if not term.conditions:
            return term.form == "number"
        (one,) = term.conditions
        return one.test == "missing" or len(self._column(one.column).different) == 2

    def values(self, places: Int64, rows: Int64) -> Float:
        """Values times heights, shape (n_places, n_rows)."""
        found = np.empty((len(places), len(rows)))
        for row, place in zip(found, places.tolist()):
            term = self.terms[place]
            height = self.task.height(term) / (term.spread if term.form == "condition" else 1.0)
            np.multiply(self._values[place][rows], height, out=row)
        return found

    def kept(self, made: Iterable[MadeTerm]) -> list[int]:
        """Keep terms; the places that they are given."""
        places = []
        for term, values, pattern in made:
            place = len(self.terms)
            self.terms.append(term)
            self._values.append(values)
            self._first_alike.append(
                self._patterns.setdefault(pattern, place) if pattern else place
            )
            places.append(place)
        return places

    def _of_column(self, column: int) -> list[int]:
        if column not in self._of:
            self._of[column] = self.kept(column_terms(self._column(column), column))
        return self._of[column]

    def _column(self, column: int) -> ColumnValues:
        if column not in self._read:
            self._read[column] = ColumnValues.of(self.task.X, column)
        return self._read[column]

    def _step(self, column: int, cut: float) -> list[int]:
        if (column, cut) not in self._steps:
            self._steps[column, cut] = self.kept(step_terms(self._column(column), column, cut))
        return self._steps[column, cut]

    def _different(self, places: Iterable[int], most: int) -> list[int]:
        """The first of each pattern, at most so many."""
        found: dict[int, int] = {}
        for place in places:
            if len(found) == most:
                break
            found.setdefault(self._first_alike[place], place)
        return list(found.values())

    def _sharpest(self, columns: Int64, y: Float, rows: Int64) -> Iterator[tuple[int, float]]:
        """Columns with the threshold that tells most of the rows, where no shared one tells nearly
        as much.
        """
        fine = [(column, one) for column in columns.tolist() if (one := self._finely(column)).edges]
        labels = y[rows].astype(np.int64)
        for first in range(0, len(fine), AT_ONCE):
            block = fine[first : first + AT_ONCE]
            codes = np.stack([one.codes for _, one in block])[:, rows]
            told = _told_by_cuts(codes, labels)
            told[~np.stack([one.possible for _, one in block])] = -np.inf
            best = told.argmax(axis=1)
            shared = np.where(np.stack([one.shared for _, one in block]), told, -np.inf)
            clearly = told.max(axis=1) >= shared.max(axis=1) + CLEARLY
            for place in np.flatnonzero(clearly):
                column, one = block[place]
                yield column, plain_between(*one.edges[best[place]])

    def _finely(self, column: int) -> _Fine:
        if column not in self._fine:
            shared = [
                one.threshold
                for place in self._of_column(column)
                for one in self.terms[place].conditions
            ]
            self._fine[column] = _Fine(self._column(column), shared)
        return self._fine[column]


class _Fine:
    """Many thresholds of a column.

    Attributes
    ----------
    edges : list of (float, float)
        The values on both sides of each.
    codes : uint8 array, shape (n_rows,)
        How many each row is above; the last code where it is unknown.
    possible, shared : bool array, shape (FINE_CUTS + 1,)
        Which there are, and which of them all rows share.
    """

    def __init__(self, column: ColumnValues, shared: list[float]) -> None:
        self.edges, values = edges_of(column, FINE_CUTS), column.values
        above = np.array([high for _, high in self.edges])
        codes = np.searchsorted(above, values, "right")
        self.codes = np.where(np.isnan(values), FINE_CUTS + 1, codes).astype(np.uint8)
        self.possible: Bool = np.arange(FINE_CUTS + 1) < len(self.edges)
        self.shared: Bool = np.zeros(FINE_CUTS + 1, np.bool_)
        self.shared[np.searchsorted(above, shared).clip(max=max(len(above) - 1, 0))] = True


def _told_by_cuts(codes: UInt8, labels: Int64) -> Float:
    """The log likelihood of labels by a rate above each threshold of each column and one for other
    known values, shape (n_columns, FINE_CUTS + 1).
    """
    size = 2 * (FINE_CUTS + 2)
    places = np.arange(len(codes))[:, None] * size + 2 * codes.astype(np.int64) + labels
    counts = np.bincount(places.ravel(), minlength=len(codes) * size)
    each = counts.reshape(len(codes), FINE_CUTS + 2, 2)[:, :-1].astype(np.float64)
    n, s = each.sum(axis=2).cumsum(axis=1), each[:, :, 1].cumsum(axis=1)
    return _likelihood(s, n) + _likelihood(s[:, -1:] - s, n[:, -1:] - n)


def _likelihood(s: Float, n: Float) -> Float:
    """The greatest log likelihood of s successes of n."""
    return _told(s, n) + _told(n - s, n)


def _told(s: Float, n: Float) -> Float:
    """`s log(s / n)`, 0 where s is."""
    return s * np.log(s / np.maximum(n, 1), where=s > 0, out=np.zeros_like(s))
