"""From fields to clusters: candidates, levels, the mixture and its tree, the partition.
Arrays in, arrays out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from workbench.arrays import Bool, Float, Int8, Int32
from workbench.linkage.blocking import Pairs, Statement, all_pairs, every_pair
from workbench.linkage.captured import captured_share
from workbench.linkage.clustering import AS_SCORED, Unfound
from workbench.linkage.comparison import MISSING, Comparison, levels_of
from workbench.linkage.doubts import told_apart
from workbench.linkage.fields import Field
from workbench.linkage.fitting import CONSISTENT, FEWEST_FIELDS, MOST, fit_tree
from workbench.linkage.groups import evidence_of_joining
from workbench.linkage.keys import keys_of
from workbench.linkage.mixture import (
    Mixture,
    Patterns,
    assumed_mixture,
    fit_mixture,
    patterns_of,
    sample_pairs,
    sigmoid,
)
from workbench.linkage.neighbours import Near, add_near
from workbench.linkage.problem import Problem
from workbench.linkage.proposals import propose_statements
from workbench.linkage.sources import calibrated_to_within, with_pairs_within
from workbench.linkage.tree import EveryPair, TreeModel
from workbench.progress import PLAIN, Conduct

__all__ = ["Candidates", "LinkModel", "Scoring", "compare_candidates", "find_candidates", "learn"]

PAIRS_A_RECORD = 60
FEW_RECORDS = 100_000
"""Of more records twenty pairs each are compared, or as many as of so many."""
FEW_PAIRS = 100_000
"""So many possible pairs are all compared."""
RANDOM_PAIRS = 400_000


class Counted(Protocol):
    """A blocking statement in words, with its pairs, those of no earlier one,
    and the blocks it leaves out.
    """

    @property
    def words(self) -> str: ...
    @property
    def pairs(self) -> int: ...
    @property
    def gain(self) -> int: ...
    @property
    def cut(self) -> tuple[int, ...]: ...


class Scoring(Protocol):
    """What says how likely pairs are the same, and why."""

    def scores(self, pairs: Pairs) -> Float:
        """Log odds of pairs."""

    def reasons(self, pair: Pairs) -> list[tuple[str, float]]:
        """What each field adds to the log odds of one pair, in words."""

    def described(self) -> list[dict[str, Any]]:
        """Each field's levels with m, u and their weight in nats."""


@dataclass(frozen=True)
class Candidates:
    """The pairs to compare and how they were found.

    Attributes
    ----------
    statements : sequence of Statement, or of what else counts so
        Empty where all pairs are compared.
    possible : float
        How many pairs there could be.
    near : tuple of Near
        Fields whose words or letters are near.
    cut : tuple of str
        What time cut short, in words.
    """

    pairs: Pairs
    statements: Sequence[Counted]
    possible: float
    near: tuple[Near, ...] = ()
    cut: tuple[str, ...] = ()

    def beside(self, more: Pairs, n: int) -> Candidates:
        """With further pairs."""
        return replace(self, pairs=self.pairs.joined(more, n)) if len(more) else self

    @property
    def proposed(self) -> list[Statement]:
        """The statements over keys of the fields."""
        return [one for one in self.statements if isinstance(one, Statement)]

    @property
    def share(self) -> float:
        """Of all possible pairs."""
        return len(self.pairs) / max(1.0, self.possible)


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
    """

    comparisons: tuple[Comparison, ...]
    mixture: Mixture
    tree: TreeModel
    at_chance: tuple[str, ...] | None = None
    apart: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    unfound: Unfound = AS_SCORED
    against: tuple[str, float] | None = None
    scale: float = 1.0

    def levels(self, pairs: Pairs) -> Int8:
        """Levels of pairs, shape (n_pairs, n_comparisons)."""
        return levels_of(self.comparisons, pairs)

    def scores(self, pairs: Pairs) -> Float:
        """Log odds of pairs."""
        return self.tree.scores(self.levels(pairs))

    def beside(self, pairs: Pairs, scores: Float) -> Float:
        """What each field adds to the log odds of pairs and these themselves, shape (n_pairs,
        n_comparisons + 1).
        """
        return np.column_stack((self.tree.contributions(self.levels(pairs)), scores))

    def reasons(self, pair: Pairs) -> list[tuple[str, float]]:
        """What each field adds to the log odds of one pair, in words."""
        levels = self.levels(pair)
        parts = self.tree.contributions(levels)[0]
        return [
            (f"{comparison.field.name}: {comparison.levels[level]}", float(part))
            for comparison, level, part in zip(self.comparisons, levels[0], parts)
        ]

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


def find_candidates(
    fields: Sequence[Field], second: Int32 | None, *, conduct: Conduct = PLAIN
) -> Candidates:
    """Block on keys of the fields, or take all pairs where they are few; by a deadline or a cancel
    those found until then.

    Parameters
    ----------
    second : int32 array or None
        0 and 1: the source of each record, of two.
    """
    n = len(fields[0].codes)
    ones = 0 if second is None else int(second.sum())
    possible = n * (n - 1) / 2 if second is None else float(ones * (n - ones))
    if possible <= FEW_PAIRS:
        return Candidates(every_pair(n, second), [], possible)
    most = min(PAIRS_A_RECORD * n, max(FEW_RECORDS * PAIRS_A_RECORD, 20 * n))
    to_count = conduct.within(0.5)
    statements = propose_statements(keys_of(fields), second, most=most, conduct=to_count)
    uncounted = to_count.over
    pairs, said = all_pairs(statements, second, n, conduct=conduct)
    near = []
    for field in fields:
        if not conduct.over and (
            field.of_many_words or (field.kind in ("name", "numbered") and not said)
        ):
            found, pairs = add_near(field, pairs, second, most=PAIRS_A_RECORD * n // 4)
            near.append(found)
    cut = (
        (f"candidates are those of {len(said):,} blocking statements",)
        if uncounted or conduct.over
        else ()
    )
    return Candidates(pairs, said, possible, tuple(near), cut)


def compare_candidates(comparisons: Sequence[Comparison], candidates: Candidates) -> Patterns:
    """The patterns of the candidates' levels."""
    return patterns_of(levels_of(comparisons, candidates.pairs), comparisons)


