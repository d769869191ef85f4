"""What tells the matches from another class of pairs that are alike: its border, an assumed model,
chance.

Beside the true class, the pairs that come next differ clearly in some fields; beside half of it, or
beside a larger class that holds it, those that come next differ little more than its own pairs. Nor
are matches pairs that an assumed model, which no EM has moved, takes for chance. And of classes
that do nearly as well the one with more matches counts: the others have lost some, such as the
persons who moved.

A class is refuted where the assumed model confirms little of it, or where fields that are held out
agree no better than those of random pairs: who shares surname, street and town and neither forename
nor birthday is a family. Where it holds persons as well, most of its fields agree better than that:
then the pairs tell that it has beyond a finer class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Array, Float, Int8
from workbench.linkage.field_tree import FAR
from workbench.linkage.mixture import sigmoid
from workbench.linkage.tree import TreeModel

POWER = 0.5
"""Of the border and of the number of matches, in a class's merit."""
SURELY, CLEAR = 1.5, 2.0
"""The powers of the share of matches that is confirmed, and of clarity."""
LEAST_CONFIRMED = 0.2
"""Of matches the assumed model takes so many for such, given as many of them."""
MOSTLY_CONFIRMED, MANY = 0.5, 15.0
"""Of a plain class's matches, and how many these are: of fewer chance makes a class."""
CLEARLY = 3
"""The power of a class's F1 in its merit, where pairs within two sources tell it."""
BESIDE = 2.0
"""So many times as many pairs as matches are beside them."""
HALF, NEARLY_ALL = 0.5, 0.99
"""Of random pairs, those that are called unlike in a field at least, and at most."""
LEAST_AGREEMENT = 0.3
"""Beyond chance, of a field that is held out."""
FEW, TELLING = 3, 0.5
"""Of so few fields the others may tell nothing: of the matches that they expect they are sure of
less.
"""
MOST_AT_CHANCE = 0.29
"""Of fields: of four matches may agree in one by chance, for two sources call venues otherwise;
of three in none.
"""
OF_KINDS = 0.1
"""Of random pairs, those that are equal in a field of kinds, at least."""
EQUAL = 0.97
"""Of the most merit: models that have it differ by chance,
and not by what they take for matches.
"""
HELD = 0.9
"""Of the matches of a finer class, by a wider one."""
BEYOND = 0.15
"""Of a wider class's matches, those that a finer one does not take."""
NEARLY_UNIQUE = 0.06
"""Of random pairs, those that are equal in a field that tells things apart."""
LEAST_BEYOND = 0.5
"""The agreement beyond chance of these pairs in a field: a few are the finer class's own, lost."""


