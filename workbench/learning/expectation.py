"""What a training loop measures at some weights, and how samples measure it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from workbench.arrays import Float
from workbench.learning.moments import Moments, WorldChains
from workbench.learning.training import TrainingSet
from workbench.progress import Conduct


@dataclass(frozen=True)
class Measured:
    """What an expectation says of the likelihood at some weights.

    Attributes
    ----------
    slope : float64 array, shape (n_templates,)
        Expected less labelled potentials: the gradient of the log-likelihood; 0 where none is told.
    figures : mapping of str to float
        More columns of the trace, such as `objective`.
    moments : Moments or None
        Samples, for steps that want the curvature.
    """

    slope: Float
    figures: Mapping[str, float] = field(default_factory=dict)
    moments: Moments | None = None


class Expectation(Protocol):
    """Expected potentials of all training worlds: by likely states, samples, integrals."""

    def measure(self, weights: Float, iteration: int) -> Measured:
        """At `weights`, in the given iteration, which says where random numbers start."""
        ...


class SampledCounts:
    """By Gibbs chains that go on from iteration to iteration, or start each time at the labels."""

    def __init__(
        self,
        training: TrainingSet,
        sweeps: int,
        burn_in: int,
        conduct: Conduct,
        *,
        restart: bool = False,
    ) -> None:
        self._chains = WorldChains(training, conduct)
        self._sweeps, self._burn_in, self._seed = sweeps, burn_in, conduct.seed
        self._restart = restart

    def measure(self, weights: Float, iteration: int) -> Measured:
        """`burn_in + sweeps` sweeps a world, twice where atoms are hidden."""
        if self._restart:
            self._chains.restart()
        moments = self._chains.advance(
            weights, sweeps=self._sweeps, burn_in=self._burn_in, seed=self._seed + iteration
        )
        return Measured(moments.gradient, moments=moments)
