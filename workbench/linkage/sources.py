"""Two sources that repeat nothing: what statements find within each of them are pairs of different
things.

How often different firms share a name and a web address is seen there, and need not be told from
matches. Sources whose most alike pairs are within as well as across repeat things, and teach
nothing so; nor do sources that call things each in its own way, for values are equal within them
that never are across.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.arrays import Bool, Float, Int32
from workbench.linkage.blocking import BlockingStatement, Pairs, block_pairs
from workbench.linkage.comparison import FieldComparison, levels_of
from workbench.linkage.fields import Field
from workbench.linkage.mixture import Mixture, Patterns, patterns_of, sigmoid
from workbench.linkage.neighbours import Near, near_pairs
from workbench.linkage.starts import root_of

SURE, MANY = (0.3, 0.1, 0.05), 20
"""Of the matches that are assumed, those most alike; and how many these are at least, of the
smaller shares.
"""
REPEATED = 0.1
"""So many of them within for each across, of each share, and the sources repeat things."""
OTHERWISE = 2.0
"""So many times as often values are equal within as across, or, of rare ones,
OF_RARE more often.
"""
OF_RARE = 1e-3
SOME = 0.5
"""Pairs within are taken for matches at least, for none may be so by chance."""
LARGEST_SHIFT = 8.0
LEAST_SCALE = 0.1
LARGER = 2
FEW_RECORDS = 2000
"""Of a source that is larger than so many, and than twice the other, a part tells enough."""


def with_pairs_within(
    patterns: Patterns,
    comparisons: Sequence[FieldComparison],
    statements: Sequence[BlockingStatement],
    near: Sequence[Near],
    second: Int32,
    assumed: Mixture,
    seed: int,
) -> tuple[Patterns, Float | None, float]:
    """The patterns with those of pairs within the sources, and how many of each are so: as many as
    across by chance.

    As they were, and None, where the sources repeat things, or call them otherwise. Last the log of
    how many times as often pairs within are matches as those across, at most; 0 where that is not
    known.
    """
    if any(_called_otherwise(one.field, second) for one in comparisons):
        return patterns, None, 0.0
    chosen = _chosen(second, np.random.default_rng(seed))
    within = pairs_within([one.field for one in comparisons], statements, near, second, chosen)
    sizes = np.bincount(second, minlength=2).astype(float)
    parts = np.bincount(second[chosen], minlength=2).astype(float)
    ratio = sizes.prod() / max(1.0, float((parts * (parts - 1) / 2).sum()))
    levels = np.concatenate((patterns.levels[patterns.of_pair], levels_of(comparisons, within)))
    both = patterns_of(levels, comparisons)
    across, apart = (
        np.bincount(both.of_pair[side], minlength=len(both.counts)).astype(np.float64)
        for side in (slice(len(patterns.of_pair)), slice(len(patterns.of_pair), None))
    )
    apart *= ratio
    repeats = _repeats(assumed.scores(both.levels), across, apart)
    if repeats is None:
        return patterns, None, 0.0
    return replace(both, counts=np.round(across + apart).astype(np.int64)), apart, repeats


def _repeats(scores: Float, across: Float, apart: Float) -> float | None:
    """The log of how many times as often pairs within match, told by the most alike ones; None
    where sources repeat things.
    """
    order = np.argsort(-scores, kind="stable")
    number, assumed = np.cumsum(across[order]), float(sigmoid(scores) @ across)
    for share in SURE:
        sure = order[number <= share * assumed]
        most, some = float(across[sure].sum()), float(apart[sure].sum())
        if share < SURE[0] and most < MANY:
            break
        if most and some <= REPEATED * most:
            return float(np.log((some + 1) / (most + 1)))
    return None


def calibrated_to_within(scores: Float, across: Float, apart: Float) -> tuple[float, float]:
    """What log odds lack, and what they are to be multiplied by then, so that as many non-matches
    across as within the sources are taken for matches, and these look as alike (Platt 1999).

    The second is 1 where they do not look more alike than log odds expect.

    Parameters
    ----------
    scores, across, apart : float64 arrays, shape (n_patterns,)
        Log odds of patterns, and how many pairs across, and within, have each.
    """
    taken = sigmoid(scores)
    wanted = float(taken @ apart) + SOME

    def shift(scale: float) -> float:
        return root_of(
            lambda more: float((across * taken) @ (1.0 - sigmoid(scale * scores + more))) - wanted,
            -LARGEST_SHIFT,
            LARGEST_SHIFT,
        )

    def beyond(scale: float) -> float:
        wrong = across * (1.0 - sigmoid(scale * scores + shift(scale)))
        return float((taken * scores) @ (wrong - apart))

    scale = root_of(beyond, LEAST_SCALE, 1.0)
    return shift(scale) / scale, scale


def pairs_within(
    fields: Sequence[Field],
    statements: Sequence[BlockingStatement],
    near: Sequence[Near],
    second: Int32,
    chosen: Bool,
) -> Pairs:
    """What statements and near texts find among the chosen records of each source."""
    n = len(second)
    found = Pairs.of_keys(np.zeros(0, np.int64), n)
    for one in statements:
        keys = tuple(replace(key, codes=np.where(chosen, key.codes, -1)) for key in one.keys)
        made = Pairs.of_keys(block_pairs(replace(one, keys=keys), None), n)
        found = found.joined(_within(made, second, chosen), n)
    by_name = {field.name: field for field in fields}
    for texts in near:
        found = found.joined(
            _within(near_pairs(by_name[texts.field], texts, None), second, chosen), n
        )
    return found


def _called_otherwise(field: Field, second: Int32) -> bool:
    sides = [
        np.bincount(field.codes[(second == side) & (field.codes >= 0)], minlength=len(field.texts))
        for side in (0, 1)
    ]
    one, other = (side.astype(float) for side in sides)
    across = float(one @ other) / max(1.0, float(one.sum() * other.sum()))
    within = float(one @ (one - 1) + other @ (other - 1)) / max(
        1.0, float(one.sum() ** 2 + other.sum() ** 2)
    )
    return within > OTHERWISE * across + OF_RARE


def _chosen(second: Int32, random: np.random.Generator) -> Bool:
    sizes = np.bincount(second, minlength=2)
    most = max(LARGER * int(sizes.min()), FEW_RECORDS)
    found = np.zeros(len(second), np.bool_)
    for side in (0, 1):
        rows = np.flatnonzero(second == side)
        found[random.choice(rows, min(len(rows), most), replace=False)] = True
    return found


def _within(pairs: Pairs, second: Int32, chosen: Bool) -> Pairs:
    kept = (second[pairs.left] == second[pairs.right]) & chosen[pairs.left] & chosen[pairs.right]
    return Pairs(pairs.left[kept], pairs.right[kept])
