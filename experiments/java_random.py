"""The generator of `java.util.Random`, by which some published folds were drawn."""

from __future__ import annotations

_MULTIPLIER, _INCREMENT, _MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1


class JavaRandom:
    """A 48-bit linear congruential generator as Java's library has it (Knuth 1997, 3.2.1)."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    def bits(self, n_bits: int) -> int:
        """The next number of so many bits, at most 32, unsigned."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state >> (48 - n_bits)

    def below(self, bound: int) -> int:
        """A number from 0 to `bound - 1`, as `nextInt(bound)` gives it."""
        drawn = self.bits(31)
        if bound & -bound == bound:
            return (bound * drawn) >> 31
        while drawn - drawn % bound + bound - 1 >= 1 << 31:
            drawn = self.bits(31)
        return drawn % bound
