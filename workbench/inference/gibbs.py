"""Gibbs sampling of a discrete network, blocks drawn as wholes and small groups jointly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from workbench.arrays import Float
from workbench.inference.accepts import ALL, Accepts
from workbench.inference.sampling import sample
from workbench.inference.solution import Engine, Solution
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.layout import lay_out
from workbench.parameters import Count
from workbench.progress import Conduct


@dataclass(frozen=True)
class Gibbs(Engine):
    """Sweeps over all atoms, each redrawn given the rest; a `!` or `?` block is redrawn whole.

    Where rows are hard or heavy some small groups of atoms and blocks that share rows are redrawn
    jointly before each sweep, so that chains pass where single moves would break a hard row, as
    when two blocks must swap their values.

    The answer is the mean of the conditional probabilities over the sweeps (Rao-Blackwell); the raw
    frequencies are in `diagnostics["raw_probability"]`. Any row is allowed, clause or not. Moves
    that break a hard row have probability 0: where hard rows leave states that no move of a small
    group joins, chains cannot meet, and R-hat tells.

    Parameters
    ----------
    samples : int
        Recorded sweeps, over all chains.
    burn_in : int
        Unrecorded sweeps of each chain.
    chains : int
    from_map : bool
        Start each chain where a MaxWalkSAT search of its own ends (Singla and Domingos 2005),
        rather than where sweeps end whose weights rise from nothing to their size.
    """

    name: ClassVar[str] = "gibbs"
    task: ClassVar[Literal["map", "marginal"]] = "marginal"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: ALL},
        suits="rows that are no clauses; weak weights",
    )

    samples: Count = 2000
    burn_in: int = 100
    chains: Count = 4
    from_map: bool = False

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Marginal probabilities. `start` is where chains begin; it should keep the hard rows."""
        return sample(self, network, weights, lay_out(network, weights), conduct, start)
