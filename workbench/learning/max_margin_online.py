"""Online max-margin learning: one database at a time, a step against its most violated margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled
from workbench.inference.lp import LinearRelaxation
from workbench.inference.solution import Engine
from workbench.learning.learner import LOGIC, Declaration, LearnedWeights, Learner
from workbench.learning.margin_losses import LossKind
from workbench.learning.max_margin import MaxMargin
from workbench.learning.separation import separate
from workbench.learning.training import TrainingSet, named_engine
from workbench.parameters import Positive
from workbench.progress import Conduct


@dataclass(frozen=True)
class OnlineMaxMargin(Learner):
    """Dual coordinate steps on `w.w / 2 + C sum_i slack_i`, a slack a database, for many of them.

    Each step separates one database and moves its part of the weights the best way towards that cut
    (block-coordinate Frank-Wolfe with an exact line search), so that no step size is to be chosen
    and the duality gap is known. It keeps one vector of weights for each database.

    Parameters
    ----------
    penalty : float
        C.
    loss : {'hamming', '0/1', 'f1'}
    passes : int
        Times that every database is visited, in an order drawn anew.
    relative_gap : float
        Stop when the gap summed over a pass is at most this share of the objective.
    average : bool
        Answer with the mean of the weights, later steps weighing more, rather than the last.
    engine : Engine, str or None
        The separation oracle, also by name; `LinearRelaxation()` by default.

    References
    ----------
    Lacoste-Julien, Jaggi, Schmidt & Pletscher 2013, Block-coordinate Frank-Wolfe optimization for
    structural SVMs.
    """

    name: ClassVar[str] = "online_max_margin"
    declares: ClassVar[Declaration] = Declaration(
        maximises="the same margin, one database at a time, keeping no cuts",
        iteration="one loss-augmented MAP inference",
        when="many databases",
        domains=LOGIC,
        hidden="completed",
        by_world=True,
    )

    penalty: Positive = 1.0
    loss: LossKind = "hamming"
    passes: int = 50
    relative_gap: float = 1e-3
    average: bool = False
    engine: Engine | str | None = None

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. One MAP inference a step; memory of n_examples x n_templates numbers."""
        given, learned = training.given_weights(), training.learned
        worlds = MaxMargin(loss=self.loss, engine=self.engine).worlds(training, given, conduct.seed)
        engine = named_engine(self.engine) or LinearRelaxation()
        rng = np.random.default_rng(conduct.seed)
        state = _State.at_zero(len(worlds), given.size)
        fixed = np.where(learned, 0.0, given)

        def answer() -> Float:
            return (state.mean if self.average else state.weights) + fixed

        conduct.offer(training.templates, answer)
        columns: dict[str, list[float]] = {"pass": [], "dual": [], "gap": [], "primal": []}
        status = "iterations"
        try:
            for number in range(self.passes):
                gap = unproven = 0.0
                for index in rng.permutation(len(worlds)):
                    conduct.progress.step("online max-margin training", number, self.passes)
                    weights = state.weights + fixed
                    found = separate(worlds[index], weights, engine, conduct.quiet)
                    conduct.look()
                    shown = max(found.rounded.violation(weights), 0.0)
                    unproven += self.penalty * max(found.upper - shown, 0.0)
                    direction = np.where(learned, found.rounded.direction, 0.0)
                    gain = found.rounded.loss - float(fixed @ found.rounded.direction)
                    gap += max(state.move(index, direction, gain, self.penalty), 0.0)
                dual = state.dual
                for column, value in zip(columns.values(), (number, dual, gap, dual + gap)):
                    column.append(float(value))
                if gap <= self.relative_gap * max(dual + gap, 1e-12):
                    # Where the oracle's bound shows less, a state that it did not find may be
                    # violated more.
                    proven = gap + unproven <= self.relative_gap * max(dual + gap, 1e-12)
                    status = "converged" if proven else "oracle_limited"
                    break
        except Cancelled:
            status = conduct.stopped
        trace = {name: np.array(column) for name, column in columns.items()}
        notes = training.notes() | {"steps": state.steps, "penalty": self.penalty}
        return LearnedWeights(answer(), trace, status, self.name, notes)


@dataclass
class _State:
    """Block-coordinate Frank-Wolfe: each database's part of the weights and of the dual."""

    parts: Float
    gains: Float
    weights: Float
    mean: Float
    steps: int = 0

    @classmethod
    def at_zero(cls, n_worlds: int, n_weights: int) -> _State:
        weights = np.zeros(n_weights)
        return cls(np.zeros((n_worlds, n_weights)), np.zeros(n_worlds), weights, weights.copy())

    @property
    def dual(self) -> float:
        return float(self.gains.sum() - self.weights @ self.weights / 2)

    def move(self, index: int, direction: Float, gain: float, penalty: float) -> float:
        """Step towards a database's most violated state where that is violated, else towards none;
        the gap there.
        """
        violated = gain - float(self.weights @ direction) > 0.0
        towards = penalty * direction if violated else np.zeros_like(self.weights)
        gain_towards = penalty * gain if violated else 0.0
        away = towards - self.parts[index]
        slope = gain_towards - self.gains[index] - float(self.weights @ away)
        length = float(away @ away)
        step = min(1.0, max(0.0, slope / length)) if length > 0.0 else float(slope > 0.0)
        self.parts[index] += step * away
        self.gains[index] += step * (gain_towards - self.gains[index])
        self.weights = self.weights + step * away
        self.steps += 1
        self.mean += 2.0 / (self.steps + 1.0) * (self.weights - self.mean)
        return float(slope)
