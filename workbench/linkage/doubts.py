"""Fields that speak against a class: editions, versions and sizes, fathers and their sons.

Records of one thing agree, nearly at least, in a field in which hardly any random ones do. Of a
class that joins several things all pairs but those of one thing are as unlike in it as random ones:
the largest share that these may have (Blanchard, Lee & Scott 2010, mixture proportions) is of the
level that chance explains best. So may be pairs of people who moved; but records of those hang
singly on others, and things that a class joins repeat each for itself (`workbench.linkage.groups`).
And of two sources that repeat nothing those within tell how many are wrong at most.

Where a field surely speaks against the class, EM learns from it: what random pairs explain is known
not to match, the rest is. Where it does so perhaps, these pairs are expected to be wrong. Where no
more pairs agree in it than random ones do, it is of an occasion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from workbench.arrays import Array, Bool, Float
from workbench.linkage.comparison import MISSING, Comparison
from workbench.linkage.fitting import Fitted, across_sources
from workbench.linkage.groups import EVIDENCE
from workbench.linkage.mixture import Patterns, sigmoid
from workbench.linkage.numbers import hold_numbers
from workbench.linkage.tree import EveryPair, TreeModel, fit_classes
from workbench.progress import PLAIN, Conduct

__all__ = ["Doubt", "share_of_chance", "told_apart"]

NEARLY_UNIQUE = 0.06
"""Of random pairs, those that are equal in a field that tells things apart."""
SOME, DOUBTFUL = 0.15, 0.25
"""Of a class's pairs, those that may be random ones in a field: where it surely joins things, and
where it perhaps does.
"""
MOSTLY = 0.55
"""Of them so many, and the field is taken to tell things apart."""
SINGLY = -2.0
"""Evidence of joining, from which on pairs that differ in a field are of records that moved."""
HARDLY = 0.3
"""Of joining, from which on a field perhaps tells apart what the class joins."""
OF_CODES = 0.3
"""Of the pairs, those that may be random ones in a code, which hardly changes."""
LACKING = 0.2
"""Of all pairs, those that are taken because they lack a field: where it is there, they are not."""
MANY = 10.0
"""Pairs that may be random ones."""
AGREEING = 4.0
"""Pairs that are equal, beyond chance and two standard deviations of it."""
ROUNDS = 2
"""Fields that EM learns from, one after the other."""
SAMPLE = 1000
SEEN = 0.02
"""Of random pairs, those of a level that is asked: of rarer ones too few are seen."""


class Doubt(NamedTuple):
    """A field beside the pairs that a class takes.

    Attributes
    ----------
    place : int
    filled : float
        Of the pairs that have both values, those that random pairs may be.
    share : float
        Of all: those that lack a value are as those that are taken without the field.
    beyond : float
        Pairs that are equal beyond chance.
    joining : float
        The evidence that the class joins what the field tells apart.
    a_code : bool
    """

    place: int
    filled: float
    share: float
    beyond: float
    joining: float
    a_code: bool

    @property
    def of_an_occasion(self) -> bool:
        """Whether pairs differ in it mostly, and agree by chance."""
        return self.filled > MOSTLY and self.beyond <= AGREEING

    @property
    def teaches(self) -> bool:
        """Whether it surely tells apart what the class joins."""
        mostly = self.filled > MOSTLY and self.joining > SINGLY
        surely = self.filled > SOME and self.joining > EVIDENCE
        return (mostly or surely) and self.beyond > AGREEING

    @property
    def undecided(self) -> bool:
        """Whether too few pairs have values to say."""
        return self.share > DOUBTFUL and self.joining > SINGLY and self.beyond > AGREEING

    @property
    def counts(self) -> bool:
        """Whether it may tell apart what the class joins."""
        perhaps = self.joining > HARDLY or self.share - self.filled > LACKING
        a_number = self.a_code and self.share > OF_CODES and self.joining > SINGLY
        return self.share > DOUBTFUL and (perhaps or a_number)


@dataclass(frozen=True)
class _Seen:
    """Pairs that could match, how random ones are, and the evidence that a class of patterns joins
    the things of a finer one.
    """

    patterns: Patterns
    comparisons: Sequence[Comparison]
    chances: Sequence[Float]
    within: Float
    joining: Callable[[Bool, Bool], float]

    def levels_of(self, place: int, weight: Float) -> Float:
        """How many of the pairs of the patterns' weights have each level of a field."""
        level = self.patterns.levels[:, place]
        found = np.bincount(level, weight, minlength=self.comparisons[place].n_levels)
        return np.asarray(found, np.float64)

    def expected(self, scores: Float) -> Float:
        """How many pairs of each pattern match, by their log odds."""
        return sigmoid(scores) * (self.patterns.counts - self.within)

    def wrong(self, scores: Float) -> float:
        """Of these at most so many are wrong: those within two sources that repeat nothing tell."""
        match = sigmoid(scores)
        within, across = float(match @ self.within), float(self.expected(scores).sum())
        return min(1.0, within / max(across, 1e-9)) if self.within.any() else 1.0

    def taken_without(self, model: TreeModel, place: int) -> Float:
        """How many do if none has values of a field."""
        blank = self.patterns.levels.copy()
        blank[:, place] = MISSING
        return self.expected(model.scores(blank))


