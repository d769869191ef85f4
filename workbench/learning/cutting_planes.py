"""One run of cutting-plane training: ask the oracle, add what is violated, solve, again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled
from workbench.learning.databases import Databases
from workbench.learning.learner import LearnedWeights
from workbench.learning.margin_cuts import Cut, Separation, summed
from workbench.learning.margin_losses import MarginWorld
from workbench.learning.margin_program import MarginProgram
from workbench.learning.margin_settings import MarginSettings
from workbench.learning.starts import grounding_counts
from workbench.learning.training import TrainingSet, named_engine
from workbench.network.ground_network import Domain
from workbench.progress import Conduct


@dataclass
class CuttingPlanes:
    """The program, the databases, the caches of cuts and the trace of one run."""

    learner: MarginSettings
    training: TrainingSet
    databases: Databases
    conduct: Conduct
    program: MarginProgram
    caches: list[list[Cut]]
    unit: Float
    counts: Counter[str]
    best: Float | None = None
    best_primal: float = float("inf")
    best_upper: float = float("inf")
    at_optimum: bool = False
    began: float = field(default_factory=monotonic)
    columns: dict[str, list[float]] = field(default_factory=dict)
    notes: dict[str, object] = field(default_factory=dict)

    @classmethod
    def begin(
        cls,
        learner: MarginSettings,
        training: TrainingSet,
        worlds: list[MarginWorld],
        conduct: Conduct,
        before: CuttingPlanes | None,
    ) -> CuttingPlanes:
        """A fresh run, or one that goes on with the cuts of another at a new penalty."""
        penalty = learner.penalty / (len(worlds) if learner.examples == "worlds" else 1)
        if before is None:
            program = MarginProgram(
                n_weights=int(np.count_nonzero(training.learned)),
                penalty=penalty,
                n_groups=len(worlds) if learner.slacks == "worlds" else 1,
                nonnegative=learner.nonnegative or training.domain is Domain.UNIT,
            )
            caches: list[list[Cut]] = [[] for _ in worlds]
            states: list[Float | None] = [None] * len(worlds)
        else:
            program, caches, states = before.program, before.caches, before.databases.states
            program.reset_penalty(penalty)
        program.solve()
        # The program's variables are weights per grounding, where those are what the norm measures.
        unit = (
            1.0 / grounding_counts(training)[training.learned]
            if learner.scale_by_groundings
            else np.ones(1)
        )
        counts = Counter(oracle_calls=0, cached_cuts=0)
        databases = Databases(learner, worlds, conduct, states, counts)
        run = cls(learner, training, databases, conduct, program, caches, unit, counts)
        conduct.offer(training.templates, run.weights)
        return run

    def train(self) -> str:
        """Add cuts until none is violated; why it stopped."""
        try:
            for iteration in range(self.learner.max_iterations):
                self.conduct.progress.step("max-margin training", iteration, None, self._message())
                self.conduct.look()
                if self._add_cached(iteration):
                    continue
                status = self._iterate(iteration)
                if status is not None:
                    return status
        except Cancelled:
            return self.conduct.stopped
        return "iterations"

    def answer(self, status: str, name: str) -> LearnedWeights:
        """The weights so far, and how they were found."""
        trace = {column: np.array(values) for column, values in self.columns.items()}
        own: dict[str, object] = {"penalty": self.learner.penalty, "cuts": self.program.n_cuts}
        own |= {"objective": self.best_primal, "bound": self.program.lower_bound}
        notes = self.training.notes() | self.counts | self.notes | own
        return LearnedWeights(self.weights(), trace, status, name, notes)

    def weights(self) -> Float:
        """The program's optimum where training ended, else the best weights that were tried."""
        return self.full_weights() if self.at_optimum or self.best is None else self.best

    def full_weights(self) -> Float:
        """The program's weights in their places among the fixed ones."""
        weights = self.training.given_weights()
        weights[self.training.learned] = self.program.weights * self.unit
        return weights

    def _iterate(self, iteration: int) -> str | None:
        """One cut near the best weights, or, where it tells nothing, at the program's optimum."""
        target = self.full_weights()
        if self.best is not None and self.learner.stabilisation < 1.0:
            near = self.best + self.learner.stabilisation * (target - self.best)
            found = self._ask(near, iteration)
            cuts = self._cuts(found)
            if self._close_enough():
                return self._near_optimum()
            if cuts is not None and self._take(cuts, target):
                return None
        found = self._ask(target, iteration)
        if self._close_enough():
            return self._near_optimum()
        return self._settle(found, target)

    def _settle(self, found: list[Separation], weights: Float) -> str | None:
        """Add a cut that the program's optimum violates; or say why training ends."""
        learner = self.learner
        self.at_optimum = True
        if self._excess([separation.upper for separation in found]) <= 0.0:
            return "converged"
        relaxed = [separation.relaxed for separation in found if separation.relaxed is not None]
        if learner.cuts != "fractional" and all(separation.found for separation in found):
            if self._take([separation.rounded for separation in found], weights):
                return None
            search = learner.cuts == "auto" and self.training.domain is Domain.BOOLEAN
            if search and self._take(self.databases.polished(found, weights), weights):
                return None
        if (
            learner.cuts != "rounded"
            and len(relaxed) == len(found)
            and self._take(relaxed, weights)
        ):
            return None
        exact = named_engine(learner.exact)
        if learner.cuts == "auto" and exact is not None:
            found = self.databases.separate(weights, lambda world: exact)
            if self._excess([separation.upper for separation in found]) <= 0.0:
                return "converged"
            if self._take([separation.rounded for separation in found], weights):
                return None
        unproven = self._excess([separation.upper for separation in found], tolerated=False)
        self.notes["unproven_violation"] = unproven
        return "oracle_limited"

    def _cuts(self, found: list[Separation]) -> list[Cut] | None:
        """The kind of cut that comes first."""
        if self.learner.cuts != "fractional":
            return (
                [separation.rounded for separation in found]
                if all(one.found for one in found)
                else None
            )
        return [separation.relaxed for separation in found if separation.relaxed is not None]

    def _ask(self, weights: Float, iteration: int) -> list[Separation]:
        """Separate every database at `weights`; remember the best, and trace."""
        found = self.databases.ask(weights)
        self._record(iteration, found, weights)
        return found

    def _take(self, cuts: list[Cut], weights: Float) -> bool:
        """Add the cuts if `weights`, the program's optimum, violates them; and solve again."""
        if self._excess([cut.violation(weights) for cut in cuts]) <= 0.0:
            return False
        for cache, cut in zip(self.caches, cuts):
            cache.append(cut)
            del cache[: max(0, len(cache) - self.learner.cached)]
        if self.program.n_groups == 1:
            self._insert(summed(cuts), 0)
        else:
            for group, cut in enumerate(cuts):
                if cut.violation(weights) > self.program.slack[group]:
                    self._insert(cut, group)
        self.program.solve()
        self.at_optimum = False
        return True

    def _insert(self, cut: Cut, group: int) -> None:
        learned = self.training.learned
        fixed = np.where(learned, 0.0, self.training.given_weights())
        self.program.add(
            cut.direction[learned] * self.unit, cut.loss - float(fixed @ cut.direction), group
        )

    def _add_cached(self, iteration: int) -> bool:
        """A combination of the databases' cached cuts, every second time; it costs no inference."""
        if (
            len(self.databases.worlds) < 2
            or self.program.n_groups > 1
            or not all(self.caches)
            or iteration % 2
        ):
            return False
        weights = self.full_weights()
        best = [max(cache, key=lambda cut: cut.violation(weights)) for cache in self.caches]
        if self._excess([cut.violation(weights) for cut in best]) <= 0.0:
            return False
        self._insert(summed(best), 0)
        self.program.solve()
        self.counts["cached_cuts"] += 1
        return True

    def _excess(self, violations: list[float], *, tolerated: bool = True) -> float:
        """By how much the violations exceed the slack (and epsilon); the largest of all."""
        slack = self.program.slack
        total = np.array([sum(violations)]) if slack.size == 1 else np.array(violations)
        allowed = (
            np.maximum(self.learner.epsilon, self.learner.relative_epsilon * slack)
            if tolerated
            else 0.0
        )
        return float(np.max(total - slack - allowed))

    def _close_enough(self) -> bool:
        """Whether the best weights' objective is near the program's bound."""
        gap = self.best_primal - self.program.lower_bound
        return (
            self.learner.relative_gap > 0.0 and gap <= self.learner.relative_gap * self.best_primal
        )

    def _near_optimum(self) -> str:
        """The status at the best weights: `converged` where the oracle's bound shows it,
        not only its states.
        """
        unproven = (self.best_upper - self.best_primal) / self.program.penalty
        if unproven <= self.learner.epsilon:
            return "converged"
        self.notes["unproven_violation"] = unproven
        return "oracle_limited"

    def _record(self, iteration: int, found: list[Separation], weights: Float) -> None:
        learned = weights[self.training.learned]
        violations = [max(separation.rounded.violation(weights), 0.0) for separation in found]
        upper = [max(separation.upper, 0.0) for separation in found]
        learned = learned / self.unit
        known = self.program.slack_at(learned)
        regular = float(learned @ learned) / 2
        primal_upper = regular + self.program.penalty * sum(upper)
        # The oracle's state may be less violated than a cut found before.
        shared = np.array([sum(violations)]) if known.size == 1 else np.array(violations)
        primal = regular + self.program.penalty * float(np.maximum(shared, known).sum())
        # Soft logic's bound is that of a concave hull: too far off to tell weights apart.
        by_states = self.learner.cuts == "rounded" or self.training.domain is Domain.UNIT
        judged = primal if by_states else primal_upper
        if judged < self.best_primal or self.best is None:
            self.best, self.best_primal, self.best_upper = weights, judged, primal_upper
        row = {
            "iteration": float(iteration),
            "seconds": monotonic() - self.began,
            "primal": primal,
            "primal_upper": primal_upper,
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
        violation = self.columns["violation"][-1]
        return (
            f"objective {self.best_primal:.6g}, bound {self.program.lower_bound:.6g}, "
            f"violation {violation:.4g}"
        )
