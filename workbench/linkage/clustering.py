"""Correlation clustering of records: who is together, with the energy, a bound of it, and a gap for
each component.

The energy is the weight of pairs that are not where their log odds want them: log odds above 0 and
apart, or below 0 and together. It is the MAP problem of `w(x, y) Same(x, y)` with hard
transitivity. Pairs that no blocking statement found are compared as well where their component
makes them possible: what is missing there would not be neutral.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.components import (
    CLIP,
    MOST_RECORDS,
    best_partitions,
    components_of,
    first_of,
    weight_of,
)
from workbench.linkage.correlation_kernels import (
    greedy_joining,
    moved_singly,
    packed_triangles,
    violated,
)
from workbench.linkage.exact import exact_partition
from workbench.network.compiled import plain
from workbench.progress import PLAIN, Conduct

FEW = 5000
"""Steps of plain Python, at most, that are less than importing Numba:
cubes of components' sizes.
"""
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
    status : {'optimal', 'feasible', 'limit', 'cancelled'}
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


def _worth_solving(
    matrices: Sequence[tuple[int, Float]], conduct: Conduct
) -> list[tuple[int, Float]]:
    """The smallest first; without a time limit a few small ones."""
    found = sorted(matrices, key=lambda one: len(one[1]))
    if conduct.deadline is None:
        most, largest = EXACT_UNASKED
        return [one for one in found if len(one[1]) <= largest][:most]
    return found


def cluster(
    n: int,
    pairs: Pairs,
    scores: Float,
    score: Callable[[Pairs], Float],
    *,
    conduct: Conduct = PLAIN,
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
    Components of up to six records are parted in every way. Larger ones are joined greedily by mean
    log odds, then single records move while that lowers the energy. Packed triangles bound it;
    where that leaves a gap in a component of at most 40 records, cutting planes with lazy
    transitivity solve it exactly, the smallest components first, as far as the time limit reaches.
    """
    components = components_of(n, pairs, weight_of(scores))
    inside, large = components.pairs, np.flatnonzero(components.sizes > MOST_RECORDS)
    log_odds = _looked_up(n, pairs, scores, inside, score)
    inner = weight_of(log_odds)
    label, component = np.arange(n), components.numbers(n)
    energies, bounds = np.zeros(len(components)), np.zeros(len(components))
    for numbers, members in components.by_size(MOST_RECORDS):
        first, energies[numbers] = best_partitions(inner[components.places(numbers)])
        bounds[numbers] = energies[numbers]
        label[members] = np.take_along_axis(members, first, axis=1)
    solved_all = True
    matrices: list[tuple[int, Float]] = []
    improve = _improvement(int((components.sizes[large] ** 3).sum()))
    for done, number in enumerate(large.tolist()):
        members = components.members(number)
        matrix = _matrix(inner[components.places(large[done : done + 1])[0]], len(members))
        if done % 256 == 0:
            conduct.progress.report("clusters", done, len(large), "")
        found, energies[number], bounds[number] = improve(matrix, conduct)
        label[members] = members[first_of(found)]
        solved_all &= not conduct.over
        open_gap = energies[number] - bounds[number] > 1e-6
        if solved_all and open_gap and len(members) <= EXACT_RECORDS:
            matrices.append((number, matrix))
    for number, matrix in _worth_solving(matrices, conduct):
        if conduct.over:
            break
        conduct.progress.report("exact clusters", number, len(components), "")
        members = components.members(number)
        exact = exact_partition(matrix, _start(label[members]), conduct)
        label[members] = members[first_of(exact.label)]
        energies[number], bounds[number] = exact.energy, max(bounds[number], exact.bound)
    energy, bound = float(energies.sum()) + components.cut, float(bounds.sum())
    status = "feasible" if solved_all else conduct.stopped
    if energy - bound <= 1e-6 * max(1.0, energy):
        status = "optimal"
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
        components.large,
        status,
    )


def _improvement(steps: int) -> Callable[[Float, Conduct], tuple[Int64, float, float]]:
    """Clusters of one component with their energy and a bound; by a deadline as they are joined
    first.
    """
    join, move, energy_of, bound_of = greedy_joining, moved_singly, violated, packed_triangles
    if steps <= FEW:
        join, move, energy_of, bound_of = (
            plain(join),
            plain(move),
            plain(energy_of),
            plain(bound_of),
        )

    def improved(matrix: Float, conduct: Conduct) -> tuple[Int64, float, float]:
        found = join(matrix, True)
        if not conduct.over:
            found = move(matrix, found, 20)
        energy = energy_of(matrix, found)
        bound = 0.0 if energy <= 0 or conduct.over else min(energy, bound_of(matrix))
        return found, energy, bound

    return improved


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


def _start(label: Int64) -> Int64:
    _, inverse = np.unique(label, return_inverse=True)
    return np.asarray(inverse)
