"""Terms with their values of all rows, a column's made once: thresholds see no label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.term_choices import cuts_of, step_terms, terms_of
from workbench.structure.terms import Term

_Made = tuple[Term, Float, bytes]
"""A term, its values times its handicap, and of a condition the rows that it holds of, as bits."""
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
    _made: dict[int, list[_Made]] = field(default_factory=dict)
    _steps: dict[tuple[int, float], list[_Made]] = field(default_factory=dict)
    _fine: dict[int, tuple[list[float], Int64, Int64]] = field(default_factory=dict)

    def of(self, columns: Int64, most: int, y: Float, rows: Int64) -> tuple[list[Term], Float]:
        """At most so many terms of some columns, values times handicaps (n_rows, n_terms).

        Beside the thresholds that all rows share, of each column that which tells most of `y`, 0 or
        1, of some rows. Of conditions that hold of the same rows the first stays.
        """
        shared = (made for column in columns.tolist() for made in self._of(column))
        found = list(_different(shared, most))
        sharpest = (made for column in columns.tolist() for made in self._sharpest(column, y, rows))
        found = list(_different([*found, *sharpest], len(found) + most))
        values = np.empty((len(self.X), len(found)))
        for place, (_, column, _) in enumerate(found):
            values[:, place] = column
        return [term for term, _, _ in found], values

    def _of(self, column: int) -> list[_Made]:
        if column not in self._made:
            self._made[column] = self._values(terms_of(self.X, [column]))
        return self._made[column]

    def _sharpest(self, column: int, y: Float, rows: Int64) -> list[_Made]:
        """The terms of the most telling threshold; none where a shared one tells nearly as much."""
        if column not in self._fine:
            values = np.asarray(self.X[:, column], np.float64)
            cuts = cuts_of(values, FINE_CUTS)
            codes = np.where(
                np.isnan(values), len(cuts) + 1, np.searchsorted(cuts, values, "right")
            )
            shared = {one.threshold for term, _, _ in self._of(column) for one in term.conditions}
            self._fine[column] = (
                cuts,
                codes,
                np.searchsorted(cuts, sorted(shared)).clip(max=max(len(cuts) - 1, 0)),
            )
        cuts, codes, shared_places = self._fine[column]
        if not cuts:
            return []
        n = np.bincount(codes[rows], minlength=len(cuts) + 2)[:-1].cumsum().astype(np.float64)
        s = np.bincount(codes[rows], weights=y[rows], minlength=len(cuts) + 2)[:-1].cumsum()
        told = _likelihood(s[:-1], n[:-1]) + _likelihood(s[-1] - s[:-1], n[-1] - n[:-1])
        best = int(np.argmax(told))
        if told[best] < told[shared_places].max(initial=-np.inf) + CLEARLY:
            return []
        key = column, cuts[best]
        if key not in self._steps:
            self._steps[key] = self._values(step_terms(self.X, *key))
        return self._steps[key]

    def _values(self, terms: Sequence[Term]) -> list[_Made]:
        found = []
        for term in terms:
            values = term.handicap * term.values(self.X)
            # Columns of one table are unknown in the same rows.
            found.append(
                (
                    term,
                    values,
                    np.packbits(values > 0).tobytes() if term.form == "condition" else b"",
                )
            )
        return found


def _different(made: Iterable[_Made], most: int) -> Iterator[_Made]:
    seen: set[bytes] = set()
    for one in made:
        if most <= 0:
            return
        pattern = one[2]
        if not pattern or pattern not in seen:
            seen.add(pattern)
            most -= 1
            yield one


def _likelihood(s: Float, n: Float) -> Float:
    """The greatest log likelihood of s successes of n."""
    return _told(s, n) + _told(n - s, n)


def _told(s: Float, n: Float) -> Float:
    """`s log(s / n)`, 0 where s is."""
    return s * np.log(s / np.maximum(n, 1), where=s > 0, out=np.zeros_like(s))
