"""No learning: the program's weights as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.errors import UsageError
from workbench.learning.learner import Declaration, LearnedWeights, Learner
from workbench.learning.training import Example, TrainingSet
from workbench.network.ground_network import Templates
from workbench.parameters import Signed
from workbench.progress import Conduct


@dataclass(frozen=True)
class FixedWeights(Learner):
    """The baseline that keeps the given weights.

    Parameters
    ----------
    value : float or None
        One weight for every template that is not fixed (a knowledge base taken at its word); None:
        the program's own.
    """

    name: ClassVar[str] = "fixed"
    declares: ClassVar[Declaration] = Declaration(
        maximises="nothing: the program's weights, or one `value` for all",
        iteration="",
        when="a knowledge base taken at its word",
        hidden="left out",
    )
    value: Signed | None = None

    def prepared(self, examples: Sequence[Example], templates: Templates) -> TrainingSet:
        """No network is looked at."""
        return TrainingSet(examples, (), templates)

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Return the weights. E0506 where the program gives none and `value` is None."""
        templates = training.templates
        weights = templates.weight.copy()
        if self.value is not None:
            weights[~templates.fixed] = self.value
        missing = np.flatnonzero(np.isnan(weights))
        if missing.size:
            raise UsageError.of(
                "E0506",
                f"{missing.size} clauses have no weight, the first is "
                f"{templates.label[missing[0]]}",
                help="give the formulas weights, or learn them",
            )
        return LearnedWeights(weights, {}, "converged", self.name)