@dataclass(frozen=True)
class Judge:
    """Pairs that classes are judged by.

    Attributes
    ----------
    levels : int8 array, shape (n_patterns, n_fields)
    counts : float64 array, shape (n_patterns,)
        How many of the pairs have each pattern.
    share : float
        The pairs among all that are possible.
    evidence : float64 array, shape (n_patterns,)
        The assumed log odds without the prior.
    unlike : int array, shape (n_fields,)
        The level that half of the random pairs are within: far, of numbers often near.
    chance : float64 array, shape (n_fields,)
        The share of random pairs that are no more alike.
    equal : float64 array, shape (n_fields,)
        The share of equal ones.
    apart : float64 array, shape (n_patterns,)
        Of pairs within two sources that repeat nothing, as many as there are non-matches across by
        chance; else 0.
    """

    levels: Int8
    counts: Float
    share: float
    evidence: Float
    unlike: Array
    chance: Float
    apart: Float
    equal: Float

    def merit(self, model: TreeModel) -> float:
        """Powers of the border, of the number of matches, of how many are confirmed, of clarity and
        of F1 beyond chance.
        """
        scores = model.scores(self.levels)
        number = float(sigmoid(scores) @ self.counts)
        border = max(0.0, 1.0 + separation(scores, self.levels, self.counts))
        sure = self.confirmed(model) ** SURELY * self.clarity(model) ** CLEAR
        return float((border * number) ** POWER * sure * self.beyond_chance(model) ** CLEARLY)

    def best(self, found: Sequence[tuple[float, TreeModel]]) -> tuple[float, TreeModel]:
        """Of the models of nearly the most merit the one that is surest of its cut."""
        most = max(merit for merit, _ in found)
        return max(
            (one for one in found if one[0] >= EQUAL * most), key=lambda one: self.clarity(one[1])
        )

    def beyond_chance(self, model: TreeModel) -> float:
        """F1 of a class, told by how many more of its pairs are across two sources than within;
        1 for one source.
        """
        if not self.apart.any():
            return 1.0
        taken = sigmoid(model.scores(self.levels))
        alike = np.maximum(taken, self.evidence > 0)
        across, within = float(taken @ self.counts), float(taken @ self.apart)
        every = max(float(alike @ self.counts) - float(alike @ self.apart), across - within, 1.0)
        return max(0.0, 2.0 * (across - within) / (across + every))

    def clarity(self, model: TreeModel) -> float:
        """The F1 that a model expects of its own cut at even odds."""
        match = sigmoid(model.scores(self.levels))
        taken = match > 0.5
        return float(
            2.0 * (match * taken) @ self.counts / max(float((match + taken) @ self.counts), 1e-9)
        )

    def confirmed(self, model: TreeModel) -> float:
        """How many of the matches are such as assumed, if as many were so of all possible pairs."""
        match = sigmoid(model.scores(self.levels)) * self.counts
        matches = max(float(match.sum()), 1e-9)
        among = min(0.5, self.share * matches / float(self.counts.sum()))
        return float(match @ sigmoid(self.evidence + np.log(among) - np.log1p(-among))) / matches

    def at_chance(self, model: TreeModel) -> tuple[int, ...]:
        """Fields in which pairs that the others take for matches agree hardly better than random
        pairs do; of few others that tell none for sure nothing is asked.
        """
        found, few = [], len(self.chance) <= FEW
        for place in range(len(self.chance)):
            match = sigmoid(model.scores_without(self.levels, place))
            sure = float((match * (match > 0.5)) @ self.counts)
            if few and sure <= TELLING * float(match @ self.counts):
                continue
            if self._agreement(place, match * self.counts) < LEAST_AGREEMENT:
                found.append(place)
        return tuple(found)

    def beyond(self, wider: TreeModel, finer: TreeModel) -> tuple[int, ...]:
        """Fields in which the pairs that a wider class has beyond a finer one are more like random
        pairs, if these are too many for matches; else none.
        """
        if not self.widens(wider, finer):
            return ()
        taken, less = (sigmoid(one.scores(self.levels)) for one in (wider, finer))
        weight = np.maximum(taken - less, 0.0) * self.counts
        found = [
            place
            for place in range(len(self.chance))
            if self._agreement(place, weight) < LEAST_BEYOND
        ]
        telling = any(self.equal[place] <= NEARLY_UNIQUE for place in found)
        return tuple(found) if telling or self._too_many(found) else ()

    def widens(self, wider: TreeModel, finer: TreeModel) -> bool:
        """Whether a class holds the matches of a finer one, and clearly more."""
        taken, less = (sigmoid(one.scores(self.levels)) for one in (wider, finer))
        of_finer, of_wider = float(less @ self.counts), float(taken @ self.counts)
        both = float(np.minimum(taken, less) @ self.counts)
        return both >= HELD * of_finer and of_wider - both >= BEYOND * of_wider

    def _agreement(self, place: int, weight: Float) -> float:
        """How much more pairs of the patterns' weights agree in a field than random ones: 0 is
        chance, 1 always.
        """
        level, share = self.levels[:, place], float(self.chance[place])
        there = weight * (level > 0)
        far = float(there @ (level <= self.unlike[place])) / max(float(there.sum()), 1e-9)
        return 1.0 - far / max(share, 1e-9)

    def _too_many(self, places: Sequence[int]) -> bool:
        """Whether matches do not agree by chance in so many fields."""
        return len(places) > MOST_AT_CHANCE * len(self.chance)

    def confirms(self, model: TreeModel) -> bool:
        """Whether the assumed model takes enough of the matches for such."""
        return self.confirmed(model) >= LEAST_CONFIRMED

    def is_plain(self, model: TreeModel) -> bool:
        """Whether many pairs, mostly confirmed, agree in every field beyond chance: such a class
        needs no merit beside another's that is refuted.
        """
        number = float(sigmoid(model.scores(self.levels)) @ self.counts)
        confirmed = self.confirmed(model) > MOSTLY_CONFIRMED
        return number > MANY and confirmed and not self.at_chance(model)

    def refutes(self, model: TreeModel) -> bool:
        """Whether the class that a model calls matches is another one; kinds and prices that many
        things share do not tell these apart.
        """
        telling = [place for place in self.at_chance(model) if self.equal[place] < OF_KINDS]
        return not self.confirms(model) or self._too_many(telling)


def unlike_levels(chances: Sequence[Float]) -> tuple[Array, Float]:
    """Of each field the level that half of the random pairs are within, and how many are; far
    where nearly all are equal, of whom none would be more alike."""
    within = [np.cumsum(one) for one in chances]
    halves = [int(np.searchsorted(one, HALF)) for one in within]
    levels = np.array([at if one[at] < NEARLY_ALL else FAR for at, one in zip(halves, within)])
    return levels, np.array([one[level] for one, level in zip(within, levels)])


def separation(scores: Float, levels: Int8, counts: Float) -> float:
    """How much more the pairs beside the matches differ than these do: the share of far values,
    summed over fields.

    Parameters
    ----------
    scores : float64 array, shape (n_patterns,)
    levels : int8 array, shape (n_patterns, n_fields)
    counts : float64 array, shape (n_patterns,)
    """
    match = sigmoid(scores) * counts
    other = counts - match
    order = np.argsort(-scores, kind="stable")
    before = np.cumsum(other[order]) - other[order]
    beside = np.zeros(len(counts))
    beside[order] = np.clip(BESIDE * match.sum() - before, 0.0, other[order])
    there, far = levels > 0, levels == FAR
    shares = [
        (far * side[:, None]).sum(axis=0) / ((there * side[:, None]).sum(axis=0) + 1e-9)
        for side in (match, beside)
    ]
    return float((shares[1] - shares[0]).sum())
