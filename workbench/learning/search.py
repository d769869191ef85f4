"""Weight search: a grid or random weights, judged by the error of the MAP state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Bool, Float
from workbench.errors import Cancelled, UsageError
from workbench.inference.solution import Engine
from workbench.learning.completion import MapStates
from workbench.learning.declaration import Declaration
from workbench.learning.learner import Example, LearnedWeights, Learner
from workbench.learning.starts import start_weights
from workbench.learning.training import prepare
from workbench.network.ground_network import Templates
from workbench.progress import Conduct

__all__ = ["WeightSearch"]


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

    def learn(
        self, examples: Sequence[Example], templates: Templates, conduct: Conduct
    ) -> LearnedWeights:
        """Learn. One MAP inference per example and weight vector; the program's own weights are
        tried first.

        Raises
        ------
        UsageError
            E0521, where a grid has more points than `trials`.
        """
        training = prepare(examples, templates, self)
        best = start_weights(training, None)
        size = len(self.values) ** int(training.learned.sum())
        if self.method == "grid" and size > self.trials:
            raise UsageError.of(
                "E0521",
                f"the grid has {size:,} points, more than {self.trials} trials",
                help="give fewer values, more trials, or method=random",
            )
        states = MapStates(self.engine, conduct, self.tolerance)
        best_loss, status = np.inf, "iterations"
        tried: list[float] = []
        last: list[Float | None] = [None] * len(training.worlds)
        try:
            for weights in islice(
                self._candidates(best, training.learned, conduct.seed), self.trials + 1
            ):
                conduct.progress.step("searching weights", len(tried), self.trials)
                conduct.look()
                total, known = 0.0, 0
                for index, world in enumerate(training.worlds):
                    state = last[index] = states.most_likely(
                        world.network, weights, conduct.seed, last[index]
                    )
                    total += self._loss(state[~world.hidden], world.labels[~world.hidden])
                    known += int((~world.hidden).sum())
                tried.append(total / max(known, 1))
                if tried[-1] < best_loss:
                    best, best_loss = weights, tried[-1]
                    conduct.offer(templates, partial(np.copy, best))
        except Cancelled:
            status = conduct.stopped
        trace = {"iteration": np.arange(1.0, len(tried) + 1.0), "objective": np.array(tried)}
        return LearnedWeights(
            best, trace, status, self.name, training.notes() | {"loss": best_loss}
        )

    def _candidates(self, given: Float, learned: Bool, seed: int) -> Iterator[Float]:
        yield given
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

    def _loss(self, state: Float, labels: Float) -> float:
        if self.loss == "rounded":
            return float(np.sum((state >= 0.5) != (labels >= 0.5)))
        distance = np.abs(state - labels)
        return float(np.sum(distance if self.loss == "absolute" else distance**2))
