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

from collections.abc import Sequence
from dataclasses import replace
from math import exp, inf, log, log1p
from typing import NamedTuple

import numpy as np

from workbench.arrays import Array, Float, Int8
from workbench.linkage.changing import changes_alone
from workbench.linkage.comparison import MISSING, first_equal
from workbench.linkage.fitting import Fitted, fit_to_all
from workbench.linkage.groups import EVIDENCE
from workbench.linkage.mixture import sigmoid
from workbench.linkage.problem import LinkProblem, is_a_code
from workbench.linkage.tree import TreeModel
from workbench.progress import PLAIN, Conduct

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
PRIOR, OF_A_CODE = -1.2, 3.0
"""Log odds that a field in which half of the pairs may be random ones tells apart what the class
joins, before their groups are asked; and how much more so for a code, which hardly changes.
"""
STEEPLY = 2.0
"""The power of the odds of the share."""
LIKELY = 0.5
"""Log odds from which on it teaches."""
LACKING = 0.2
"""Of all pairs, those that are taken because they lack a field: where it is there, they are not."""
MANY = 15.0
"""Pairs that may be random ones."""
AGREEING, ONE = 4.0, 1.0
"""Pairs that are equal, beyond chance and two standard deviations of it: for a field that teaches,
and for one that is told of.
"""
BEYOND = 0.5
"""Of the pairs of a class that a field teaches, those that were not taken before, at most: a field
tells apart what is together, and finds nothing.
"""
ROUNDS = 2
"""Fields that EM learns from, one after the other."""
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
    def odds(self) -> float:
        """Log odds that it tells apart what the class joins: fields in which records of one thing
        differ are the rarer, the more of these do.
        """
        share = min(self.share, 1.0 - 1e-3)
        of_share = log(share) - log1p(-share) if share > 0 else -inf
        return self.joining + STEEPLY * of_share + PRIOR + OF_A_CODE * self.a_code

    @property
    def teaches(self) -> bool:
        """Whether it tells apart what the class joins, so that EM may learn from it."""
        return self.filled > SOME and self.odds > LIKELY and self.beyond > AGREEING

    @property
    def undecided(self) -> bool:
        """Whether too few pairs have values to say."""
        return self.share > DOUBTFUL and self.joining > SINGLY and self.beyond > AGREEING

    @property
    def wrong(self) -> float:
        """Of the pairs, those that are expected to be wrong: the ones that the field may tell
        apart, as likely as it does; and those that are taken because they lack it.
        """
        if self.beyond <= ONE:
            return 0.0
        lacking = self.share - self.filled
        lacking = lacking if lacking > LACKING else 0.0
        joins = 1.0 / (1.0 + exp(-self.odds)) if self.odds > -700.0 else 0.0
        return lacking + (self.share - lacking) * joins


def told_apart(
    fitted: Fitted, problem: LinkProblem, conduct: Conduct = PLAIN
) -> tuple[Fitted, Doubt | None]:
    """The fitted class, or the one that fields teach which speak against it; and the field that
    speaks against that one still.
    """
    model, taught = fitted.model, list[int]()
    left = _doubts(model, problem)
    while len(taught) < ROUNDS and not conduct.over:
        asked = [one for one in left if one.place not in taught]
        found = _finer(model, asked, problem, conduct)
        if found is None:
            break
        after = _doubts(found[1], problem)
        if any(one.place in taught and one.filled > SOME for one in after):
            break
        taught.append(found[0])
        model, left = found[1], after
    if taught:
        apart = tuple(dict.fromkeys((*fitted.apart, *taught)))
        fitted = replace(fitted, model=model, apart=apart, joined=())
    occasions = tuple(one.place for one in left if one.of_an_occasion)
    fitted = replace(fitted, joined=fitted.joined or occasions)
    if problem.apart is not None:
        # Of two sources that repeat nothing, log odds say it themselves.
        return fitted, None
    # What is said is of the pairs that are taken: those that may match are the less likely ones.
    most = max(_doubts(model, problem, True), key=lambda one: one.wrong, default=None)
    return fitted, most if most is not None and most.wrong > SOME else None


def share_of_chance(counts: Float, chance: Float) -> float:
    """The largest share of pairs that may be random ones, by how many have each level and how
    random ones are; what is missing says nothing.
    """
    found = counts[1:] / max(float(counts[1:].sum()), 1e-9)
    asked = chance[1:] >= SEEN
    return min(1.0, float((found[asked] / chance[1:][asked]).min(initial=1.0)))


def _doubts(model: TreeModel, problem: LinkProblem, taken: bool = False) -> list[Doubt]:
    """Of each field that tells things apart, and in which many pairs may be random ones."""
    scores = model.scores(problem.levels)
    places = telling_fields(problem)
    found = [doubt_of(model, place, scores, problem, taken=taken) for place in places]
    number = float(_expected(scores, problem, taken).sum())
    return [one for one in found if one.share * number > MANY]


