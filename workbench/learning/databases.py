"""The training databases as the oracle sees them: the states that weights let violate the most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.maxwalksat import MaxWalkSAT
from workbench.inference.solution import Engine
from workbench.learning.margin_cuts import Cut, Separation
from workbench.learning.margin_losses import MarginWorld
from workbench.learning.margin_settings import MarginSettings
from workbench.learning.separation import separate
from workbench.progress import Conduct


@dataclass
class Databases:
    """The databases, and a state of each from which the next search starts.

    `counts` takes in how often the oracle was asked, and the rows that sources gave.
    """

    learner: MarginSettings
    worlds: list[MarginWorld]
    conduct: Conduct
    states: list[Float | None]
    counts: Counter[str]

    def ask(self, weights: Float) -> list[Separation]:
        """What the learner's oracle finds at some weights; the next search starts there.

        Raises E0513 where relaxed states are needed and the oracle gives none.
        """
        augmented = np.append(weights, 1.0)
        found = self.separate(weights, lambda world: self.learner.oracle(world.network, augmented))
        if self.learner.cuts == "fractional" and any(
            separation.relaxed is None for separation in found
        ):
            engine = self.learner.oracle(self.worlds[0].network, augmented).name
            raise UsageError.of(
                "E0513",
                f"cuts=fractional needs relaxed states, which {engine} does not give with the "
                f"loss {self.learner.loss}",
                help="take cuts=auto, or the engine lp with the Hamming loss",
            )
        self.counts["oracle_calls"] += 1
        self.states = [separation.state for separation in found]
        return found

    def separate(self, weights: Float, engine: Callable[[MarginWorld], Engine]) -> list[Separation]:
        """Each database's most violated state, as its engine finds it."""

        def one(index: int) -> Separation:
            world, fractional = self.worlds[index], self.learner.cuts != "rounded"
            found = separate(
                world,
                weights,
                engine(world),
                self.conduct,
                start=self.states[index],
                fractional=fractional,
            )
            self._keep_grown(index, found)
            return found

        lazy = any(world.source is not None for world in self.worlds)  # sources share a connection
        if self.learner.workers < 2 or len(self.worlds) < 2 or lazy:
            return [one(index) for index in range(len(self.worlds))]
        # Each database's answer is its own affair, so threads change nothing but the time.
        with ThreadPoolExecutor(self.learner.workers) as pool:
            return list(pool.map(one, range(len(self.worlds))))

    def polished(self, found: list[Separation], weights: Float) -> list[Cut]:
        """The rounded states after a local search."""
        cuts = []
        for index, separation in enumerate(found):
            world = self.worlds[index]
            polished = separate(
                world, weights, MaxWalkSAT(), self.conduct.quiet, start=separation.state
            )
            self._keep_grown(index, polished)
            cuts.append(polished.rounded)
        return cuts

    def _keep_grown(self, index: int, found: Separation) -> None:
        """A source gives each row once: what one separation needed stays for the next."""
        world = self.worlds[index]
        if world.source is not None and found.network is not None:
            self.counts["lazy_rows"] += found.network.n_rows - world.network.n_rows
            self.worlds[index] = replace(world, network=found.network)
