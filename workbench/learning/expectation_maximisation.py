"""Hard expectation maximisation: complete the hidden atoms, learn, and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from workbench.errors import Cancelled
from workbench.learning.completion import MapStates
from workbench.learning.declaration import Declaration
from workbench.learning.learner import Example, LearnedWeights, Learner
from workbench.learning.perceptron import HingePerceptron
from workbench.learning.pseudo_likelihood import PseudoLikelihood
from workbench.learning.starts import start_weights
from workbench.learning.training import prepare
from workbench.network.ground_network import Domain, Templates
from workbench.progress import Conduct

__all__ = ["ExpectationMaximisation"]


@dataclass(frozen=True)
class ExpectationMaximisation(Learner):
    """Hard EM around any learner: E by the MAP state given the labels, M by the learner.

    Parameters
    ----------
    learner : Learner or None
        Sees every atom labelled; by default pseudo-likelihood for Markov logic, the perceptron for
        soft logic.
    settled : float
        Stop when no weight moves by more than this, relative to the largest.
    tolerance : float
        Relative gap of a convex engine's MAP states.
    """

    name: ClassVar[str] = "em"
    declares: ClassVar[Declaration] = Declaration(
        maximises="what another learner does, hidden atoms completed by MAP given the labels, "
        "round after round",
        iteration="a run of the inner learner",
        when="labels that are truly missing",
        hidden="completed",
    )
    learner: Learner | None = None
    rounds: int = 10
    settled: float = 1e-3
    tolerance: float = 1e-3

    def learn(
        self, examples: Sequence[Example], templates: Templates, conduct: Conduct
    ) -> LearnedWeights:
        """Learn. `rounds` runs of the inner learner at most; one where nothing is hidden."""
        training = prepare(examples, templates, self)
        learner = self.learner or (
            HingePerceptron() if training.domain is Domain.UNIT else PseudoLikelihood()
        )
        weights, states = start_weights(training, None), MapStates(None, conduct, self.tolerance)
        hidden = any(world.hidden.any() for world in training.worlds)
        answer: LearnedWeights | None = None
        moves: list[float] = []
        status = "iterations"
        try:
            for _ in range(self.rounds):
                conduct.look()
                completed = [
                    replace(example, truth=states.completed(world, weights, conduct.seed))
                    for example, world in zip(examples, training.worlds, strict=True)
                ]
                answer = learner.learn(completed, templates, conduct)
                moves.append(float(np.abs(answer.weights - weights).max(initial=0.0)))
                weights = answer.weights
                if not hidden or answer.status in ("limit", "cancelled"):
                    status = answer.status
                    break
                if moves[-1] <= self.settled * max(float(np.abs(weights).max(initial=0.0)), 1e-12):
                    status = "converged"
                    break
        except Cancelled:
            status = conduct.stopped
        trace = {"iteration": np.arange(1.0, len(moves) + 1.0), "largest_move": np.array(moves)}
        inner = {} if answer is None else {"last_round": answer.trace}
        return LearnedWeights(weights, trace, status, self.name, training.notes() | inner)
