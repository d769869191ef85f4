"""Thresholds that people can read: of few digits, between two neighbouring values."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from workbench.arrays import Float, Real


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