def learn(
    comparisons: Sequence[Comparison],
    candidates: Candidates,
    patterns: Patterns,
    second: Int32 | None,
    *,
    known: tuple[Float, Float] | None = None,
    conduct: Conduct = PLAIN,
) -> LinkModel:
    """EM: first independent fields with chance agreement known, then correlated ones; what a
    deadline leaves of it.

    Of two sources that repeat nothing, pairs within each are known not to match.

    Parameters
    ----------
    known : pair of float64 arrays, shape (n_patterns,), optional
        Labelled matches and non-matches of each pattern.
    """
    n = len(comparisons[0].field.codes)
    conduct.progress.report("weights", 0, 2, "")
    sampled = levels_of(comparisons, Pairs(*sample_pairs(n, RANDOM_PAIRS, conduct.seed, second)))
    chances = [one.chance(sampled[:, place]) for place, one in enumerate(comparisons)]
    fields, among = [one.field for one in comparisons], len(candidates.pairs)

    def captured(patterns: Patterns, scores: Float) -> float:
        return _captured(candidates, fields, scores[patterns.of_pair[:among]], second)

    mixture, less = (
        _of_independent_fields(
            comparisons,
            candidates,
            patterns,
            chances,
            captured,
            less_matches=one,
            conduct=conduct,
        )
        for one in (False, True)
    )
    conduct.progress.report("weights", 1, 2, "")
    assumed = assumed_mixture(patterns, comparisons, chances, candidates.possible)
    apart, repeats = None, 0.0
    if second is not None and known is None and candidates.proposed and not conduct.over:
        patterns, apart, repeats = with_pairs_within(
            patterns,
            comparisons,
            candidates.proposed,
            candidates.near,
            second,
            assumed,
            conduct.seed,
        )
    every = None
    if len(candidates.pairs) < candidates.possible:
        totals = tuple(one.totals(sampled[:, at], second) for at, one in enumerate(comparisons))
        every = EveryPair(candidates.possible, totals)

    def joining(finer: Bool, wider: Bool) -> float:
        of_pair = patterns.of_pair[:among]
        return evidence_of_joining(candidates.pairs, n, finer[of_pair], wider[of_pair])

    problem = Problem(
        patterns, comparisons, (mixture, less), assumed, candidates.possible, n, known, apart,
        every, partial(captured, patterns), joining,
    )  # fmt: skip
    fitted, against = fit_tree(problem, conduct), None
    if known is None and fitted.at_chance is None and not conduct.over:
        fitted, against = told_apart(fitted, problem, conduct)
    tree, places, scale = fitted.model, fitted.at_chance, 1.0
    if apart is not None and places is None:
        shift, scale = calibrated_to_within(
            tree.scores(patterns.levels), patterns.counts - apart, apart
        )
        tree = replace(tree, share=tree.share + shift)
        repeats = repeats / scale - max(0.0, shift)
    by_chance, apart_in, joined_in = (
        None if places is None else tuple(fields[place].name for place in places)
        for places in (places, fitted.apart, fitted.joined)
    )
    cut = ("weights are those that EM had by then, from fewer starts",) if conduct.over else ()
    independent = mixture if len(comparisons) >= FEWEST_FIELDS else less
    scores = tree.scores(patterns.levels)[patterns.of_pair[:among]]
    unfound = Unfound(0.0 if every is None else _likelier(scores, tree), repeats)
    return LinkModel(
        tuple(comparisons), independent, tree, by_chance, apart_in or (), joined_in or (), cut,
        unfound, None if against is None else (fields[against.place].name, 1.0 - against.share),
        scale,
    )  # fmt: skip


def _likelier(scores: Float, tree: TreeModel) -> float:
    """How much likelier candidates are to match than all pairs, as log odds."""
    share = float(np.clip(sigmoid(scores).mean(), 1e-9, 0.5)) if len(scores) else 1e-9
    return max(0.0, float(np.log(share) - np.log1p(-share)) - tree.intercept)


def _of_independent_fields(
    comparisons: Sequence[Comparison],
    candidates: Candidates,
    patterns: Patterns,
    chances: Sequence[Float],
    captured: Callable[[Patterns, Float], float],
    *,
    less_matches: bool,
    conduct: Conduct,
) -> Mixture:
    """With matches that missing values hide from all statements counted as well, if their share
    confirms itself.

    Weights that then take other pairs for matches find that statements miss many more: fields are
    not independent.
    """

    def fitted(share: float) -> tuple[Mixture, float]:
        model = fit_mixture(
            patterns,
            comparisons,
            chances,
            candidates.possible,
            captured=share,
            less_matches=less_matches,
        )
        return model, captured(patterns, model.scores(patterns.levels))

    first, share = fitted(1.0)
    if share > MOST or conduct.over:
        return first
    again, confirmed = fitted(share)
    return again if confirmed > CONSISTENT * share else first


def _captured(
    candidates: Candidates, fields: Sequence[Field], scores: Float, second: Int32 | None
) -> float:
    """The share of matches among candidates,
    of those that statements would find if no value were missing.
    """
    share, at_most = (
        captured_share(
            fields,
            candidates.pairs,
            scores,
            candidates.proposed,
            candidates.near,
            second,
            filled=filled,
        )
        for filled in (False, True)
    )
    return min(1.0, share / at_most)
