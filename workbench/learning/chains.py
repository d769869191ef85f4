"""The Gibbs chain that a network's domain asks for."""

from __future__ import annotations

from typing import Protocol

from workbench.arrays import Float
from workbench.learning.chain import CountSamples, GibbsChain
from workbench.learning.unit_chain import UnitChain
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.progress import Conduct

__all__ = ["Chain", "chain_of"]


class Chain(Protocol):
    """Gibbs sampling on one network, laid out once and run at many weights."""

    def run(self, weights: Float, state: Float, *, sweeps: int, burn_in: int = 0, seed: int = 0) -> CountSamples:
        """Sample `sweeps` states after `burn_in` sweeps, starting at `state`."""
        ...


def chain_of(network: GroundNetwork, conduct: Conduct) -> Chain:
    """Over the states of 0 and 1, or over all of [0, 1]; its sweeps hear a cancel and the deadline."""
    return UnitChain(network, conduct) if network.domain is Domain.UNIT else GibbsChain(network, conduct)
