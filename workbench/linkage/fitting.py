"""Which alike class is the matches: EM with two kinds of non-matches, from several starts.

Likelihood does not tell: where matches are few, families or neighbours explain more pairs than they
do. What tells is said in `workbench.linkage.merit`. Models of independent fields, which no
correlation has drawn away, stand beside those that the starts lead to; a little less is made of
them, and of those with a single kind of non-matches. A class that joins the things of a finer one
gives way to it (`workbench.linkage.groups`). Where every class is refuted, there are no duplicates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Bool, Float
from workbench.linkage.comparison import Comparison
from workbench.linkage.groups import Things, of_single_things
from workbench.linkage.merit import Judge
from workbench.linkage.mixture import Mixture, Patterns, sigmoid
from workbench.linkage.starts import halved_start, starts_of, strict_starts
from workbench.linkage.tree import FAR, EveryPair, TreeModel, fit_classes, independent
from workbench.progress import PLAIN, Conduct

__all__ = ["CONSISTENT", "FEWEST_FIELDS", "MOST", "Fitted", "across_sources", "fit_tree"]

FEWEST_FIELDS = 4
"""Fewer fields do not tell correlated classes apart."""
MOST_FAR = 0.45
"""Matches agree more often than not in every field that some pairs agree in;
two sources may call venues otherwise.
"""
LEAST_CLARITY = 0.5
"""Of the assumed model, where all are refuted for few fields: with less it takes chance pairs."""
SOME = 0.001
SAMPLE = 60_000
"""Pairs that starts are tried on."""
SINGLE = 0.95
"""What the merit of a model with a single kind of non-matches counts:
it may take families for matches.
"""
INDEPENDENT = 0.7
"""What the merit of independent fields counts beside that of correlated ones."""
NEARLY = 0.3
"""Of a refuted class's merit another one must have; a few chance pairs have less."""
MOST = 0.75
"""Of the matches that statements would find if no value were missing:
the others change no weight that matters.
"""
CONSISTENT = 0.8
"""Of that share as much again by the weights that it leads to, and these are taken."""
STEPS, BRIEFLY = 80, 5
"""Of EM at most, and from half of the best class: a tree of correlated fields takes up the other
half in the end, and then the first as well.
"""
NO_MATCHES = -700.0
"""The log odds where there are none."""


@dataclass(frozen=True)
class Fitted:
    """The model of the matches, and what spoke against others.

    Attributes
    ----------
    at_chance : tuple of int, or None
        Where every class is refuted, the fields in which the best agrees by chance; the model knows
        no matches then.
    apart : tuple of int
        Fields in which things differ that another class joins, of more merit.
    joined : tuple of int
        Fields in which records of one thing differ that another class of nearly the merit tells
        apart; too few repeat for sureness.
    """

    model: TreeModel
    at_chance: tuple[int, ...] | None = None
    apart: tuple[int, ...] = ()
    joined: tuple[int, ...] = ()


