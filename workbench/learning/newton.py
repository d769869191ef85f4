"""Diagonal Newton and scaled conjugate gradient, Hessians sampled (Lowd and Domingos 2007)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.learning.expectation import Measured, SampledCounts
from workbench.learning.learner import Declaration, LearnedWeights, Learner
from workbench.learning.loop import stages
from workbench.learning.starts import initial_weights
from workbench.learning.training import TrainingSet
from workbench.network.ground_network import Domain
from workbench.parameters import Count, PositiveOrInfinite
from workbench.progress import PLAIN, Conduct


@dataclass(frozen=True)
class DiagonalNewton(Learner):
    """Steps along the gradient divided by the diagonal Hessian, their length from the full Hessian.

    The length is `d.g / (d.H d + damping d.d)`. The damping halves when the improvement came out as
    predicted, grows fourfold when it fell short, and a step that made things worse is taken back
    (the improvement is measured as the step times the mean of the gradients at its ends). The
    answer is the last accepted weights.

    Parameters
    ----------
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
    declares: ClassVar[Declaration] = Declaration(
        maximises="conditional likelihood along Newton directions, Hessian from samples",
        iteration="`burn_in + sweeps` sweeps a world",
        when="clauses of very different frequency",
        default=((Domain.BOOLEAN, True),),
    )
    conjugate: ClassVar[bool] = False
    iterations: int = 100
    sweeps: Count = 50
    burn_in: int = 5
    damping: float = 1.0
    prior_sd: PositiveOrInfinite = 10.0
    tolerance: float = 1e-7
    start: str = "given"

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. `burn_in + sweeps` sweeps a world and iteration; Hessian products are cheap."""
        return next(self.path(training, (self.iterations,), conduct))

    def path(
        self, training: TrainingSet, stops: Sequence[int], conduct: Conduct = PLAIN
    ) -> Iterator[LearnedWeights]:
        """What `fit` answers with each number of iterations in `stops`, ascending, in one run."""
        start = initial_weights(training, self.start)
        atoms = max(1, sum(world.labels.size for world in training.worlds))
        step = _Newton(
            start, self.damping, self.tolerance * atoms, self.prior_sd**-2, self.conjugate
        )
        yield from stages(
            training,
            SampledCounts(training, self.sweeps, self.burn_in, conduct),
            step,
            start,
            name=self.name,
            # The last step taken is measured, to be accepted or not.
            iterations=[stop + 1 for stop in stops],
            prior_sd=self.prior_sd,
            conduct=conduct,
        )


@dataclass(frozen=True)
class PreconditionedConjugateGradient(DiagonalNewton):
    """Conjugate directions (Polak-Ribiere), preconditioned by the Hessian's diagonal."""

    name: ClassVar[str] = "pscg"
    declares: ClassVar[Declaration] = Declaration(
        maximises="conditional likelihood along conjugate directions, Hessian from samples",
        iteration="`burn_in + sweeps` sweeps a world",
        when="as `diagonal_newton`; the papers' discriminative learner",
    )
    conjugate: ClassVar[bool] = True


ASCENT = 0.1
"""A direction conjugate to the last is taken if it ascends by this share of Newton's own."""


class _Newton:
    """The accepted weights with what was measured there, the last direction, and the damping."""

    def __init__(
        self, start: Float, damping: float, tolerance: float, precision: float, conjugate: bool
    ) -> None:
        self._weights, self._damping, self._tolerance = start, damping, tolerance
        self._precision, self._conjugate = precision, conjugate
        self._at: Measured | None = None
        self._previous = self._direction = np.zeros_like(start)
        self._predicted = self._size = 0.0

    def advance(self, weights: Float, measured: Measured) -> Float | None:
        """Accept or take back the step that led here, and take the next from accepted weights."""
        if self._at is None or self._improved(weights - self._weights, self._at, measured):
            self._previous = self._previous if self._at is None else self._at.slope
            self._weights, self._at = weights, measured
        else:
            self._direction = np.zeros_like(weights)
        return self._proposed(self._at)

    def answer(self) -> Float:
        return self._weights

    def figures(self) -> Mapping[str, float]:
        return {"damping": self._damping, "step": self._size}

    def _improved(self, move: Float, before: Measured, after: Measured) -> bool:
        """Whether the step may stay; the damping follows how well its improvement was predicted."""
        actual = float(move @ (before.slope + after.slope)) / 2
        if actual > 0.75 * self._predicted:
            self._damping /= 2
        elif actual < 0.25 * self._predicted:
            self._damping *= 4
        return actual >= -0.1 * self._predicted

    def _proposed(self, at: Measured) -> Float | None:
        assert at.moments is not None
        direction = self._direction = self._turned(at)
        bend = at.moments.hessian_product(direction) + self._precision * direction
        damped = float(direction @ bend + self._damping * (direction @ direction))
        size = self._size = float(direction @ at.slope) / max(damped, 1e-12)
        move = size * direction
        self._predicted = float(move @ at.slope) - size * size * float(direction @ bend) / 2
        return None if self._predicted < self._tolerance else self._weights + move

    def _turned(self, at: Measured) -> Float:
        """Newton's direction by the diagonal, or conjugate to the last while that ascends well."""
        assert at.moments is not None
        curvature = np.maximum(at.moments.variance + self._precision, 1e-3)
        scaled, direction, slope = at.slope / curvature, self._direction, at.slope
        if not self._conjugate:
            return scaled
        if direction.any():
            along = float(self._previous @ (self._previous / curvature))
            turned = max(0.0, float(scaled @ (slope - self._previous)) / max(along, 1e-12))
            direction = scaled + turned * direction
        # One nearly across the slope promises nothing, which is not to have arrived.
        return direction if direction @ slope > ASCENT * (scaled @ slope) else scaled
