"""Max-margin weight learning for Markov logic: a 1-slack structural SVM trained by cutting planes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from workbench.errors import Cancelled
from workbench.inference.lp import LinearRelaxation, maxwalksat
from workbench.inference.solution import Engine
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.margin_losses import MarginWorld, hamming_world, zero_one_world
from workbench.learning.margin_program import MarginProgram
from workbench.learning.separation import Cut, Separation, joined, separate
from workbench.learning.training import TrainingSet, condition, prepare
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["MaxMargin"]

Float = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MaxMargin:
    """Minimise `w.w / 2 + C slack` with `w . (n(truth) - n(y)) >= loss(truth, y) - slack` for every state y.

    Features are raw counts of soft groundings; hard clauses are not learned. All training databases together are one
    example: its most violated state is each database's own, and its slack is shared.

    Parameters
    ----------
    penalty : float
        C.
    loss : {'hamming', '0/1'}
        The number of wrong scored atoms, or 1 for any wrong state.
    slacks : {'one', 'worlds'}
        One slack, or one for each training database (the same optimum with other cuts).
    examples : {'together', 'worlds'}
        One example, or sums over n: C is then divided by the number of databases.
    engine : Engine or None
        The separation oracle; `LinearRelaxation()` by default.
    cuts : {'auto', 'rounded', 'fractional'}
        Constraints of rounded states, of the relaxation's optima, or rounded ones while they are violated and then, in
        turn, a local search, the relaxation's optimum and `exact`.
    exact : Engine or None
        The last resort of `auto`, such as `IntegerProgram()`.
    epsilon : float
        Violation beyond the slack that counts as none, in loss units.
    relative_epsilon : float
        The same, relative to the slack; the larger of the two holds.
    max_iterations : int
    cached : int
        Cuts kept of each database to be tried, in new combinations, before the oracle; 0 for none.
    quadratic_solver : {'active_set', 'ECOS', 'CLARABEL', ...}
        Ours, or one of CVXPY's for comparison.
    nonnegative : bool
        Demand `w >= 0`, as PSL does.
    completions : int
        Rounds in which hidden atoms are completed by MAP at the weights of the round before; 1 where all are labelled.

    Notes
    -----
    `converged` means that the oracle's upper bound leaves no state violated by more than epsilon. `oracle_limited`
    means that no further cut was found, but the bound cannot exclude one; `diagnostics['unproven_violation']` says how
    much.

    References
    ----------
    Huynh & Mooney 2009, Optimization Problem 2 and Algorithm 1; Joachims, Finley & Yu 2009; Finley & Joachims 2008.
    """

    name: ClassVar[str] = "max_margin"

    penalty: float = 1.0
    loss: Literal["hamming", "0/1"] = "hamming"
    slacks: Literal["one", "worlds"] = "one"
    examples: Literal["together", "worlds"] = "together"
    engine: Engine | None = None
    cuts: Literal["auto", "rounded", "fractional"] = "auto"
    exact: Engine | None = None
    epsilon: float = 1e-3
    relative_epsilon: float = 0.0
    max_iterations: int = 2000
    cached: int = 10
    quadratic_solver: str = "active_set"
    nonnegative: bool = False
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
        """Learn. One quadratic program over the cuts and one MAP inference per database in each iteration."""
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
        training = prepare(examples, templates)
        worlds = self._worlds(examples, training, training.given_weights(), seed)
        hidden = any(world.hidden.any() for world in training.worlds)
        path = []
        run: _Run | None = None
        for penalty in penalties:
            run = _Run.begin(replace(self, penalty=penalty), training, worlds, seed, deadline, progress, run)
            status = run.train()
            for _ in range(self.completions - 1 if hidden else 0):
                before = [world.truth for world in worlds]
                worlds = self._worlds(examples, training, run.full_weights(), seed)
                if all(np.array_equal(old, world.truth) for old, world in zip(before, worlds)):
                    break
                run = _Run.begin(replace(self, penalty=penalty), training, worlds, seed, deadline, progress, None)
                status = run.train()
            path.append(run.answer(status, self.name))
        return tuple(path)

    def _worlds(
        self, examples: Sequence[Example], training: TrainingSet, weights: Float, seed: int
    ) -> list[MarginWorld]:
        """The databases with their loss; hidden atoms completed by MAP at `weights`, given the labels."""
        make = hamming_world if self.loss == "hamming" else zero_one_world
        worlds = []
        for example, world in zip(examples, training.worlds):
            truth = world.labels
            if world.hidden.any():
                clamped = condition(world.network, world.labels)
                truth = world.complete((self.engine or LinearRelaxation()).solve(clamped, weights, seed=seed).values)
            scored = ~world.hidden if example.scored is None else example.scored & ~world.hidden
            worlds.append(make(world.network, truth, scored))
        return worlds


@dataclass
class _Run:
    """One training run: the program, the databases, the caches of cuts and the trace."""

    learner: MaxMargin
    training: TrainingSet
    worlds: list[MarginWorld]
    seed: int
    deadline: float | None
    progress: Progress
    program: MarginProgram
    caches: list[list[Cut]]
    states: list[Float | None]
    columns: dict[str, list[float]] = field(default_factory=dict)
    notes: dict[str, object] = field(default_factory=dict)

    @classmethod
    def begin(
        cls,
        learner: MaxMargin,
        training: TrainingSet,
        worlds: list[MarginWorld],
        seed: int,
        deadline: float | None,
        progress: Progress,
        before: _Run | None,
    ) -> _Run:
        """A fresh run, or one that goes on with the cuts of another at a new penalty."""
        penalty = learner.penalty / (len(worlds) if learner.examples == "worlds" else 1)
        if before is None:
            program = MarginProgram(
                n_weights=int(np.count_nonzero(training.learned)),
                penalty=penalty,
                n_groups=len(worlds) if learner.slacks == "worlds" else 1,
                nonnegative=learner.nonnegative,
                solver=learner.quadratic_solver,
            )
            caches: list[list[Cut]] = [[] for _ in worlds]
            states: list[Float | None] = [None] * len(worlds)
        else:
            program, caches, states = before.program, before.caches, before.states
            program.reset_penalty(penalty)
        program.solve()
        return cls(learner, training, worlds, seed, deadline, progress, program, caches, states)

    def full_weights(self) -> Float:
        """The program's weights in their places among the fixed ones."""
        weights = self.training.given_weights()
        weights[self.training.learned] = self.program.weights
        return weights

    def train(self) -> str:
        """Add cuts until none is violated; why it stopped."""
        oracle_calls = 0
        try:
            for iteration in range(self.learner.max_iterations):
                self.progress.step("max-margin training", iteration, None, self._message())
                if expired(self.deadline):
                    return "limit"
                if self._add_cached(iteration):
                    continue
                weights = self.full_weights()
                found = [self._separate(index, weights) for index in range(len(self.worlds))]
                oracle_calls += 1
                self.notes["oracle_calls"] = oracle_calls
                self._record(iteration, found, weights)
                status = self._add(found, weights)
                if status is not None:
                    return status
        except Cancelled:
            return "cancelled"
        return "iterations"

    def _separate(self, index: int, weights: Float) -> Separation:
        separation = separate(
            self.worlds[index],
            weights,
            self.learner.engine or LinearRelaxation(),
            seed=self.seed,
            deadline=self.deadline,
            progress=self.progress,
            start=self.states[index],
        )
        self.states[index] = separation.state
        return separation

    def _add(self, found: list[Separation], weights: Float) -> str | None:
        """Add this iteration's cuts and solve; or say why training ends."""
        learner = self.learner
        rounded = [separation.rounded for separation in found]
        relaxed = [separation.relaxed for separation in found if separation.relaxed is not None]
        proven = self._violated([separation.upper for separation in found]) <= 0.0
        if proven:
            return "converged"
        if learner.cuts != "fractional" and all(separation.found for separation in found):
            if self._take(rounded, weights):
                return None
            if learner.cuts == "auto" and self._take(self._polished(found, weights), weights):
                return None
        if learner.cuts != "rounded" and len(relaxed) == len(found) and self._take(relaxed, weights):
            return None
        if learner.cuts == "auto" and learner.exact is not None:
            exact = [
                separate(world, weights, learner.exact, seed=self.seed, deadline=self.deadline, progress=self.progress)
                for world in self.worlds
            ]
            if self._take([separation.rounded for separation in exact], weights):
                return None
            if self._violated([separation.upper for separation in exact]) <= 0.0:
                return "converged"
            found = exact
        self.notes["unproven_violation"] = self._violated([separation.upper for separation in found], tolerance=False)
        return "oracle_limited"

    def _polished(self, found: list[Separation], weights: Float) -> list[Cut]:
        """The rounded states after a local search."""
        cuts = []
        engine = maxwalksat()
        for world, separation in zip(self.worlds, found):
            cuts.append(separate(world, weights, engine, seed=self.seed, start=separation.state).rounded)
        return cuts

    def _take(self, cuts: list[Cut], weights: Float) -> bool:
        """Add the cuts if they are violated beyond epsilon, and solve the program again."""
        if self._violated([cut.violation(weights) for cut in cuts]) <= 0.0:
            return False
        for cache, cut in zip(self.caches, cuts):
            cache.append(cut)
            del cache[: -self.learner.cached or None]
        learned = self.training.learned
        fixed = np.where(learned, 0.0, self.training.given_weights())

        def insert(cut: Cut, group: int) -> None:
            self.program.add(cut.direction[learned], cut.loss - float(fixed @ cut.direction), group)

        if self.program.n_groups == 1:
            insert(joined(cuts), 0)
        else:
            for group, cut in enumerate(cuts):
                if cut.violation(weights) > self.program.slack[group] + 1e-12:
                    insert(cut, group)
        self.program.solve()
        return True

    def _add_cached(self, iteration: int) -> bool:
        """A new combination of cached cuts, where that is violated by much; it costs no inference."""
        if len(self.worlds) < 2 or self.program.n_groups > 1 or not all(self.caches) or iteration % 2:
            return False
        weights = self.full_weights()
        best = [max(cache, key=lambda cut: cut.violation(weights)) for cache in self.caches]
        if all(cut is cache[-1] for cut, cache in zip(best, self.caches)):
            return False
        if self._violated([cut.violation(weights) for cut in best]) <= 0.0:
            return False
        learned = self.training.learned
        fixed = np.where(learned, 0.0, self.training.given_weights())
        cut = joined(best)
        self.program.add(cut.direction[learned], cut.loss - float(fixed @ cut.direction))
        self.program.solve()
        return True

    def _violated(self, violations: list[float], *, tolerance: bool = True) -> float:
        """By how much the violations exceed the slack (and epsilon); the largest over the slacks."""
        slack = self.program.slack
        total = np.array([sum(violations)]) if slack.size == 1 else np.array(violations)
        allowed = np.maximum(self.learner.epsilon, self.learner.relative_epsilon * slack) if tolerance else 0.0
        return float(np.max(total - slack - allowed))

    def _record(self, iteration: int, found: list[Separation], weights: Float) -> None:
        violations = [max(separation.rounded.violation(weights), 0.0) for separation in found]
        upper = [max(separation.upper, 0.0) for separation in found]
        learned = self.program.weights
        regular = float(learned @ learned) / 2
        row = {
            "iteration": float(iteration),
            "seconds": monotonic(),
            "primal": regular + self.program.penalty * sum(violations),
            "primal_upper": regular + self.program.penalty * sum(upper),
            "dual": self.program.lower_bound,
            "slack": float(self.program.slack.sum()),
            "violation": float(sum(violations)),
            "violation_upper": float(sum(upper)),
            "loss": float(sum(separation.rounded.loss for separation in found)),
            "cuts": float(self.program.n_cuts),
        }
        for name, value in row.items():
            self.columns.setdefault(name, []).append(value)

    def _message(self) -> str:
        if not self.columns:
            return ""
        violation, slack = self.columns["violation"][-1], self.columns["slack"][-1]
        return f"violation {violation:.4g}, slack {slack:.4g}, {self.program.n_cuts} cuts"

    def answer(self, status: str, name: str) -> LearnedWeights:
        trace = {column: np.array(values) for column, values in self.columns.items()}
        if "seconds" in trace:
            trace["seconds"] = trace["seconds"] - trace["seconds"][0]
        notes = self.training.notes() | self.notes | {"penalty": self.learner.penalty, "cuts": self.program.n_cuts}
        return LearnedWeights(self.full_weights(), trace, status, name, notes)
