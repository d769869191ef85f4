"""Diagonal Newton and preconditioned scaled conjugate gradient, with Hessians from samples (Lowd and Domingos 2007)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.moments import Moments, WorldChains
from workbench.learning.training import TrainingSet, initial_weights, prepare
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["DiagonalNewton", "PreconditionedConjugateGradient"]


@dataclass(frozen=True)
class DiagonalNewton:
    """Steps along the gradient divided by the diagonal Hessian, their length from the full Hessian.

    The length is `d.g / (d.H d + damping d.d)`. The damping halves when the improvement came out as predicted, grows
    fourfold when it fell short, and a step that made things worse is taken back (the improvement is measured as the
    step times the mean of the gradients at its ends). The answer is the last accepted weights.

    Parameters
    ----------
    iterations : int
    sweeps, burn_in : int
        Gibbs sweeps recorded and unseen in every iteration, going on from the last state.
    damping : float
        First value.
    prior_sd : float
        Zero-mean Gaussian prior; infinite for none.
    tolerance : float
        Converged when the predicted improvement per atom is below it.
    start : {'log_odds', 'given'}
    """

    name: ClassVar[str] = "diagonal_newton"
    conjugate: ClassVar[bool] = False
    iterations: int = 100
    sweeps: int = 50
    burn_in: int = 5
    damping: float = 1.0
    prior_sd: float = 10.0
    tolerance: float = 1e-7
    start: str = "given"

    def fit(
        self,
        examples: Sequence[Example],
        templates: Templates,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> LearnedWeights:
        """Learn. `burn_in + sweeps` sweeps per example and iteration; Hessian products cost O(sweeps x n_templates)."""
        stops = (self.iterations,)
        return next(self.path(examples, templates, stops, seed=seed, deadline=deadline, progress=progress))

    def path(
        self,
        examples: Sequence[Example],
        templates: Templates,
        stops: Sequence[int],
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> Iterator[LearnedWeights]:
        """What `fit` would answer with each number of iterations in `stops`, ascending, in one run."""
        training = prepare(examples, templates)
        run = _Run(self, training, WorldChains(training), initial_weights(training, self.start), self.damping, seed)
        status, number = "iterations", 0
        for stop in stops:
            try:
                while status == "iterations" and number < stop:
                    progress.step("learning weights", number, stops[-1])
                    number += 1
                    if expired(deadline):
                        status = "limit"
                    elif run.step(number, progress):
                        status = "converged"
            except Cancelled:
                status = "cancelled"
            yield LearnedWeights(run.weights, run.trace(), status, self.name, training.notes())


@dataclass
class _Run:
    """Where one run stands: the accepted weights with their moments, the last direction, the damping."""

    learner: DiagonalNewton
    training: TrainingSet
    chains: WorldChains
    weights: Float
    damping: float
    seed: int
    moments: Moments | None = None
    slope: Float = field(default_factory=lambda: np.zeros(0))
    previous: Float = field(default_factory=lambda: np.zeros(0))
    direction: Float = field(default_factory=lambda: np.zeros(0))
    rows: list[tuple[float, float, float]] = field(default_factory=list)

    def step(self, number: int, progress: Progress) -> bool:
        """One iteration; whether it found nothing left to gain."""
        if self.moments is None:
            self.moments, self.slope = self._measure(self.weights, 0)
            self.previous = self.direction = np.zeros_like(self.weights)
        learner, moments, slope = self.learner, self.moments, self.slope
        size_of_slope = float(np.linalg.norm(slope))
        progress.observe({"gradient norm": size_of_slope})
        self._turn(moments)
        direction = self.direction
        bend = moments.hessian_product(direction) + self._precision * direction
        damped = float(direction @ bend + self.damping * (direction @ direction))
        size = float(direction @ slope) / max(damped, 1e-12)
        move = size * direction
        predicted = float(move @ slope) - size * size * float(direction @ bend) / 2
        if predicted < learner.tolerance * max(1, sum(world.labels.size for world in self.training.worlds)):
            return True
        candidate = self.weights + move
        new_moments, new_slope = self._measure(candidate, number)
        actual = float(move @ (slope + new_slope)) / 2
        if actual < -0.1 * predicted:
            self.damping *= 4
            self.direction = np.zeros_like(direction)
            self.rows.append((size_of_slope, self.damping, 0.0))
            return False
        if actual > 0.75 * predicted:
            self.damping /= 2
        elif actual < 0.25 * predicted:
            self.damping *= 4
        self.previous, self.weights, self.moments, self.slope = slope, candidate, new_moments, new_slope
        self.rows.append((size_of_slope, self.damping, size))
        return False

    def trace(self) -> dict[str, Float]:
        columns = np.array(self.rows, np.float64).reshape(-1, 3)
        return {
            "iteration": np.arange(1.0, len(columns) + 1),
            "gradient_norm": columns[:, 0],
            "damping": columns[:, 1],
            "step": columns[:, 2],
        }

    @property
    def _precision(self) -> float:
        return 0.0 if np.isinf(self.learner.prior_sd) else self.learner.prior_sd**-2

    def _turn(self, moments: Moments) -> None:
        """The next direction: Newton's by the diagonal, or conjugate to the last while that still ascends."""
        curvature = np.maximum(moments.variance + self._precision, 1e-3)
        scaled, direction = self.slope / curvature, self.direction
        if self.learner.conjugate and direction.any():
            along = float(self.previous @ (self.previous / curvature))
            direction = scaled + max(0.0, float(scaled @ (self.slope - self.previous)) / max(along, 1e-12)) * direction
        self.direction = direction if self.learner.conjugate and direction @ self.slope > 0 else scaled

    def _measure(self, at: Float, number: int) -> tuple[Moments, Float]:
        learner = self.learner
        moments = self.chains.advance(at, sweeps=learner.sweeps, burn_in=learner.burn_in, seed=self.seed + number)
        return moments, np.where(self.training.learned, moments.gradient - self._precision * at, 0.0)


@dataclass(frozen=True)
class PreconditionedConjugateGradient(DiagonalNewton):
    """Conjugate directions (Polak-Ribiere) preconditioned by the diagonal Hessian; all else as diagonal Newton."""

    name: ClassVar[str] = "pscg"
    conjugate: ClassVar[bool] = True
