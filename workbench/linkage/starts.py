"""Which alike class is the matches: EM with two kinds of non-matches, from several starts.

Likelihood does not tell: where matches are few, families or neighbours explain more pairs than they
do. What tells is said in `workbench.linkage.merit`. Models of independent fields, which no
correlation has drawn away, stand beside those that the starts lead to; a little less is made of
them, and of those with a single kind of non-matches. Where every class is refuted, there are no
duplicates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from workbench.arrays import Float
from workbench.linkage.comparison import Comparison
from workbench.linkage.merit import Judge
from workbench.linkage.mixture import Mixture, Patterns, sigmoid
from workbench.linkage.tree import FAR, EveryPair, TreeModel, fit_classes, independent
from workbench.progress import expired

__all__ = ["CONSISTENT", "FEWEST_FIELDS", "MOST", "fit_tree"]

FEWEST_FIELDS = 4
"""Fewer fields do not tell correlated classes apart."""
MOST_FAR = 0.45
"""Matches agree more often than not in every field that some pairs agree in;
two sources may call venues otherwise.
"""
SOME = 0.001
SAMPLE = 60_000
"""Pairs that starts are tried on."""
PARTNERS = (0.05, 0.5)
"""Matches a record that strict starts take, those of the largest log odds."""
STRICTER = 3.0
SINGLE = 0.95
"""What the merit of a model with a single kind of non-matches counts:
it may take families for matches.
"""
ASSUMED = ((0.0, 4.0), (0.0, 8.0), (3.0, 6.0))
"""What is added to the assumed log odds of matches,
and of those and the pairs that are alike otherwise.
"""
STRICT = ((5.0, 4.0), (10.0, 0.0))
"""Taken from the assumed log odds of matches and added to those of alike pairs,
where the best start is refuted.
"""
INDEPENDENT = 0.7
"""What the merit of independent fields counts beside that of correlated ones."""
NEARLY = 0.3
"""Of a refuted class's merit another one must have; a few chance pairs have less."""
EQUAL = 0.97
"""Of the most merit: models that have it differ by chance,
and not by what they take for matches.
"""
MOST = 0.75
"""Of the matches that statements would find if no value were missing:
the others change no weight that matters.
"""
CONSISTENT = 0.8
"""Of that share as much again by the weights that it leads to, and these are taken."""
NO_MATCHES = -700.0
"""The log odds where there are none."""