def told_apart(
    fitted: Fitted,
    patterns: Patterns,
    comparisons: Sequence[Comparison],
    chances: Sequence[Float],
    apart: Float | None,
    every: EveryPair | None,
    joining: Callable[[Bool, Bool], float],
    conduct: Conduct = PLAIN,
) -> tuple[Fitted, Doubt | None]:
    """The fitted class, or the one that fields teach which speak against it; and the field that
    speaks against that one still.

    Parameters
    ----------
    chances : sequence of float64 arrays
        Of each field, the levels' shares among random pairs.
    apart, every, joining
        As `fit_tree` takes them.
    """
    within = np.zeros(len(patterns.counts)) if apart is None else apart
    seen = _Seen(patterns, comparisons, chances, within, joining)
    model, taught = fitted.model, list[int]()
    left = _doubts(model, seen)
    while len(taught) < ROUNDS and not conduct.over:
        asked = [one for one in left if one.place not in taught]
        found = _finer(model, asked, seen, every, conduct)
        if found is None:
            break
        taught.append(found[0])
        model = found[1]
        left = _doubts(model, seen)
    if taught:
        fitted = replace(
            fitted, model=model, apart=tuple(dict.fromkeys((*fitted.apart, *taught))), joined=()
        )
    occasions = tuple(one.place for one in left if one.of_an_occasion)
    fitted = replace(fitted, joined=fitted.joined or occasions)
    # Of two sources that repeat nothing, log odds say it themselves.
    against = [one for one in left if apart is None and (one.place in taught or one.counts)]
    most = max(against, key=lambda one: one.share, default=None)
    return fitted, most if most is not None and most.share > DOUBTFUL else None


def share_of_chance(counts: Float, chance: Float) -> float:
    """The largest share of pairs that may be random ones, by how many have each level and how
    random ones are; what is missing says nothing.
    """
    found = counts[1:] / max(float(counts[1:].sum()), 1e-9)
    asked = chance[1:] >= SEEN
    return min(1.0, float((found[asked] / chance[1:][asked]).min(initial=1.0)))


def _doubts(model: TreeModel, seen: _Seen) -> list[Doubt]:
    """Of each field that tells things apart, and in which many pairs may be random ones."""
    scores = model.scores(seen.patterns.levels)
    found = [
        _doubt(model, place, scores, seen)
        for place, comparison in enumerate(seen.comparisons)
        if seen.chances[place][_first_equal(comparison) :].sum() <= NEARLY_UNIQUE
    ]
    taken = float(seen.expected(scores).sum())
    return [one for one in found if one.share * taken > MANY]


def _doubt(model: TreeModel, place: int, scores: Float, seen: _Seen) -> Doubt:
    comparison, chance = seen.comparisons[place], seen.chances[place]
    level, first = seen.patterns.levels[:, place], _first_equal(comparison)
    counts = seen.levels_of(place, seen.expected(scores))
    number, equal = float(counts[1:].sum()), float(chance[first:].sum())
    filled = share = share_of_chance(counts, chance)
    if counts[MISSING]:
        blank = share_of_chance(seen.levels_of(place, seen.taken_without(model, place)), chance)
        share = (filled * number + blank * float(counts[MISSING])) / float(counts.sum())
    filled, share = (min(one, seen.wrong(scores)) for one in (filled, share))
    wider = (scores > 0) & (level != MISSING)
    finer = wider & (_of_chance(counts, chance)[level] < 0.5)
    return Doubt(
        place,
        filled,
        share,
        float(counts[first:].sum()) - equal * number - 2.0 * (equal * number) ** 0.5,
        seen.joining(finer, wider) if share > SOME else -np.inf,
        comparison.field.kind == "code"
        and not hold_numbers(comparison.field.texts[:SAMPLE].tolist()),
    )


def _finer(
    model: TreeModel,
    asked: Sequence[Doubt],
    seen: _Seen,
    every: EveryPair | None,
    conduct: Conduct,
) -> tuple[int, TreeModel] | None:
    """The class that a field teaches which tells apart what a class joins, by the pairs that have
    values or by the class that it teaches itself; and the field.
    """
    scores = model.scores(seen.patterns.levels)
    for one in sorted(asked, key=lambda one: (not one.teaches, -one.filled)):
        if one.teaches or one.undecided:
            finer = _taught(model, one.place, seen, every, conduct)
            told = finer.scores(seen.patterns.levels) > 0
            if one.teaches or seen.joining(told, scores > 0) > EVIDENCE:
                return one.place, finer
    return None


def _taught(
    model: TreeModel, place: int, seen: _Seen, every: EveryPair | None, conduct: Conduct
) -> TreeModel:
    """The class that EM finds where a field says what matches and what does not."""
    levels, counts = seen.patterns.levels, seen.patterns.counts.astype(np.float64)
    alike = seen.taken_without(model, place)
    random = _of_chance(seen.levels_of(place, alike), seen.chances[place])[levels[:, place]]
    told = levels[:, place] != MISSING
    wider = sigmoid(model.scores(levels))
    match = wider * (1.0 - random)
    start = np.column_stack((match, wider - match, 1.0 - wider)) + 1e-9
    yes = alike * (1.0 - random) * (told & (random < 0.5))
    no = alike * random * (told & (random >= 0.5))
    two = bool(seen.within.any())
    among = every if every is None or not two else every.times(2.0)
    found = fit_classes(
        levels,
        counts,
        start / start.sum(axis=1, keepdims=True),
        [one.n_levels for one in seen.comparisons],
        np.ones(len(seen.comparisons)),
        every=among,
        known=(yes, no + seen.within),
        conduct=conduct,
    )
    return across_sources(found, counts, seen.within, among)


def _of_chance(counts: Float, chance: Float) -> Array:
    """Of the pairs of each level, those that random ones explain; half where a value is missing."""
    random = share_of_chance(counts, chance) * float(counts[1:].sum()) * chance
    found = np.minimum(random / np.maximum(counts, 1e-9), 1.0)
    found[MISSING] = 0.5
    return np.asarray(found)


def _first_equal(comparison: Comparison) -> int:
    return 2 + len(comparison.near)
