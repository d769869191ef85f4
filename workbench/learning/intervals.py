"""How sure a weight is: by the curvature of the pseudo-likelihood, or by resampled data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from scipy.sparse import csr_array, diags_array

from workbench.arrays import Float, Int64
from workbench.errors import UsageError
from workbench.learning.ascent import Objective, maximise
from workbench.learning.flip_counts import FlipCounts, compressed, flip_counts, together
from workbench.learning.training import Example, TrainingSet, prepare
from workbench.network.ground_network import Domain, Templates
from workbench.progress import PLAIN, Conduct

Method = Literal["laplace", "bootstrap"]
METHODS: tuple[Method, ...] = ("laplace", "bootstrap")

MOST_WEIGHTS = 3000
FEWEST_REFITS = 20
FEWEST_WORLDS = 5
"""Worlds are resampled where there are so many at least, else the atoms' terms."""


@dataclass(frozen=True)
class WeightIntervals:
    """An interval for each weight.

    Attributes
    ----------
    level : float
        How often an interval is to hold its weight.
    low, high : float64 arrays, shape (n_templates,)
        Equal to the weight where it is fixed; infinite where the data say nothing and there is no
        prior.
    method : {'laplace', 'bootstrap'}
    resampled : str
        What the bootstrap drew anew: `worlds` or `atoms`; empty for Laplace.
    """

    level: ClassVar[float] = 0.95

    low: Float
    high: Float
    method: Method
    resampled: str = ""

    @property
    def said(self) -> dict[str, object]:
        """How they were made, as a record."""
        return {"method": self.method, "level": self.level, "resampled": self.resampled or None}


def weight_intervals(
    examples: Sequence[Example],
    templates: Templates,
    weights: Float,
    *,
    method: Method = "laplace",
    prior_sd: float = 2.0,
    resamples: int = 200,
    conduct: Conduct = PLAIN,
) -> WeightIntervals:
    """Intervals around learned weights.

    `laplace` takes the pseudo-likelihood times its Gaussian prior as normal around the weights,
    with the inverse of its negative Hessian as covariance. `bootstrap` maximises the
    pseudo-likelihood of worlds (of atoms' terms, where there are fewer than five worlds) drawn anew
    with replacement; the interval has the quantiles of the refits' deviations from the fit to all
    data. A pseudo-likelihood counts dependent atoms as if they were independent, so where rules tie
    atoms together intervals over worlds are the honest ones and the others are too narrow.

    Laplace: one sparse product of the flip counts with themselves and an eigendecomposition,
    O(n_templates^3). Bootstrap: `resamples` runs of L-BFGS from the weights.

    Raises E0511 for an unknown method, a bootstrap of a hinge-loss model, more than 3,000 learned
    weights, or too few refits before the deadline.

    Parameters
    ----------
    weights : float64 array, shape (n_templates,)
    method : {'laplace', 'bootstrap'}
    prior_sd : float
        As for `PseudoLikelihood`.
    """
    if method not in METHODS:
        raise UsageError.of(
            "E0511", f"there are no intervals `{method}`", help=f"choose from {', '.join(METHODS)}"
        )
    training = prepare(examples, templates)
    learned = np.flatnonzero(training.learned)
    if learned.size > MOST_WEIGHTS:
        raise UsageError.of(
            "E0511",
            f"{learned.size:,} weights are too many for intervals ({MOST_WEIGHTS:,} at most)",
        )
    soft = training.worlds[0].network.domain is Domain.UNIT
    if method == "bootstrap":
        if soft:
            raise UsageError.of(
                "E0511",
                "the bootstrap is for Markov logic only",
                help="take laplace intervals for PSL weights",
            )
        resampling = _Resampling.of(training, prior_sd, conduct)
        low, high = resampling.deviations(weights, resamples)
        return WeightIntervals(weights + low, weights + high, method, resampling.unit)
    if soft:
        of_data, least = _hinge_information(training, weights, conduct.seed), 0.0
    else:
        of_data, least = information(compressed(together(_counts(training))), weights), -np.inf
    spread = _laplace(of_data, learned, prior_sd, weights)
    return WeightIntervals(np.maximum(weights - spread, least), weights + spread, method)


def _counts(training: TrainingSet) -> list[FlipCounts]:
    """The terms of each world's pseudo-likelihood."""
    return [
        flip_counts(world.network, world.complete(), weight=(~world.hidden).astype(np.float64))
        for world in training.worlds
    ]


