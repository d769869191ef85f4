"""Terms: what a weighted rule says of a value; chosen and scaled on training rows only; cuts
are of few digits, so that people can read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from workbench.arrays import Bool, Float, Real


@dataclass(frozen=True)
class Condition:
    """A test of a value; unknown ones pass `missing`, and others where `or_missing` says so.

    `column`: the candidate.
    """

    column: int
    test: Literal["at_least", "below", "missing", "known"]
    threshold: float = 0.0
    or_missing: bool = False

    def holds(self, X: Real) -> Bool:
        """Whether it holds of each row, shape (n_rows,)."""
        return self.passes(X[:, self.column].astype(np.float64))

    def passes(self, values: Float) -> Bool:
        """Whether it holds of each value of its candidate."""
        if self.test == "missing":
            return np.isnan(values)
        if self.test == "known":
            return ~np.isnan(values)
        passed = values >= self.threshold if self.test == "at_least" else values < self.threshold
        return passed | np.isnan(values) if self.or_missing else passed


@dataclass(frozen=True)
class Term:
    """A number a row: whether conditions hold; or, where they do, a clipped, centred value.

    Attributes
    ----------
    conditions : tuple of Condition
        Where one fails, or the value is unknown, the term is 0.
    column : int
        Of a value.
    form : {'condition', 'number', 'above', 'below', 'log'}
        `above` is the number above `low`, a threshold; `below` the number up to `high`; `log` is
        log(1 + value - low).
    low, high, centre, spread : float
        Values are clipped to [low, high]; the form's value less `centre`, divided by `spread`.
    """

    conditions: tuple[Condition, ...] = ()
    column: int = -1
    form: Literal["condition", "number", "above", "below", "log"] = "condition"
    low: float = 0.0
    high: float = 0.0
    centre: float = 0.0
    spread: float = 1.0

    @property
    def handicap(self) -> float:
        """How much of its column a shrinking fit sees: of two alike the plainer is taken."""
        if len(self.conditions) > 1:
            return 0.6
        return 0.8 if self.conditions else 0.9 if self.form == "log" else 1.0

    @property
    def uncentred(self) -> bool:
        """Whether a rule says the term without its centre: conditions, values not clipped."""
        return self.form == "condition" or bool(np.isinf(self.high))

    @cached_property
    def columns(self) -> tuple[int, ...]:
        tested = tuple(one.column for one in self.conditions)
        return tested if self.form == "condition" else (*tested, self.column)

    def values(self, X: Real) -> Float:
        """float64 (n_rows,)."""
        if self.form == "condition":
            return (self.holds(X).astype(np.float64) - self.centre) / self.spread
        formed = self.formed(np.asarray(X[:, self.column], np.float64))
        scaled = np.nan_to_num((formed - self.centre) / self.spread, nan=0.0)
        return np.where(self.holds(X), scaled, 0.0) if self.conditions else scaled

    def formed(self, values: Float) -> Float:
        """Values of its candidate as its form has them, neither centred nor scaled."""
        clipped = np.clip(values, self.low, self.high)
        return np.log1p(clipped - self.low) if self.form == "log" else clipped

    def holds(self, X: Real) -> Bool:
        """Whether all conditions hold, shape (n_rows,)."""
        held = np.ones(len(X), np.bool_)
        for one in self.conditions:
            held &= one.holds(X)
        return held

    def on(self, columns: Sequence[int]) -> Term:
        """The same term over candidates renumbered: candidate k of it is `columns[k]`."""
        moved = tuple(replace(one, column=columns[one.column]) for one in self.conditions)
        return replace(
            self, conditions=moved, column=columns[self.column] if self.column >= 0 else -1
        )


def plain_between(low: float, high: float) -> float:
    """A number of few digits near the middle of two values.

    Values are told apart in single precision, so what is returned keeps off both by that much.
    """
    margin = max(float(np.spacing(np.float32(abs(low)))), float(np.spacing(np.float32(abs(high)))))
    middle = (low + high) / 2
    if high - low <= 2 * margin:
        return middle
    for digits in range(int(np.floor(-np.log10(high - low))) + 1, 18):
        found = round(middle, digits)
        if low + margin < found < high - margin:
            return float(found)
    return middle


@dataclass
class Cuts:
    """The thresholds of the columns of a design, shape (n_rows, n_columns)."""

    design: Real
    _values: dict[int, Float] = field(default_factory=dict)

    def above(self, column: int, threshold: float) -> float:
        """A plain number with the same rows below it: `value <= threshold` is `value < found`."""
        if column not in self._values:
            values = np.asarray(self.design[:, column], np.float64)
            self._values[column] = np.unique(values[~np.isnan(values)])
        values = self._values[column]
        at = int(np.searchsorted(values, threshold, side="right"))
        if at in (0, len(values)):
            return float(np.nextafter(threshold, np.inf))
        return plain_between(float(values[at - 1]), float(values[at]))