def fit_tree(
    patterns: Patterns,
    comparisons: Sequence[Comparison],
    mixtures: tuple[Mixture, Mixture],
    assumed: Mixture,
    possible: float,
    n_records: int,
    *,
    known: tuple[Float, Float] | None = None,
    seed: int = 0,
    deadline: float | None = None,
    apart: Float | None = None,
    every: EveryPair | None = None,
    captured: Callable[[Float], float] = lambda _: 1.0,
) -> tuple[TreeModel, tuple[int, ...] | None]:
    """The model of most merit that is not refuted: EM with correlated non-matches from several
    starts, or without.

    Returns the model and None; where all are refuted one that knows no matches, and the fields in
    which the best agrees by chance.

    Parameters
    ----------
    mixtures : pair of Mixture
        Of independent fields, by chance with and without matches.
    assumed : Mixture
        With matches as they are in most data.
    possible : float
        Pairs of records that could match, candidates or not.
    n_records : int
    known : pair of float64 arrays, shape (n_patterns,), optional
        How many pairs of each pattern are labelled as matches and as non-matches.
    deadline : float, optional
        From then on no start is tried but the first, and EM ends with the step that it is at.
    apart : float64 array, shape (n_patterns,), optional
        How many pairs of each pattern are no candidates, but known not to match.
    every : EveryPair, optional
        All pairs that could match, where not all are compared.
    captured : callable
        From log odds of the patterns to the share of matches among the candidates, of those that
        statements would find if no value were missing.
    """
    if not len(patterns.counts):
        return independent(mixtures[1]), None
    sizes = [one.n_levels for one in comparisons]
    counts = patterns.counts.astype(float)
    rows, drawn = _thinned(patterns, known, seed)
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
    if len(sizes) < FEWEST_FIELDS:
        sure = plain if known is not None else [one for one in plain if not judge.refutes(one)]
        return (
            max(sure, key=judge.merit) if sure and apart is not None else (sure or plain[-1:])[0]
        ), None
    among = None if every is None else every.times(2.0 if apart is not None else 1.0)
    drawn_of = None if among is None else among.times(float(drawn.sum() / counts.sum()))
    some = None if known is None else (known[0][rows], known[1][rows])
    if apart is not None:
        some = (np.zeros(len(rows)), within)
    equal = [
        across @ (patterns.levels[:, at] >= 2 + len(one.near)) for at, one in enumerate(comparisons)
    ]
    most_far = np.where(np.array(equal) > SOME * across.sum(), MOST_FAR, 1.0)

    def fitted(starts: Sequence[Float]) -> list[tuple[float, TreeModel]]:
        tried = [
            _across(
                fit_classes(
                    levels,
                    drawn,
                    start,
                    sizes,
                    most_far,
                    every=drawn_of,
                    known=some,
                    deadline=deadline,
                ),
                drawn,
                within,
                drawn_of,
            )
            for place, start in enumerate(starts)
            if not place or not expired(deadline)
        ]
        return [
            (judge.merit(one) * (SINGLE if len(one.others) == 1 else 1.0), one) for one in tried
        ]

    strict = (mixtures[0].scores(levels), mixtures[1].scores(levels))
    found = fitted(_starts(*strict, alike, sampled, n_records * drawn.sum() / counts.sum()))
    if known is None:
        found += [(INDEPENDENT * judge.merit(one), one) for one in plain]
    found = [one for one in found if judge.confirms(one[1])] or found
    most, best = _chosen(found, judge)
    if known is None and judge.refutes(best):
        found += fitted(
            [_classes(sigmoid(alike - less), sigmoid(alike + more)) for less, more in STRICT]
        )
        kept = [one for one in found if one[0] > NEARLY * most and not judge.refutes(one[1])]
        if not kept:
            return replace(best, share=NO_MATCHES), judge.at_chance(best)
        _, best = _chosen(kept, judge)
    if any(best is one for one in plain):
        return best, None
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
            deadline=deadline,
        )
        best = best if apart is None else _across(best, counts, apart, among)
    share = 1.0 if expired(deadline) else captured(best.scores(patterns.levels))
    more = replace(best, share=best.share - float(np.log(share)))
    confirmed = share > MOST or captured(more.scores(patterns.levels)) > CONSISTENT * share
    return (more if confirmed else best), None


def _across(model: TreeModel, counts: Float, apart: Float, every: EveryPair | None) -> TreeModel:
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


def _chosen(found: Sequence[tuple[float, TreeModel]], judge: Judge) -> tuple[float, TreeModel]:
    """Of the models of nearly the most merit the one that is surest of its cut."""
    most = max(merit for merit, _ in found)
    return max(
        (one for one in found if one[0] >= EQUAL * most), key=lambda one: judge.clarity(one[1])
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


def _starts(
    scores: Float, less: Float, alike: Float, counts: Float, partners: float
) -> list[Float]:
    """Classes to begin with: matches,
    pairs that are alike otherwise where there are many, the rest.
    """
    plain, fewer = sigmoid(scores), sigmoid(less)
    strict = [sigmoid(scores - _shift(scores, counts, share * partners)) for share in PARTNERS]
    pairs = [(match, plain) for match in (*strict, sigmoid(scores - STRICTER))]
    pairs += [(sigmoid(less - STRICTER), fewer)]
    pairs += [(sigmoid(alike + more), sigmoid(alike + wider)) for more, wider in ASSUMED]
    found = [_classes(match, either) for match, either in pairs]
    return found + [
        np.column_stack((match, 1.0 - match))
        for match in (sigmoid(alike), sigmoid(alike - STRICTER))
    ]


def _classes(match: Float, either: Float) -> Float:
    """Matches, pairs that are alike otherwise, and the rest."""
    between = either * (1.0 - match)
    classes = np.column_stack((match, between, 1.0 - match - between)) + 1e-9
    return np.asarray(classes / classes.sum(axis=1, keepdims=True))


def _shift(scores: Float, counts: Float, wanted: float) -> float:
    """What is taken from the log odds so that so many pairs are expected to match."""
    wanted = min(max(wanted, 1e-6), 0.99 * float(counts.sum()))
    reach = float(np.abs(scores).max(initial=1.0)) + 60.0
    # It takes as long to import as a new record takes to be linked by what is kept.
    from scipy.optimize import brentq

    return float(
        brentq(
            lambda shift: float(sigmoid(scores - shift) @ counts) - wanted, -reach, reach, xtol=1e-6
        )
    )
