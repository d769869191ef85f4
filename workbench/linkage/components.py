"""Components: records that positive weights join, directly or by others; those that are too large
are cut at their weaker links. Of small ones all ways to part their records are weighed at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from workbench.arrays import Bool, Float, Int64
from workbench.linkage.blocking import Pairs

LARGEST = 600
"""Records; larger components are first cut at their weaker links."""
STEP = 2.0
CLIP = 15.0
"""No pair counts for more than odds of 3 million to one, but those whose answer is known."""
SETTLED = 1e5
"""The log odds of these: they outweigh whatever the other pairs of a component say."""


@dataclass(frozen=True)
class PairComponents:
    """Components of two records and more.

    Attributes
    ----------
    order : int64 array
        Records, component after component, in each from the first on.
    sizes : int64 array, shape (n_components,)
    cut : float
        The weight of pairs above 0 between them.
    large : int
        Records of components that were cut at weaker links.
    """

    order: Int64
    sizes: Int64
    cut: float
    large: int

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def firsts(self) -> Int64:
        """Where the records of each component begin in `order`."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @cached_property
    def starts(self) -> Int64:
        """Where the pairs of each component begin in `pairs`."""
        each = self.sizes * (self.sizes - 1) // 2
        return np.asarray(np.cumsum(each) - each)

    def members(self, number: int) -> Int64:
        """The records of a component."""
        first = self.firsts[number]
        return self.order[first : first + self.sizes[number]]

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs of each component, in the order of the upper triangle."""
        left = np.empty(int((self.sizes * (self.sizes - 1) // 2).sum()), np.int32)
        right = np.empty_like(left)
        for numbers, members in self.by_size():
            one, two = np.triu_indices(members.shape[1], 1)
            places = self.places(numbers)
            left[places], right[places] = members[:, one], members[:, two]
        return Pairs(left, right)

    def by_size(self, most: int | None = None) -> Iterator[tuple[Int64, Int64]]:
        """Of each size, up to `most`, the components' numbers and members, shape (n, size)."""
        for size in np.unique(self.sizes if most is None else self.sizes[self.sizes <= most]):
            numbers = np.flatnonzero(self.sizes == size)
            yield numbers, self.order[self.firsts[numbers, None] + np.arange(size)]

    def places(self, numbers: Int64) -> Int64:
        """Where the pairs of components of one size stand in `pairs`, shape (n, pairs of each)."""
        size = self.sizes[numbers[0]]
        return np.asarray(self.starts[numbers, None] + np.arange(size * (size - 1) // 2))

    def numbers(self, n: int) -> Int64:
        """Of each of `n` records the component's number; -1 where it is alone."""
        found = np.full(n, -1)
        found[self.order] = np.repeat(np.arange(len(self)), self.sizes)
        return found


def components_of(n: int, pairs: Pairs, weights: Float) -> PairComponents:
    """The components of `n` records that weights above 0 join, of 600 records at most as far as
    weaker links can be cut.
    """
    component = np.full(n, -1)
    active = np.ones(n, np.bool_)
    level, numbered, large = 0.0, 0, 0
    while active.any():
        joins = (weights > level) & active[pairs.left] & active[pairs.right]
        of_record = _connected(n, pairs, joins)
        size = np.bincount(of_record)
        fits = active & ((size <= LARGEST)[of_record] | (level >= CLIP))
        component[fits] = numbered + of_record[fits]
        numbered += len(size)
        active &= ~fits
        large = large or int(active.sum())
        level += STEP
    cut = (weights > 0) & (component[pairs.left] != component[pairs.right])
    sizes = np.bincount(component, minlength=numbered)
    order = np.argsort(component, kind="stable")
    several = sizes > 1
    return PairComponents(
        order[several[component[order]]], sizes[several], float(weights[cut].sum()), large
    )


def joined_records(n: int, pairs: Pairs, scores: Float) -> Int64:
    """Of each record the first one that candidates of log odds above 0 join it to,
    directly or by others.
    """
    return first_of(_connected(n, pairs, scores > 0))


def first_of(label: Int64) -> Int64:
    """Of each element the first one of its cluster."""
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    return np.asarray(first[inverse])


def _connected(n: int, pairs: Pairs, joins: Bool) -> Int64:
    edges = (pairs.left[joins], pairs.right[joins])
    graph = coo_array((np.ones(len(edges[0]), np.int8), edges), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def weight_of(scores: Float) -> Float:
    """What pairs count for in clusters: their log odds, clipped where the answer is not known."""
    return np.where(_is_settled(scores), np.sign(scores) * SETTLED, np.clip(scores, -CLIP, CLIP))


def told(scores: Float) -> Float:
    """Log odds as they are told: those of known answers are twice the most that counts."""
    return np.where(_is_settled(scores), np.sign(scores) * 2 * CLIP, scores)


def _is_settled(scores: Float) -> Bool:
    # A threshold may have been taken off.
    return np.asarray(np.abs(scores) > SETTLED / 2)


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