def telling_fields(problem: LinkProblem) -> list[int]:
    """The places of the fields in which hardly any random pairs are equal."""
    equal = [
        chance[first_equal(one) :].sum()
        for one, chance in zip(problem.comparisons, problem.chances)
    ]
    return [place for place, share in enumerate(equal) if share <= NEARLY_UNIQUE]


def doubt_of(
    model: TreeModel, place: int, scores: Float, problem: LinkProblem, *, taken: bool
) -> Doubt:
    """The doubt of one field about the pairs that match, or are taken for matches."""
    comparison, chance = problem.comparisons[place], problem.chances[place]
    level, first = problem.levels[:, place], first_equal(comparison)
    counts = _levels_of(place, _expected(scores, problem, taken), problem)
    number, equal = float(counts[1:].sum()), float(chance[first:].sum())
    filled = share = share_of_chance(counts, chance)
    # Who is taken because of the field says nothing of how often others agree in it.
    without = _expected(model.scores(_without(place, problem)), problem, taken)
    lacking = _levels_of(place, without, problem)
    if counts[MISSING]:
        blank = share_of_chance(lacking, chance)
        share = (filled * number + blank * float(counts[MISSING])) / float(counts.sum())
    filled, share = (min(one, wrong_within(scores, problem)) for one in (filled, share))
    random = _of_chance(lacking, chance)[level]
    wider = (scores > 0) & (level != MISSING)
    finer = wider & (_of_chance(counts, chance)[level] < 0.5)
    return Doubt(
        place,
        filled,
        share,
        _beyond_chance(lacking, first, equal),
        problem.joining(finer, wider) if share > SOME else -np.inf,
        is_a_code(problem, place) and not changes_alone(place, without, random, problem),
    )


def _beyond_chance(counts: Float, first: int, equal: float) -> float:
    """Pairs that are equal in a field beyond chance and two standard deviations of it."""
    by_chance = equal * float(counts[1:].sum())
    return float(counts[first:].sum() - by_chance - 2.0 * np.sqrt(by_chance))


def _finer(
    model: TreeModel, asked: Sequence[Doubt], problem: LinkProblem, conduct: Conduct
) -> tuple[int, TreeModel] | None:
    """The class that a field teaches which tells apart what a class joins, by the pairs that have
    values or by the class that it teaches itself; and the field.
    """
    scores = model.scores(problem.levels)
    for one in sorted(asked, key=lambda one: (not one.teaches, -one.filled)):
        if one.teaches or one.undecided:
            finer = _taught(model, one.place, problem, conduct)
            told = finer.scores(problem.levels) > 0
            if (problem.counts * told)[scores <= 0].sum() > BEYOND * (problem.counts @ told):
                continue
            if one.teaches or problem.joining(told, scores > 0) > EVIDENCE:
                return one.place, finer
    return None


def _taught(model: TreeModel, place: int, problem: LinkProblem, conduct: Conduct) -> TreeModel:
    """The class that EM finds where a field says what matches and what does not."""
    levels = problem.levels
    alike = _expected(model.scores(_without(place, problem)), problem)
    random = _of_chance(_levels_of(place, alike, problem), problem.chances[place])[levels[:, place]]
    told = levels[:, place] != MISSING
    wider = sigmoid(model.scores(levels))
    match = wider * (1.0 - random)
    start = np.column_stack((match, wider - match, 1.0 - wider)) + 1e-9
    yes = alike * (1.0 - random) * (told & (random < 0.5))
    no = alike * random * (told & (random >= 0.5))
    start /= start.sum(axis=1, keepdims=True)
    return fit_to_all(problem, start, (yes, no + problem.within), conduct)


def _levels_of(place: int, weight: Float, problem: LinkProblem) -> Float:
    """How many of the pairs of the patterns' weights have each level of a field."""
    found = np.bincount(problem.levels[:, place], weight, minlength=problem.sizes[place])
    return np.asarray(found, np.float64)


def _expected(scores: Float, problem: LinkProblem, taken: bool = False) -> Float:
    """How many pairs of each pattern match, by their log odds; or are taken for matches."""
    return (scores > 0 if taken else sigmoid(scores)) * problem.across


def _without(place: int, problem: LinkProblem) -> Int8:
    """The levels of the patterns as if none had values of a field."""
    blank = problem.levels.copy()
    blank[:, place] = MISSING
    return blank


def wrong_within(scores: Float, problem: LinkProblem) -> float:
    """Of these at most so many are wrong: those within two sources that repeat nothing tell."""
    if problem.apart is None:
        return 1.0
    within = float(sigmoid(scores) @ problem.apart)
    return min(1.0, within / max(float(_expected(scores, problem).sum()), 1e-9))


def _of_chance(counts: Float, chance: Float) -> Array:
    """Of the pairs of each level, those that random ones explain; half where a value is missing."""
    random = share_of_chance(counts, chance) * float(counts[1:].sum()) * chance
    found = np.minimum(random / np.maximum(counts, 1e-9), 1.0)
    found[MISSING] = 0.5
    return np.asarray(found)
