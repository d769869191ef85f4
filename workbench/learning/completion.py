"""The most likely states inside learning: of a network, and of hidden atoms given the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.arrays import Float
from workbench.errors import InfeasibleError
from workbench.inference.convex_choice import convex_engine
from workbench.inference.solution import Engine, Status
from workbench.learning.training import TrainingWorld, default_map_engine, hidden_part
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.progress import Conduct

__all__ = ["MapStates"]


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
        """The MAP state, shape (n_atoms,).

        Raises
        ------
        InfeasibleError
            E0404, where the hard rows admit no state.
        """
        engine = self.engine or self._suited(network, weights)
        answer = engine.infer(network, weights, replace(self.conduct.quiet, seed=seed), start)
        if answer.status is Status.INFEASIBLE:
            raise InfeasibleError.of(
                "E0404", "the hard rules and the evidence of a training database admit no state"
            )
        return answer.values

    def completed(self, world: TrainingWorld, weights: Float, seed: int) -> Float:
        """The labels, hidden atoms as they are most likely given them; shape (n_atoms,)."""
        if not world.hidden.any():
            return world.labels
        return world.complete(self.most_likely(hidden_part(world), weights, seed))

    def _suited(self, network: GroundNetwork, weights: Float) -> Engine:
        if network.domain is Domain.UNIT:
            return convex_engine(network, weights, tolerance=self.tolerance)
        return default_map_engine()
