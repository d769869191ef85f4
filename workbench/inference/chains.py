"""Several Markov chains over one network: starting states, recording, and how well they agree."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from time import perf_counter

import numpy as np

from workbench.arrays import Float, Float32, Int8, Int32, Int64, UInt64
from workbench.errors import Cancelled
from workbench.inference.chain_record import BATCHES, Record, summarised
from workbench.inference.cluster_kernels import Cluster, cluster_sweep, new_cluster
from workbench.inference.gibbs_kernels import room_for_block, row_values, sweep, true_members
from workbench.inference.joint_kernels import Group, joint_sweep, new_group
from workbench.inference.maxwalksat import MaxWalkSAT
from workbench.inference.random_numbers import stream
from workbench.inference.watched import side_by_side, stop_flag
from workbench.network.energy import hard_violation
from workbench.network.ground_network import GroundNetwork, Relation
from workbench.network.layout import SQUARED, Layout
from workbench.progress import Conduct

CERTAIN = 1000.0
"""An energy difference against which no draw is ever made: exp(-1000) is 0."""
HEAVY = 3.0
"""The weight of a row beyond which joint draws are made: its broken states stay for long."""
COOLING, SWEEPS = 1_000_000, (20, 400)
"""Entries that a cooled start looks at, about, and the least and most sweeps that it makes."""
ATTENTION = 0.02
"""Seconds between two looks at the deadline and the cancel, where steps are shorter."""


@dataclass
class Chain:
    """One chain's state, in the layout's order, and its sums by batch of successive samples.

    Attributes
    ----------
    y : int8 array, shape (n_atoms,); ell : float64 array, shape (n_rows,)
    block_true : int32 array, or None
        See `true_members`.
    random : uint64 array, shape (2,)
    cost : float64 array
        See `room_for_block`.
    cluster : Cluster
        Work space of joint draws and of cluster swaps.
    hits, soft : float32 arrays, shape (BATCHES, n_atoms)
        Summed states, and summed conditional probabilities, of the samples of each batch.
    squares : float64 array, shape (2, n_atoms)
        Summed squares of the conditional probabilities in the first and the second half.
    light : bool
        See `is_light`.
    sizes : int64 array, shape (BATCHES,)
    """

    y: Int8
    ell: Float
    block_true: Int32 | None
    random: UInt64
    cost: Float
    group: Group
    cluster: Cluster
    hits: Float32
    soft: Float32
    squares: Float
    light: bool
    sizes: Int64 = field(default_factory=lambda: np.zeros(BATCHES, np.int64))
    counting: Lock = field(default_factory=Lock)
    open: bool = True

    def redraw(self, layout: Layout, price: Float, probability: Float) -> None:
        """A Gibbs sweep, after joint draws and swaps of clusters where single moves may freeze.

        `probability` gains the conditional probabilities met.
        """
        if not self.light:
            joint_sweep(layout, self.group, price, self.y, self.ell, self.block_true, self.random)
            if self.block_true is not None:
                cluster_sweep(
                    layout, self.cluster, price, self.y, self.ell, self.block_true, self.random
                )
        sweep(layout, price, self.y, self.ell, self.block_true, self.cost, probability, self.random)

    def record(self, batch: int, probability: Float) -> None:
        """Count the present state and its conditionals, (n_atoms,), unless `close` was called."""
        with self.counting:
            if self.open:
                self.hits[batch] += self.y
                self.soft[batch] += probability
                self.squares[2 * batch // BATCHES] += probability**2
                self.sizes[batch] += 1

    def close(self) -> None:
        """The sums stay as they are, even where a step that did not stop in time goes on."""
        with self.counting:
            self.open = False


def new_chain(layout: Layout, state: Float, seed: int, number: int) -> Chain:
    """A chain at `state`, shape (n_atoms,) in the network's order."""
    y = (layout.reduce(state) >= 0.5).astype(np.int8)
    ell, block_true = row_values(layout, y), true_members(layout, y)
    hits, soft = np.zeros((2, BATCHES, layout.n_atoms), np.float32)
    squares, random = np.zeros((2, layout.n_atoms)), stream(seed, number + 1)
    room = room_for_block(layout), new_group(layout), new_cluster(layout)
    return Chain(y, ell, block_true, random, *room, hits, soft, squares, is_light(layout))


def is_light(layout: Layout) -> bool:
    """Whether single moves get everywhere soon: no hard rows, no blocks, no row heavier than 3.

    Joint draws and slices are for what holds atoms together; here they would cost more than the
    sweeps themselves.
    """
    soft = bool(np.all((layout.kind == Relation.HINGE) | (layout.kind == SQUARED)))
    return (
        soft
        and not layout.block_kind.size
        and float(np.abs(layout.weight).max(initial=0.0)) <= HEAVY
    )


