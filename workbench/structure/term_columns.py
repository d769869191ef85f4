"""Terms with their values of all rows, a column's made once: thresholds see no label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.cuts import plain_between
from workbench.structure.term_choices import MadeTerm, edges_of, step_terms, terms_of
from workbench.structure.terms import Term

FINE_CUTS = 40
"""Thresholds of a column whose most telling one is taken beside those all rows share."""
CLEARLY = 5.0
"""By how much log likelihood it tells more than these: of forty, one fits chance best."""


@dataclass(frozen=True)
class TermColumns:
    """The terms of a design's columns, kept as they are made.

    Attributes
    ----------
    X : float array, shape (n_rows, n_columns)
    """

    X: Real
    _made: dict[int, list[MadeTerm]] = field(default_factory=dict)
    _steps: dict[tuple[int, float], list[MadeTerm]] = field(default_factory=dict)
    _fine: dict[int, _Fine] = field(default_factory=dict)

    def of(self, columns: Int64, most: int, y: Float, rows: Int64) -> tuple[list[Term], Float]:
        """At most so many terms of some columns, values times handicaps (n_rows, n_terms).

        Beside the thresholds that all rows share, of each column that which tells most of `y`, 0 or
        1, of some rows. Of conditions that hold of the same rows the first stays.
        """
        shared = (made for column in columns.tolist() for made in self._of(column))
        found = list(_different(shared, most))
        sharpest = (made for step in self._sharpest(columns, y, rows) for made in self._step(*step))
        found = list(_different([*found, *sharpest], len(found) + most))
        values = np.empty((len(self.X), len(found)))
        for place, one in enumerate(found):
            values[:, place] = one.term.handicap * one.values
        return [one.term for one in found], values

    def _of(self, column: int) -> list[MadeTerm]:
        if column not in self._made:
            self._made[column] = list(terms_of(self.X, [column]))
        return self._made[column]

    def _step(self, column: int, cut: float) -> list[MadeTerm]:
        if (column, cut) not in self._steps:
            self._steps[column, cut] = list(step_terms(self.X, column, cut))
        return self._steps[column, cut]

    def _sharpest(self, columns: Int64, y: Float, rows: Int64) -> Iterator[tuple[int, float]]:
        """Columns with the threshold that tells most of the rows, where no shared one tells nearly
        as much.
        """
        fine = {column: one for column in columns.tolist() if (one := self._finely(column)).edges}
        if not fine:
            return
        counts = np.zeros((2, len(fine), FINE_CUTS + 2))
        for place, one in enumerate(fine.values()):
            codes = one.codes[rows]
            counts[0, place] = np.bincount(codes, minlength=FINE_CUTS + 2)
            counts[1, place] = np.bincount(codes, weights=y[rows], minlength=FINE_CUTS + 2)
        n, s = counts[:, :, :-1].cumsum(axis=2)
        told = _likelihood(s, n) + _likelihood(s[:, -1:] - s, n[:, -1:] - n)
        for of, (column, one) in zip(told, fine.items()):
            best = int(np.argmax(of[: len(one.edges)]))
            if of[best] >= of[one.shared].max(initial=-np.inf) + CLEARLY:
                yield column, plain_between(*one.edges[best])

    def _finely(self, column: int) -> _Fine:
        if column not in self._fine:
            values = np.asarray(self.X[:, column], np.float64)
            edges = edges_of(values, FINE_CUTS)
            above = np.array([high for _, high in edges])
            codes = np.searchsorted(above, values, "right")
            shared = {one.threshold for made in self._of(column) for one in made.term.conditions}
            self._fine[column] = _Fine(
                edges,
                np.where(np.isnan(values), FINE_CUTS + 1, codes),
                np.searchsorted(above, sorted(shared)).clip(max=max(len(edges) - 1, 0)),
            )
        return self._fine[column]


class _Fine(NamedTuple):
    """Many thresholds of a column.

    Attributes
    ----------
    edges : list of (float, float)
        The values on both sides of each.
    codes : int64 array, shape (n_rows,)
        How many each row is above; the last code where it is unknown.
    shared : int64 array
        The places of those that all rows share.
    """

    edges: list[tuple[float, float]]
    codes: Int64
    shared: Int64


def _different(made: Iterable[MadeTerm], most: int) -> Iterator[MadeTerm]:
    seen: set[bytes] = set()
    for one in made:
        if most <= 0:
            return
        if not one.pattern or one.pattern not in seen:
            seen.add(one.pattern)
            most -= 1
            yield one


def _likelihood(s: Float, n: Float) -> Float:
    """The greatest log likelihood of s successes of n."""
    return _told(s, n) + _told(n - s, n)


def _told(s: Float, n: Float) -> Float:
    """`s log(s / n)`, 0 where s is."""
    return s * np.log(s / np.maximum(n, 1), where=s > 0, out=np.zeros_like(s))
