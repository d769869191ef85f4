"""Things that either of two sources has twice: they stay apart, for sources are compared across
alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float, Int32
from workbench.linkage.blocking import Pairs, every_pair
from workbench.linkage.candidates import Candidates
from workbench.linkage.clustering import Clustering
from workbench.linkage.comparison import MISSING
from workbench.linkage.link_model import LinkModel, Scoring
from workbench.linkage.mixture import sigmoid
from workbench.linkage.sources import pairs_within
from workbench.linkage.ways import Ways, ways_of

MOST, MOST_OF_ALL = 20_000, 400
"""Records of each source that are asked about; and where all pairs are compared."""
SOME, SHARE = 20, 0.05
"""Pairs within that look like one thing beyond those that are expected to be wrong, at least, and
for each across that is taken.
"""


@dataclass(frozen=True)
class Repeated:
    """Pairs within two sources that stay apart.

    Attributes
    ----------
    scores : float64 array, shape (n_pairs,)
        Log odds.
    times : float64 array, shape (n_pairs,)
        How many pairs each stands for, where not all records are asked.
    alike : bool array, shape (n_pairs,)
        Which of them look like one thing.
    """

    pairs: Pairs
    scores: Float
    times: Float
    alike: Bool


def repeated_within(
    source: Int32,
    candidates: Candidates,
    model: Scoring,
    clustering: Clustering,
    scores: Float,
    cut_at: float,
) -> Repeated | None:
    """Pairs within two sources that stay apart, where many look like one thing; None where few do,
    or pairs within were learned to be different things.

    Parameters
    ----------
    source : int32 array, shape (n_records,)
    scores : float64 array, shape (n_candidates,)
        Log odds of pairs across, of which those beyond `cut_at` look like one thing.
    """
    if source.max(initial=0) != 1 or not isinstance(model, LinkModel):
        return None
    if model.within is not None or model.at_chance is not None:
        return None
    asked = _asked(source, MOST if candidates.proposed or candidates.near else MOST_OF_ALL)
    pairs = _pairs_within(model, candidates, source, asked)
    apart = clustering.label[pairs.left] != clustering.label[pairs.right]
    pairs = Pairs(pairs.left[apart], pairs.right[apart])
    log_odds, taken = _log_odds(model, pairs, source), scores[scores > cut_at]
    sizes, parts = (np.bincount(one, minlength=2) for one in (source, source[asked]))
    times = np.square(sizes / np.maximum(parts, 1))[source[pairs.left]]
    found = Repeated(pairs, log_odds, times, log_odds > cut_at)
    # As many are wrong within as across.
    repeated = float(times @ found.alike) - float(sigmoid(-taken).sum())
    return found if repeated >= max(SOME, SHARE * len(taken)) else None


def _log_odds(model: LinkModel, pairs: Pairs, source: Int32) -> Float:
    """Of pairs within; what each source writes in its own way is equal there, and says nothing."""
    levels = model.levels(pairs)
    for place, one in enumerate(model.comparisons):
        if ways_of(one.field, source) is not Ways.ONE:
            levels[:, place] = MISSING
    return model.tree.scores(levels)


def _asked(source: Int32, most: int) -> Bool:
    """So many records of each source at most, drawn at random."""
    random, found = np.random.default_rng(0), np.zeros(len(source), np.bool_)
    for side in (0, 1):
        rows = np.flatnonzero(source == side)
        found[random.choice(rows, min(len(rows), most), replace=False)] = True
    return found


def _pairs_within(model: LinkModel, candidates: Candidates, source: Int32, asked: Bool) -> Pairs:
    """What statements find within each source; all, where they are all compared across."""
    if candidates.proposed or candidates.near:
        fields = [one.field for one in model.comparisons]
        return pairs_within(fields, candidates.proposed, candidates.near, source, asked)
    rows = np.flatnonzero(asked).astype(np.int32)
    every = every_pair(len(rows), None)
    within = source[rows[every.left]] == source[rows[every.right]]
    return Pairs(rows[every.left[within]], rows[every.right[within]])
