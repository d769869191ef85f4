"""Diagonal Newton and preconditioned scaled conjugate gradient, with Hessians from samples (Lowd and Domingos 2007)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from workbench.errors import Cancelled
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.moments import Moments, WorldChains
from workbench.learning.training import initial_weights, prepare
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["DiagonalNewton", "PreconditionedConjugateGradient"]

Float = npt.NDArray[np.float64]


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
        learned, chains = training.learned, WorldChains(training)
        weights = initial_weights(training, self.start)
        precision = 0.0 if np.isinf(self.prior_sd) else self.prior_sd**-2
        atoms = max(1, sum(world.labels.size for world in training.worlds))
        rows: list[tuple[float, float, float]] = []

        def measure(at: Float, number: int) -> tuple[Moments, Float]:
            moments = chains.advance(at, sweeps=self.sweeps, burn_in=self.burn_in, seed=seed + number)
            return moments, np.where(learned, moments.gradient - precision * at, 0.0)

        def answer(status: str) -> LearnedWeights:
            columns = np.array(rows, np.float64).reshape(-1, 3)
            trace = {
                "iteration": np.arange(1.0, len(columns) + 1),
                "gradient_norm": columns[:, 0],
                "damping": columns[:, 1],
                "step": columns[:, 2],
            }
            return LearnedWeights(weights, trace, status, self.name, training.notes())

        damping, status, iteration = self.damping, "iterations", 0
        direction = previous = np.zeros_like(weights)
        moments: Moments | None = None
        for stop in stops:
            try:
                while status == "iterations" and iteration < stop:
                    if moments is None:
                        moments, slope = measure(weights, 0)
                    iteration += 1
                    progress.step("learning weights", iteration - 1, stops[-1])
                    if expired(deadline):
                        status = "limit"
                        break
                    progress.observe({"gradient norm": float(np.linalg.norm(slope))})
                    curvature = np.maximum(moments.variance + precision, 1e-3)
                    scaled = slope / curvature
                    if self.conjugate and direction.any():
                        turn = float(scaled @ (slope - previous)) / max(float(previous @ (previous / curvature)), 1e-12)
                        direction = scaled + max(0.0, turn) * direction
                    if not self.conjugate or direction @ slope <= 0:
                        direction = scaled
                    bend = moments.hessian_product(direction) + precision * direction
                    size = float(direction @ slope) / max(
                        float(direction @ bend + damping * (direction @ direction)), 1e-12
                    )
                    move = size * direction
                    predicted = float(move @ slope) - size * size * float(direction @ bend) / 2
                    if predicted < self.tolerance * atoms:
                        status = "converged"
                        break
                    candidate = weights + move
                    new_moments, new_slope = measure(candidate, iteration)
                    actual = float(move @ (slope + new_slope)) / 2
                    if actual < -0.1 * predicted:
                        damping *= 4
                        direction = np.zeros_like(direction)
                        rows.append((float(np.linalg.norm(slope)), damping, 0.0))
                        continue
                    if actual > 0.75 * predicted:
                        damping /= 2
                    elif actual < 0.25 * predicted:
                        damping *= 4
                    previous, weights, moments, slope = slope, candidate, new_moments, new_slope
                    rows.append((float(np.linalg.norm(slope)), damping, size))
            except Cancelled:
                status = "cancelled"
            yield answer(status)


@dataclass(frozen=True)
class PreconditionedConjugateGradient(DiagonalNewton):
    """Conjugate directions (Polak-Ribiere) preconditioned by the diagonal Hessian; all else as diagonal Newton."""

    name: ClassVar[str] = "pscg"
    conjugate: ClassVar[bool] = True
