"""Which pairs to ask people about: the least sure, and others of every likelihood in between.

Answers to the least sure pairs alone say nothing of how right clear ones are, and what is learned
from them holds near the cut only.
"""

from __future__ import annotations

import numpy as np

from workbench.arrays import Bool, Float, Int64

LEAST = 0.01
"""Pairs of a smaller probability are asked about only where they are among the least sure."""
SURE = 8
"""Log odds from which on pairs count as alike likely."""


def worth_asking(scores: Float, cut_at: float, between: Int64, settled: Bool, most: int) -> Int64:
    """Places of pairs, the first to ask about first: in turn the least sure that is left, and one
    drawn from the next unit of log odds.

    Parameters
    ----------
    scores : float64 array, shape (n_pairs,)
        Log odds.
    cut_at : float
        Log odds from which on pairs speak for being together.
    between : int64 array, shape (n_pairs,)
        A number of the two clusters that a pair lies between: one of them is asked, the least sure,
        for others would say the same.
    settled : bool array, shape (n_pairs,)
        Pairs that have an answer.
    """
    order = np.argsort(np.abs(scores - cut_at), kind="stable")
    order = order[~settled[order]]
    _, first = np.unique(between[order], return_index=True)
    unsure = order[np.sort(first)]
    drawn = _drawn(unsure, scores)
    in_turn = np.concatenate((np.arange(unsure.size) * 2, np.arange(drawn.size) * 2 + 1))
    both = np.concatenate((unsure, drawn))[np.argsort(in_turn, kind="stable")]
    _, first = np.unique(both, return_index=True)
    return np.asarray(both[np.sort(first)][:most])


def _drawn(places: Int64, scores: Float) -> Int64:
    """Of likely pairs one of each unit of log odds in turn, at random within these."""
    least = np.log(LEAST) - np.log1p(-LEAST)
    mixed = np.random.default_rng(0).permutation(places[scores[places] >= least])
    unit = np.floor(np.minimum(scores[mixed], SURE)).astype(np.int64)
    ordered = np.argsort(unit, kind="stable")
    starts = np.searchsorted(unit[ordered], unit[ordered])
    turn = np.empty(mixed.size, np.int64)
    turn[ordered] = np.arange(mixed.size) - starts
    return mixed[np.lexsort((unit, turn))]
