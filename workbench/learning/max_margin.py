"""Max-margin weight learning in both languages: a 1-slack structural SVM by cutting planes.

Of hinge-loss Markov random fields also by the name and the parameters of their paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.evaluation import f1_score
from workbench.inference.lp import LinearRelaxation
from workbench.inference.solution import Engine
from workbench.learning.choice import Choice, choose, held_out_worlds
from workbench.learning.completion import MapStates
from workbench.learning.cutting_planes import CuttingPlanes
from workbench.learning.learner import SOFT, Declaration, LearnedWeights, Learner
from workbench.learning.margin_losses import MarginWorld, f1_world, hamming_world, zero_one_world
from workbench.learning.margin_settings import MarginSettings
from workbench.learning.training import Example, TrainingSet
from workbench.network.ground_network import Domain
from workbench.network.growth import extend, take
from workbench.parameters import Count, Positive
from workbench.progress import PLAIN, Conduct


def map_f1(example: Example, weights: Float, engine: Engine, *, seed: int = 0) -> float:
    """F1 of the MAP state over the example's scored and labelled atoms; 1 where nothing is true."""
    values = engine.solve(example.network, weights, seed=seed).values
    return f1_score(values[example.counted] >= 0.5, example.truth[example.counted] == 1.0, none=1.0)


@dataclass(frozen=True)
class MaxMargin(MarginSettings, Learner):
    """Minimise `w.w / 2 + C slack`, `w . (n(truth) - n(y)) >= loss(truth, y) - slack` for all y.

    Features are raw counts of soft groundings; hard clauses are not learned. All training databases
    together are one example: its most violated state is each database's own, and its slack is
    shared.

    `converged` means that the oracle's upper bound leaves no state violated by more than epsilon.
    `oracle_limited` means that no further cut was found, but the bound cannot exclude one;
    `diagnostics['unproven_violation']` says how much.

    Parameters
    ----------
    As `MarginSettings`, and:
    choose : {'given', 'training', 'held_out'}
        Take `penalty`, or the one of `penalties` of best F1 on the training databases (as the paper
        does), or on each of them in turn while the others train.
    penalties : sequence of float
        Values of C to choose from.
    completions : int
        Rounds in which hidden atoms are completed by MAP at the weights of the round before; 1
        where all are labelled.

    References
    ----------
    Huynh & Mooney 2009, Optimization Problem 2 and Algorithm 1; Joachims, Finley & Yu 2009; Finley
    & Joachims 2008; Franc & Sonnenburg 2009, Optimized cutting plane algorithm for large-scale risk
    minimization.
    """

    name: ClassVar[str] = "max_margin"
    declares: ClassVar[Declaration] = Declaration(
        maximises="the margin between the labels and every other state",
        iteration="one loss-augmented MAP inference a world and cutting plane",
        when="F1, Hamming loss or error of a MAP state is the goal",
        hidden="completed",
        by_world=True,
        lazy=True,
    )

    choose: Literal["given", "training", "held_out"] = "given"
    penalties: tuple[Positive, ...] = (1.0, 10.0, 100.0, 1000.0, 10000.0)
    completions: Count = 5

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. A quadratic program and a MAP inference a database in each iteration.

        Raises E0509, where a single database is to be held out; E0512 for another loss than Hamming
        with lazy rules.
        """
        if self.choose == "given":
            return next(self.path(training, (self.penalty,), conduct))
        choice, learned = self._chosen(training, conduct)
        tried = {
            "chosen_by": self.choose,
            "penalties": np.array(choice.candidates),
            "F1": choice.scores,
        }
        return replace(learned, diagnostics={**learned.diagnostics, **tried})

    def _chosen(
        self, training: TrainingSet, conduct: Conduct
    ) -> tuple[Choice[float], LearnedWeights]:
        """Train at every penalty, ascending, with the cuts carried over; the best by average F1."""
        grid, everything = sorted(self.penalties), list(training.examples)
        splits = (
            [(everything, everything)] if self.choose == "training" else held_out_worlds(everything)
        )
        if self.choose == "held_out" and len(everything) < 2:
            raise UsageError.of(
                "E0509",
                "a single training database cannot be held out",
                help="choose by training F1",
            )
        trained: list[LearnedWeights] = []

        def fits(part: Sequence[Example]) -> Iterator[Float]:
            ready = self.prepared(part, training.templates)
            for learned in self.path(ready, grid, conduct):
                if part is everything:
                    trained.append(learned)
                yield learned.weights

        def score(weights: Float, part: Sequence[Example]) -> float:
            return float(
                np.mean(
                    [map_f1(one, weights, LinearRelaxation(), seed=conduct.seed) for one in part]
                )
            )

        choice = choose(grid, splits, fits, score)
        if not trained:
            trained.extend(self.path(training, grid[: choice.index + 1], conduct))
        return choice, trained[choice.index]

    def path(
        self, training: TrainingSet, penalties: Sequence[float], conduct: Conduct = PLAIN
    ) -> Iterator[LearnedWeights]:
        """Learn at each penalty as it is asked for, every run from the last one's cuts."""
        if training.domain is Domain.UNIT and self.loss != "hamming":
            raise UsageError.of(
                "E0524", f"soft logic has no loss {self.loss}", help="take loss=hamming"
            )
        worlds = self.worlds(training, training.given_weights(), conduct.seed)
        # No violation is told apart more finely than soft logic's states are solved for.
        labelled = sum(int((~world.hidden).sum()) for world in training.worlds)
        finest = self.tolerance * labelled if training.domain is Domain.UNIT else 0.0
        hidden = any(world.hidden.any() for world in training.worlds)
        run: CuttingPlanes | None = None
        for penalty in penalties:
            learner = replace(self, penalty=penalty, epsilon=max(self.epsilon, finest))
            run = CuttingPlanes.begin(learner, training, worlds, conduct, run)
            status = run.train()
            for _ in range(self.completions - 1 if hidden else 0):
                before = [world.truth for world in worlds]
                worlds = self.worlds(training, run.full_weights(), conduct.seed)
                if all(np.array_equal(old, world.truth) for old, world in zip(before, worlds)):
                    break
                run = CuttingPlanes.begin(learner, training, worlds, conduct, None)
                status = run.train()
            yield run.answer(status, self.name)

    def worlds(self, training: TrainingSet, weights: Float, seed: int) -> list[MarginWorld]:
        """The databases with their loss; hidden atoms completed by MAP given the labels."""
        make = {"hamming": hamming_world, "0/1": zero_one_world, "f1": f1_world}[self.loss]
        worlds = []
        for example, world in zip(training.examples, training.worlds):
            network = world.network
            states = MapStates(self.oracle(network, weights), PLAIN)
            truth = states.completed(world, weights, seed)
            scored = example.counted
            if example.source is None:
                worlds.append(make(network, truth, scored))
                continue
            if self.loss != "hamming":
                raise UsageError.of(
                    "E0512",
                    f"rules cannot be grounded lazily with the loss {self.loss}",
                    help="take the Hamming loss, or ground in full",
                )
            # Soft rows that the truth violates count from the start; hard ones are left out, as in
            # full grounding.
            reader = example.source.reader()
            broken = reader.violated(truth)
            network = extend(network, take(broken, np.flatnonzero(broken.template >= 0)))
            worlds.append(replace(make(network, truth, scored), source=reader))
        return worlds


