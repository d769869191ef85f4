"""The structured perceptron for hinge-loss MRFs: maximum likelihood with expectations from the MAP state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled
from workbench.inference.solution import Engine
from workbench.learning.hinge_training import (
    MapStates,
    grounding_counts,
    prepare_hinges,
    start_weights,
)
from workbench.learning.learner import Example, LearnedWeights
from workbench.network.energy import potentials
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["HingePerceptron"]


@dataclass(frozen=True)
class HingePerceptron:
    """Projected steps along the approximate likelihood gradient, averaged (Bach et al. 2017, section 6.1).

    `w_q <- max(0, w_q + step (Phi_q(MAP) - Phi_q(labels)) / n_q)`, where n_q counts the open groundings of template q;
    the answer is the mean of the iterates. Hidden atoms are completed by MAP given the labels (hard EM's E step) at
    every iteration.

    Parameters
    ----------
    step : float
    iterations : int
    start : float or None
        First weight of every learned template; None takes the program's.
    scale_by_groundings : bool
    tolerance : float
        Relative gap of the MAP states.
    engine : Engine or None
        None chooses a convex engine by the network's shape.
    """

    name: ClassVar[str] = "hinge_perceptron"
    step: float = 5.0
    iterations: int = 100
    start: float | None = 1.0
    scale_by_groundings: bool = True
    tolerance: float = 1e-3
    engine: Engine | None = None

    def fit(
        self,
        examples: Sequence[Example],
        templates: Templates,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> LearnedWeights:
        """Learn. One MAP inference per example and iteration, each started from the last."""
        training = prepare_hinges(examples, templates)
        weights = start_weights(training, self.start)
        counts = grounding_counts(training) if self.scale_by_groundings else np.ones_like(weights)
        states: list[Float | None] = [None] * len(training.worlds)
        total = np.zeros_like(weights)
        norms: list[float] = []
        distances: list[float] = []
        status = "iterations"
        try:
            for iteration in range(self.iterations):
                progress.step("learning weights", iteration, self.iterations)
                if expired(deadline):
                    status = "limit"
                    break
                inference = MapStates(self.engine, self.tolerance, seed + iteration, deadline, progress)
                gradient = np.zeros_like(weights)
                distance, scored = 0.0, 0
                for index, world in enumerate(training.worlds):
                    state = states[index] = inference.most_likely(world.network, weights, states[index])
                    labelled = inference.labelled(world, weights)
                    gradient += potentials(world.network, state) - potentials(world.network, labelled)
                    known = ~world.hidden
                    distance += float(np.abs(state - labelled)[known].sum())
                    scored += int(known.sum())
                gradient = np.where(training.learned, gradient / counts, 0.0)
                weights = np.maximum(weights + self.step * gradient, 0.0)
                total += weights
                norms.append(float(np.linalg.norm(gradient)))
                distances.append(distance / max(scored, 1))
        except Cancelled:
            status = "cancelled"
        done = len(norms)
        trace = {
            "iteration": np.arange(1.0, done + 1.0),
            "gradient_norm": np.array(norms),
            "mean_absolute_error": np.array(distances),
        }
        return LearnedWeights(total / done if done else weights, trace, status, self.name, training.notes())
