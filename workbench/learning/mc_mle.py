"""Monte Carlo maximum likelihood (Geyer and Thompson 1992): L-BFGS on an estimated likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.learning.ascent import Objective, maximise
from workbench.learning.expectation import Measured, Moments, SampledCounts
from workbench.learning.learner import Declaration, LearnedWeights, Learner
from workbench.learning.loop import train
from workbench.learning.starts import initial_weights
from workbench.learning.training import TrainingSet
from workbench.parameters import Count, Positive, PositiveOrInfinite
from workbench.progress import Conduct


@dataclass(frozen=True)
class MonteCarloMaximumLikelihood(Learner):
    """Rounds of sampling at reference weights, and of likelihood ratios by these samples.

    `log Z(w) / Z(w0)` is the log mean over samples of `exp(-(w - w0) . potentials)`; it holds near
    w0 only, so a round moves each weight by at most `radius`, which shrinks when the samples'
    effective number at the new weights is low.

    Parameters
    ----------
    sweeps, burn_in : int
        Gibbs sweeps recorded and unseen, per world and round.
    prior_sd : float
        Zero-mean Gaussian prior; infinite for none.
    radius : float
        First limit on the change of a weight in one round.
    tolerance : float
        Converged when no weight moved further in a round.
    start : {'log_odds', 'given'}
    """

    name: ClassVar[str] = "mc_mle"
    declares: ClassVar[Declaration] = Declaration(
        maximises="conditional likelihood estimated from samples at reference weights, by L-BFGS "
        "within a radius",
        iteration="`burn_in + sweeps` sweeps a world and round",
        when="few clauses, good mixing",
    )
    rounds: int = 50
    sweeps: Count = 500
    burn_in: int = 50
    prior_sd: PositiveOrInfinite = 10.0
    radius: Positive = 1.0
    tolerance: float = 1e-2
    start: str = "given"

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. A round costs sampling and L-BFGS over `sweeps x n_templates` numbers a world."""
        start = initial_weights(training, self.start)
        return train(
            training,
            SampledCounts(training, self.sweeps, self.burn_in, conduct),
            _Round(self, training, start, conduct.quiet),
            start,
            name=self.name,
            iterations=self.rounds,
            conduct=conduct,
        )


class _Round:
    """A `Step`: the likeliest weights within the radius, by a round's likelihood ratios."""

    def __init__(
        self,
        learner: MonteCarloMaximumLikelihood,
        training: TrainingSet,
        start: Float,
        conduct: Conduct,
    ) -> None:
        self._learner, self._training, self._weights = learner, training, start
        self._conduct = conduct
        self._radius = learner.radius
        self._figures = {"moved": 0.0, "radius": learner.radius, "effective_share": 1.0}

    def advance(self, weights: Float, measured: Measured) -> Float | None:
        """Maximise; None where no weight moved further than the tolerance."""
        moments = measured.moments
        assert moments is not None
        self._weights = maximise(
            Objective(
                lambda at: _log_likelihood_ratio(at, weights, moments),
                weights,
                self._training.learned,
                self._learner.prior_sd,
                radius=self._radius,
                least=self._training.least_weight,
            ),
            iterations=100,
            tolerance=1e-6,
            conduct=self._conduct,
        ).weights
        moved = float(np.abs(self._weights - weights).max(initial=0.0))
        share = _effective_share(self._weights - weights, moments)
        self._figures = {"moved": moved, "radius": self._radius, "effective_share": share}
        self._radius = (
            self._radius / 2 if share < 0.05 else min(2 * self._radius, self._learner.radius)
        )
        return None if moved < self._learner.tolerance else self._weights

    def answer(self) -> Float:
        return self._weights

    def figures(self) -> Mapping[str, float]:
        return self._figures


def _importance(change: Float, potentials: Float) -> tuple[float, Float]:
    """Log mean of the samples' importance ratios, and the ratios normalised to sum to 1."""
    score = -(potentials @ change)
    highest = score.max()
    raised = np.exp(score - highest)
    return float(np.log(raised.mean()) + highest), raised / raised.sum()


def _log_likelihood_ratio(
    weights: Float, reference: Float, moments: Moments
) -> tuple[float, Float]:
    """Estimated log-likelihood at `weights` less that at `reference`, and its gradient."""
    change = weights - reference
    value, gradient = -float(change @ moments.labelled), -moments.labelled
    for sample in moments.samples:
        ratio, importance = _importance(change, sample.potentials)
        value -= ratio
        gradient = gradient + importance @ sample.potentials
    return value, gradient


def _effective_share(change: Float, moments: Moments) -> float:
    """Least effective sample size over worlds at the changed weights, as a share of the samples."""
    shares = [
        1 / (len(sample.potentials) * float((_importance(change, sample.potentials)[1] ** 2).sum()))
        for sample in moments.samples
    ]
    return min(shares)
