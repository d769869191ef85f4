"""The voted perceptron for Markov logic (Singla and Domingos, AAAI 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from workbench.errors import Cancelled
from workbench.inference.solution import Engine
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.training import condition, default_map_engine, log_odds, potentials, prepare
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["VotedPerceptron"]

Float = npt.NDArray[np.float64]


@dataclass(frozen=True)
class VotedPerceptron:
    """Gradient ascent on the conditional likelihood with expected counts taken from the most likely state.

    `w_t = w_(t-1) + step (n(labels) - n(state))`, equation 7 of the paper with its MAP approximation; the answer is the
    mean of w_1 .. w_T. Hidden atoms are completed by the most likely state given the labels.

    Parameters
    ----------
    step : float
        Learning rate.
    iterations : int
    engine : Engine or None
        The MAP engine; MaxWalkSAT by default.
    start : {'log_odds', 'given'}
        Each clause's log odds in the data, or the program's weights.
    """

    name: ClassVar[str] = "voted_perceptron"
    step: float = 0.001
    iterations: int = 200
    engine: Engine | None = None
    start: str = "log_odds"

    def fit(
        self,
        examples: Sequence[Example],
        templates: Templates,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> LearnedWeights:
        """Learn. One MAP inference per example and iteration."""
        training = prepare(examples, templates)
        engine = self.engine or default_map_engine()
        weights = log_odds(training) if self.start == "log_odds" else training.given_weights()
        total, states = np.zeros_like(weights), [world.complete() for world in training.worlds]
        norms: list[float] = []
        status = "iterations"
        try:
            for iteration in range(self.iterations):
                progress.step("learning weights", iteration, self.iterations)
                if expired(deadline):
                    status = "limit"
                    break
                gradient = np.zeros_like(weights)
                for index, world in enumerate(training.worlds):
                    run = seed + iteration * len(states) + index
                    states[index] = engine.solve(
                        world.network, weights, seed=run, deadline=deadline, progress=progress, start=states[index]
                    ).values
                    labelled = world.complete()
                    if world.hidden.any():
                        clamped = condition(world.network, world.labels)
                        filled = engine.solve(clamped, weights, seed=run, deadline=deadline, progress=progress).values
                        labelled = world.complete(filled)
                    gradient += potentials(world.network, states[index]) - potentials(world.network, labelled)
                gradient[~training.learned] = 0.0
                weights = weights + self.step * gradient
                total += weights
                norms.append(float(np.linalg.norm(gradient)))
        except Cancelled:
            status = "cancelled"
        done = len(norms)
        trace = {"iteration": np.arange(1.0, done + 1), "gradient_norm": np.array(norms)}
        answer = total / done if done else weights
        return LearnedWeights(answer, trace, status, self.name, training.notes() | {"engine": engine.name})
