"""From the patterns of compared pairs to weights: the mixture, its tree, and what speaks against
these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from workbench.arrays import Bool, Float, Int32
from workbench.linkage.blocking import Pairs
from workbench.linkage.candidates import Candidates
from workbench.linkage.captured import captured_share
from workbench.linkage.clustering import Unfound
from workbench.linkage.comparison import Comparison, levels_of
from workbench.linkage.doubts import told_apart
from workbench.linkage.fields import Field
from workbench.linkage.fitting import CONSISTENT, FEWEST_FIELDS, MOST, fit_tree
from workbench.linkage.groups import evidence_of_joining
from workbench.linkage.link_model import LinkModel
from workbench.linkage.mixture import (
    Mixture,
    Patterns,
    assumed_mixture,
    fit_mixture,
    sample_pairs,
    sigmoid,
)
from workbench.linkage.problem import Problem
from workbench.linkage.sources import calibrated_to_within, with_pairs_within
from workbench.linkage.tree import EveryPair, TreeModel
from workbench.progress import PLAIN, Conduct

__all__ = ["learn"]

RANDOM_PAIRS = 400_000


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
