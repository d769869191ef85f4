"""Contrastive divergence and its persistent form: ascent with counts from a few Gibbs sweeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.learning.expectation import SampledCounts
from workbench.learning.learner import Declaration, LearnedWeights, Learner
from workbench.learning.loop import Averaged, train
from workbench.learning.starts import initial_weights, step_sizes
from workbench.learning.training import TrainingSet
from workbench.parameters import Count, PositiveOrInfinite
from workbench.progress import Conduct


@dataclass(frozen=True)
class ContrastiveDivergence(Learner):
    """Hinton's contrastive divergence (2002; Lowd and Domingos 2007), in both logics.

    Every iteration runs a Gibbs chain `sweeps` sweeps from the labels (or, persistent, from where
    it was) and steps along the difference of the counts. The answer is the mean of the weights over
    the second half of the iterations.

    Parameters
    ----------
    step : float
        Learning rate; with `per_weight` divided by the number of the clause's open groundings.
    iterations, sweeps : int
    persistent : bool
        Go on with the chains (Tieleman 2008) instead of starting each at the labels.
    prior_sd : float
        Zero-mean Gaussian prior; infinite for none.
    start : {'log_odds', 'given'}
    """

    name: ClassVar[str] = "contrastive_divergence"
    declares: ClassVar[Declaration] = Declaration(
        maximises="conditional likelihood with counts from a few sweeps from the labels, or from "
        "chains that go on (`persistent=True`)",
        iteration="`sweeps` sweeps a world",
        when="large networks",
    )
    step: float = 0.5
    iterations: int = 200
    sweeps: Count = 5
    persistent: bool = False
    per_weight: bool = True
    prior_sd: PositiveOrInfinite = np.inf
    start: str = "given"

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. `sweeps` sweeps per example and iteration."""
        start = initial_weights(training, self.start)
        rates = step_sizes(training, self.step, self.per_weight)
        counts = SampledCounts(training, self.sweeps, 0, conduct, restart=not self.persistent)
        return train(
            training,
            counts,
            Averaged(training, start, rates, 0.5),
            start,
            name=self.name,
            iterations=self.iterations,
            prior_sd=self.prior_sd,
            conduct=conduct,
        )
