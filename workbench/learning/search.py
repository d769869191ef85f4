"""Weight search: a grid or random weights, judged by the error of the MAP state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Bool, Float
from workbench.errors import UsageError
from workbench.inference.solution import Engine
from workbench.learning.completion import MapStates
from workbench.learning.expectation import Measured
from workbench.learning.learner import Declaration, LearnedWeights, Learner
from workbench.learning.loop import Step, train
from workbench.learning.starts import start_weights
from workbench.learning.training import TrainingSet
from workbench.progress import Conduct


@dataclass(frozen=True)
class WeightSearch(Learner):
    """Try weights and keep those whose MAP state is nearest to the labels.

    Only the ratios of weights matter to a MAP state where all are learned. In Markov logic weights
    of the program that are negative stay so: the values tried take the sign of the weight that they
    replace.

    Parameters
    ----------
    method : {'random', 'grid'}
        Log-uniform draws between the smallest and largest of `values`, or all combinations of
        `values`.
    trials : int
        Weight vectors tried at most (a grid that is larger is refused).
    loss : {'absolute', 'squared', 'rounded'}
        Mean absolute error, mean squared error, or the share of atoms on the wrong side of 1/2.
    tolerance : float
        Relative gap of a convex engine's MAP states.
    engine : Engine or None
        The MAP engine; by default one that suits the network.
    """

    name: ClassVar[str] = "search"
    declares: ClassVar[Declaration] = Declaration(
        maximises="the fit of the MAP state to the labels, over a grid or random weights",
        iteration="one MAP inference a world and trial",
        when="few rules",
        hidden="left out",
        objective=True,
    )
    method: Literal["random", "grid"] = "random"
    values: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0)
    trials: int = 200
    loss: Literal["absolute", "squared", "rounded"] = "absolute"
    tolerance: float = 1e-3
    engine: Engine | None = None

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. A MAP inference an example and weight vector, the program's own weights first.

        Raises E0521, where a grid has more points than `trials`, E0505 for draws from 0 on.
        """
        given = start_weights(training, None)
        size = len(self.values) ** int(training.learned.sum())
        if self.method == "grid" and size > self.trials:
            raise UsageError.of(
                "E0521",
                f"the grid has {size:,} points, more than {self.trials} trials",
                help="give fewer values, more trials, or method=random",
            )
        if self.method == "random" and min(self.values) == 0:
            raise UsageError.of(
                "E0505",
                "weights drawn at random lie between the least and the greatest of `values`, "
                "by their logarithms, and 0 has none",
                help="give values above 0, or method=grid",
            )
        states = MapStates(self.engine, conduct, self.tolerance)
        search = _Nearest(given, self._points(given, training.learned, conduct.seed))
        answer = train(
            training, _StateErrors(training, states, LOSSES[self.loss]), search, given,
            name=self.name, conduct=conduct,
            iterations=1 + (size if self.method == "grid" else self.trials),
        )  # fmt: skip
        return replace(answer, diagnostics={**answer.diagnostics, "loss": search.error})

    def _points(self, given: Float, learned: Bool, seed: int) -> Iterator[Float]:
        """What is tried after the given weights."""
        count = int(learned.sum())
        if self.method == "grid":
            points: Iterator[Float] = (
                np.array(point) for point in product(self.values, repeat=count)
            )
        else:
            rng = np.random.default_rng(seed)
            low, high = np.log(min(self.values)), np.log(max(self.values))
            points = (np.exp(rng.uniform(low, high, count)) for _ in range(self.trials))
        for point in points:
            weights = given.copy()
            weights[learned] = np.copysign(point, given[learned])
            yield weights


LOSSES: dict[str, Callable[[Float, Float], Float]] = {
    "absolute": lambda state, labels: np.abs(state - labels),
    "squared": lambda state, labels: (state - labels) ** 2,
    "rounded": lambda state, labels: (state >= 0.5) != (labels >= 0.5),
}


class _StateErrors:
    """The mean error of the most likely states: an `Expectation` that tells no slope."""

    def __init__(
        self, training: TrainingSet, states: MapStates, loss: Callable[[Float, Float], Float]
    ) -> None:
        self._worlds, self._states, self._loss = training.worlds, states, loss
        self._last: list[Float | None] = [None] * len(training.worlds)

    def measure(self, weights: Float, iteration: int) -> Measured:
        """A MAP inference a world, each started from the last."""
        total, known = 0.0, 0
        for index, world in enumerate(self._worlds):
            state = self._last[index] = self._states.most_likely(
                world.network, weights, self._states.conduct.seed, self._last[index]
            )
            seen = ~world.hidden
            total += float(np.sum(self._loss(state[seen], world.labels[seen])))
            known += int(seen.sum())
        return Measured(np.zeros_like(weights), {"objective": total / max(known, 1)})


class _Nearest(Step):
    """From point to point, keeping the one of the least error: a `Step`."""

    def __init__(self, given: Float, points: Iterator[Float]) -> None:
        self._best, self._points, self.error = given, points, np.inf

    def advance(self, weights: Float, measured: Measured) -> Float:
        """The next point; after the last the same again, which nobody measures."""
        if measured.figures["objective"] < self.error:
            self._best, self.error = weights, measured.figures["objective"]
        return next(self._points, weights)

    def answer(self) -> Float:
        return self._best
