"""Hard expectation maximisation: complete the hidden atoms, learn, and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from workbench.learning.hinge_perceptron import HingePerceptron
from workbench.learning.hinge_training import MapStates, prepare_hinges, start_weights
from workbench.learning.learner import Example, LearnedWeights, Learner
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["HingeEM"]


@dataclass(frozen=True)
class HingeEM:
    """Hard EM around any learner of hinge-loss weights: E by the MAP state given the labels, M by the learner.

    Parameters
    ----------
    learner : Learner
        Sees every atom labelled.
    rounds : int
    settled : float
        Stop when no weight moves by more than this, relative to the largest.
    tolerance : float
        Relative gap of the MAP states.
    """

    name: ClassVar[str] = "hinge_em"
    learner: Learner = field(default_factory=HingePerceptron)
    rounds: int = 10
    settled: float = 1e-3
    tolerance: float = 1e-3

    def fit(
        self,
        examples: Sequence[Example],
        templates: Templates,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> LearnedWeights:
        """Learn. `rounds` runs of the inner learner at most; one where nothing is hidden."""
        training = prepare_hinges(examples, templates)
        weights = start_weights(training, None)
        inference = MapStates(None, self.tolerance, seed, deadline, progress)
        answer: LearnedWeights | None = None
        moves: list[float] = []
        status = "iterations"
        for _ in range(self.rounds):
            if expired(deadline):
                status = "limit"
                break
            completed = [
                replace(example, truth=inference.labelled(world, weights))
                for example, world in zip(examples, training.worlds, strict=True)
            ]
            answer = self.learner.fit(completed, templates, seed=seed, deadline=deadline, progress=progress)
            moves.append(float(np.abs(answer.weights - weights).max(initial=0.0)))
            weights = answer.weights
            if answer.status in ("limit", "cancelled"):
                status = answer.status
                break
            if not any(world.hidden.any() for world in training.worlds):
                status = answer.status
                break
            if moves[-1] <= self.settled * max(float(np.abs(weights).max(initial=0.0)), 1e-12):
                status = "converged"
                break
        trace = {"iteration": np.arange(1.0, len(moves) + 1.0), "largest_move": np.array(moves)}
        inner = {} if answer is None else {"last_round": answer.trace}
        return LearnedWeights(weights, trace, status, self.name, training.notes() | inner)
