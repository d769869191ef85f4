"""Weights of clauses over known atoms, by exact conditional likelihood, and predictions.

A body speaks to the weights by the number of its substitutions, by whether there is one, or by the
logarithm of one plus their number. Which of them is right is a matter of the data: several rings in
a molecule tell more than one does, several links from a page to the next hardly do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.sparse import csc_array, csr_array, hstack, vstack

from workbench.arrays import Bool, Float, Int32, Int64
from workbench.learning.exact_likelihood import choose_penalty
from workbench.learning.logistic import fit_logistic
from workbench.learning.logistic_objective import Penalty
from workbench.progress import PLAIN, Conduct
from workbench.structure.covers import CoverCache

Feature = Literal["count", "exists", "log"]
Weighting = Literal["l1", "l2", "elastic", "group"]
FEATURES: tuple[Feature, ...] = get_args(Feature)
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)

_STRENGTHS = (10.0, 4.0, 2.0, 1.0, 0.5, 0.1)
_BATCH = 512


@dataclass(frozen=True)
class WeightedTheory:
    """Clauses with weights, and the unit clause of the target.

    Attributes
    ----------
    parts : int32 array, shape (n_clauses, n_literals)
        Components of the clauses' bodies; clauses of weight 0 are left out.
    weights : float64 array, shape (n_clauses,)
    unit : float
        Weight of the target's unit clause.
    feature : {'count', 'exists', 'log'}
        How a body speaks.
    figures : mapping of str to float
        `penalty` (chosen on held-out examples), `objective`, its proven `bound`, `gap`, and the
        held-out log likelihood of an example for each kind of feature tried (`held_out_count`,
        ...).
    """

    parts: Int32
    weights: Float
    unit: float
    feature: Feature
    figures: Mapping[str, float]

    def probabilities(self, cache: CoverCache) -> Float:
        """Of each of the cache's examples, shape (n_examples,)."""
        log_odds = body_values(cache, self.parts, self.feature) @ self.weights + self.unit
        return np.asarray(0.5 * (1 + np.tanh(0.5 * log_odds)))


def body_values(cache: CoverCache, parts: Int32, feature: Feature) -> csr_array:
    """What each body says of examples, (n_examples, n_bodies); memory of the nonzero."""
    blocks = [csr_array((0, cache.coverage.n_examples))]
    for start in range(0, len(parts), _BATCH):
        counts = csr_array(cache.counts(parts[start : start + _BATCH]).astype(np.float64))
        if feature == "exists":
            counts.data[:] = 1.0
        elif feature == "log":
            counts.data = np.log1p(counts.data)
        blocks.append(counts)
    return csr_array(vstack(blocks).T)


def equal_bodies(
    cache: CoverCache, parts: Int32, distinct_on: Bool, *, binary: bool = False
) -> Int64:
    """Numbers of bodies, (n_bodies,), equal where they say the same of all given examples.

    Equality is judged by two random 64-bit sums of each row.
    """
    rng = np.random.default_rng(0)
    mixing = rng.integers(0, 2**63, (int(distinct_on.sum()), 2), dtype=np.int64)
    sketches = cache.sketches(parts, np.flatnonzero(distinct_on), mixing, binary=binary)
    _, feature = np.unique(sketches, axis=0, return_inverse=True)
    return np.asarray(feature.reshape(-1), np.int64)


