"""One component clustered exactly:
an integer program whose transitivity comes by cutting planes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64
from workbench.inference.cutting_plane import CuttingPlane
from workbench.linkage.correlation_kernels import violated
from workbench.linkage.transitivity import Transitivity
from workbench.network import network_from_clauses
from workbench.progress import PLAIN, Conduct


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
