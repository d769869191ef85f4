"""Which alike class is the matches: EM with two kinds of non-matches, from several starts.

Likelihood does not tell: where matches are few, families or neighbours explain more pairs than they do. What tells is
the border. Beside the true class, the pairs that come next differ clearly in some fields; beside half of it, or beside
a larger class that holds it, those that come next differ little more than its own pairs. Nor are matches pairs that an
assumed model, which no EM has moved, takes for chance. And of starts that do nearly as well the one with more matches
counts: the others have lost some, such as the persons who moved.

A class is refuted where fields that are held out agree no better than those of random pairs: who shares surname, street
and town and neither forename nor birthday is a family. Where every start is refuted, there are no duplicates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from workbench.arrays import Float, Int8
from workbench.linkage.comparison import Comparison
from workbench.linkage.mixture import Mixture, Patterns, sigmoid
from workbench.linkage.tree import FAR, TreeModel, fit_classes, independent

__all__ = ["FEWEST_FIELDS", "at_chance", "fit_tree", "merit", "separation"]

FEWEST_FIELDS = 4
"""Fewer fields do not tell correlated classes apart."""
MOST_FAR = 0.45
"""Matches agree more often than not in every field that some pairs agree in; two sources may call venues otherwise."""
SOME = 0.001
SAMPLE = 60_000
"""Pairs that starts are tried on."""
PARTNERS = (0.05, 0.5)
"""Matches a record that strict starts take, those of the largest log odds."""
STRICTER = 3.0
FEW_PAIRS = 20_000
"""Of fewer a single kind of non-matches is tried beside: they do not show two."""
ASSUMED = ((0.0, 4.0), (0.0, 8.0), (3.0, 6.0))
"""What is added to the assumed log odds of matches, and of those and the pairs that are alike otherwise."""
LEAST_ALIKE = 0.5
"""Of matches so many are taken for such by the assumed model; where it finds fewer, it does not count."""
POWER = 0.25
"""Of the number of matches, in a start's merit."""
BESIDE = 2.0
"""So many times as many pairs as matches are beside them."""
LEAST_AGREEMENT = 0.3
"""Beyond chance, of a field that is held out."""
MOST_AT_CHANCE = 0.29
"""Of fields, or one: matches may agree in so many by chance, for two sources call venues otherwise."""
STRICT = ((5.0, 4.0), (10.0, 0.0))
"""Taken from the assumed log odds of matches and added to those of alike pairs, where the best start is refuted."""
NEARLY = 0.6
"""Of a refuted start's merit another one must have; a few chance pairs have less."""
NO_MATCHES = -700.0
"""The log odds where there are none."""


def fit_tree(
    patterns: Patterns,
    comparisons: Sequence[Comparison],
    mixtures: tuple[Mixture, Mixture],
    assumed: Mixture,
    n_records: int,
    *,
    known: tuple[Float, Float] | None = None,
    seed: int = 0,
) -> tuple[TreeModel, tuple[int, ...]]:
    """EM with correlated non-matches, from the start of most merit that is not refuted.

    Returns the model, and where all starts are refuted and none is a match the fields that refute the best one.

    Parameters
    ----------
    mixtures : pair of Mixture
        Of independent fields, by chance with and without matches.
    assumed : Mixture
        With matches as they are in most data.
    n_records : int
    known : pair of float64 arrays, shape (n_patterns,), optional
        How many pairs of each pattern are labelled as matches and as non-matches.
    """
    sizes = [one.n_levels for one in comparisons]
    if len(sizes) < FEWEST_FIELDS or not len(patterns.counts):
        return independent(mixtures[1]), ()
    counts = patterns.counts.astype(float)
    rows, sampled = _thinned(patterns, known, seed)
    levels = patterns.levels[rows]
    some = None if known is None else (known[0][rows], known[1][rows])
    equal = [counts @ (patterns.levels[:, at] >= 2 + len(one.near)) for at, one in enumerate(comparisons)]
    most_far = np.where(np.array(equal) > SOME * counts.sum(), MOST_FAR, 1.0)
    alike = assumed.scores(levels)
    strict = (mixtures[0].scores(levels), mixtures[1].scores(levels))
    partners = n_records * sampled.sum() / counts.sum()

    def ranked(starts: Sequence[Float]) -> list[tuple[float, TreeModel]]:
        tried = [fit_classes(levels, sampled, start, sizes, most_far, known=some) for start in starts]
        found = [(merit(model.scores(levels), alike, levels, sampled), model) for model in tried]
        return sorted(found, key=lambda one: -one[0])

    found = ranked(_starts(*strict, alike, sampled, partners))
    most, best = found[0]
    if known is None:
        chance = np.array([one[FAR] for one in mixtures[0].u])
        by_chance = at_chance(best, levels, sampled, chance)
        if _refuted(by_chance, sizes):
            found += ranked([_classes(sigmoid(alike - less), sigmoid(alike + more)) for less, more in STRICT])
            kept = (one for one in sorted(found, key=lambda one: -one[0]) if one[0] > NEARLY * most)
            others = (one for _, one in kept if not _refuted(at_chance(one, levels, sampled, chance), sizes))
            second = next(others, None)
            if second is None:
                return replace(best, share=NO_MATCHES), by_chance
            best = second
    if len(rows) == len(counts):
        return best, ()
    classes = best.classes(patterns.levels)
    start = np.exp(classes - np.logaddexp.reduce(classes, axis=1, keepdims=True))
    return fit_classes(patterns.levels, counts, start, sizes, most_far, known=known), ()


