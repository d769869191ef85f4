"""Evaluation functions of clauses: positives, negatives, length to what is maximised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64

Counts = Int64 | Float


@dataclass(frozen=True)
class ClassCounts:
    """What an evaluation function may know besides the clause: class totals, the prior, and `m`.

    Attributes
    ----------
    prior : float
        Share of positives.
    m : float
        Of the m-estimate.
    """

    positives: int
    negatives: int
    prior: float
    m: float = 2.0


def _m_estimate(p: Float, n: Float, m: Float | float, prior: float) -> Float:
    total = p + n + m
    ratio: Float = np.divide(p + m * prior, total, out=np.full(p.shape, prior), where=total > 0)
    return ratio


def _accuracy(p: Float, n: Float, length: Float, c: ClassCounts) -> Float:
    ratio: Float = np.divide(p, p + n, out=np.zeros(p.shape), where=p + n > 0)
    return ratio


def _entropy(p: Float, n: Float, length: Float, c: ClassCounts) -> Float:
    q = _accuracy(p, n, length, c)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -(q * np.log2(q) + (1 - q) * np.log2(1 - q))
    return -np.nan_to_num(bits)


def _gini(p: Float, n: Float, length: Float, c: ClassCounts) -> Float:
    q = _accuracy(p, n, length, c)
    return -2 * q * (1 - q)


def _wracc(p: Float, n: Float, length: Float, c: ClassCounts) -> Float:
    total = c.positives + c.negatives
    return (p + n) / total * (_accuracy(p, n, length, c) - c.positives / total)


def _likelihood_gain(p: Float, n: Float, length: Float, c: ClassCounts) -> Float:
    from scipy.special import xlogy

    def of(a: Float, b: Float) -> Float:
        return np.asarray(xlogy(a, a) + xlogy(b, b) - xlogy(a + b, a + b))

    others_p, others_n = np.maximum(c.positives - p, 0.0), np.maximum(c.negatives - n, 0.0)
    gain = of(p, n) + of(others_p, others_n) - of(p + others_p, n + others_n)
    return np.sign(p * c.negatives - n * c.positives) * gain / max(c.positives + c.negatives, 1)


EVALUATION_FUNCTIONS: Mapping[str, Callable[[Float, Float, Float, ClassCounts], Float]] = {
    "coverage": lambda p, n, length, c: p - n,
    "accuracy": _accuracy,
    "laplace": lambda p, n, length, c: (p + 1) / (p + n + 2),
    "mestimate": lambda p, n, length, c: _m_estimate(p, n, c.m, c.prior),
    "auto_m": lambda p, n, length, c: _m_estimate(p, n, np.sqrt(p + n), c.prior),
    "compression": lambda p, n, length, c: p - n - length + 1,
    "entropy": _entropy,
    "gini": _gini,
    "wracc": _wracc,
    "likelihood_gain": _likelihood_gain,
}
"""By Aleph's names. `likelihood_gain`, which Aleph has not, is the weighted pseudo-log-likelihood
that a unit clause of the target gains when the clause joins it, both with their best weights and
the body taken as 0/1; negative where the weight would be. `auto_m` is the m-estimate with m the
root of the covered examples; with `fit_m`, `mestimate` takes m at its maximum-likelihood value.
`length` counts the head."""


def score(
    name: str, positives: Counts, negatives: Counts, length: float, counts: ClassCounts
) -> Float:
    """The clauses' scores, elementwise; the greater the better."""
    p, n = np.asarray(positives, np.float64), np.asarray(negatives, np.float64)
    return np.asarray(
        EVALUATION_FUNCTIONS[name](p, n, np.broadcast_to(np.float64(length), p.shape), counts),
        np.float64,
    )


def upper_bound(name: str, positives: Counts, length: float, counts: ClassCounts) -> Float:
    """What no specialisation exceeds: same positives, no negative, one literal more (Aleph)."""
    if name in ("entropy", "gini"):
        return np.zeros(np.shape(positives))
    zero = np.zeros(np.shape(positives))
    return score(name, np.asarray(positives, np.float64), zero, length + 1, counts)


def least_to_beat(name: str, counts: ClassCounts) -> float:
    """The seed example's score as a ground clause, which the search starts with as best.

    Where every pure clause has the best score, the seed's own too, the search starts lower: with
    Aleph's value for `entropy` and `gini`, with the share of positives for `accuracy`.
    """
    if name == "accuracy":
        return counts.positives / max(counts.positives + counts.negatives, 1)
    if name in ("entropy", "gini"):
        return -0.5
    return float(score(name, np.ones(1), np.zeros(1), 2, counts)[0])


def fit_m(positives: Counts, negatives: Counts, prior: float) -> float:
    """The m of highest likelihood for the counts of a set of clauses (Cussens 2007).

    A clause's accuracy is drawn from Beta(m * prior, m * (1 - prior)) and its covered positives are
    binomial, so that the counts are beta-binomial; the log likelihood is maximised over log m
    between 1e-3 and 1e6.
    """
    from scipy.optimize import minimize_scalar
    from scipy.special import betaln

    p, n = np.asarray(positives, np.float64), np.asarray(negatives, np.float64)

    def loss(log_m: float) -> float:
        a, b = np.exp(log_m) * prior, np.exp(log_m) * (1 - prior)
        return -float(np.sum(betaln(p + a, n + b) - betaln(a, b)))

    best = minimize_scalar(loss, bounds=(np.log(1e-3), np.log(1e6)), method="bounded")
    return float(np.exp(best.x))
