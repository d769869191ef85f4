"""What tells the matches from another class of pairs that are alike: its border, an assumed model,
chance.

Beside the true class, the pairs that come next differ clearly in some fields; beside half of it, or
beside a larger class that holds it, those that come next differ little more than its own pairs. Nor
are matches pairs that an assumed model, which no EM has moved, takes for chance. And of classes
that do nearly as well the one with more matches counts: the others have lost some, such as the
persons who moved.

A class is refuted where the assumed model confirms little of it, or where fields that are held out
agree no better than those of random pairs: who shares surname, street and town and neither forename
nor birthday is a family.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int8
from workbench.linkage.mixture import sigmoid
from workbench.linkage.tree import FAR, TreeModel

__all__ = ["Judge", "separation"]

POWER = 0.35
"""Of the number of matches, in a class's merit."""
SURELY = 1.5
"""The power of the share of matches that is confirmed."""
LEAST_CONFIRMED = 0.2
"""Of matches the assumed model takes so many for such, given as many of them."""
CLEARLY = 3
"""The power of a class's F1 in its merit, where pairs within two sources tell it."""
BESIDE = 2.0
"""So many times as many pairs as matches are beside them."""
LEAST_AGREEMENT = 0.3
"""Beyond chance, of a field that is held out."""
MOST_AT_CHANCE = 0.29
"""Of fields: of four matches may agree in one by chance, for two sources call venues otherwise;
of three in none.
"""


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
    chance : float64 array, shape (n_fields,)
        The share of far values among random pairs.
    apart : float64 array, shape (n_patterns,)
        Of pairs within two sources that repeat nothing, as many as there are non-matches across by
        chance; else 0.
    """

    levels: Int8
    counts: Float
    share: float
    evidence: Float
    chance: Float
    apart: Float

    def merit(self, model: TreeModel) -> float:
        """Separation times clarity, and powers of the share of matches that is confirmed,
        of their number and F1.
        """
        scores = model.scores(self.levels)
        matches = float(sigmoid(scores) @ self.counts)
        border = max(0.0, 1.0 + separation(scores, self.levels, self.counts))
        sure = self.confirmed(model) ** SURELY * self.clarity(model)
        return float(border * sure * matches**POWER * self.beyond_chance(model) ** CLEARLY)

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
        """Fields in which pairs that the others take for matches agree
        hardly better than random pairs do.
        """
        found = []
        for place, share in enumerate(self.chance):
            level = self.levels[:, place]
            there = sigmoid(model.scores_without(self.levels, place)) * self.counts * (level > 0)
            far = float(there @ (level == FAR)) / max(float(there.sum()), 1e-9)
            if far > (1.0 - LEAST_AGREEMENT) * share:
                found.append(place)
        return tuple(found)

    def confirms(self, model: TreeModel) -> bool:
        """Whether the assumed model takes enough of the matches for such."""
        return self.confirmed(model) >= LEAST_CONFIRMED

    def refutes(self, model: TreeModel) -> bool:
        """Whether the class that a model calls matches is another one."""
        at_most = MOST_AT_CHANCE * len(self.chance)
        return not self.confirms(model) or len(self.at_chance(model)) > at_most


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
