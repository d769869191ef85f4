"""Perceptrons: averaged steps along the likelihood's gradient, counts from likely states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.solution import Engine
from workbench.learning.completion import MapStates, MostLikely
from workbench.learning.expectation import Measured
from workbench.learning.learner import LOGIC, SOFT, Declaration, LearnedWeights, Learner
from workbench.learning.loop import Averaged, train
from workbench.learning.pseudo_likelihood import PseudoLikelihood
from workbench.learning.starts import grounding_counts, initial_weights, start_weights, step_sizes
from workbench.learning.training import TrainingSet, TrainingWorld, hidden_part
from workbench.learning.unit_chain import CountChain, chain_of
from workbench.network import potentials
from workbench.network.ground_network import GroundNetwork
from workbench.parameters import Count, PositiveOrInfinite
from workbench.progress import Conduct


@dataclass(frozen=True)
class VotedPerceptron(Learner):
    """Gradient ascent on the conditional likelihood, expected counts by the likeliest state.

    `w_t = w_(t-1) + step (n(labels) - n(state))`, equation 7 of Singla and Domingos (2005) with its
    MAP approximation; the answer is the mean of w_1 .. w_T. Hidden atoms are completed given the
    labels in the same way.

    Parameters
    ----------
    step : float
        Learning rate; with `per_weight` divided by the number of the clause's open groundings.
    engine : Engine or None
        The MAP engine; MaxWalkSAT by default. Each search starts at the last state.
    counts : {'map', 'gibbs'}
        `gibbs`: the mean over `sweeps` Gibbs samples that start at the most likely state.
    sweeps : int
    modes : int
        Searches (and chains) per iteration, averaged.
    search_every : int
        With 'gibbs', iterations between searches; the chains go on from their last states in
        between.
    start : {'log_odds', 'given', 'pseudo_likelihood'}
        Each clause's log odds in the data, the program's weights, or those of greatest
        discriminative pseudo-likelihood. The likelihood is concave, so the start decides how long
        the way is.
    prior_sd : float
        Zero-mean Gaussian prior; infinite (the paper's) for none.
    average : bool
        Whether the answer is the mean over iterations (the paper's) or the last weights.
    """

    name: ClassVar[str] = "voted_perceptron"
    declares: ClassVar[Declaration] = Declaration(
        maximises="conditional likelihood with counts from the most likely state (`counts=map`) "
        "or Gibbs samples that start there (`counts=gibbs`); mean of the weights",
        iteration="one search a world, and `sweeps` sweeps",
        when="the classic; `per_weight=True` makes the step independent of how often a clause "
        "occurs",
        domains=LOGIC,
        hidden="completed",
    )
    step: float = 0.001
    iterations: int = 200
    engine: Engine | None = None
    counts: Literal["map", "gibbs"] = "map"
    sweeps: Count = 20
    modes: Count = 1
    search_every: Count = 1
    start: str = "log_odds"
    per_weight: bool = False
    prior_sd: PositiveOrInfinite = np.inf
    average: bool = True

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. `modes` MAP inferences (and `sweeps` sweeps each) per example and iteration."""
        if self.counts not in ("map", "gibbs"):
            raise UsageError.of(
                "E0505", f"there are no counts {self.counts}", help="it is map or gibbs"
            )
        if self.start == "pseudo_likelihood":
            pseudo = PseudoLikelihood(engine=self.engine)
            start = pseudo.learn(training, conduct).weights
        else:
            start = initial_weights(training, self.start)
        counts = StateCounts(
            training,
            MapStates(self.engine, conduct),
            conduct.seed,
            modes=self.modes,
            sweeps=self.sweeps if self.counts == "gibbs" else 0,
            search_every=self.search_every if self.counts == "gibbs" else 1,
        )
        rates = step_sizes(training, self.step, self.per_weight)
        return train(
            training,
            counts,
            Averaged(training, start, rates, 0.0 if self.average else 1.0),
            start,
            name=self.name,
            iterations=self.iterations,
            prior_sd=self.prior_sd,
            conduct=conduct,
        )


@dataclass(frozen=True)
class HingePerceptron(Learner):
    """The perceptron of hinge-loss MRFs: projected, averaged steps per grounding.

    `w_q <- max(0, w_q + step (Phi_q(MAP) - Phi_q(labels)) / n_q)`, where n_q counts the open
    groundings of template q (Bach et al. 2017, section 6.1). Hidden atoms are completed by MAP
    given the labels (hard EM's E step) at every iteration.

    Parameters
    ----------
    start : float or None
        First weight of every learned template; None takes the program's.
    tolerance : float
        Relative gap of the MAP states.
    engine : Engine or None
        None chooses a convex engine by the network's shape.
    """

    name: ClassVar[str] = "hinge_perceptron"
    declares: ClassVar[Declaration] = Declaration(
        maximises="likelihood, with expected potentials taken at the "
        "MAP state; mean of the weights",
        iteration="one MAP inference a world",
        when="what PSL does by default",
        domains=SOFT,
        hidden="completed",
    )
    step: float = 5.0
    iterations: int = 100
    start: float | None = 1.0
    scale_by_groundings: bool = True
    tolerance: float = 1e-3
    engine: Engine | None = None

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. One MAP inference per example and iteration, each started from the last."""
        start = start_weights(training, self.start)
        rates = self.step / (
            grounding_counts(training) if self.scale_by_groundings else np.ones_like(start)
        )
        counts = StateCounts(
            training, MapStates(self.engine, conduct, self.tolerance), conduct.seed
        )
        return train(
            training,
            counts,
            Averaged(training, start, rates),
            start,
            name=self.name,
            iterations=self.iterations,
            conduct=conduct,
        )


class StateCounts:
    """Expected counts from most likely states, or from chains that start there: an `Expectation`.

    Parameters
    ----------
    modes : int
        Searches (and chains) per network and iteration, averaged.
    sweeps : int
        Gibbs sweeps from each state; 0 takes the state itself.
    search_every : int
        Iterations between searches.
    """

    def __init__(
        self,
        training: TrainingSet,
        states: MapStates,
        seed: int,
        *,
        modes: int = 1,
        sweeps: int = 0,
        search_every: int = 1,
    ) -> None:
        self._seed, self._modes, self._search_every = seed, modes, search_every
        self._worlds = [_World(world, states, modes, sweeps) for world in training.worlds]

    def measure(self, weights: Float, iteration: int) -> Measured:
        """At most `modes` MAP inferences (and chains) a world, twice where atoms are hidden."""
        search = iteration % self._search_every == 0
        slope, wrong, known = np.zeros_like(weights), 0.0, 0
        for index, world in enumerate(self._worlds):
            seed = self._seed + (iteration * len(self._worlds) + index) * 2 * self._modes
            slope += world.slope(weights, seed, search)
            wrong += world.distance()
            known += int(world.known.sum())
        return Measured(slope, {"mean_absolute_error": wrong / max(known, 1)})


class _World:
    """One training world: the counts of the model, and of the labels where atoms are hidden."""

    def __init__(self, world: TrainingWorld, states: MapStates, modes: int, sweeps: int) -> None:
        complete = world.complete()
        self.known, self._labels, self._modes = ~world.hidden, world.labels, modes
        self._model = _Counter(world.network, complete, states, modes, sweeps)
        self._labelled = potentials(world.network, complete)
        hidden = world.hidden.any()
        self._given = (
            _Counter(hidden_part(world), complete, states, modes, sweeps) if hidden else None
        )

    def slope(self, weights: Float, seed: int, search: bool) -> Float:
        """Expected minus labelled potentials of this world."""
        if self._given is not None:
            self._labelled = self._given.potentials(weights, seed + self._modes, search)
        return self._model.potentials(weights, seed, search) - self._labelled

    def distance(self) -> float:
        """Summed absolute difference of the last state and the labels."""
        return float(np.abs(self._model.state - self._labels)[self.known].sum())


class _Counter:
    """The summed potentials expected of one network, and the states to go on from."""

    def __init__(
        self, network: GroundNetwork, start: Float, states: MapStates, modes: int, sweeps: int
    ) -> None:
        self._network, self._states, self._sweeps = network, states, sweeps
        self._most_likely: MostLikely | None = None
        self.state, self._sampled = start, [start] * modes
        self._chain: CountChain | None = chain_of(network, states.conduct) if sweeps else None

    def potentials(self, weights: Float, seed: int, search: bool) -> Float:
        """Averaged over the modes, each a search, a stretch of a chain, or both."""
        total = np.zeros(self._network.n_templates)
        if self._most_likely is None:
            self._most_likely = self._states.again_and_again(self._network, weights)
        for mode, sampled in enumerate(self._sampled):
            if search:
                self.state = sampled = self._most_likely(weights, seed + mode, self.state)
            if self._chain is None:
                total += potentials(self._network, self.state)
                continue
            drawn = self._chain.run(weights, sampled, sweeps=self._sweeps, seed=seed + mode)
            self._sampled[mode] = drawn.state
            total += drawn.mean
        return total / len(self._sampled)
