"""Contrastive divergence and its persistent form: gradient ascent with counts from a few Gibbs sweeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.errors import Cancelled
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.moments import WorldChains
from workbench.learning.training import initial_weights, prepare, step_sizes
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["ContrastiveDivergence"]


@dataclass(frozen=True)
class ContrastiveDivergence:
    """Hinton's contrastive divergence (2002) for Markov logic, as in Lowd and Domingos (PKDD 2007).

    Every iteration runs a Gibbs chain `sweeps` sweeps from the labels (or, persistent, from where it was) and steps
    along the difference of the counts. The answer is the mean of the weights over the second half of the iterations.

    Parameters
    ----------
    step : float
        Learning rate; with `per_weight` divided by the number of the clause's open groundings.
    iterations, sweeps : int
    persistent : bool
        Go on with the chains (Tieleman 2008) instead of starting each at the labels.
    per_weight : bool
    prior_sd : float
        Zero-mean Gaussian prior; infinite for none.
    start : {'log_odds', 'given'}
    """

    name: ClassVar[str] = "contrastive_divergence"
    step: float = 0.5
    iterations: int = 200
    sweeps: int = 5
    persistent: bool = False
    per_weight: bool = True
    prior_sd: float = np.inf
    start: str = "given"

    def fit(
        self,
        examples: Sequence[Example],
        templates: Templates,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> LearnedWeights:
        """Learn. `sweeps` sweeps per example and iteration."""
        training = prepare(examples, templates)
        weights = initial_weights(training, self.start)
        rates = step_sizes(training, self.step, self.per_weight)
        chains, history, norms = WorldChains(training), [], []
        status = "iterations"
        try:
            for iteration in range(self.iterations):
                progress.step("learning weights", iteration, self.iterations)
                if expired(deadline):
                    status = "limit"
                    break
                if not self.persistent:
                    chains.restart()
                moments = chains.advance(weights, sweeps=self.sweeps, burn_in=0, seed=seed + iteration)
                gradient = moments.gradient - weights / self.prior_sd**2
                weights = weights + np.where(training.learned, rates * gradient, 0.0)
                history.append(weights)
                norms.append(float(np.linalg.norm(gradient[training.learned])))
        except Cancelled:
            status = "cancelled"
        mean = np.mean(history[len(history) // 2 :], axis=0) if history else weights
        answer = np.where(training.learned, mean, weights)
        trace = {"iteration": np.arange(1.0, len(norms) + 1), "gradient_norm": np.array(norms)}
        return LearnedWeights(answer, trace, status, self.name, training.notes())
