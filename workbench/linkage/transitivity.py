"""Transitivity of one binary predicate as a source of hard rows,
grounded only where a state violates it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float, Int64
from workbench.network import Rows
from workbench.network.ground_network import Relation


@dataclass
class Transitivity:
    """`!R(a, b) v !R(b, c) v R(a, c)`, hard, over all a, b, c: a `RowSource` of the cutting-plane
    engine.

    Parameters
    ----------
    atoms : int64 array, shape (n, n)
        The atom of each pair.
    n_atoms : int
        Of the whole network.
    most : int
        Rows given for one question at most; the rest follow when they are still violated.
    """

    atoms: Int64
    n_atoms: int
    most: int = 200_000
    given: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))

    def violated(self, values: Float) -> Rows:
        """The rows that a 0/1 state violates and that were not given yet.
        O(n^3) in bits, at worst.
        """
        n = len(self.atoms)
        holds = values[self.atoms] > 0.5
        a, c = np.nonzero((holds.astype(np.float32) @ holds.astype(np.float32) > 0) & ~holds)
        triples = []
        for left, right in zip(a, c):
            through = np.flatnonzero(holds[left] & holds[:, right])
            triples.append((left * n + through) * n + right)
        found = np.concatenate(triples) if triples else np.zeros(0, np.int64)
        found = np.setdiff1d(found, self.given)[: self.most]
        self.given = np.union1d(self.given, found)
        first, rest = np.divmod(found, n * n)
        middle, last = np.divmod(rest, n)
        columns = np.stack(
            [self.atoms[first, middle], self.atoms[middle, last], self.atoms[first, last]], axis=1
        )
        signs = np.tile(np.array([1, 1, -1], np.int8), found.size)
        shape = (found.size, self.n_atoms)
        A = csr_array((signs, columns.ravel(), 3 * np.arange(found.size + 1)), shape=shape)
        A.sort_indices()
        return Rows(
            A=A,
            b=np.full(found.size, -1, np.int8),
            template=np.full(found.size, -1, np.int32),
            relation=np.full(found.size, Relation.AT_MOST, np.int8),
            scale=None,
        )
