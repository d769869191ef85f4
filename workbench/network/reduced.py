"""What every reduction gives: a problem whose states are another's, and the way there and back."""

from __future__ import annotations

from typing import Protocol

from workbench.arrays import Float


class Reduced(Protocol):
    """A problem made from another one: laid out, relaxed, parted or sorted.

    States cost what they cost before, and come back as they went: `lift(reduce(values))` is
    `values`. What prices, simplifies, folds or aggregates keeps the variables, and needs no way.
    """

    def reduce(self, values: Float) -> Float:
        """This problem's state of the other's values."""
        ...

    def lift(self, values: Float) -> Float:
        """The other's values of a state of this problem."""
        ...
