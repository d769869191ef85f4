"""Fellegi-Sunter without labels: EM for the hidden match behind the comparison levels of candidate
pairs.

Each pair is a match or not; given that, its levels follow m or u. Where fields are independent
given the match, the M-step is closed: shares of expected counts. It is the start of
`workbench.linkage.tree`, where they are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Array, Float, Int8, Int64
from workbench.linkage.blocking import every_pair
from workbench.linkage.comparison import MISSING, FieldComparison
from workbench.linkage.sorting import grouped
from workbench.progress import PLAIN, Conduct

SMOOTHING = 0.5
STEPS, PRIOR_STEPS = 60, 50


@dataclass(frozen=True)
class Patterns:
    """The different rows of levels among pairs.

    Attributes
    ----------
    levels : int8 array, shape (n_patterns, n_comparisons)
    counts : int64 array, shape (n_patterns,)
    of_pair : int64 array, shape (n_pairs,)
    """

    levels: Int8
    counts: Int64
    of_pair: Int64


def patterns_of(levels: Int8, comparisons: Sequence[FieldComparison]) -> Patterns:
    """Group pairs of equal levels; one sort."""
    code = np.zeros(len(levels), np.int64)
    for place, one in enumerate(comparisons):
        code = code * one.n_levels + levels[:, place]
    first, of_pair, counts = grouped(code)
    return Patterns(levels[first], counts, of_pair)


@dataclass(frozen=True)
class Mixture:
    """What was learned.

    Attributes
    ----------
    m, u : tuples of float64 arrays, shape (n_levels,)
        Probabilities of the levels of each comparison among matches and among non-matches, given
        both values are there.
    prior : float
        Share of matches among all pairs of records that could match.
    trace : tuple of float
        The log likelihood of the candidates, step by step.
    """

    m: tuple[Float, ...]
    u: tuple[Float, ...]
    prior: float
    trace: tuple[float, ...] = ()

    @property
    def weights(self) -> tuple[Float, ...]:
        """The logarithm of m/u of each level; 0 where a value is missing."""
        found = []
        for m, u in zip(self.m, self.u):
            one = np.log(np.maximum(m, 1e-12)) - np.log(np.maximum(u, 1e-12))
            one[MISSING] = 0.0
            found.append(one)
        return tuple(found)

    @property
    def intercept(self) -> float:
        """The logarithm of the prior odds."""
        return float(np.log(self.prior) - np.log1p(-self.prior))

    def scores(self, levels: Int8) -> Float:
        """Log odds of a match, shape (n,)."""
        total = np.full(len(levels), self.intercept)
        for place, weights in enumerate(self.weights):
            total += weights[levels[:, place]]
        return total


def fit_mixture(
    patterns: Patterns,
    comparisons: Sequence[FieldComparison],
    chances: Sequence[Float],
    n_possible: float,
    *,
    captured: float = 1.0,
    less_matches: bool = False,
    conduct: Conduct = PLAIN,
) -> Mixture:
    """EM with u at chance: what two records drawn at random share; by a deadline or a cancel it
    ends with the step that it is at.

    Parameters
    ----------
    chances : sequence of float64 arrays
        `Comparison.chance` of each comparison.
    n_possible : float
        Pairs of records that could match, candidates or not.
    captured : float
        The share of matches that is among the candidates.
    less_matches : bool
        Chance without what the expected matches share: where records are few, or matches many, that
        is most of it.
    """
    possible = [n_possible * (one.field.filled / len(one.field.codes)) ** 2 for one in comparisons]
    u = tuple(np.asarray(one) for one in chances)
    m = guess = tuple(_first_guess(comparison) for comparison in comparisons)
    prior = 0.2 * float(patterns.counts.sum()) / n_possible
    mixture = Mixture(m, u, float(np.clip(prior, 1e-12, 0.5)))
    trace: list[float] = []
    for _ in range(STEPS):
        scores = mixture.scores(patterns.levels)
        match = sigmoid(scores) * patterns.counts
        m = tuple(
            _shares(patterns.levels[:, place], match, comparison.n_levels, guess[place])
            for place, comparison in enumerate(comparisons)
        )
        u = (
            u
            if not less_matches
            else tuple(
                _without_matches(chance * pairs, patterns.levels[:, place], match)
                for place, (chance, pairs) in enumerate(zip(chances, possible))
            )
        )
        prior = float(np.clip(match.sum() / captured / n_possible, 1e-12, 0.5))
        moved = max(float(np.abs(new - old).max()) for new, old in zip(m, mixture.m))
        trace.append(float((np.logaddexp(0.0, scores) * patterns.counts).sum()))
        mixture = Mixture(m, u, prior, tuple(trace))
        if moved < 1e-5 or conduct.over:
            break
    return mixture


def assumed_mixture(
    patterns: Patterns,
    comparisons: Sequence[FieldComparison],
    chances: Sequence[Float],
    n_possible: float,
) -> Mixture:
    """Matches as they are in most data and non-matches by chance; EM for the share of matches
    alone.

    Coarse, but what it takes for matches never drifts to another class of pairs that are alike.
    """
    found = Mixture(tuple(map(_first_guess, comparisons)), tuple(chances), 1e-6)
    for _ in range(PRIOR_STEPS):
        expected = float(sigmoid(found.scores(patterns.levels)) @ patterns.counts)
        found = replace(found, prior=float(np.clip(expected / n_possible, 1e-12, 0.5)))
    return found


def _first_guess(comparison: FieldComparison) -> Float:
    """Nine of ten matches agree: fully, as values are frequent, or closely; measurements mostly the
    latter, and long texts, in order.
    """
    found = np.zeros(comparison.n_levels)
    first = 2 + len(comparison.near)
    equal, steps = 0.75, np.ones(first - 2)
    if comparison.field.of_many_words:
        equal, steps = 0.3, np.arange(1.0, first - 1)
    elif comparison.field.is_measured:
        equal = 0.35
    counts = np.bincount(
        comparison.equal_level, comparison.field.counts, minlength=comparison.n_levels
    )[first:]
    found[first:] = equal * counts / max(counts.sum(), 1.0)
    found[2:first] = (0.9 - equal) * steps / max(1.0, steps.sum())
    found[1] = 0.1
    return found


def _without_matches(pairs: Float, levels: Int8, match: Float) -> Float:
    """Shares of levels among non-matches, one pair spread evenly:
    what few records share they share as matches.
    """
    rest = np.maximum(pairs - np.bincount(levels, match, minlength=len(pairs)), 0.0) + 1.0 / (
        len(pairs) - 1
    )
    rest[MISSING] = 0.0
    return np.asarray(rest / rest.sum())


def _shares(levels: Int8, weight: Float, n_levels: int, base: Float) -> Float:
    counts = np.bincount(levels, weight, minlength=n_levels) + SMOOTHING * base
    counts[MISSING] = 0.0
    return np.asarray(counts / counts.sum())


def sigmoid(scores: Float) -> Float:
    """Probabilities of log odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -700, 700))))


def sample_pairs(n: int, size: int, seed: int, second: Array | None) -> tuple[Array, Array]:
    """Random pairs of different records; of two sources where `second` says which. All pairs where
    they are no more: then neither the seed nor the order of the records counts.
    """
    ones = 0 if second is None else int(second.sum())
    if (n * (n - 1) / 2 if second is None else ones * (n - ones)) <= size:
        every = every_pair(n, second)
        return every.left, every.right
    random = np.random.default_rng(seed)
    left = random.integers(0, n, size)
    right = random.integers(0, n, size)
    keep = left != right if second is None else second[left] < second[right]
    return left[keep].astype(np.int32), right[keep].astype(np.int32)
