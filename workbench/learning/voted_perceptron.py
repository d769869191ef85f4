"""The voted perceptron for Markov logic (Singla and Domingos, AAAI 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled, UsageError
from workbench.inference.solution import Engine
from workbench.learning.chain import GibbsChain
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.pseudo_likelihood import PseudoLikelihood
from workbench.learning.training import (
    TrainingWorld,
    condition,
    default_map_engine,
    initial_weights,
    prepare,
    step_sizes,
)
from workbench.network import potentials
from workbench.network.ground_network import GroundNetwork, Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["VotedPerceptron"]


@dataclass(frozen=True)
class VotedPerceptron:
    """Gradient ascent on the conditional likelihood with expected counts taken from the most likely state.

    `w_t = w_(t-1) + step (n(labels) - n(state))`, equation 7 of the paper with its MAP approximation; the answer is the
    mean of w_1 .. w_T. Hidden atoms are completed given the labels in the same way.

    Parameters
    ----------
    step : float
        Learning rate; with `per_weight` divided by the number of the clause's open groundings.
    iterations : int
    engine : Engine or None
        The MAP engine; MaxWalkSAT by default. Each search starts at the last state.
    counts : {'map', 'gibbs'}
        `gibbs`: the mean over `sweeps` Gibbs samples that start at the most likely state.
    sweeps : int
    modes : int
        Searches (and chains) per iteration, averaged.
    search_every : int
        With 'gibbs', iterations between searches; the chains go on from their last states in between.
    start : {'log_odds', 'given', 'pseudo_likelihood'}
        Each clause's log odds in the data, the program's weights, or those of greatest discriminative
        pseudo-likelihood. The likelihood is concave, so the start decides how long the way is.
    prior_sd : float
        Zero-mean Gaussian prior; infinite (the paper's) for none.
    average : bool
        Whether the answer is the mean over iterations (the paper's) or the last weights.
    """

    name: ClassVar[str] = "voted_perceptron"
    step: float = 0.001
    iterations: int = 200
    engine: Engine | None = None
    counts: Literal["map", "gibbs"] = "map"
    sweeps: int = 20
    modes: int = 1
    search_every: int = 1
    start: str = "log_odds"
    per_weight: bool = False
    prior_sd: float = np.inf
    average: bool = True

    def fit(
        self,
        examples: Sequence[Example],
        templates: Templates,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> LearnedWeights:
        """Learn. `modes` MAP inferences (and `sweeps` sweeps each with 'gibbs') per example and iteration."""
        if self.counts not in ("map", "gibbs"):
            raise UsageError.of("E0505", f"there are no counts {self.counts}", help="it is map or gibbs")
        training = prepare(examples, templates)
        engine = self.engine or default_map_engine()
        if self.start == "pseudo_likelihood":
            pseudo = PseudoLikelihood(engine=self.engine)
            weights = pseudo.fit(examples, templates, seed=seed, deadline=deadline, progress=progress).weights
        else:
            weights = initial_weights(training, self.start)
        rates = step_sizes(training, self.step, self.per_weight)
        trackers = [_World(self, engine, world) for world in training.worlds]
        total, norms, status = np.zeros_like(weights), list[float](), "iterations"
        try:
            for iteration in range(self.iterations):
                progress.step("learning weights", iteration, self.iterations)
                if expired(deadline):
                    status = "limit"
                    break
                gradient = -weights / self.prior_sd**2
                search = self.counts == "map" or iteration % self.search_every == 0
                for index, tracker in enumerate(trackers):
                    run = seed + (iteration * len(trackers) + index) * 2 * self.modes
                    gradient += tracker.gradient(weights, run, search, deadline, progress)
                gradient[~training.learned] = 0.0
                weights = weights + rates * gradient
                total += weights
                norms.append(float(np.linalg.norm(gradient)))
                progress.observe({"gradient norm": norms[-1]})
        except Cancelled:
            status = "cancelled"
        done = len(norms)
        trace = {"iteration": np.arange(1.0, done + 1), "gradient_norm": np.array(norms)}
        answer = np.where(training.learned, total / done, weights) if done and self.average else weights
        return LearnedWeights(answer, trace, status, self.name, training.notes() | {"engine": engine.name})


class _World:
    """One training world: the counts of the model, and of the labels where atoms are hidden."""

    def __init__(self, learner: VotedPerceptron, engine: Engine, world: TrainingWorld) -> None:
        state = world.complete()
        self._model = _Counter(learner, engine, world.network, state)
        self._labelled = potentials(world.network, state)
        self._given = (
            _Counter(learner, engine, condition(world.network, world.labels), state) if world.hidden.any() else None
        )
        self._modes = learner.modes

    def gradient(self, weights: Float, seed: int, search: bool, deadline: float | None, progress: Progress) -> Float:
        """Labelled minus expected counts of this world."""
        if self._given is not None:
            self._labelled = self._given.potentials(weights, seed + self._modes, search, deadline, progress)
        return self._model.potentials(weights, seed, search, deadline, progress) - self._labelled


class _Counter:
    """The summed potentials expected of one network, and the states that searches and chains go on from."""

    def __init__(self, learner: VotedPerceptron, engine: Engine, network: GroundNetwork, start: Float) -> None:
        self._learner, self._engine, self._network = learner, engine, network
        self._most_likely = start
        self._sampled = [start] * learner.modes
        self._chain = GibbsChain(network) if learner.counts == "gibbs" else None

    def potentials(self, weights: Float, seed: int, search: bool, deadline: float | None, progress: Progress) -> Float:
        """Averaged over the modes, each a search, a stretch of a chain, or both."""
        total = np.zeros(self._network.n_templates)
        for mode in range(self._learner.modes):
            if search:
                found = self._engine.solve(
                    self._network,
                    weights,
                    seed=seed + mode,
                    deadline=deadline,
                    progress=progress,
                    start=self._most_likely,
                )
                self._most_likely = self._sampled[mode] = found.values
            if self._chain is None:
                total += potentials(self._network, self._most_likely)
            else:
                sweeps = self._learner.sweeps
                drawn = self._chain.run(weights, self._sampled[mode], sweeps=sweeps, seed=seed + mode)
                self._sampled[mode] = drawn.state
                total += drawn.mean
        return total / self._learner.modes
