"""Which examples clause bodies cover, with how many substitutions: protocol and answer.

Candidates are always scored a set at a time. The search asks for components (see
`workbench.structure.clauses`) it has not seen before; who answers is free: `IndexedCoverage` here,
on posting lists in memory, or SQL on tables of any size.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from workbench.arrays import Bool, Int32, Int64, UInt64
from workbench.structure.background import Background, Examples
from workbench.structure.nested_loops import Bounds, count_all


class Coverage(Protocol):
    """Answers for sets of bodies over a fixed list of examples."""

    @property
    def n_examples(self) -> int: ...

    @property
    def n_head(self) -> int:
        """Arguments of the target: variables 0 .. n_head - 1 of every body."""
        ...

    def covers(self, bodies: Int32) -> UInt64:
        """Bit matrix of the covered examples, (n_bodies, ceil(n_examples / 64)); see `pack`."""
        ...

    def counts(self, bodies: Int32) -> Int64:
        """Satisfying substitutions, shape (n_bodies, n_examples)."""
        ...


def pack(covered: Bool) -> UInt64:
    """Booleans (..., n) as words (..., ceil(n / 64)), example k at bit k % 64 of word k // 64."""
    *leading, size = covered.shape
    words = (size + 63) // 64
    padded = np.zeros((*leading, words * 64), np.bool_)
    padded[..., :size] = covered
    return np.packbits(padded, axis=-1, bitorder="little").view(np.uint64).reshape(*leading, words)


def unpack(bits: UInt64, size: int) -> Bool:
    """The inverse of `pack`."""
    flat = np.ascontiguousarray(bits).view(np.uint8)
    return np.unpackbits(flat, axis=-1, count=size, bitorder="little").astype(np.bool_)


class IndexedCoverage:
    """Coverage by index nested loops over facts in memory.

    A body is evaluated once for each distinct value of the head variables that occur in it, not
    once an example.

    Parameters
    ----------
    most_steps : int or None
        Facts that the count of one body may look at, over all examples. A body that takes more has
        -1 among its counts: too many groundings for a rule. None for no limit.
    """

    def __init__(
        self, background: Background, examples: Examples, *, most_steps: int | None = None
    ) -> None:
        self._index = background.index
        self._most_steps = 2**62 if most_steps is None else most_steps
        self._examples = examples
        self._projections: dict[tuple[int, ...], tuple[Int32, Int64]] = {}

    @property
    def n_examples(self) -> int:
        return len(self._examples)

    @property
    def n_head(self) -> int:
        return len(self._examples.types)

    def covers(self, bodies: Int32) -> UInt64:
        """See `Coverage.covers`."""
        bits = np.zeros((len(bodies), (self.n_examples + 63) // 64), np.uint64)
        for rows, counts, inverse in self._grouped(bodies, 1):
            bits[rows] = pack(counts[:, inverse] > 0)
        return bits

    def counts(self, bodies: Int32) -> Int64:
        """See `Coverage.counts`."""
        result = np.zeros((len(bodies), self.n_examples), np.int64)
        for rows, counts, inverse in self._grouped(bodies, 2**62):
            result[rows] = counts[:, inverse]
        return result

    def _grouped(self, bodies: Int32, limit: int) -> list[tuple[Int64, Int64, Int64]]:
        """Counts of bodies grouped by head variables: rows, counts of distinct values, inverse."""
        n_head = self.n_head
        terms = bodies[:, :, 1:]
        used = np.stack(
            [(terms == -variable - 1).any(axis=(1, 2)) for variable in range(n_head)], axis=1
        )
        n_variables = max(n_head, int(-terms.min(initial=0)))
        groups: list[tuple[Int64, Int64, Int64]] = []
        for pattern in np.unique(used, axis=0):
            rows = np.flatnonzero((used == pattern).all(axis=1))
            heads, inverse = self._projection(tuple(np.flatnonzero(pattern).tolist()))
            for chunk in np.array_split(rows, max(1, len(rows) * len(heads) // 20_000_000 + 1)):
                counts = np.empty((len(chunk), len(heads)), np.int64)
                bounds = Bounds(limit, self._most_steps)
                count_all(
                    self._index,
                    np.ascontiguousarray(bodies[chunk]),
                    heads,
                    n_variables,
                    bounds,
                    counts,
                )
                groups.append((chunk, counts, inverse))
        return groups

    def _projection(self, variables: tuple[int, ...]) -> tuple[Int32, Int64]:
        if variables not in self._projections:
            arguments = self._examples.arguments
            if not variables:
                self._projections[variables] = (arguments[:1], np.zeros(len(arguments), np.int64))
                return self._projections[variables]
            _, first, inverse = np.unique(
                arguments[:, list(variables)], axis=0, return_index=True, return_inverse=True
            )
            self._projections[variables] = (
                np.ascontiguousarray(arguments[first]),
                inverse.reshape(-1),
            )
        return self._projections[variables]
