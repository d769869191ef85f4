"""Two sources that repeat nothing: what statements find within each of them are pairs of different
things.

How often different firms share a name and a web address is seen there, and need not be told from
matches. Sources whose most alike pairs are within as well as across repeat things, and teach
nothing so; nor do sources that call things each in its own way, for values are equal within them
that never are across.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from workbench.arrays import Bool, Float, Int8, Int32
from workbench.linkage.blocking import BlockingStatement, Pairs, block_pairs
from workbench.linkage.comparison import FieldComparison, first_equal, levels_of
from workbench.linkage.fields import Field
from workbench.linkage.mixture import Mixture, Patterns, patterns_of, sigmoid
from workbench.linkage.neighbours import Near, near_pairs
from workbench.linkage.starts import root_of
from workbench.linkage.ways import Ways, as_if_across, ways_of

SURE, MANY = (0.3, 0.1, 0.05), 20
"""Of the matches that are assumed, those most alike; and how many these are at least, of the
smaller shares.
"""
REPEATED = 0.1
"""So many of them within for each across, of each share, and the sources repeat things."""
SOME = 0.5
"""Pairs within are taken for matches at least, for none may be so by chance."""
LARGEST_SHIFT = 8.0
SURELY = 3.0
"""Standard deviations of the pairs within that tell that a shift takes too much."""
LEAST_SCALE = 0.1
LARGER = 2
FEW_RECORDS = 2000
"""Of a source that is larger than so many, and than twice the other, a part tells enough."""


@dataclass(frozen=True)
class Within:
    """Pairs within two sources that repeat nothing, of which none is a match.

    Attributes
    ----------
    levels : int8 array, shape (n_pairs, n_comparisons)
    ratio : float
        Pairs across by chance for each of them.
    """

    pairs: Pairs
    levels: Int8
    ratio: float

    def false(self, beyond: int, taken: int, smaller: int) -> tuple[float, float]:
        """How many pairs across are taken that are none, where so many within look as alike, and
        the variance of that: a record that has its match is taken for no other one's.

        Parameters
        ----------
        taken : int
            Pairs across that are taken, of sources the smaller one of which has `smaller` records.
        """
        apart = self.ratio * (1.0 - min(1.0, taken / smaller))
        return apart * (beyond + SOME), apart**2 * (beyond + 1.0)


def with_pairs_within(
    patterns: Patterns,
    comparisons: Sequence[FieldComparison],
    statements: Sequence[BlockingStatement],
    near: Sequence[Near],
    second: Int32,
    assumed: Mixture,
    seed: int,
) -> tuple[Patterns, Float | None, float, Within | None]:
    """The patterns with those of pairs within the sources, and how many of each are so: as many as
    across by chance.

    As they were, and None, where the sources repeat things, or call them otherwise. Then the log of
    how many times as often pairs within are matches as those across, at most; 0 where that is not
    known. Last the pairs themselves.
    """
    ways = [ways_of(one.field, second) for one in comparisons]
    if Ways.OTHERS in ways:
        return patterns, None, 0.0, None
    random = np.random.default_rng(seed)
    chosen = _chosen(second, random)
    within = pairs_within([one.field for one in comparisons], statements, near, second, chosen)
    sizes = np.bincount(second, minlength=2).astype(float)
    parts = np.bincount(second[chosen], minlength=2).astype(float)
    ratio = sizes.prod() / max(1.0, float((parts * (parts - 1) / 2).sum()))
    of_across, of_within = patterns.levels[patterns.of_pair], levels_of(comparisons, within)
    seen = _Both.of(of_across, of_within, comparisons, ratio)
    repeats = _repeats(assumed.scores(seen.patterns.levels), seen.across, seen.apart)
    if repeats is None:
        repeats = _numbered_apart(comparisons, seen)
    if repeats is None:
        return patterns, None, 0.0, None
    two_ways = [place for place, one in enumerate(ways) if one is Ways.TWO]
    if two_ways:
        of_within = as_if_across(of_within, of_across, comparisons, two_ways, assumed, random)
        seen = _Both.of(of_across, of_within, comparisons, ratio)
    return seen.patterns, seen.apart, repeats, Within(within, of_within, ratio)


class _Both(NamedTuple):
    """Patterns of pairs across and within, and how many of each are so."""

    patterns: Patterns
    across: Float
    apart: Float

    @classmethod
    def of(
        cls, across: Int8, within: Int8, comparisons: Sequence[FieldComparison], ratio: float
    ) -> _Both:
        """With `ratio` pairs across by chance for each within."""
        both = patterns_of(np.concatenate((across, within)), comparisons)
        n, size = len(across), len(both.counts)
        number = np.bincount(both.of_pair[:n], minlength=size).astype(np.float64)
        apart = (ratio * np.bincount(both.of_pair[n:], minlength=size)).astype(np.float64)
        counts = np.round(number + apart).astype(np.int64)
        return cls(replace(both, counts=counts), number, apart)


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


def _numbered_apart(comparisons: Sequence[FieldComparison], seen: _Both) -> float | None:
    """The same told by a code of things, which many pairs across share and hardly any within."""
    told = []
    for place, one in enumerate(comparisons):
        if one.field.kind == "code":
            same = seen.patterns.levels[:, place] >= first_equal(one) - 1
            most, some = float(seen.across @ same), float(seen.apart @ same)
            if most >= MANY and some <= REPEATED * most:
                told.append(float(np.log((some + 1) / (most + 1))))
    return min(told, default=None)


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
    found, most = shift(scale) / scale, _most(scores, across, apart, shift(scale) / scale)
    if found <= most:
        return found, scale
    taken = sigmoid(scores + most)
    wanted = float(taken @ apart) + SOME

    def lacking(scale: float) -> float:
        return float((across * taken) @ sigmoid(-scale * (scores + most))) - wanted

    return most, root_of(lacking, LEAST_SCALE, 1.0)


def _most(scores: Float, across: Float, apart: Float, shift: float) -> float:
    """What log odds may be raised by, `shift` at most: what that takes for matches is surely no
    worse than what is left out, by the pairs within that would be taken, too.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[(scores[order] <= 0) & (scores[order] > -shift)]
    gain = np.cumsum((across - 2.0 * apart)[order])
    if not len(order) or gain.max(initial=0.0) <= gain[-1]:
        return shift
    last = int(gain.argmax()) + 1 if gain.max() > 0 else 0
    lost = order[last:]
    if gain.max(initial=0.0) - gain[-1] <= SURELY * 2.0 * np.sqrt(apart[lost].sum()):
        return shift
    nearest = float(scores[order[last - 1]]) if last else 0.0
    return -(nearest + float(scores[order[last]])) / 2.0


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