@dataclass(frozen=True)
class _Resampling:
    """Fits to terms of the pseudo-likelihood drawn anew, by worlds or by atoms.

    `sizes` holds the number of terms that are drawn together.
    """

    training: TrainingSet
    counts: FlipCounts
    unit: str
    sizes: list[int]
    prior_sd: float
    conduct: Conduct

    @classmethod
    def of(cls, training: TrainingSet, prior_sd: float, conduct: Conduct) -> _Resampling:
        worlds = _counts(training)
        counts, by_worlds = together(worlds), len(worlds) >= FEWEST_WORLDS
        sizes = [one.n_groups for one in worlds] if by_worlds else [1] * counts.n_groups
        unit = "worlds" if by_worlds else "atoms"
        return cls(training, counts, unit, sizes, prior_sd, conduct)

    def deviations(self, weights: Float, resamples: int) -> tuple[Float, Float]:
        """The quantiles of the refits' deviations from the fit to all data."""
        sizes, rng = self.sizes, np.random.default_rng(self.conduct.seed)
        centre = self._fit(np.ones(self.counts.n_groups), weights)
        refits = []
        for number in range(resamples):
            self.conduct.progress.step("refitting to resampled data", number, resamples)
            if self.conduct.expired:
                break
            drawn = np.bincount(rng.integers(0, len(sizes), len(sizes)), minlength=len(sizes))
            refits.append(self._fit(np.repeat(drawn.astype(np.float64), sizes), centre))
        if len(refits) < FEWEST_REFITS:
            raise UsageError.of(
                "E0511",
                f"the time was up after {len(refits)} refits",
                help="raise the time limit, or take laplace",
            )
        tail = 50.0 * (1.0 - WeightIntervals.level)
        low, high = np.percentile(np.array(refits) - centre, [tail, 100.0 - tail], axis=0)
        return low, high

    def _fit(self, multiplicity: Float, start: Float) -> Float:
        counts = self.counts
        drawn = replace(
            counts,
            true=counts.true * multiplicity[counts.group],
            none=counts.none * multiplicity,
        )
        terms, learned = float(drawn.true.sum() + drawn.none.sum()), self.training.learned
        return maximise(
            Objective(drawn.log_likelihood, start, learned, self.prior_sd, max(1.0, terms)),
            iterations=200,
            tolerance=1e-6,
            conduct=self.conduct.quiet,
        ).weights


def information(counts: FlipCounts, weights: Float) -> Float:
    """Negative Hessian of the pseudo-log-likelihood, shape (n_templates, n_templates).

    The sum over groups of the covariance of the features under the conditional of the group, times
    how often it counts.
    """
    _, _, probability = counts.conditionals(weights)
    times = counts.times
    options = np.arange(probability.size)
    in_group = csr_array(
        (probability, (counts.group, options)), shape=(counts.n_groups, probability.size)
    )
    mean = in_group @ counts.features
    second = counts.features.T @ diags_array(times[counts.group] * probability) @ counts.features
    return np.asarray((second - mean.T @ diags_array(times) @ mean).todense())


def _hinge_information(training: TrainingSet, weights: Float, seed: int) -> Float:
    """The same for a hinge-loss model, by central differences of the gradient."""
    from workbench.learning.hinge_pseudolikelihood import Pseudolikelihood

    worlds = [Pseudolikelihood(world, 8, 200, seed) for world in training.worlds]

    def gradient(at: Float) -> Float:
        parts = [
            terms.value_and_gradient(at, world.complete())[1]
            for terms, world in zip(worlds, training.worlds)
        ]
        return np.asarray(np.sum(parts, axis=0), np.float64)

    n = weights.size
    hessian = np.zeros((n, n))
    for index in np.flatnonzero(training.learned).tolist():
        step = 1e-4 * max(1.0, float(weights[index]))
        forward, backward = weights.copy(), weights.copy()
        forward[index] += step
        backward[index] = max(0.0, backward[index] - step)
        hessian[index] = (gradient(backward) - gradient(forward)) / (
            forward[index] - backward[index]
        )
    return (hessian + hessian.T) / 2.0


def _laplace(hessian: Float, learned: Int64, prior_sd: float, weights: Float) -> Float:
    """Half widths: the normal quantile times the standard deviations of (hessian + prior)^-1."""
    from scipy.special import ndtri

    spread = np.zeros_like(weights)
    if learned.size:
        precision = hessian[np.ix_(learned, learned)] + np.eye(learned.size) / prior_sd**2
        size, direction = np.linalg.eigh(precision)
        flat = size <= 1e-12 * max(1.0, float(size[-1]))
        loading = direction**2
        variance = loading[:, ~flat] @ (1.0 / size[~flat])
        variance[(loading[:, flat] > 1e-9).any(axis=1)] = np.inf
        spread[learned] = ndtri(0.5 + WeightIntervals.level / 2.0) * np.sqrt(variance)
    return spread
