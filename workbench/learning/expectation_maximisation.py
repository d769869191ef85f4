"""Hard expectation maximisation: complete the hidden atoms, learn, and again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.learning.completion import MapStates
from workbench.learning.expectation import Measured
from workbench.learning.learner import Declaration, LearnedWeights, Learner
from workbench.learning.loop import Step, train
from workbench.learning.perceptron import HingePerceptron
from workbench.learning.pseudo_likelihood import PseudoLikelihood
from workbench.learning.starts import start_weights
from workbench.learning.training import TrainingSet
from workbench.network.ground_network import Domain
from workbench.progress import Conduct

CUT_SHORT = ("limit", "cancelled")
"""How a round ends after which none follows."""


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

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. `rounds` runs of the inner learner at most; one where nothing is hidden."""
        learner = self.learner or (
            HingePerceptron() if training.domain is Domain.UNIT else PseudoLikelihood()
        )
        states = MapStates(None, conduct, self.tolerance)
        start = start_weights(training, None)
        rounds = _Rounds(training, learner, states, self.settled, start)
        answer = train(
            training, rounds, rounds, start, name=self.name, iterations=self.rounds, conduct=conduct
        )
        last = rounds.last
        if last is None:
            return answer
        ended = answer.status == "converged" and (not rounds.hidden or last.status in CUT_SHORT)
        return replace(
            answer,
            status=last.status if ended else answer.status,
            diagnostics={**answer.diagnostics, "last_round": last.trace},
        )


@dataclass
class _Rounds(Step):
    """Completes hidden atoms and learns from what is complete: an `Expectation` and its `Step`."""

    training: TrainingSet
    learner: Learner
    states: MapStates
    settled: float
    learned: Float
    last: LearnedWeights | None = None

    @property
    def hidden(self) -> bool:
        """Whether any atom is."""
        return any(world.hidden.any() for world in self.training.worlds)

    def measure(self, weights: Float, iteration: int) -> Measured:
        """How far a round moves the weights."""
        conduct = self.states.conduct
        completed = [
            replace(example, truth=self.states.completed(world, weights, conduct.seed))
            for example, world in zip(self.training.examples, self.training.worlds, strict=True)
        ]
        ready = self.learner.prepared(completed, self.training.templates)
        self.last = self.learner.learn(ready, conduct)
        self.learned = self.last.weights
        move = self.learned - weights
        return Measured(move, {"largest_move": float(np.abs(move).max(initial=0.0))})

    def advance(self, weights: Float, measured: Measured) -> Float | None:
        """What the round learned; None where that has settled, or no round follows."""
        near = self.settled * max(float(np.abs(self.learned).max(initial=0.0)), 1e-12)
        cut_short = self.last is not None and self.last.status in CUT_SHORT
        over = not self.hidden or cut_short or measured.figures["largest_move"] <= near
        return None if over else self.learned

    def answer(self) -> Float:
        return self.learned
