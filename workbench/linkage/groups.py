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

from workbench.arrays import Bool
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
    pairs: Pairs, n: int, finer: Bool, wider: Bool, lost: bool = False
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
    key = np.minimum(one, other) * n + np.maximum(one, other)
    one, other = np.divmod(different(key[across]), n)
    several = np.bincount(thing) > 1
    share = float(several[one].mean() + several[other].mean()) / 2.0
    by_chance = min(share**2, 1.0 - 1e-9)
    both = int((several[one] & several[other]).sum())
    rest = np.log1p(-by_chance) - np.log1p(-by_chance / 2.0)
    return float(both * np.log(2.0) + (len(one) - both) * rest)
