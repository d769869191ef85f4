"""The most likely states inside learning: of a network, and of hidden atoms given the labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from workbench.arrays import Float
from workbench.errors import InfeasibleError
from workbench.inference.admm import ADMM
from workbench.inference.convex_choice import convex_engine
from workbench.inference.pdhg import PDHG
from workbench.inference.reweighed import Reweighed
from workbench.inference.solution import Engine, Solution, Status
from workbench.learning.training import TrainingWorld, default_map_engine, hidden_part
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.progress import Conduct

MostLikely = Callable[[Float, int, Float | None], Float]
"""From weights, a seed and a state to begin with to the MAP state."""


@dataclass(frozen=True)
class MapStates:
    """The MAP inference inside learning: by which engine, how exactly, until when.

    Attributes
    ----------
    engine : Engine or None
        None takes MaxWalkSAT for Markov logic, the convex engine that suits the network for soft
        logic.
    conduct : Conduct
        Of its progress only the cancel event reaches the engine.
    tolerance : float
        Relative gap of the convex engine.
    """

    engine: Engine | None
    conduct: Conduct
    tolerance: float = 1e-3

    def most_likely(
        self, network: GroundNetwork, weights: Float, seed: int, start: Float | None = None
    ) -> Float:
        """The MAP state, shape (n_atoms,); E0404 where the hard rows admit no state."""
        engine = self.engine or self._suited(network, weights)
        return _values(engine.infer(network, weights, self._quietly(seed), start))

    def again_and_again(self, network: GroundNetwork, weights: Float) -> MostLikely:
        """`most_likely` of one network as its weights change, `weights` to begin with."""
        engine = self.engine or self._suited(network, weights)
        if isinstance(engine, ADMM | PDHG):
            run = Reweighed(engine, network)
            return lambda at, seed, start: _values(run.infer(at, self._quietly(seed), start))
        return lambda at, seed, start: self.most_likely(network, at, seed, start)

    def _quietly(self, seed: int) -> Conduct:
        return replace(self.conduct.quiet, seed=seed)

    def completed(self, world: TrainingWorld, weights: Float, seed: int) -> Float:
        """The labels, hidden atoms as they are most likely given them; shape (n_atoms,)."""
        if not world.hidden.any():
            return world.labels
        return world.complete(self.most_likely(hidden_part(world), weights, seed))

    def _suited(self, network: GroundNetwork, weights: Float) -> Engine:
        if network.domain is Domain.UNIT:
            return convex_engine(network, weights, tolerance=self.tolerance)
        return default_map_engine()


def _values(answer: Solution) -> Float:
    if answer.status is Status.INFEASIBLE:
        raise InfeasibleError.of(
            "E0404", "the hard rules and the evidence of a training database admit no state"
        )
    return answer.values