@dataclass(frozen=True)
class HingeLargeMargin(Learner):
    """Weights whose energy at the labels lies below every other state's by that state's L1 loss.

    `min 1/2 |w|^2 + C xi` subject to `w . (Phi(y) - Phi(labels)) >= |y - labels|_1 - xi` for all
    states y and w >= 0 (Bach et al. 2017, section 6.3; one slack: Joachims et al. 2009): max margin
    with the loss stopped at a share of the labelled atoms.

    Parameters
    ----------
    C : float
        Penalty of the slack.
    precision : float
        Stop when the worst violation exceeds the slack by at most this share of the labelled atoms.
    scale_by_groundings : bool
        Measure weights per grounding in the norm, so that frequent rules are not favoured.
    tolerance : float
        Relative gap of the MAP states.
    """

    name: ClassVar[str] = "hinge_large_margin"
    declares: ClassVar[Declaration] = Declaration(
        maximises="the margin in L1 loss between the labels and every other state; `C=`",
        iteration="a few loss-augmented MAP inferences a cutting plane",
        when="the error of the MAP state is the goal",
        domains=SOFT,
        hidden="completed",
    )
    C: Positive = 0.1
    precision: float = 1e-3
    max_planes: int = 100
    scale_by_groundings: bool = False
    tolerance: float = 1e-3
    engine: Engine | None = None

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. One or a few MAP inferences per example and cutting plane."""
        labelled = sum(int((~world.hidden).sum()) for world in training.worlds)
        learner = MaxMargin(
            penalty=self.C,
            epsilon=self.precision * max(1, labelled),
            max_iterations=self.max_planes,
            scale_by_groundings=self.scale_by_groundings,
            tolerance=self.tolerance,
            engine=self.engine,
        )
        learned = learner.learn(training, conduct)
        return replace(learned, learner=self.name)
