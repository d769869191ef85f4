"""Which alike class is the matches: EM from several starts, with one and with two kinds of non-matches beside.

Likelihood does not tell: where matches are few, families or neighbours explain more pairs than they do. What tells is
the border. Beside the true class, the pairs that come next differ clearly in some fields; beside half of it, or beside
a larger class that holds it, those that come next differ little more than its own pairs. Among starts that separate
nearly as well, likelihood decides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq

from workbench.arrays import Float, Int8
from workbench.linkage.comparison import Comparison
from workbench.linkage.mixture import Mixture, Patterns, sigmoid
from workbench.linkage.tree import TreeModel, fit_classes, independent

__all__ = ["FEWEST_FIELDS", "fit_tree", "separation"]

FAR = 1
FEWEST_FIELDS = 3
"""Two fields alone do not tell two correlated classes apart."""
SAMPLE = 60_000
"""Pairs that starts are tried on."""
PARTNERS = (0.05, 0.5)
"""Matches a record that strict starts take, those of the largest log odds."""
STRICTER = 3.0
NEARLY = 0.03
"""Of starts whose separation is within this share of the best one's, the likeliest is taken."""
BESIDE = 2.0
"""So many times as many pairs as matches are beside them."""


def fit_tree(
    patterns: Patterns,
    comparisons: Sequence[Comparison],
    mixtures: tuple[Mixture, Mixture],
    n_records: int,
    *,
    known: tuple[Float, Float] | None = None,
    seed: int = 0,
) -> TreeModel:
    """EM with correlated non-matches, from the start that separates best or the likeliest of those that nearly do.

    Parameters
    ----------
    mixtures : pair of Mixture
        Of independent fields, by chance with and without matches: every start is made of the log odds of one.
    n_records : int
    known : pair of float64 arrays, shape (n_patterns,), optional
        How many pairs of each pattern are labelled as matches and as non-matches.
    """
    sizes = [one.n_levels for one in comparisons]
    if len(sizes) < FEWEST_FIELDS or not len(patterns.counts):
        return independent(mixtures[1])
    counts = patterns.counts.astype(float)
    rows, sampled = _thinned(patterns, known, seed)
    levels = patterns.levels[rows]
    some = None if known is None else (known[0][rows], known[1][rows])
    partners = n_records * sampled.sum() / counts.sum()
    tried = [
        fit_classes(levels, sampled, start, sizes, known=some)
        for start in _starts(mixtures[0].scores(levels), mixtures[1].scores(levels), sampled, partners)
    ]
    apart = [separation(model.scores(levels), levels, sampled) for model in tried]
    close = [model for model, value in zip(tried, apart) if value >= max(apart) - NEARLY * abs(max(apart))]
    best = max(close, key=lambda model: model.trace[-1])
    if len(rows) == len(counts):
        return best
    classes = best.classes(patterns.levels)
    start = np.exp(classes - np.logaddexp.reduce(classes, axis=1, keepdims=True))
    return fit_classes(patterns.levels, counts, start, sizes, known=known)


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


def _starts(scores: Float, less: Float, counts: Float, partners: float) -> list[Float]:
    """Classes to begin with: the mixtures' matches and stricter ones, then with a second kind of non-matches."""
    plain, fewer = sigmoid(scores), sigmoid(less)
    strict = [sigmoid(scores - _shift(scores, counts, share * partners)) for share in PARTNERS]
    found = [np.column_stack((match, 1.0 - match)) for match in (plain, fewer, *strict)]
    beside = [(match, plain) for match in (*strict, sigmoid(scores - STRICTER))]
    for match, alike in (*beside, (sigmoid(less - STRICTER), fewer)):
        between = alike * (1.0 - match)
        classes = np.column_stack((match, between, 1.0 - match - between)) + 1e-9
        found.append(classes / classes.sum(axis=1, keepdims=True))
    return found


def _shift(scores: Float, counts: Float, wanted: float) -> float:
    """What is taken from the log odds so that so many pairs are expected to match."""
    wanted = min(max(wanted, 1e-6), 0.99 * float(counts.sum()))
    reach = float(np.abs(scores).max(initial=1.0)) + 60.0
    return float(brentq(lambda shift: float(sigmoid(scores - shift) @ counts) - wanted, -reach, reach, xtol=1e-6))
