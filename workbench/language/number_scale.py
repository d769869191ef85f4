"""What rules for a number add up to: it, its logarithm, or the logarithm of it and one."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from workbench.arrays import Float


class NumberScale(StrEnum):
    """By what a predicate of numbers is declared as: `Price(house) = positive_number`.

    Of numbers that may be 0 (counts, sums of what may not be) one is added before the logarithm,
    and none is below 0.
    """

    PLAIN = "number"
    POSITIVE = "positive_number"
    NONNEGATIVE = "nonnegative_number"

    @property
    def is_logarithm(self) -> bool:
        """Whether what rules add multiplies."""
        return self is not NumberScale.PLAIN

    def sums(self, numbers: Float) -> Float:
        """What rules add up to where they say these numbers."""
        if self is NumberScale.POSITIVE:
            return np.asarray(np.log(numbers), np.float64)
        return np.asarray(np.log1p(numbers) if self.is_logarithm else numbers, np.float64)

    def numbers(self, sums: Float) -> Float:
        """The numbers that rules say which add up to these: of logarithms the middle value."""
        if self is NumberScale.POSITIVE:
            return np.asarray(np.exp(sums), np.float64)
        if self is NumberScale.NONNEGATIVE:
            return np.asarray(np.maximum(np.expm1(sums), 0.0), np.float64)
        return np.asarray(sums, np.float64)
