"""The best clusters of small components: all ways to part a few records, weighed at once for all
components of one size.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from workbench.arrays import Float, Int64

MOST_RECORDS = 6
"""They can be parted in 203 ways, seven in 877."""
AT_ONCE = 20_000


def best_partitions(weights: Float) -> tuple[Int64, Float]:
    """Clusters of least energy, the finest of equal ones, and their energy.

    Parameters
    ----------
    weights : float64 array, shape (n_components, n_pairs)
        Of each component the weights of its pairs in the order of the upper triangle.

    Returns
    -------
    label : int64 array, shape (n_components, n_records)
        Of each record the place of the first one of its cluster.
    energy : float64 array, shape (n_components,)
    """
    size = round((1 + (1 + 8 * weights.shape[1]) ** 0.5) / 2)
    label, together = _partitions(size)
    best = np.concatenate(
        [
            np.argmax(weights[at : at + AT_ONCE] @ together.T, axis=1)
            for at in range(0, len(weights), AT_ONCE)
        ]
    )
    found = np.maximum(weights, 0.0).sum(axis=1) - (weights * together[best]).sum(axis=1)
    return label[best], np.maximum(found, 0.0)


@cache
def _partitions(size: int) -> tuple[Int64, Float]:
    """Every partition, the finest first: of each record the first one of its cluster,
    and which pairs are together.
    """
    grown: list[tuple[int, ...]] = [(0,)]
    for place in range(1, size):
        grown = [(*one, first) for one in grown for first in sorted({*one, place})]
    label = np.array(sorted(grown, key=lambda one: -len(set(one))))
    one, two = np.triu_indices(size, 1)
    return label, (label[:, one] == label[:, two]).astype(np.float64)
