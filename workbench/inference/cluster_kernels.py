"""Cluster swaps: blocks that hold together exchange two of their values as one.

Where users have one topic each and follow one another, a circle of them changes its topic together
or not at all. A cluster grows from a random block over rows that bind atoms at the same place of
two blocks, as Wolff (1989) grows it in a Potts model, and all its blocks exchange two places. What
the rest of the network says of it enters by Metropolis and Hastings' ratio, so any network's
distribution is left as it is, and a Potts model accepts every swap.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from workbench.arrays import Bool, Float, Int8, Int32, UInt64
from workbench.inference.joint_kernels import take
from workbench.inference.local_search import Moves, moves_of
from workbench.inference.random_numbers import below, uniform
from workbench.network.compiled import compiled
from workbench.network.layout import Layout

WIDE = 2
"""Clusters of any size tried in a sweep; two more for `SHARE` blocks have `SHARE` at most."""
SHARE = 64


class Cluster(NamedTuple):
    """Work space: the blocks of a cluster.

    Attributes
    ----------
    place : int32 array, shape (n_atoms,)
        Each atom's place in its block.
    members : int32 array, shape (n_blocks,)
    inside : bool array, shape (n_blocks,)
    """

    place: Int32
    members: Int32
    inside: Bool


def new_cluster(layout: Layout) -> Cluster:
    """Work space for clusters on a layout."""
    n_blocks = layout.block_kind.size
    place = np.zeros(layout.n_atoms, np.int32)
    sizes = np.diff(layout.block_ptr)
    place[layout.block_atom] = np.arange(layout.block_atom.size) - np.repeat(
        layout.block_ptr[:-1], sizes
    )
    return Cluster(place, np.zeros(n_blocks, np.int32), np.zeros(n_blocks, np.bool_))


@compiled
def _look(
    layout: Layout,
    work: Cluster,
    block: int,
    a: int,
    b: int,
    n: int,
    price: Float,
    true: Int32,
    random: UInt64,
) -> tuple[int, float]:
    """Look over the bonds of a cluster's block: grow by them, or with `n` of 0 say what is cut.

    A bond is a row with atoms at place `a`, or both at `b`, of two blocks. It takes its other block
    along with probability `1 - exp(-|price| / 2)` where both blocks stand at one of the places, the
    same: for each pair in a Potts model there is a row at either place. Returns the number of
    blocks, and the price of the bonds from the cluster that hold now less that of those that hold
    after the swap.
    """
    place, members, inside = work.place, work.members, work.inside
    atom_ptr, atom_row, row_ptr = layout.atom_ptr, layout.atom_row, layout.row_ptr
    row_atom = layout.row_atom
    block_of, first = layout.block_of, layout.block_ptr[block]
    cut = 0.0
    for turn in range(2):
        at = b if turn else a
        atom = layout.block_atom[first + at]
        for k in range(atom_ptr[atom], atom_ptr[atom + 1]):
            row = atom_row[k]
            for i in range(row_ptr[row], row_ptr[row + 1]):
                other = block_of[row_atom[i]]
                if other < 0 or place[row_atom[i]] != at or inside[other] or true[other] < 0:
                    continue
                stands = place[true[other]]
                if stands != a and stands != b:
                    continue
                bond = 0.5 * abs(price[row])
                same = stands == place[true[block]]
                if n == 0:
                    cut += bond if same else -bond
                elif same and uniform(random) < -math.expm1(-bond):
                    members[n] = other
                    inside[other] = True
                    n += 1
    return n, cut


@compiled
def _swap(
    layout: Layout,
    work: Cluster,
    n: int,
    a: int,
    b: int,
    y: Int8,
    ell: Float,
    true: Int32,
    moves: Moves,
) -> float:
    """Let `n` blocks exchange two places; returns how the energy changes."""
    total = 0.0
    for i in range(n):
        block = work.members[i]
        first = layout.block_ptr[block]
        new = layout.block_atom[first + (b if work.place[true[block]] == a else a)]
        total += take(new, new, block, y, ell, true, moves)
    return total


@compiled
def _movable(layout: Layout, block: int, a: int, b: int) -> bool:
    first, size = layout.block_ptr[block], layout.block_ptr[block + 1] - layout.block_ptr[block]
    if max(a, b) >= size:
        return False
    return bool(
        layout.fixed[layout.block_atom[first + a]] < 0
        and layout.fixed[layout.block_atom[first + b]] < 0
    )


@compiled
def cluster_sweep(
    layout: Layout, work: Cluster, price: Float, y: Int8, ell: Float, true: Int32, random: UInt64
) -> None:
    """Try to let clusters of blocks, grown from random ones, exchange two places each."""
    members, inside, place, moves = work.members, work.inside, work.place, moves_of(layout, price)
    for number in range(WIDE + 2 * (true.size // SHARE) if true.size else 0):
        seed = below(random, true.size)
        size = layout.block_ptr[seed + 1] - layout.block_ptr[seed]
        if true[seed] < 0 or size < 2:
            continue
        a = int(place[true[seed]])
        b = below(random, size - 1)
        if b >= a:
            b += 1
        # Grow: a queue of blocks whose bonds are still to be looked over.
        members[0] = seed
        inside[seed] = True
        n = 1
        looked = 0
        most = true.size if number < WIDE else SHARE
        legal = True
        while looked < n and legal:
            legal = n <= most and _movable(layout, members[looked], a, b)
            if legal:
                n, _ = _look(layout, work, members[looked], a, b, n, price, true, random)
            looked += 1
        # Swap all of them, and back where the rest of the network has too much against it.
        if legal:
            gain = 0.0
            for i in range(n):
                gain += _look(layout, work, members[i], a, b, 0, price, true, random)[1]
            gain -= _swap(layout, work, n, a, b, y, ell, true, moves)
            if gain < 0.0 and uniform(random) >= math.exp(gain):
                _swap(layout, work, n, a, b, y, ell, true, moves)
        for i in range(n):
            inside[members[i]] = False
