"""Identifiers that speak against a class: editions, versions and sizes have numbers of their own.

Who agrees in an identifier, a serial number for instance, is alike in the other fields: that tells
it from the day of an occasion. Where many of the pairs that a class takes by the other fields
differ in it, the class joins several things. Pairs that agree in it are then known to match, those
that differ in it not to, and EM learns from both what the others are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int8
from workbench.linkage.comparison import Comparison
from workbench.linkage.fitting import Fitted, across_sources
from workbench.linkage.mixture import Patterns, sigmoid
from workbench.linkage.tree import FAR, EveryPair, TreeModel, fit_classes
from workbench.progress import PLAIN, Conduct

__all__ = ["Identifier", "told_apart"]

MOST_CHANCE = 0.05
"""Of random pairs, those that are not far apart in an identifier."""
DIFFERING = 0.28
"""Of a class's pairs by the other fields, those that differ in it: of matches fewer do."""
MANY = 10.0
"""Pairs that differ in it."""
MOSTLY = 0.4
"""Such pairs, from which on the field is told of: too few agree in it to learn from."""
ALIKE = 0.6
"""Of the pairs that agree in it, those that the class takes by the other fields."""
FEWEST = 4.0
"""Such pairs; of a handful of records that moved, an address would be an identifier."""
CONFIRMED = 0.05
"""So much better the other fields tell who agrees in an identifier that they confirm."""
UNTOLD = 0.5
"""Of the pairs of a class that lack the identifier, those that EM begins with as matches."""


class Identifier(NamedTuple):
    """A field beside the pairs that a class takes by the other fields.

    Attributes
    ----------
    place : int
    differing : float
        Of these pairs, where both have a value, those that differ.
    alike : float
        Of all pairs that agree in it, those that are among them.
    agreeing, apart : float
        How many of these pairs agree, and how many differ.
    filled : float
        Of these pairs, those in which both have a value.
    """

    place: int
    differing: float
    alike: float
    agreeing: float
    apart: float
    filled: float

    @property
    def precision(self) -> float:
        """Of the class's pairs, those that match: where the field is there the class knows it."""
        return 1.0 - (1.0 - self.filled) * self.differing

    @property
    def speaks_against(self) -> bool:
        """Whether who agrees in the field is alike otherwise, and many are so who differ in it."""
        enough = self.agreeing > FEWEST and self.apart > MANY
        return enough and self.differing > DIFFERING and self.alike > ALIKE

    @property
    def casts_doubt(self) -> bool:
        """Whether pairs of the class differ in the field mostly, an identifier or not."""
        return self.differing > MOSTLY and self.apart > MANY

    @property
    def score(self) -> float:
        """F0.5 of the class by the other fields, with agreement in this one for the truth: a wrong
        pair is worse than a lost one.
        """
        right = 1.0 - self.differing
        return 1.25 * right * self.alike / max(0.25 * right + self.alike, 1e-9)


def told_apart(
    fitted: Fitted,
    patterns: Patterns,
    comparisons: Sequence[Comparison],
    chance: Float,
    apart: Float | None,
    every: EveryPair | None,
    conduct: Conduct = PLAIN,
) -> tuple[Fitted, Identifier | None]:
    """The fitted class, or the one that an identifier teaches which speaks against it; and the
    identifier if it speaks against that one still.

    The other fields confirm the identifier where they tell better, too, who agrees in it: where
    people move, an address is none. Of what only casts doubt the fitted class says that it may join
    things.

    Parameters
    ----------
    chance : float64 array, shape (n_fields,)
        The share of far values among random pairs.
    apart, every
        As `fit_tree` takes them.
    """
    counts = np.asarray(patterns.counts - (0.0 if apart is None else apart), np.float64)

    def beside(model: TreeModel, place: int) -> Identifier:
        return _beside(model, patterns.levels, counts, comparisons[place], place)

    codes = [
        beside(fitted.model, place)
        for place in np.argsort(-chance, kind="stable").tolist()
        if comparisons[place].field.kind == "code" and 1.0 - chance[place] <= MOST_CHANCE
    ]
    against = next((one for one in codes if one.speaks_against), None)
    if against is None:
        doubted = tuple(one.place for one in codes if one.casts_doubt)
        return replace(fitted, joined=fitted.joined or doubted), None
    place = against.place
    finer = _taught(fitted.model, patterns, comparisons, place, apart, every, conduct)
    left = beside(finer, place)
    if left.score < against.score + CONFIRMED:
        return replace(fitted, joined=(place,)), against
    taught = replace(fitted, model=finer, apart=(place,), joined=())
    return taught, left if left.differing > DIFFERING else None


def _beside(
    model: TreeModel, levels: Int8, counts: Float, comparison: Comparison, place: int
) -> Identifier:
    level = levels[:, place]
    taken = sigmoid(model.scores_without(levels, place)) * counts
    equal = level >= _first_equal(comparison)
    there, agreeing, apart = (float(taken @ one) for one in (level > 0, equal, level == FAR))
    return Identifier(
        place,
        apart / max(there, 1e-9),
        agreeing / max(float(counts @ equal), 1e-9),
        agreeing,
        apart,
        there / max(float(taken.sum()), 1e-9),
    )


def _taught(
    model: TreeModel,
    patterns: Patterns,
    comparisons: Sequence[Comparison],
    place: int,
    apart: Float | None,
    every: EveryPair | None,
    conduct: Conduct,
) -> TreeModel:
    """The class that EM finds where the identifier says what matches and what does not."""
    levels, counts = patterns.levels, patterns.counts.astype(np.float64)
    within = np.zeros(len(counts)) if apart is None else apart
    alike = sigmoid(model.scores_without(levels, place)) * (counts - within)
    level = levels[:, place]
    equal, differ = level >= _first_equal(comparisons[place]), level == FAR
    wider = sigmoid(model.scores(levels))
    match = wider * np.where(differ, 0.0, np.where(equal, 1.0, UNTOLD))
    start = np.column_stack((match, wider - match, 1.0 - wider)) + 1e-9
    among = None if every is None else every.times(1.0 if apart is None else 2.0)
    found = fit_classes(
        levels,
        counts,
        start / start.sum(axis=1, keepdims=True),
        [one.n_levels for one in comparisons],
        np.ones(len(comparisons)),
        every=among,
        known=(alike * equal, alike * differ + within),
        conduct=conduct,
    )
    return found if apart is None else across_sources(found, counts, apart, among)


def _first_equal(comparison: Comparison) -> int:
    return 2 + len(comparison.near)