def fit_tree(
    patterns: Patterns,
    comparisons: Sequence[Comparison],
    mixtures: tuple[Mixture, Mixture],
    assumed: Mixture,
    possible: float,
    n_records: int,
    *,
    known: tuple[Float, Float] | None = None,
    conduct: Conduct = PLAIN,
    apart: Float | None = None,
    every: EveryPair | None = None,
    captured: Callable[[Float], float] = lambda _: 1.0,
    joining: Callable[[Bool, Bool], float] = lambda finer, wider: -np.inf,
) -> Fitted:
    """The model of most merit that is not refuted: EM with correlated non-matches from several
    starts, or without.

    Parameters
    ----------
    mixtures : pair of Mixture
        Of independent fields, by chance with and without matches.
    assumed : Mixture
        With matches as they are in most data.
    possible : float
        Pairs of records that could match, candidates or not.
    known : pair of float64 arrays, shape (n_patterns,), optional
        How many pairs of each pattern are labelled as matches and as non-matches.
    conduct : Conduct, optional
        From its deadline or a cancel on no start is tried but the first, and EM ends with the step
        that it is at.
    apart : float64 array, shape (n_patterns,), optional
        How many pairs of each pattern are no candidates, but known not to match.
    every : EveryPair, optional
        All pairs that could match, where not all are compared.
    captured : callable
        From log odds of the patterns to the share of matches among the candidates, of those that
        statements would find if no value were missing.
    joining : callable
        From the patterns that a finer and a wider class take to the evidence that the wider joins
        the things of the finer.
    """
    if not len(patterns.counts):
        return Fitted(independent(mixtures[1]))
    sizes = [one.n_levels for one in comparisons]
    counts = patterns.counts.astype(float)
    rows, drawn = _thinned(patterns, known, conduct.seed)
    levels = patterns.levels[rows]
    within = np.zeros(len(rows)) if apart is None else drawn * apart[rows] / counts[rows]
    sampled = drawn - within
    alike = assumed.scores(levels)
    chance = np.array([one[FAR] for one in mixtures[0].u])
    across = counts if apart is None else counts - apart
    judge = Judge(
        levels, sampled, across.sum() / possible, alike - assumed.intercept, chance, within
    )
    plain = [independent(one) for one in (*reversed(mixtures), assumed)]

    def of_things(among: Sequence[tuple[float, TreeModel]]) -> Things:
        return of_single_things(
            among,
            judge,
            lambda *classes: joining(*(one.scores(patterns.levels) > 0 for one in classes)),
        )

    if len(sizes) < FEWEST_FIELDS:
        # The assumed model confirms itself: without pairs within files the surest is taken.
        few = [(1.0 if apart is None else judge.merit(one), one) for one in plain]
        things = Things(few) if known is not None else of_things(few)
        return _of_few_fields(things, judge, assumed=plain[-1], refutable=known is None)
    among = None if every is None else every.times(2.0 if apart is not None else 1.0)
    drawn_of = None if among is None else among.times(float(drawn.sum() / counts.sum()))
    some = None if known is None else (known[0][rows], known[1][rows])
    if apart is not None:
        some = (np.zeros(len(rows)), within)
    equal = [
        across @ (patterns.levels[:, at] >= 2 + len(one.near)) for at, one in enumerate(comparisons)
    ]
    most_far = np.where(np.array(equal) > SOME * across.sum(), MOST_FAR, 1.0)

    def fitted(starts: Sequence[Float], steps: int = STEPS) -> list[tuple[float, TreeModel]]:
        tried = [
            across_sources(
                fit_classes(
                    levels,
                    drawn,
                    start,
                    sizes,
                    most_far,
                    every=drawn_of,
                    known=some,
                    iterations=steps,
                    conduct=conduct,
                ),
                drawn,
                within,
                drawn_of,
            )
            for place, start in enumerate(starts)
            if not place or not conduct.over
        ]
        return [
            (judge.merit(one) * (SINGLE if len(one.others) == 1 else 1.0), one) for one in tried
        ]

    strict = (mixtures[0].scores(levels), mixtures[1].scores(levels))
    found = fitted(starts_of(*strict, alike, sampled, n_records * drawn.sum() / counts.sum()))
    if known is None:
        found += [(INDEPENDENT * judge.merit(one), one) for one in plain]
    found = [one for one in found if judge.confirms(one[1])] or found

    things = Things(found)
    halved: list[tuple[float, TreeModel]] = []
    if known is None:
        _, best = judge.best(found)
        halved = fitted([halved_start(sigmoid(best.scores(levels)), alike, sampled)], BRIEFLY)
        things = of_things(found + halved)
        found = things.found
    most, best = judge.best(found)
    if known is None and judge.refutes(best):
        found += fitted(strict_starts(alike))
        kept = [one for one in found if one[0] > NEARLY * most and not judge.refutes(one[1])]
        if not kept:
            return Fitted(replace(best, share=NO_MATCHES), judge.at_chance(best))
        things = of_things(kept)
        _, best = judge.best(things.found)
    if any(best is one for one in plain):
        return Fitted(best, apart=things.apart, joined=things.joined)
    if len(rows) < len(counts):
        classes = best.classes(patterns.levels)
        start = np.exp(classes - np.logaddexp.reduce(classes, axis=1, keepdims=True))
        known = known if apart is None else (np.zeros(len(counts)), apart)
        best = fit_classes(
            patterns.levels,
            counts,
            start,
            sizes,
            most_far,
            every=among,
            known=known,
            iterations=BRIEFLY if any(best is one for _, one in halved) else STEPS,
            conduct=conduct,
        )
        best = best if apart is None else across_sources(best, counts, apart, among)
    share = 1.0 if conduct.over else captured(best.scores(patterns.levels))
    more = replace(best, share=best.share - float(np.log(share)))
    confirmed = share > MOST or captured(more.scores(patterns.levels)) > CONSISTENT * share
    return Fitted(more if confirmed else best, apart=things.apart, joined=things.joined)


def _of_few_fields(things: Things, judge: Judge, *, assumed: TreeModel, refutable: bool) -> Fitted:
    """Of independent fields the best model that is not refuted; or the assumed one, if it expects
    to find most matches.
    """
    kept = [one for one in things.found if not (refutable and judge.refutes(one[1]))]
    if kept:
        return Fitted(judge.best(kept)[1], apart=things.apart, joined=things.joined)
    if judge.clarity(assumed) < LEAST_CLARITY:
        return Fitted(replace(assumed, share=NO_MATCHES), judge.at_chance(assumed))
    return Fitted(assumed)


def across_sources(
    model: TreeModel, counts: Float, apart: Float, every: EveryPair | None
) -> TreeModel:
    """With the shares of kinds of non-matches among pairs across,
    without those that are known to be apart.
    """
    if not apart.any():
        return model
    number, within = (
        (counts.sum(), apart.sum()) if every is None else (every.number, every.number / 2)
    )
    others = float(number) * (1.0 - np.exp(model.share))
    less = float(np.log(max(others - within, 1e-3 * others) / others))
    return replace(
        model, others=tuple(replace(one, share=one.share + less) for one in model.others)
    )


def _thinned(
    patterns: Patterns, known: tuple[Float, Float] | None, seed: int
) -> tuple[np.ndarray, Float]:
    """Patterns of a sample of pairs and how many it has of each; labelled pairs are all in it."""
    counts = patterns.counts
    total = int(counts.sum())
    if total <= SAMPLE:
        return np.arange(len(counts)), counts.astype(float)
    chosen = np.random.default_rng(seed).binomial(counts, SAMPLE / total).astype(float)
    if known is not None:
        chosen = np.maximum(chosen, known[0] + known[1])
    rows = np.flatnonzero(chosen)
    return rows, chosen[rows]
