"""Gibbs sampling of a discrete network, blocks drawn as wholes and small groups jointly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.inference.accepts import ALL, Accepts, Declared
from workbench.inference.chains import Chain, begin_chains, hard_price, run_chains
from workbench.inference.propagation import propagate
from workbench.inference.sampling import answer, no_legal_state
from workbench.inference.solution import Solution, infeasible
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.layout import lay_out
from workbench.progress import SILENT, Progress

__all__ = ["Gibbs"]


@dataclass(frozen=True)
class Gibbs(Declared):
    """Sweeps over all atoms, each redrawn given the rest; members of a `!` or `?` block are redrawn together.

    Where rows are hard or heavy some small groups of atoms and blocks that share rows are redrawn jointly before each
    sweep, so that chains pass where single moves would break a hard row, as when two blocks must swap their values.

    The answer is the mean of the conditional probabilities over the sweeps (Rao-Blackwell); the raw frequencies are in
    `diagnostics["raw_probability"]`. Any row is allowed, clause or not. Moves that break a hard row have probability
    0: where hard rows leave states that no move of a small group joins, chains cannot meet, and R-hat tells.

    Parameters
    ----------
    samples : int
        Recorded sweeps, over all chains.
    burn_in : int
        Unrecorded sweeps of each chain.
    chains : int
    from_map : bool
        Start each chain where a MaxWalkSAT search of its own ends (Singla and Domingos 2005), rather than where sweeps
        end whose weights rise from nothing to their size.
    """

    name: ClassVar[str] = "gibbs"
    task: ClassVar[Literal["map", "marginal"]] = "marginal"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: ALL},
        suits="rows that are no clauses; weak weights",
    )

    samples: int = 2000
    burn_in: int = 100
    chains: int = 4
    from_map: bool = False

    def solve(
        self,
        network: GroundNetwork,
        weights: Float,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
        start: Float | None = None,
    ) -> Solution:
        """Marginal probabilities. `start` is where all chains begin; it should keep the hard rows."""
        layout = lay_out(network, weights)
        forced = propagate(layout, network)
        if forced.conflict is not None:
            return infeasible(self.name, network, forced.conflict, forced.conflict_blocks)
        layout = layout._replace(fixed=forced.fixed)
        price = hard_price(layout)
        starts, low = [start] * self.chains, self.from_map
        chains = begin_chains(
            network, layout, weights, starts, seed=seed, deadline=deadline, progress=progress, low=low
        )
        if chains is None:
            return no_legal_state(network, self.name, deadline)

        def stepper(chain: Chain) -> Callable[[int, bool], None]:
            probability = np.zeros(layout.n_atoms)

            def advance(batch: int, record: bool) -> None:
                probability[:] = 0.0
                chain.redraw(layout, price, probability)
                if record:
                    chain.record(batch, probability)

            return advance

        record = run_chains(
            layout,
            chains,
            [stepper(chain) for chain in chains],
            samples=self.samples,
            burn_in=self.burn_in,
            deadline=deadline,
            progress=progress,
            stage="gibbs",
        )
        return answer(record, self.name, self.chains, self.samples)
