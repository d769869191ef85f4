"""One component clustered exactly:
an integer program whose transitivity comes by cutting planes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float, Int64
from workbench.inference.cutting_plane import CuttingPlane
from workbench.linkage.correlation_kernels import violated
from workbench.network import Rows, network_from_clauses
from workbench.network.ground_network import Relation
from workbench.progress import PLAIN, Conduct


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


@dataclass(frozen=True)
class ExactPartition:
    """The best clusters found of a component.

    Attributes
    ----------
    label : int64 array, shape (n,)
    energy, bound : float
        Equal where the partition is proven best.
    """

    label: Int64
    energy: float
    bound: float


def exact_partition(w: Float, start: Int64, conduct: Conduct = PLAIN) -> ExactPartition:
    """Cluster `w` (above 0 together, below apart) as `w(i, j) Same(i, j)` with hard transitivity,
    grounded lazily.

    Parameters
    ----------
    w : float64 array, shape (n, n)
    start : int64 array, shape (n,)
        Clusters to improve on.
    """
    n = len(w)
    one, two = np.triu_indices(n, 1)
    pull = w[one, two]
    atoms = np.zeros((n, n), np.int64)
    atoms[one, two] = atoms[two, one] = np.arange(1, len(one) + 1)
    clauses = [
        (1,),
        *((atom + 1,) if pull[atom - 1] > 0 else (-(atom + 1),) for atom in range(1, len(one) + 1)),
    ]
    template = np.zeros(len(clauses), np.int64)
    template[0] = -1
    scale = np.append(1.0, np.abs(pull))
    network = network_from_clauses(len(clauses), clauses, template, n_templates=1, scale=scale)
    engine = CuttingPlane("ilp", Transitivity(atoms, len(clauses)))
    values = np.append(1.0, (start[one] == start[two]).astype(float))
    solution = engine.solve(
        network, np.ones(1), deadline=conduct.deadline, progress=conduct.progress, start=values
    )
    known = violated(w, start)
    together = solution.values[atoms] > 0.5
    label = np.argmax(together, axis=1).astype(np.int64)
    if solution.hard_violation > 0 or violated(w, label) > known + 1e-9:
        label = start
    bound = float(solution.bound) if np.isfinite(solution.bound) else 0.0
    energy = violated(w, label)
    return ExactPartition(label, energy, min(bound, energy))
