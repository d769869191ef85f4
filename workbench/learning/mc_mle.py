"""Monte Carlo maximum likelihood (Geyer and Thompson 1992): L-BFGS on a likelihood estimated from samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled
from workbench.learning.ascent import maximise
from workbench.learning.declaration import Declaration
from workbench.learning.learner import Conduct, Example, LearnedWeights, Learner
from workbench.learning.moments import Moments, WorldChains
from workbench.learning.training import initial_weights, prepare
from workbench.network.ground_network import Templates
from workbench.progress import SILENT

__all__ = ["MonteCarloMaximumLikelihood"]


@dataclass(frozen=True)
class MonteCarloMaximumLikelihood(Learner):
    """Rounds of sampling at reference weights and maximising the likelihood ratio estimated from those samples.

    `log Z(w) / Z(w0)` is the log mean over samples of `exp(-(w - w0) . potentials)`; it holds near w0 only, so a round
    moves each weight by at most `radius`, which shrinks when the samples' effective number at the new weights is low.

    Parameters
    ----------
    rounds : int
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
        maximises="conditional likelihood estimated from samples at reference weights, by L-BFGS within a radius",
        iteration="`burn_in + sweeps` sweeps a world and round",
        when="few clauses, good mixing",
    )
    rounds: int = 50
    sweeps: int = 500
    burn_in: int = 50
    prior_sd: float = 10.0
    radius: float = 1.0
    tolerance: float = 1e-2
    start: str = "given"

    def learn(self, examples: Sequence[Example], templates: Templates, conduct: Conduct) -> LearnedWeights:
        """Learn. A round costs the sampling and L-BFGS over `sweeps x n_templates` numbers a world."""
        training = prepare(examples, templates, self)
        weights, radius, status = initial_weights(training, self.start), self.radius, "iterations"
        chains, rows = WorldChains(training), []
        try:
            for number in range(self.rounds):
                conduct.progress.step("learning weights", number, self.rounds)
                if conduct.expired:
                    status = "limit"
                    break
                moments = chains.advance(weights, sweeps=self.sweeps, burn_in=self.burn_in, seed=conduct.seed + number)
                ascent = maximise(
                    lambda at, w0=weights, seen=moments: _log_likelihood_ratio(at, w0, seen),  # type: ignore[misc]
                    weights,
                    training.learned,
                    prior_sd=self.prior_sd,
                    iterations=100,
                    tolerance=1e-6,
                    radius=radius,
                    least=training.least_weight,
                    deadline=conduct.deadline,
                    progress=SILENT,
                    stage="",
                )
                moved = float(np.abs(ascent.weights - weights).max(initial=0.0))
                share = _effective_share(ascent.weights - weights, moments)
                norm = float(np.linalg.norm(moments.gradient[training.learned]))
                rows.append((norm, moved, radius, share))
                radius = radius / 2 if share < 0.05 else min(2 * radius, self.radius)
                weights = ascent.weights
                if moved < self.tolerance:
                    status = "converged"
                    break
        except Cancelled:
            status = "cancelled"
        columns = np.array(rows, np.float64).reshape(-1, 4)
        trace = {
            "iteration": np.arange(1.0, len(columns) + 1),
            "gradient_norm": columns[:, 0],
            "moved": columns[:, 1],
            "radius": columns[:, 2],
            "effective_share": columns[:, 3],
        }
        return LearnedWeights(weights, trace, status, self.name, training.notes())


def _importance(change: Float, potentials: Float) -> tuple[float, Float]:
    """Log mean of the samples' importance ratios, and the ratios normalised to sum to 1."""
    score = -(potentials @ change)
    highest = score.max()
    raised = np.exp(score - highest)
    return float(np.log(raised.mean()) + highest), raised / raised.sum()


def _log_likelihood_ratio(weights: Float, reference: Float, moments: Moments) -> tuple[float, Float]:
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
