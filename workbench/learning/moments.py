"""Expected counts of all training worlds at given weights, from chains that go on."""

from __future__ import annotations

from dataclasses import dataclass

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