def weigh(
    cache: CoverCache,
    parts: Int32,
    label: Float,
    weighting: Weighting,
    feature: Feature | Literal["auto"] = "auto",
    *,
    conduct: Conduct = PLAIN,
) -> WeightedTheory:
    """Weights of greatest penalised conditional likelihood.

    The penalty's strength, and with 'auto' the kind of feature, are those of the greatest log
    likelihood on held-out examples.

    Parameters
    ----------
    parts : int32 array, shape (n_clauses, n_literals)
    label : float64 array, shape (n_examples,)
        1, 0, or NaN for an example that is not learned from.
    weighting : {'l1', 'l2', 'elastic', 'group'}
        Laplace prior, Gaussian prior, half of each, or a group lasso over clauses of the same
        predicates.
    conduct : Conduct
        Its deadline, or a cancel, ends the choice with what was fitted until then; the chosen fit
        itself runs to its end.
    """
    labelled = np.flatnonzero(~np.isnan(label))
    target = label[labelled]
    if not len(parts) or target.min() == target.max():
        rate = (target.sum() + 0.5) / (len(target) + 1)
        kind: Feature = "count" if feature == "auto" else feature
        return WeightedTheory(parts[:0], np.zeros(0), float(np.log(rate / (1 - rate))), kind, {})
    tried: list[_Trial] = []
    for kind in FEATURES if feature == "auto" else (feature,):
        if not tried or not conduct.over:
            tried.append(_Trial.of(cache, parts, labelled, target, weighting, kind, conduct))
    best = max(tried, key=lambda trial: trial.held_out)
    fit = fit_logistic(best.X, target, best.penalty)
    weights = best.spread(fit.weights[:-1], weighting)
    nonzero = np.flatnonzero(weights)
    figures = {f"held_out_{trial.feature}": trial.held_out for trial in tried}
    figures |= {
        "penalty": best.factor,
        "objective": fit.objective,
        "bound": fit.bound,
        "gap": fit.gap,
    }
    return WeightedTheory(
        parts[nonzero], weights[nonzero], float(fit.weights[-1]), best.feature, figures
    )


@dataclass(frozen=True)
class _Trial:
    """One kind of feature: its matrix, a column for clauses that look alike, and its score."""

    feature: Feature
    X: csc_array
    column: Int64
    factor: float
    penalty: Penalty
    held_out: float

    @classmethod
    def of(
        cls,
        cache: CoverCache,
        parts: Int32,
        labelled: Int64,
        target: Float,
        weighting: Weighting,
        feature: Feature,
        conduct: Conduct,
    ) -> _Trial:
        known: Bool = np.zeros(cache.coverage.n_examples, np.bool_)
        known[labelled] = True
        column = equal_bodies(cache, parts, known, binary=feature == "exists")
        first = np.unique(column, return_index=True)[1]
        values = body_values(cache, parts[first], feature)[labelled]
        X = csc_array(hstack([values, csr_array(np.ones((len(labelled), 1)))]))
        groups = _groups(cache, parts[first]) if weighting == "group" else None
        grid = [(level, _penalty(weighting, level, groups)) for level in _STRENGTHS]
        folds = max(2, min(5, int(target.sum()), int(len(target) - target.sum())))
        choice = choose_penalty(X, target, grid, folds=folds, conduct=conduct)
        held_out = float(choice.table.sum(axis=0).max()) / len(target)
        return cls(feature, X, column, *choice.best, held_out)

    def spread(self, weights: Float, weighting: Weighting) -> Float:
        """Clauses' weights from the columns': one has all under l1, else they share it."""
        shared: Float = weights[self.column]
        if weighting != "l1":
            return np.asarray(shared / np.bincount(self.column)[self.column])
        first = np.unique(self.column, return_index=True)[1]
        return np.where(first[self.column] == np.arange(len(self.column)), shared, 0.0)


def _penalty(weighting: Weighting, level: float, groups: Int64 | None) -> Penalty:
    make: Mapping[Weighting, Callable[[], Penalty]] = {
        "l1": lambda: Penalty(l1=level),
        "l2": lambda: Penalty(l2=level),
        "elastic": lambda: Penalty(l1=level / 2, l2=level / 2),
        "group": lambda: Penalty(group=level, groups=groups),
    }
    return make[weighting]()


def _groups(cache: CoverCache, parts: Int32) -> Int64:
    """The group of each body, and of the unit clause: bodies of the same predicates together."""
    names = [tuple(sorted(body[:, 0].tolist())) for body in cache.body_literals(parts)]
    number = {name: position for position, name in enumerate(dict.fromkeys([*names, ()]))}
    return np.array([number[name] for name in [*names, ()]])
