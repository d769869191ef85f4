"""MC-SAT: marginal probabilities by slice sampling over satisfying states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.inference.accepts import CLAUSES, Accepts
from workbench.inference.chains import Chain
from workbench.inference.mcsat_kernels import slice_step
from workbench.inference.sample_sat import Slice
from workbench.inference.sampling import refuse, sample
from workbench.inference.solution import Engine, Solution
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.layout import Layout, lay_out
from workbench.parameters import Count
from workbench.progress import Conduct

SELDOM = 4
"""Samples from one slice to the next where sweeps alone get everywhere."""


@dataclass(frozen=True)
class MCSAT(Engine):
    """MC-SAT (Poon and Domingos 2006) with SampleSAT inside.

    A step keeps each clause that holds with probability `1 - exp(-w)`, and of each clause of
    negative weight that does not hold its negation, all literals false, with probability `1 -
    exp(-|w|)`; hard clauses always. What these force is propagated, and the next state is drawn
    from those that satisfy the rest. Blocks are moved inside.

    After each step come joint draws of small groups and a Gibbs sweep, which leave the network's
    distribution as it is too: where many rows bind one atom, nearly every step keeps some of them,
    and slices alone would hardly move. Where nothing is hard or heavy (`is_light`), the sweeps do
    the work: joint draws are left out, and three slices of four.

    The answer is the mean of the conditional probabilities over the samples (Rao-Blackwell); the
    raw frequencies are in `diagnostics["raw_probability"]`.

    Parameters
    ----------
    samples : int
        Recorded samples, over all chains.
    burn_in : int
        Unrecorded samples of each chain.
    chains : int
    search_steps : int
        Steps of SampleSAT from a random state before a sample falls back to the present one; 0
        never leaves it.
    sweeps : int
        Sweeps among solutions after each search: they leave the uniform distribution over solutions
        as it is, and so undo SampleSAT's bias towards some of them.
    from_map : bool
        Start each chain where a short MaxWalkSAT search of its own ends, rather than where a
        sampler ends whose weights rise from nothing to their size (`cool`).
    """

    name: ClassVar[str] = "mcsat"
    task: ClassVar[Literal["map", "marginal"]] = "marginal"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: CLAUSES},
        suits="clauses, hard and strong ones above all; `auto`'s choice for the components that "
        "`exact` declines, the narrow ones staying exact",
    )

    samples: Count = 1000
    burn_in: int = 50
    chains: Count = 4
    search_steps: int = 2000
    sweeps: int = 2
    from_map: bool = False

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Marginal probabilities. Chains start at `start`, or apart as `from_map` says.

        Raises E0421 where rows are no clauses.
        """
        refuse(self.declines(network, weights), self.name)
        layout = lay_out(network, weights, clauses=True)
        work: list[Slice] = []

        def slices(settled: Layout, chain: Chain) -> Callable[[], None]:
            own, turns = new_slice(settled), count()
            work.append(own)
            every = SELDOM if chain.light else 1

            def step() -> None:
                if next(turns) % every == 0:
                    state = chain.y, chain.ell, chain.block_true, chain.random
                    slice_step(settled, own, *state, self.search_steps, self.sweeps)

            return step

        solution = sample(self, network, weights, layout, conduct, start, before=slices)
        if not work:
            return solution
        totals = np.sum([own.figures for own in work], axis=0).tolist()
        figures = dict(zip(("steps", "failed_searches", "flips"), totals))
        return replace(solution, diagnostics={**solution.diagnostics, **figures})


def new_slice(layout: Layout) -> Slice:
    """Work space for steps on a layout."""
    n_atoms, n_rows = layout.n_atoms, layout.n_rows
    return Slice(
        keep_row=-np.expm1(-np.abs(layout.weight)),
        keep_atom=-np.expm1(-np.abs(layout.field)),
        active=np.zeros(n_rows, np.int8),
        open_literals=np.zeros(n_rows, np.int32),
        fixed=np.zeros(n_atoms, np.int8),
        queue=np.zeros(n_atoms, np.int32),
        free=np.zeros(n_atoms, np.int32),
        violated=np.zeros(n_rows, np.int32),
        place=np.full(n_rows, -1, np.int32),
        old=np.zeros(n_atoms, np.int8),
        figures=np.zeros(3, np.int64),
    )
