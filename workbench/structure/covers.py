"""The cache of covers: each component evaluated once, shared by all seeds and folds."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Int32, Int64, UInt64
from workbench.structure.clauses import Interning, component_keys
from workbench.structure.cover_kernels import join, sketches, sorted_parts, tally
from workbench.structure.coverage import Coverage
from workbench.structure.subsumption import reduced_bodies


class CoverCache:
    """Covers of clause bodies, by way of their components' canonical forms.

    A body is numbered up to renaming of variables and order and repetition of literals. Memory is
    one bit per distinct component and example, and `n_literals` integers per distinct body.

    Parameters
    ----------
    coverage : Coverage
        Who evaluates components that are new.
    n_literals : int
        Most literals of a body.
    width : int
        1 + the largest arity.
    """

    def __init__(self, coverage: Coverage, n_literals: int, width: int) -> None:
        self.coverage = coverage
        self.n_literals, self.width = n_literals, width
        self._components = Interning(n_literals * width)
        self._bodies = Interning(n_literals)
        self._bits = np.zeros((1024, (coverage.n_examples + 63) // 64), np.uint64)
        self._counts = np.zeros((0, coverage.n_examples), np.int32)
        self._counted = np.zeros(0, np.bool_)
        self._least = np.zeros(0, np.int64)

    @property
    def n_bodies(self) -> int:
        """Distinct bodies seen."""
        return len(self._bodies)

    @property
    def n_components(self) -> int:
        """Distinct components evaluated."""
        return len(self._components)

    def parts(self, bodies: Int32) -> Int32:
        """Component numbers of each body, shape (n_bodies, n_literals), ascending, padded with -1.

        Bodies are as `workbench.structure.clauses` describes, with at most `n_literals` literals.
        New components are evaluated, all of them in one call.
        """
        if bodies.shape[1] < self.n_literals:
            padded = np.full((len(bodies), self.n_literals, self.width), -1, np.int32)
            padded[:, : bodies.shape[1]] = bodies
            bodies = padded
        keys, _, start = component_keys(np.ascontiguousarray(bodies), self.coverage.n_head)
        known = len(self._components)
        ids = self._components.number(keys)
        self._evaluate(known)
        parts = np.full((len(bodies), self.n_literals), -1, np.int32)
        sorted_parts(ids, start, parts)
        return parts

    def _evaluate(self, known: int) -> None:
        total = len(self._components)
        if total == known:
            return
        if total > len(self._bits):
            grown = np.zeros((max(total, 2 * len(self._bits)), self._bits.shape[1]), np.uint64)
            grown[:known] = self._bits[:known]
            self._bits = grown
        self._bits[known:total] = self.coverage.covers(
            self.component_literals(np.arange(known, total))
        )

    def component_literals(self, components: Int64) -> Int32:
        """The components as literals, shape (n, n_literals, width)."""
        return self._components.rows[components].reshape(
            len(components), self.n_literals, self.width
        )

    def number(self, parts: Int32) -> Int64:
        """One number for each distinct body, given its components."""
        return self._bodies.number(parts)

    def body_parts(self, numbers: Int64) -> Int32:
        """The components of numbered bodies."""
        return self._bodies.rows[numbers]

    def tally(self, parts: Int32, masks: UInt64) -> Int64:
        """Covered examples under each mask, shape (n_bodies, n_masks)."""
        counts = np.zeros((len(parts), len(masks)), np.int64)
        tally(parts, self._bits, masks, counts)
        return counts

    def bits(self, parts: Int32) -> UInt64:
        """Covers of the bodies, shape (n_bodies, n_words)."""
        result = np.full((len(parts), self._bits.shape[1]), ~np.uint64(0))
        for column in range(parts.shape[1]):
            present = parts[:, column] >= 0
            result[present] &= self._bits[parts[present, column]]
        return result

    def body_literals(self, parts: Int32) -> list[Int32]:
        """Bodies as literals, (n_literals_of_body, width), components' variables kept apart."""
        return [body[body[:, 0] >= 0] for body in self._joined(parts)]

    def _joined(self, parts: Int32) -> Int32:
        """Bodies as literals, shape (n_bodies, n_literals, width), padded with -1."""
        bodies = np.full((len(parts), self.n_literals, self.width), -1, np.int32)
        join(parts, self._components.rows, self.coverage.n_head, bodies)
        return bodies

    def reduced(self, numbers: Int64) -> Int64:
        """The distinct bodies, as numbers, left when each is reduced under theta-subsumption.

        Every body is reduced once; later calls look the answer up.
        """
        self._least = np.concatenate([self._least, np.full(self.n_bodies - len(self._least), -1)])
        new = numbers[self._least[numbers] < 0]
        bodies, changed = reduced_bodies(self._joined(self.body_parts(new)), self.coverage.n_head)
        least = new.copy()
        least[changed] = self.number(self.parts(bodies[changed]))
        self._least[new] = least
        return np.unique(self._least[numbers])

    def counts(self, parts: Int32) -> Int64:
        """Satisfying substitutions, shape (n_bodies, n_examples): the product over components."""
        self._count(np.unique(parts[parts >= 0]).astype(np.int64))
        result = np.ones((len(parts), self.coverage.n_examples), np.int64)
        for place in range(parts.shape[1]):
            present = np.flatnonzero(parts[:, place] >= 0)
            result[present] *= self._counts[parts[present, place]]
        return result

    def sketches(
        self, parts: Int32, chosen: Int64, mixing: Int64, *, binary: bool = False
    ) -> Int64:
        """Random sums of counts over the chosen examples: bodies equal there have equal sums.

        Parameters
        ----------
        parts : int32 array, shape (n_bodies, n_literals)
        chosen : int64 array, shape (n_chosen,)
        mixing : int64 array, shape (n_chosen, n_sums)
        binary : bool
            Of 0/1 instead of counts.
        """
        self._count(np.unique(parts[parts >= 0]).astype(np.int64))
        sums = np.zeros((len(parts), mixing.shape[1]), np.int64)
        sketches(parts, self._counts, chosen, mixing, binary, sums)
        return sums

    def _count(self, components: Int64) -> None:
        """Count substitutions of the components that have not been counted yet."""
        total = len(self._components)
        if total > len(self._counted):
            size = max(total, 2 * len(self._counted))
            counts = np.zeros((size, self._counts.shape[1]), np.int32)
            counts[: len(self._counts)] = self._counts
            self._counts = counts
            self._counted = np.concatenate(
                [self._counted, np.zeros(size - len(self._counted), np.bool_)]
            )
        new = components[~self._counted[components]]
        if len(new):
            self._counts[new] = self.coverage.counts(self.component_literals(new))
            self._counted[new] = True
