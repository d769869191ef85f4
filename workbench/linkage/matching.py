"""One-to-one linkage of two sources: the pairs of largest total log odds,
each record in one at most, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from workbench.arrays import Bool, Float, Int32
from workbench.linkage.blocking import Pairs
from workbench.linkage.clustering import Clustering
from workbench.linkage.components import weight_of
from workbench.linkage.mixture import sigmoid

COUNTS = 0.5
"""Of what being each other's best says: pairs of high log odds are so anyway."""
ALIKE = 1e-9
"""Log odds that differ by no more are equal: they may have been summed in another order."""
MAY_MATCH = -3.0
"""Log odds of pairs that tell what it says where nobody does: of all other pairs hardly one is
each other's best, while of those that are alike by chance many are.
"""


@dataclass(frozen=True)
class Rivals:
    """What it says that two records are each other's best, or are not, where each record is in one
    match at most.

    How often matches and non-matches are, the log odds tell themselves.

    Attributes
    ----------
    best, other : float
        What is added to the log odds of pairs that are each other's best, and of all others.
    """

    best: float
    other: float

    @classmethod
    def of(cls, pairs: Pairs, scores: Float, top: Float) -> Rivals:
        """As the pairs of all records tell."""
        best = _each_others_best(pairs, scores, top)
        match = sigmoid(scores)
        m, u = (((one * best).sum() + 0.5) / (one.sum() + 1.0) for one in (match, 1.0 - match))
        return cls(COUNTS * float(np.log(m / u)), COUNTS * float(np.log((1 - m) / (1 - u))))

    @classmethod
    def seen(cls, pairs: Pairs, scores: Float, top: Float) -> Rivals:
        """As the pairs that may match tell, of sources that were seen to repeat nothing."""
        likely = np.flatnonzero(scores > MAY_MATCH)
        some = Pairs(pairs.left[likely], pairs.right[likely])
        found = cls.of(some, scores[likely], top)
        return cls(max(0.0, found.best / COUNTS), min(0.0, found.other / COUNTS))

    def applied(self, pairs: Pairs, scores: Float, top: Float) -> Float:
        """Log odds beside those of rival pairs; `top` as `best_of_each` tells it."""
        return np.asarray(
            scores + np.where(_each_others_best(pairs, scores, top), self.best, self.other)
        )


def best_of_each(n: int, pairs: Pairs, scores: Float) -> Float:
    """The log odds of each record's best pair, -inf where it has none, shape (n,)."""
    top = np.full(n, -np.inf)
    for side in (pairs.left, pairs.right):
        np.maximum.at(top, side, scores)
    return top


def _each_others_best(pairs: Pairs, scores: Float, top: Float) -> Bool:
    return np.asarray(scores >= np.maximum(top[pairs.left], top[pairs.right]) - ALIKE)


def match_one_to_one(n: int, pairs: Pairs, scores: Float, second: Int32) -> Clustering:
    """The assignment of largest total weight, component by component (Jonker & Volgenant 1987).

    The energy is the weight of pairs with log odds above 0 that stay apart; it is proven least.
    O(k^3) for a component of k records.
    """
    from scipy.optimize import linear_sum_assignment

    weights = weight_of(scores)
    positive = np.flatnonzero(weights > 0)
    left, right, weight = pairs.left[positive], pairs.right[positive], weights[positive]
    swap = second[left] > second[right]
    first, other = np.where(swap, right, left), np.where(swap, left, right)
    graph = coo_array((np.ones(len(first), np.int8), (first, other)), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    order = np.argsort(component[first], kind="stable")
    edges = np.flatnonzero(np.diff(component[first][order])) + 1
    label, place = np.arange(n), np.full(n, -1)
    energies = np.zeros(len(edges) + bool(len(order)))
    for number, rows in enumerate(np.split(order, edges) if len(order) else []):
        ones, at = np.unique(first[rows], return_inverse=True)
        others, to = np.unique(other[rows], return_inverse=True)
        gain = np.zeros((len(ones), len(others)))
        gain[at, to] = weight[rows]
        chosen, partner = linear_sum_assignment(gain, maximize=True)
        real = gain[chosen, partner] > 0
        matched, mate = ones[chosen[real]], others[partner[real]]
        label[np.maximum(matched, mate)] = np.minimum(matched, mate)
        place[ones] = place[others] = number
        energies[number] = max(0.0, float(weight[rows].sum() - gain[chosen, partner].sum()))
    energy = float(energies.sum())
    _, numbered = np.unique(label, return_inverse=True)
    kept = Pairs(left, right)
    return Clustering(
        numbered.astype(np.int64),
        kept,
        scores[positive],
        energy,
        energy,
        energies,
        energies,
        place,
        0,
        "optimal",
    )
