"""Whether one class of pairs joins things that a finer class tells apart: families of persons,
works of editions.

Persons of a family are recorded each for themselves: how many records one has says nothing of the
others, and families of which two have several are as many as chance makes them. What a finer class
only lost hangs on otherwise: single records of who moved beside those at home, or pairs of records
that others join anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from workbench.arrays import Bool, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.merit import Judge
from workbench.linkage.sorting import different
from workbench.linkage.tree import TreeModel

MOST_WITHIN = 0.1
"""Of the pairs that the finer class lacks, within what it joins by others."""
EVIDENCE = 3.0
"""Log likelihood ratio from which it is taken for sure."""
FINER = 0.5
"""Of the merit of a class that joins things, the class of these."""
OPEN = 0.75
"""Of the merit of the class that is taken: one that tells apart what this joins is told of."""
WIDER = 0.5
"""Of the merit of the class that is taken: one that has what this lost."""


class Things(NamedTuple):
    """Classes with their merit, those that join things left out; the fields in which these things
    differ; and those in which others may that the best class joins.
    """

    found: list[tuple[float, TreeModel]]
    apart: tuple[int, ...] = ()
    joined: tuple[int, ...] = ()


def of_single_things(
    found: Sequence[tuple[float, TreeModel]],
    judge: Judge,
    joining: Callable[..., float],
) -> Things:
    """Without the best, while it joins the things of a finer class.

    Parameters
    ----------
    joining : callable
        `evidence_of_joining` of a finer and a wider class, and perhaps `lost`.
    """
    kept = list(found)
    apart: tuple[int, ...] = ()
    while True:
        most, best = judge.best(kept)
        joined: tuple[int, ...] = ()
        for merit, one in kept:
            differ = judge.beyond(best, one) if merit > FINER * most else ()
            evidence = joining(one, best) if differ else -np.inf
            if evidence > EVIDENCE:
                break
            if evidence > -EVIDENCE and merit > OPEN * most:
                joined = differ
        else:
            return Things(_with_lost(kept, judge, joining), apart, joined)
        kept, apart = [one for one in kept if one[1] is not best], differ


def _with_lost(
    found: list[tuple[float, TreeModel]],
    judge: Judge,
    joining: Callable[..., float],
) -> list[tuple[float, TreeModel]]:
    """Where wider classes have what the best one lost, these alone."""
    while True:
        most, best = judge.best(found)
        wider = [
            one
            for one in found
            if one[0] > WIDER * most
            and judge.widens(one[1], best)
            and not judge.refutes(one[1])
            and joining(best, one[1], True) < -EVIDENCE
        ]
        if not wider:
            return found
        found = wider


def evidence_of_joining(
    pairs: Pairs,
    n: int,
    finer: Bool,
    wider: Bool,
    lost: bool = False,
    *,
    across_sources: bool = False,
) -> float:
    """The log likelihood ratio of things of several records coming together in a wider class as
    chance has it, beside half as often; -inf where the wider class adds what the finer one lost.

    Parameters
    ----------
    n : int
        How many records there are.
    finer, wider : bool arrays, shape (n_pairs,)
        The pairs that each takes for matches.
    lost : bool
        Whether it is asked of all pairs that come together, what was lost within things beside.
    across_sources : bool
        Whether pairs are of a record of one source and then one of another.
    """
    edges = (pairs.left[finer], pairs.right[finer])
    graph = coo_array((np.ones(len(edges[0]), np.int8), edges), shape=(n, n))
    thing = connected_components(graph, directed=False)[1].astype(np.int64)
    beyond = wider & ~finer
    one, other = thing[pairs.left[beyond]], thing[pairs.right[beyond]]
    across = one != other
    if not lost and across.sum() <= (1.0 - MOST_WITHIN) * len(across):
        return -np.inf
    if not across.any():
        return 0.0
    several = np.bincount(thing) > 1
    one, other = one[across], other[across]
    by_chance = _met_by_chance(one, other, several, n) if across_sources else None
    one, other = _each_once(np.minimum(one, other), np.maximum(one, other), n)
    if by_chance is None:
        by_chance = (float(several[one].mean() + several[other].mean()) / 2.0) ** 2
    by_chance = min(by_chance, 1.0 - 1e-9)
    both = int((several[one] & several[other]).sum())
    rest = np.log1p(-by_chance) - np.log1p(-by_chance / 2.0)
    return float(both * np.log(2.0) + (len(one) - both) * rest)


def _met_by_chance(one: Int64, other: Int64, several: Bool, n: int) -> float:
    """The share of pairs of things that are both in both sources, where being in both is chance.

    Two such things meet twice, by the record of the first in one source and of the second in the
    other, and the other way round; other things meet once.
    """
    one, other = _each_once(one, other, n)
    meetings = float(several[one].mean() * several[other].mean())
    return meetings / (2.0 - meetings)


def _each_once(one: Int64, other: Int64, n: int) -> tuple[Int64, Int64]:
    """The different pairs of things."""
    first, second = np.divmod(different(one * n + other), n)
    return first, second
