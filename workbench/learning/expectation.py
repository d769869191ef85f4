"""What a training loop measures at some weights, and how samples measure it: expected
counts of all training worlds, from chains that go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from workbench.arrays import Float
from workbench.learning.chain import CountSamples
from workbench.learning.completion import MapStates
from workbench.learning.training import TrainingSet, hidden_part
from workbench.learning.unit_chain import chain_of
from workbench.network import potentials
from workbench.network.ground_network import Domain
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


@dataclass(frozen=True)
class Moments:
    """Samples of every world, and what the labels say.

    Attributes
    ----------
    samples : tuple of CountSamples
        Of the model, one a world.
    labelled : float64 array, shape (n_templates,)
        Summed potentials of the labels over the worlds, in expectation over hidden atoms.
    """

    samples: tuple[CountSamples, ...]
    labelled: Float

    @property
    def gradient(self) -> Float:
        """Gradient of the conditional log-likelihood: expected minus labelled potentials."""
        return np.asarray(sum(sample.mean for sample in self.samples) - self.labelled)

    @property
    def variance(self) -> Float:
        """Diagonal of the Hessian of the negative log-likelihood, shape (n_templates,)."""
        return np.asarray(sum(sample.variance for sample in self.samples))

    def hessian_product(self, direction: Float) -> Float:
        """Hessian of the negative log-likelihood times a direction."""
        return np.asarray(sum(sample.covariance_product(direction) for sample in self.samples))


class WorldChains:
    """One Gibbs chain a world, and a second one given the labels where atoms are hidden.

    Chains start at the labels, hidden atoms false (in soft logic at their most likely values), and
    keep their state between calls of `advance`.
    """

    def __init__(self, training: TrainingSet, conduct: Conduct) -> None:
        self._worlds = training.worlds
        self._free = [chain_of(world.network, conduct) for world in training.worlds]
        self._given = [
            chain_of(hidden_part(world), conduct) if world.hidden.any() else None
            for world in training.worlds
        ]
        self._starts = [world.complete() for world in training.worlds]
        # Lines through a state that breaks hard rows lead to no legal one.
        if training.domain is Domain.UNIT:
            states, weights = MapStates(None, conduct), training.given_weights()
            self._starts = [states.completed(world, weights, 0) for world in training.worlds]
        self.restart()

    def restart(self) -> None:
        """Put every chain back to the labels."""
        self.states, self._completions = list(self._starts), list(self._starts)

    def advance(self, weights: Float, *, sweeps: int, burn_in: int, seed: int) -> Moments:
        """Run every chain on, `burn_in` sweeps unseen and `sweeps` recorded."""
        samples, labelled = [], np.zeros_like(weights)
        for index, (world, chain, given) in enumerate(zip(self._worlds, self._free, self._given)):
            drawn = chain.run(
                weights,
                self.states[index],
                sweeps=sweeps,
                burn_in=burn_in,
                seed=seed * 2 * len(self._worlds) + 2 * index,
            )
            self.states[index] = drawn.state
            samples.append(drawn)
            if given is None:
                labelled += potentials(world.network, world.labels)
                continue
            hidden = np.where(world.hidden, self._completions[index], 0.0)
            filled = given.run(
                weights,
                hidden,
                sweeps=sweeps,
                burn_in=burn_in,
                seed=seed * 2 * len(self._worlds) + 2 * index + 1,
            )
            self._completions[index] = np.where(world.hidden, filled.state, world.labels)
            labelled += filled.mean
        return Moments(tuple(samples), labelled)
