"""Max-margin weight learning for Markov logic: a 1-slack structural SVM trained by cutting planes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.lp import LinearRelaxation
from workbench.inference.solution import Engine
from workbench.learning.cutting_planes import CuttingPlanes
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.margin_losses import LossKind, MarginWorld, f1_world, hamming_world, zero_one_world
from workbench.learning.penalty import choose_penalty
from workbench.learning.training import TrainingSet, hidden_part, named_engine, prepare
from workbench.network.ground_network import Templates
from workbench.network.growth import extend, take
from workbench.progress import SILENT, Progress

__all__ = ["MaxMargin"]


@dataclass(frozen=True)
class MaxMargin:
    """Minimise `w.w / 2 + C slack` with `w . (n(truth) - n(y)) >= loss(truth, y) - slack` for every state y.

    Features are raw counts of soft groundings; hard clauses are not learned. All training databases together are one
    example: its most violated state is each database's own, and its slack is shared.

    Parameters
    ----------
    penalty : float
        C.
    loss : {'hamming', '0/1', 'f1'}
        The number of wrong scored atoms, 1 for any wrong state, or 1 - F1 of each database's scored atoms.
    slacks : {'one', 'worlds'}
        One slack, or one for each training database (the same optimum with other cuts).
    examples : {'together', 'worlds'}
        One example, or sums over n: C is then divided by the number of databases.
    engine : Engine, str or None
        The separation oracle, also by name; `LinearRelaxation()` by default.
    cuts : {'auto', 'rounded', 'fractional'}
        Constraints of rounded states, of the relaxation's optima, or rounded ones while they are violated and then, in
        turn, a local search, the relaxation's optimum and `exact`.
    exact : Engine, str or None
        The last resort of `auto`, such as `ilp`.
    epsilon : float
        Violation beyond the slack that counts as none, in loss units.
    relative_epsilon : float
        The same, relative to the slack; the larger of the two holds.
    relative_gap : float
        Also stop where the best weights' objective is within this share of the program's bound.
    stabilisation : float
        In (0, 1]. The oracle is asked at the best weights so far, moved that far towards the program's optimum; 1 is
        the paper's Algorithm 1, smaller values need far fewer cuts (Franc & Sonnenburg 2009).
    max_iterations : int
    workers : int
        Databases separated at a time.
    cached : int
        Cuts kept of each database to be tried, in new combinations, before the oracle; 0 for none.
    quadratic_solver : {'active_set', 'ECOS', 'CLARABEL', ...}
        Ours, or one of CVXPY's for comparison.
    nonnegative : bool
        Demand `w >= 0`, as PSL does.
    choose : {'given', 'training', 'held_out'}
        Take `penalty`, or the one of `penalties` of best F1 on the training databases (as the paper does), or on each
        of them in turn while the others train.
    penalties : sequence of float
        Values of C to choose from.
    completions : int
        Rounds in which hidden atoms are completed by MAP at the weights of the round before; 1 where all are labelled.

    Notes
    -----
    `converged` means that the oracle's upper bound leaves no state violated by more than epsilon. `oracle_limited`
    means that no further cut was found, but the bound cannot exclude one; `diagnostics['unproven_violation']` says how
    much.

    References
    ----------
    Huynh & Mooney 2009, Optimization Problem 2 and Algorithm 1; Joachims, Finley & Yu 2009; Finley & Joachims 2008;
    Franc & Sonnenburg 2009, Optimized cutting plane algorithm for large-scale risk minimization.
    """

    name: ClassVar[str] = "max_margin"
    by_world: ClassVar[bool] = True

    penalty: float = 1.0
    loss: LossKind = "hamming"
    slacks: Literal["one", "worlds"] = "one"
    examples: Literal["together", "worlds"] = "together"
    engine: Engine | str | None = None
    cuts: Literal["auto", "rounded", "fractional"] = "auto"
    exact: Engine | str | None = None
    epsilon: float = 1e-3
    relative_epsilon: float = 0.0
    relative_gap: float = 0.0
    stabilisation: float = 0.3
    max_iterations: int = 2000
    workers: int = 2
    cached: int = 10
    quadratic_solver: str = "active_set"
    nonnegative: bool = False
    choose: Literal["given", "training", "held_out"] = "given"
    penalties: tuple[float, ...] = (1.0, 10.0, 100.0, 1000.0, 10000.0)
    completions: int = 5

    def fit(
        self,
        examples: Sequence[Example],
        templates: Templates,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> LearnedWeights:
        """Learn. One quadratic program over the cuts and one MAP inference per database in each iteration.

        Raises
        ------
        UsageError
            E0509, where a single database is to be held out; E0512 for another loss than Hamming with lazy rules.
        """
        if self.choose != "given":
            found = choose_penalty(
                replace(self, choose="given"),
                examples,
                templates,
                penalties=self.penalties,
                by=self.choose,
                seed=seed,
                deadline=deadline,
                progress=progress,
            )
            tried = {"chosen_by": self.choose, "penalties": found.penalties, "F1": found.scores}
            return replace(found.learned, diagnostics={**found.learned.diagnostics, **tried})
        return self.fit_path(examples, templates, (self.penalty,), seed=seed, deadline=deadline, progress=progress)[-1]

    def fit_path(
        self,
        examples: Sequence[Example],
        templates: Templates,
        penalties: Sequence[float],
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> tuple[LearnedWeights, ...]:
        """Learn at each penalty in turn, every run starting from the cuts of the one before."""
        return tuple(self.path(examples, templates, penalties, seed=seed, deadline=deadline, progress=progress))

    def path(
        self,
        examples: Sequence[Example],
        templates: Templates,
        penalties: Sequence[float],
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> Iterator[LearnedWeights]:
        """`fit_path`, one penalty at a time as they are asked for."""
        training = prepare(examples, templates)
        worlds = self.worlds(examples, training, training.given_weights(), seed)
        hidden = any(world.hidden.any() for world in training.worlds)
        run: CuttingPlanes | None = None
        for penalty in penalties:
            learner = replace(self, penalty=penalty)
            run = CuttingPlanes.begin(learner, training, worlds, seed, deadline, progress, run)
            status = run.train()
            for _ in range(self.completions - 1 if hidden else 0):
                before = [world.truth for world in worlds]
                worlds = self.worlds(examples, training, run.full_weights(), seed)
                if all(np.array_equal(old, world.truth) for old, world in zip(before, worlds)):
                    break
                run = CuttingPlanes.begin(learner, training, worlds, seed, deadline, progress, None)
                status = run.train()
            yield run.answer(status, self.name)

    def worlds(
        self, examples: Sequence[Example], training: TrainingSet, weights: Float, seed: int
    ) -> list[MarginWorld]:
        """The databases with their loss; hidden atoms completed by MAP at `weights`, given the labels."""
        make = {"hamming": hamming_world, "0/1": zero_one_world, "f1": f1_world}[self.loss]
        worlds = []
        for example, world in zip(examples, training.worlds):
            truth, network = world.labels, world.network
            if world.hidden.any():
                truth = world.complete(self.oracle().solve(hidden_part(world), weights, seed=seed).values)
            scored = ~world.hidden if example.scored is None else example.scored & ~world.hidden
            if example.source is None:
                worlds.append(make(network, truth, scored))
                continue
            if self.loss != "hamming":
                raise UsageError.of(
                    "E0512",
                    f"rules cannot be grounded lazily with the loss {self.loss}",
                    help="take the Hamming loss, or ground in full",
                )
            # Soft rows that the truth violates count from the start; hard ones are left out, as in full grounding.
            reader = example.source.reader()
            broken = reader.violated(truth)
            network = extend(network, take(broken, np.flatnonzero(broken.template >= 0)))
            worlds.append(replace(make(network, truth, scored), source=reader))
        return worlds

    def oracle(self) -> Engine:
        """The separation oracle."""
        return named_engine(self.engine) or LinearRelaxation()