def at_chance(model: TreeModel, levels: Int8, counts: Float, chance: Float) -> tuple[int, ...]:
    """Fields in which pairs that the others take for matches agree hardly better than random pairs do.

    Parameters
    ----------
    levels : int8 array, shape (n_patterns, n_fields)
    counts : float64 array, shape (n_patterns,)
    chance : float64 array, shape (n_fields,)
        The share of far values among random pairs.
    """
    found = []
    for place, share in enumerate(chance):
        there = sigmoid(model.scores_without(levels, place)) * counts * (levels[:, place] > 0)
        far = float(there @ (levels[:, place] == FAR)) / max(float(there.sum()), 1e-9)
        if far > (1.0 - LEAST_AGREEMENT) * share:
            found.append(place)
    return tuple(found)


def merit(scores: Float, alike: Float, levels: Int8, counts: Float) -> float:
    """What starts are chosen by: separation, the share of matches that are such by assumed log odds, and their number.

    Parameters
    ----------
    scores, alike : float64 arrays, shape (n_patterns,)
        Log odds by the start and as assumed.
    levels : int8 array, shape (n_patterns, n_fields)
    counts : float64 array, shape (n_patterns,)
    """
    match = sigmoid(scores) * counts
    confirmed = float(match @ sigmoid(alike)) / max(match.sum(), 1e-9)
    return float(separation(scores, levels, counts) * max(LEAST_ALIKE, confirmed) * match.sum() ** POWER)


def separation(scores: Float, levels: Int8, counts: Float) -> float:
    """How much more the pairs beside the matches differ than these do: the share of far values, summed over fields.

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
        (far * side[:, None]).sum(axis=0) / ((there * side[:, None]).sum(axis=0) + 1e-9) for side in (match, beside)
    ]
    return float((shares[1] - shares[0]).sum())


def _thinned(patterns: Patterns, known: tuple[Float, Float] | None, seed: int) -> tuple[np.ndarray, Float]:
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


def _starts(scores: Float, less: Float, alike: Float, counts: Float, partners: float) -> list[Float]:
    """Classes to begin with: matches, pairs that are alike otherwise where there are many, the rest."""
    plain, fewer = sigmoid(scores), sigmoid(less)
    strict = [sigmoid(scores - _shift(scores, counts, share * partners)) for share in PARTNERS]
    pairs = [(match, plain) for match in (*strict, sigmoid(scores - STRICTER))]
    pairs += [(sigmoid(less - STRICTER), fewer)]
    pairs += [(sigmoid(alike + more), sigmoid(alike + wider)) for more, wider in ASSUMED]
    found = [_classes(match, either) for match, either in pairs]
    if counts.sum() <= FEW_PAIRS:
        found += [np.column_stack((match, 1.0 - match)) for match in (sigmoid(alike), sigmoid(alike - STRICTER))]
    return found


def _classes(match: Float, either: Float) -> Float:
    """Matches, pairs that are alike otherwise, and the rest."""
    between = either * (1.0 - match)
    classes = np.column_stack((match, between, 1.0 - match - between)) + 1e-9
    return np.asarray(classes / classes.sum(axis=1, keepdims=True))


def _refuted(by_chance: Sequence[int], sizes: Sequence[int]) -> bool:
    return len(by_chance) > max(1.0, MOST_AT_CHANCE * len(sizes))


def _shift(scores: Float, counts: Float, wanted: float) -> float:
    """What is taken from the log odds so that so many pairs are expected to match."""
    wanted = min(max(wanted, 1e-6), 0.99 * float(counts.sum()))
    reach = float(np.abs(scores).max(initial=1.0)) + 60.0
    return float(brentq(lambda shift: float(sigmoid(scores - shift) @ counts) - wanted, -reach, reach, xtol=1e-6))
