"""MC-SAT: marginal probabilities by slice sampling over satisfying states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.inference.accepts import CLAUSES, Accepts, Declared
from workbench.inference.chains import Chain, begin_chains, hard_price, run_chains
from workbench.inference.mcsat_kernels import Slice, slice_step
from workbench.inference.propagation import propagate
from workbench.inference.sampling import answer, no_legal_state, refuse
from workbench.inference.solution import Solution, infeasible
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.layout import Layout, lay_out
from workbench.progress import SILENT, Progress

__all__ = ["MCSAT", "new_slice"]

SELDOM = 4
"""Samples from one slice to the next where sweeps alone get everywhere."""


@dataclass(frozen=True)
class MCSAT(Declared):
    """MC-SAT (Poon and Domingos 2006) with SampleSAT inside.

    A step keeps each clause that holds with probability `1 - exp(-w)`, and of each clause of negative weight that does
    not hold its negation, all literals false, with probability `1 - exp(-|w|)`; hard clauses always. What these force
    is propagated, and the next state is drawn from those that satisfy the rest. Blocks are moved inside.

    After each step come joint draws of small groups and a Gibbs sweep, which leave the network's distribution as it is
    too: where many rows bind one atom, nearly every step keeps some of them, and slices alone would hardly move. Where
    nothing is hard or heavy (`is_light`), the sweeps do the work: joint draws are left out, and three slices of four.

    The answer is the mean of the conditional probabilities over the samples (Rao-Blackwell); the raw frequencies are in
    `diagnostics["raw_probability"]`.

    Parameters
    ----------
    samples : int
        Recorded samples, over all chains.
    burn_in : int
        Unrecorded samples of each chain.
    chains : int
    search_steps : int
        Steps of SampleSAT from a random state before a sample falls back to the present one; 0 never leaves it.
    sweeps : int
        Sweeps among solutions after each search: they leave the uniform distribution over solutions as it is, and so
        undo SampleSAT's bias towards some of them.
    from_map : bool
        Start each chain where a short MaxWalkSAT search of its own ends, rather than where a sampler ends whose weights
        rise from nothing to their size (`cool`).
    """

    name: ClassVar[str] = "mcsat"
    task: ClassVar[Literal["map", "marginal"]] = "marginal"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: CLAUSES},
        suits="clauses, hard and strong ones above all; `auto`'s choice for the components that `exact` declines, "
        "the narrow ones staying exact",
    )

    samples: int = 1000
    burn_in: int = 50
    chains: int = 4
    search_steps: int = 2000
    sweeps: int = 2
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
        """Marginal probabilities. Chains start at `start`, or apart as `from_map` says.

        Raises
        ------
        UsageError
            E0421 where rows are no clauses.
        """
        refuse(self.declines(network, weights), self.name)
        layout = lay_out(network, weights, clauses=True)
        forced = propagate(layout, network)
        if forced.conflict is not None:
            return infeasible(self.name, network, forced.conflict, forced.conflict_blocks)
        layout = layout._replace(fixed=forced.fixed)
        starts, low = [start] * self.chains, self.from_map
        chains = begin_chains(
            network, layout, weights, starts, seed=seed, deadline=deadline, progress=progress, low=low
        )
        if chains is None:
            return no_legal_state(network, self.name, deadline)
        price, work = hard_price(layout), [new_slice(layout) for _ in chains]

        def stepper(chain: Chain, work: Slice) -> Callable[[int, bool], None]:
            probability, turns = np.zeros(layout.n_atoms), count()
            every = SELDOM if chain.light else 1

            def advance(batch: int, record: bool) -> None:
                if next(turns) % every == 0:
                    slice_step(
                        layout, work, chain.y, chain.ell, chain.block_true, chain.random, self.search_steps, self.sweeps
                    )
                probability[:] = 0.0
                chain.redraw(layout, price, probability)
                if record:
                    chain.record(batch, probability)

            return advance

        record = run_chains(
            layout,
            chains,
            [stepper(chain, own) for chain, own in zip(chains, work)],
            samples=self.samples,
            burn_in=self.burn_in,
            deadline=deadline,
            progress=progress,
            stage="mcsat",
        )
        solution = answer(record, self.name, self.chains, self.samples)
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
