"""A state under local search, with its unsatisfied items and best states, all by component."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int8, Int32, Int64, UInt64
from workbench.inference.watched import stop_flag
from workbench.network.ground_network import Relation
from workbench.network.layout import SQUARED, Layout


class Search(NamedTuple):
    """A state under search, everything by component.

    Attributes
    ----------
    y : int8 array, shape (n_atoms,)
    ell : float64 array, shape (n_rows,)
    block_true : int32 array, shape (n_blocks,), or None
        The true member of each block, or -1; see `gibbs_kernels.true_members`.
    change : float64 array, shape (n_atoms,)
        How the cost changes if the atom alone flips, kept up to date by `flip`.
    price : float64 array, shape (n_rows,)
        The effective weight of a soft row; what a violated hard row costs.
    reach : float64 array, shape (n_rows,)
        Largest absolute coefficient: while `ell <= -reach` no single flip makes a hinge cost
        anything.
    unsatisfied : int32 array, shape (n_rows + n_atoms,)
        The unsatisfied items of component c from `row_start[c] + atom_start[c]` on.
    place : int32 array, shape (n_rows + n_atoms,)
        Where in `unsatisfied` each item is, or -1.
    n_unsatisfied, cost, best_cost, clock : arrays, shape (n_components,)
    best : int8 array, shape (n_atoms,)
        The best state of each component so far.
    moved : int32 array, shape (n_atoms,)
        Atoms of component c flipped since its best state, from `atom_start[c]` on; `n_moved` of
        them.
    is_moved : int8 array, shape (n_atoms,)
    last_flip : int64 array, shape (n_atoms,)
    visits : int64 array, shape (1,)
        Occurrences of atoms in rows looked at so far.
    stop : int8 array, shape (1,)
        Set by another thread to end the search at its next step.
    random : uint64 array, shape (2,)
    """

    y: Int8
    ell: Float
    block_true: Int32 | None
    change: Float
    price: Float
    reach: Float
    unsatisfied: Int32
    place: Int32
    n_unsatisfied: Int64
    cost: Float
    best_cost: Float
    clock: Int64
    best: Int8
    moved: Int32
    is_moved: Int8
    n_moved: Int64
    last_flip: Int64
    visits: Int64
    stop: Int8
    random: UInt64


def new_search(layout: Layout, random: UInt64) -> Search:
    """Arrays for a search, without a state. A hard row costs more than its component's soft."""
    n_atoms, n_rows, n = layout.n_atoms, layout.n_rows, layout.n_components
    n_blocks = layout.block_kind.size
    size = np.append(np.abs(layout.row_coefficient), 0.0)
    furthest = np.add.reduceat(size, layout.row_ptr[:-1]) + np.abs(layout.b)
    worst = np.abs(layout.weight) * np.where(
        layout.kind == SQUARED, furthest**2, np.maximum(furthest, 1.0)
    )
    running = np.append(0.0, np.cumsum(worst))
    fields = np.append(0.0, np.cumsum(np.abs(layout.field)))
    total = np.diff(running[layout.row_start]) + np.diff(fields[layout.atom_start]) + 1.0
    of_row = np.repeat(np.arange(n), np.diff(layout.row_start))
    hard = (layout.kind == Relation.AT_MOST) | (layout.kind == Relation.EQUAL)
    return Search(
        y=np.zeros(n_atoms, np.int8),
        ell=np.zeros(n_rows),
        block_true=np.full(n_blocks, -1, np.int32) if n_blocks else None,
        change=np.zeros(n_atoms),
        price=np.where(hard, total[of_row], layout.weight),
        reach=np.maximum.reduceat(size, layout.row_ptr[:-1]) if n_rows else np.zeros(0),
        unsatisfied=np.zeros(n_rows + n_atoms, np.int32),
        place=np.full(n_rows + n_atoms, -1, np.int32),
        n_unsatisfied=np.zeros(n, np.int64),
        cost=np.zeros(n),
        best_cost=np.full(n, np.inf),
        clock=np.zeros(n, np.int64),
        best=np.zeros(n_atoms, np.int8),
        moved=np.zeros(n_atoms, np.int32),
        is_moved=np.zeros(n_atoms, np.int8),
        n_moved=np.zeros(n, np.int64),
        last_flip=np.full(n_atoms, -(2**40), np.int64),
        visits=np.zeros(1, np.int64),
        stop=stop_flag(),
        random=random,
    )
