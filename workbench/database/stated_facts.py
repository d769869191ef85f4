"""Facts of the evidence by their ids, and those of them that came and went."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int32


@dataclass(frozen=True)
class StatedFacts:
    """Some facts.

    Attributes
    ----------
    ids : int32 array, shape (n, 1 + arity)
        World and constants.
    values : float64 array, shape (n,)
        Truth values above 0.
    """

    ids: Int32
    values: Float

    def __len__(self) -> int:
        return len(self.values)

    def __add__(self, other: StatedFacts) -> StatedFacts:
        return StatedFacts(
            np.concatenate([self.ids, other.ids]), np.concatenate([self.values, other.values])
        )


@dataclass(frozen=True)
class FactRows:
    """Facts of the evidence that are not false.

    Attributes
    ----------
    came, went : StatedFacts
        Those that are there now, and those that are there no longer.
    """

    came: StatedFacts
    went: StatedFacts

    @classmethod
    def none(cls, arity: int) -> FactRows:
        """No fact of a predicate of so many arguments."""
        nothing = StatedFacts(np.zeros((0, 1 + arity), np.int32), np.zeros(0))
        return cls(nothing, nothing)

    def __add__(self, other: FactRows) -> FactRows:
        return FactRows(self.came + other.came, self.went + other.went)
