"""Correlation clustering of records: who is together, with the energy, a bound of it, and a gap for
each component.

The energy is the weight of pairs that are not where their log odds want them: log odds above 0 and
apart, or below 0 and together. It is the MAP problem of `w(x, y) Same(x, y)` with hard
transitivity. Pairs that no blocking statement found are compared as well where their component
makes them possible: what is missing there would not be neutral.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from workbench.arrays import Bool, Float, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.correlation_kernels import (
    greedy_joining,
    moved_singly,
    packed_triangles,
    violated,
)
from workbench.linkage.exact import exact_partition
from workbench.network.compiled import plain
from workbench.progress import SILENT, Progress, expired

__all__ = ["AS_SCORED", "Clustering", "Unfound", "cluster", "figures_by_group", "joined_records"]

LARGEST_COMPONENT = 600
"""Records; larger components are first cut at their weaker links."""
FEW = 5000
"""Steps of plain Python, at most, that are less than importing Numba:
cubes of components' sizes.
"""
STEP = 2.0
CLIP = 15.0
"""No pair counts for more than odds of 3 million to one."""
EXACT_RECORDS = 40
EXACT_UNASKED = (8, 12)
"""Without a time limit so many components of so many records at most are solved exactly; with one,
all it allows.
"""


@dataclass(frozen=True)
class Unfound:
    """What pairs that no statement found count for where others join their records.

    Attributes
    ----------
    joined : float
        How much likelier candidates are to match than all pairs, as log odds: so are pairs whose
        records others join. None is a match for that alone.
    repeats : float
        What is added to pairs within one of two sources: below 0 where these repeat nothing.
    """

    joined: float = 0.0
    repeats: float = 0.0

    def applied(self, scores: Float, within: Bool) -> Float:
        """Log odds of pairs; `within` says which are of one source of two."""
        raised = np.minimum(scores + self.joined, np.maximum(scores, 0.0))
        return np.asarray(raised + self.repeats * within)


AS_SCORED = Unfound()
"""Pairs that no statement found count as others do."""


@dataclass(frozen=True)
class Clustering:
    """Who is together.

    Attributes
    ----------
    label : int64 array, shape (n_records,)
        Clusters numbered by their first record.
    pairs : Pairs
        All pairs of records that share a component; the candidates and those compared beside them.
    scores : float64 array, shape (n_pairs,)
        Their log odds.
    component_energy, component_bound : float64 arrays, shape (n_components,)
        Of components of two records and more.
    component : int64 array, shape (n_records,)
        Which of these a record is in; -1 where it is alone.
    large : int
        Records of components that were cut at weaker links, whose weights count in the energy and
        not in the bound.
    status : {'optimal', 'feasible', 'limit'}
    """

    label: Int64
    pairs: Pairs
    scores: Float
    energy: float
    bound: float
    component_energy: Float
    component_bound: Float
    component: Int64
    large: int
    status: str

    @property
    def gap(self) -> float:
        """`(energy - bound) / max(energy, 1e-9)`."""
        return (self.energy - self.bound) / max(abs(self.energy), 1e-9)

    def __len__(self) -> int:
        return int(self.label.max(initial=-1)) + 1


def cluster(
    n: int,
    pairs: Pairs,
    scores: Float,
    score: Callable[[Pairs], Float],
    *,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> Clustering:
    """Partition `n` records.

    Parameters
    ----------
    scores : float64 array, shape (n_pairs,)
        Log odds of the candidates.
    score : callable
        Log odds of further pairs.

    Notes
    -----
    Each component is joined greedily by mean log odds, then single records move while that lowers
    the energy. Packed triangles bound it; where that leaves a gap in a component of at most 40
    records, cutting planes with lazy transitivity solve it exactly, the smallest components first,
    as far as the time limit reaches.
    """
    weights = np.clip(scores, -CLIP, CLIP)
    components, cut_energy, large = _components(n, pairs, weights)
    several = [members for members in components if len(members) > 1]
    inside = _pairs_inside(several, n)
    log_odds = _looked_up(n, pairs, scores, inside, score)
    inner = np.clip(log_odds, -CLIP, CLIP)
    label, component = np.arange(n), np.full(n, -1)
    energies, bounds = np.zeros(len(several)), np.zeros(len(several))
    at = 0
    solved_all = True
    matrices: list[tuple[int, Float]] = []
    join, move, energy_of, bound_of = greedy_joining, moved_singly, violated, packed_triangles
    if sum(len(members) ** 3 for members in several) <= FEW:
        join, move, energy_of, bound_of = (
            plain(join),
            plain(move),
            plain(energy_of),
            plain(bound_of),
        )
    for number, members in enumerate(several):
        size = len(members)
        matrix = _matrix(inner[at : at + size * (size - 1) // 2], size)
        at += size * (size - 1) // 2
        if number % 256 == 0:
            progress.step("clusters", number, len(several))
        found = join(matrix, True)
        if expired(deadline):
            solved_all = False
        else:
            found = move(matrix, found, 20)
        energies[number] = energy_of(matrix, found)
        if energies[number] > 0 and not expired(deadline):
            bounds[number] = min(energies[number], bound_of(matrix))
            if energies[number] - bounds[number] > 1e-6 and size <= EXACT_RECORDS:
                matrices.append((number, matrix))
        label[members] = members[_first_of(found)]
        component[members] = number
    matrices.sort(key=lambda one: len(one[1]))
    if deadline is None:
        matrices = [one for one in matrices if len(one[1]) <= EXACT_UNASKED[1]][: EXACT_UNASKED[0]]
    for number, matrix in matrices:
        if expired(deadline):
            break
        progress.step("exact clusters", number, len(several))
        members = several[number]
        exact = exact_partition(matrix, _start(label[members]), deadline=deadline)
        label[members] = members[_first_of(exact.label)]
        energies[number], bounds[number] = exact.energy, max(bounds[number], exact.bound)
    energy, bound = float(energies.sum()) + cut_energy, float(bounds.sum())
    status = (
        "optimal"
        if energy - bound <= 1e-6 * max(1.0, energy)
        else "feasible"
        if solved_all
        else "limit"
    )
    _, numbered = np.unique(label, return_inverse=True)
    return Clustering(
        numbered.astype(np.int64),
        inside,
        log_odds,
        energy,
        bound,
        energies,
        bounds,
        component,
        large,
        status,
    )


def joined_records(n: int, pairs: Pairs, scores: Float) -> Int64:
    """Of each record the first one that candidates of log odds above 0 join it to,
    directly or by others.
    """
    joins = np.flatnonzero(scores > 0)
    graph = coo_array(
        (np.ones(len(joins), np.int8), (pairs.left[joins], pairs.right[joins])), shape=(n, n)
    )
    return _first_of(connected_components(graph, directed=False)[1].astype(np.int64))


def figures_by_group(
    clustering: Clustering, group: Int64, pairs: Pairs, scores: Float
) -> tuple[Float, Float]:
    """Energy and bound of the groups that `joined_records` tells, in the order of
    `np.unique(group)`.

    A group that was cut into components has their sums, and the weight of the candidates between
    them in its energy.
    """
    known, place = np.unique(group, return_inverse=True)
    there, first = np.unique(clustering.component, return_index=True)
    of_component = place[first[there >= 0]]
    energy, bound = (
        np.bincount(of_component, figures, minlength=len(known)).astype(np.float64)
        for figures in (clustering.component_energy, clustering.component_bound)
    )
    component = np.where(clustering.component < 0, -2 - np.arange(len(group)), clustering.component)
    cut = (scores > 0) & (component[pairs.left] != component[pairs.right])
    lost = np.bincount(place[pairs.left[cut]], np.minimum(scores[cut], CLIP), minlength=len(known))
    return energy + lost, bound


def _components(n: int, pairs: Pairs, weights: Float) -> tuple[list[Int64], float, int]:
    """Records joined by positive weights, components that are too large cut at their weaker links;
    what that costs.
    """
    component = np.full(n, -1)
    active = np.ones(n, np.bool_)
    level, numbered, large = 0.0, 0, 0
    while active.any():
        joins = np.flatnonzero((weights > level) & active[pairs.left] & active[pairs.right])
        graph = coo_array(
            (np.ones(len(joins), np.int8), (pairs.left[joins], pairs.right[joins])), shape=(n, n)
        )
        count, of_record = connected_components(graph, directed=False)
        fits = active & (
            (np.bincount(of_record, minlength=count) <= LARGEST_COMPONENT)[of_record]
            | (level >= CLIP)
        )
        component[fits] = numbered + of_record[fits]
        numbered += count
        active &= ~fits
        large = large or int(active.sum())
        level += STEP
    cut = (weights > 0) & (component[pairs.left] != component[pairs.right])
    order = np.argsort(component, kind="stable")
    edges = np.flatnonzero(np.diff(component[order])) + 1
    return np.split(order, edges), float(weights[cut].sum()), large


def _pairs_inside(components: list[Int64], n: int) -> Pairs:
    """All pairs of each component, component after component,
    in the order of the upper triangle.
    """
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for members in components:
        one, two = np.triu_indices(len(members), 1)
        left.append(members[one])
        right.append(members[two])
    return Pairs(np.concatenate(left).astype(np.int32), np.concatenate(right).astype(np.int32))


def _looked_up(
    n: int, pairs: Pairs, scores: Float, wanted: Pairs, score: Callable[[Pairs], Float]
) -> Float:
    """The log odds of pairs: those of candidates, else compared now."""
    found = np.empty(len(wanted))
    if not len(wanted):
        return found
    known = pairs.left.astype(np.int64) * n + pairs.right
    asked = wanted.left.astype(np.int64) * n + wanted.right
    place = np.minimum(np.searchsorted(known, asked), max(len(known) - 1, 0))
    there = known[place] == asked
    found[there] = scores[place[there]]
    missing = np.flatnonzero(~there)
    if len(missing):
        found[missing] = score(Pairs(wanted.left[missing], wanted.right[missing]))
    return found


def _matrix(upper: Float, size: int) -> Float:
    matrix = np.zeros((size, size))
    one, two = np.triu_indices(size, 1)
    matrix[one, two] = upper
    matrix[two, one] = upper
    return matrix


def _first_of(label: Int64) -> Int64:
    """Of each element the first one of its cluster."""
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    return np.asarray(first[inverse])


def _start(label: Int64) -> Int64:
    _, inverse = np.unique(label, return_inverse=True)
    return np.asarray(inverse)