def cool(layout: Layout, chain: Chain, price: Float, conduct: Conduct) -> None:
    """Bring a chain from a random state to where it belongs, by sweeps at rising weights.

    A chain that begins at a local minimum of heavy weights stays there. Small networks get more
    sweeps, for they cost nothing; hard rows are kept throughout.
    """
    hard = (layout.kind == Relation.AT_MOST) | (layout.kind == Relation.EQUAL)
    entries = layout.row_atom.size + layout.n_atoms
    sweeps = int(np.clip(COOLING // max(entries, 1), *SWEEPS))
    nothing = np.zeros(layout.n_atoms)
    for done in range(1, sweeps):
        if conduct.expired or conduct.progress.cancelled:
            return
        share = done / sweeps
        chain.redraw(
            layout._replace(field=share * layout.field),
            np.where(hard, price, share * price),
            nothing,
        )


def hard_price(layout: Layout) -> Float:
    """Soft rows' effective weights; of hard ones more than soft rows can gain; (n_rows,).

    No larger than it must be: the soft part of a move that mends a hard row is read off the
    difference.
    """
    hard = (layout.kind == Relation.AT_MOST) | (layout.kind == Relation.EQUAL)
    reach = np.abs(layout.b) + np.add.reduceat(
        np.append(np.abs(layout.row_coefficient), 0.0), layout.row_ptr[:-1]
    )
    worst = np.abs(layout.weight) * np.maximum(reach, reach**2)
    owner = np.repeat(np.arange(layout.n_atoms), np.diff(layout.atom_ptr))
    influence = np.bincount(owner, worst[layout.atom_row], layout.n_atoms) + np.abs(layout.field)
    return np.where(hard, CERTAIN + 4.0 * influence.max(initial=0.0), layout.weight)


def legal_state(
    network: GroundNetwork, weights: Float, conduct: Conduct, *, low: bool = True
) -> Float | None:
    """A state that keeps hard rows and blocks, by MaxWalkSAT; None when none was found.

    With `low` one of low energy, where a short search from a random state ends, in an eighth of the
    time left; otherwise any. A search that ends at a broken hard row is followed by one for hard
    rows alone.
    """
    start = (np.random.default_rng([conduct.seed, 7]).random(network.n_atoms) < 0.5).astype(
        np.float64
    )
    if not low and not np.any(network.relation != Relation.HINGE) and not network.blocks.n_blocks:
        return start
    short = replace(conduct, deadline=conduct.share(1 / 8))
    searches = [(MaxWalkSAT(flips_per_atom=50, tries=1), weights, short)] if low else []
    for search, pull, within in [*searches, (MaxWalkSAT(tries=3), np.zeros_like(weights), conduct)]:
        found = search.infer(network, pull, within, start).values
        if not np.isnan(found).any() and not hard_violation(network, found):
            return found
    return None


def begin_chains(
    network: GroundNetwork,
    layout: Layout,
    weights: Float,
    starts: Sequence[Float | None],
    conduct: Conduct,
    *,
    low: bool,
) -> list[Chain] | None:
    """A chain for each of `starts`, there or, where it is None, at a legal state of its own.

    None where no state that keeps the hard rows was found. For `low` see `legal_state`; without it
    chains that have no start of their own are cooled.
    """
    chains, price = [], hard_price(layout)
    for number, start in enumerate(starts):
        state = start
        if state is None:
            own = replace(conduct, seed=conduct.seed + 1000 * number)
            state = legal_state(network, weights, own, low=low)
        if state is None:
            return None
        chains.append(new_chain(layout, state, conduct.seed, number))
        if start is None and not low:
            cool(layout, chains[-1], price, conduct)
    return chains


def run_chains(
    layout: Layout,
    chains: Sequence[Chain],
    advances: Sequence[Callable[[int, bool], None]],
    *,
    samples: int,
    burn_in: int,
    conduct: Conduct,
    stage: str,
) -> Record:
    """Advance all chains, each in a thread: `burn_in` steps each, then `samples` in all.

    `advances[i](batch, record)` makes one step of chain `i` and shares nothing with the others, so
    that what a chain sees does not depend on the number of threads. The deadline and a cancel stop
    between steps.
    """
    each = max(1, -(-samples // len(chains)))

    stop = stop_flag()

    def stretch(number: int, first: int, last: int) -> None:
        for step in range(first, last):
            if stop[0]:
                return
            recorded = step >= burn_in
            batch = (step - burn_in) * BATCHES // each if recorded else 0
            advances[number](batch, recorded)

    stopped, done, length = "", 0, 1
    try:
        while done < burn_in + each:
            conduct.progress.step(stage, done * len(chains), (burn_in + each) * len(chains))
            conduct.look()
            begun, ahead = perf_counter(), min(done + length, burn_in + each)
            stretches = [partial(stretch, number, done, ahead) for number in range(len(chains))]
            side_by_side(stop, conduct, stretches, threads=os.cpu_count())
            done = ahead
            length = 2 * length if perf_counter() - begun < ATTENTION else max(1, length // 2)
    except Cancelled:
        stopped = conduct.stopped
    for chain in chains:
        chain.close()
    soft, hits = (
        np.array([getattr(chain, name) for chain in chains], np.float64)
        for name in ("soft", "hits")
    )
    squares = np.array([chain.squares for chain in chains])
    sizes = np.array([chain.sizes for chain in chains])
    return summarised(layout, soft, hits, squares, sizes, stopped)
