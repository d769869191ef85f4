"""What a linkage says of pairs: their log odds, and what each field adds to these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from workbench.arrays import Float, Int8
from workbench.linkage.blocking import Pairs
from workbench.linkage.clustering import AS_SCORED, Unfound
from workbench.linkage.comparison import MISSING, FieldComparison, levels_of
from workbench.linkage.mixture import Mixture, Patterns
from workbench.linkage.sources import Within
from workbench.linkage.tree import TreeModel


class Scoring(Protocol):
    """What says how likely pairs are the same, and why."""

    def scores(self, pairs: Pairs) -> Float:
        """Log odds of pairs."""

    def reasons(self, pair: Pairs) -> list[tuple[str, float]]:
        """What each field adds to the log odds of one pair, in words."""

    def described(self) -> list[dict[str, Any]]:
        """Each field's levels with m, u and their weight in nats."""


@dataclass(frozen=True)
class LinkModel:
    """Comparisons with what their levels say.

    Attributes
    ----------
    mixture : Mixture
        Of independent fields: m, u and the share of matches among all pairs.
    tree : TreeModel
        With correlated non-matches: what scores are made of.
    at_chance : tuple of str, or None
        Where no class is the matches, the fields that the likeliest agrees in by chance alone.
    apart, joined : tuples of str
        Fields in which things differ that another class joins; and in which records of one thing
        differ that another class tells apart, where little says which is right.
    cut : tuple of str
        What time cut short, in words.
    unfound : Unfound
        What pairs that no statement found count for.
    against : pair of str and float, or None
        A field in which many of the matches are as unlike as random pairs, and how many are not.
    scale : float
        What log odds are multiplied by where something is said of precision and recall.
    has : float
        Of the matches among candidates, the share that is expected to be taken for such.
    wrong : float
        The share of the pairs that are taken which may be wrong at worst.
    within : Within or None
        The pairs within two sources that it learned from.
    """

    comparisons: tuple[FieldComparison, ...]
    mixture: Mixture
    tree: TreeModel
    at_chance: tuple[str, ...] | None = None
    apart: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    unfound: Unfound = AS_SCORED
    against: tuple[str, float] | None = None
    scale: float = 1.0
    has: float = 1.0
    wrong: float = 0.0
    within: Within | None = None

    @property
    def repeats_nothing(self) -> bool:
        """Whether it was seen that each of two sources has a thing once at most."""
        return self.unfound.repeats < 0

    def levels(self, pairs: Pairs) -> Int8:
        """Levels of pairs, shape (n_pairs, n_comparisons)."""
        return levels_of(self.comparisons, pairs)

    def scores(self, pairs: Pairs) -> Float:
        """Log odds of pairs."""
        return self.tree.scores(self.levels(pairs))

    def of_patterns(self, patterns: Patterns) -> Float:
        """Log odds of the pairs that patterns were made of."""
        return self.tree.scores(patterns.levels)[patterns.of_pair]

    def beside(self, pairs: Pairs, scores: Float) -> Float:
        """What each field adds to the log odds of pairs and these themselves, shape (n_pairs,
        n_comparisons + 1).
        """
        return np.column_stack((self.tree.contributions(self.levels(pairs)), scores))

    def reasons(self, pair: Pairs) -> list[tuple[str, float]]:
        """What each field adds to the log odds of one pair, in words."""
        return reasons_of(self.comparisons, self.tree, pair)

    def described(self) -> list[dict[str, Any]]:
        """Each field's levels with m, u (independent fields) and their weight in nats."""
        found = []
        for place, comparison in enumerate(self.comparisons):
            m, u, weights = (
                of[place] for of in (self.mixture.m, self.mixture.u, self.mixture.weights)
            )
            levels = [
                {"level": words, "m": float(m[at]), "u": float(u[at]), "weight": float(weights[at])}
                for at, words in enumerate(comparison.levels)
                if at != MISSING
            ]
            field, parent = comparison.field, self.tree.parent[place]
            found.append(
                {
                    "field": field.name,
                    "kind": field.kind,
                    "beyond": list(field.beyond),
                    "with": self.comparisons[parent].field.name if parent >= 0 else None,
                    "levels": levels,
                }
            )
        return found


def reasons_of(
    comparisons: Sequence[FieldComparison], tree: TreeModel, pair: Pairs
) -> list[tuple[str, float]]:
    """What each field adds to the log odds of one pair, in words."""
    levels = levels_of(comparisons, pair)
    parts = tree.contributions(levels)[0]
    return [
        (f"{comparison.field.name}: {comparison.levels[level]}", float(part))
        for comparison, level, part in zip(comparisons, levels[0], parts)
    ]
