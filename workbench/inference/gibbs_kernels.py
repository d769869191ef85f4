"""One sweep over all atoms and blocks: each one's conditional distribution, and a draw from it."""

from __future__ import annotations

import math

import numpy as np

from workbench.arrays import Float, Int8, Int32, UInt64
from workbench.inference.local_search import Moves, change, moves_of
from workbench.inference.random_numbers import uniform
from workbench.network.compiled import compiled
from workbench.network.ground_network import AT_MOST_ONE, EXACTLY_ONE
from workbench.network.hinge_problem import Columns
from workbench.network.layout import Layout


def row_values(layout: Layout, y: Int8) -> Float:
    """`ell` of all rows at `y`."""
    ell = layout.b.copy()
    owner = np.repeat(np.arange(layout.n_rows), np.diff(layout.row_ptr))
    np.add.at(ell, owner, layout.row_coefficient * y[layout.row_atom])
    return ell


def true_members(layout: Layout, y: Int8) -> Int32 | None:
    """The true member of each block, -1 for none; None without blocks, and kernels that are given
    None are compiled without what they do about blocks: a good part of them.
    """
    if not layout.block_kind.size:
        return None
    true, on = np.full(layout.block_kind.size, -1, np.int32), y[layout.block_atom] == 1
    owner = np.repeat(np.arange(true.size), np.diff(layout.block_ptr))
    true[owner[on]] = layout.block_atom[on]
    return true


@compiled
def set_atom(atom: int, value: int, y: Int8, ell: Float, columns: Columns) -> None:
    """Give an atom a value."""
    atom_ptr, atom_row, coefficient = columns
    if y[atom] == value:
        return
    sign = 1.0 - 2.0 * y[atom]
    y[atom] = value
    for k in range(atom_ptr[atom], atom_ptr[atom + 1]):
        ell[atom_row[k]] += sign * coefficient[k]


def room_for_block(layout: Layout) -> Float:
    """Scratch for a sweep: a place for each member of the widest block, and one more."""
    return np.empty(int(np.diff(layout.block_ptr).max(initial=0)) + 1)


@compiled
def _redraw_block(
    layout: Layout,
    block: int,
    y: Int8,
    ell: Float,
    moves: Moves,
    cost: Float,
    probability: Float,
    random: UInt64,
) -> int:
    """The member of a block that becomes true, -1 for none; none is true before."""
    fixed, block_atom, first = layout.fixed, layout.block_atom, layout.block_ptr[block]
    size = layout.block_ptr[block + 1] - first
    # The last place stands for no true member, which only at-most-one blocks may have.
    cost[size] = 0.0 if layout.block_kind[block] == AT_MOST_ONE else np.inf
    least = cost[size]
    for i in range(size):
        atom = block_atom[first + i]
        cost[i] = np.inf if fixed[atom] == 0 else change(atom, y, ell, moves)
        least = min(least, cost[i])
    # Above the least cost, so that no exponential overflows.
    total = 0.0
    for i in range(size + 1):
        cost[i] = math.exp(least - cost[i])
        total += cost[i]
    draw = uniform(random) * total
    new = -1
    for i in range(size):
        if fixed[block_atom[first + i]] < 0:
            probability[block_atom[first + i]] += cost[i] / total
        if new < 0 and draw < cost[i]:
            new = block_atom[first + i]
        draw -= cost[i]
    if new < 0 and layout.block_kind[block] == EXACTLY_ONE:
        # Rounding alone led past the last member.
        best = 0
        for i in range(size):
            best = i if cost[i] > cost[best] else best
        new = block_atom[first + best]
    return new


@compiled
def sweep(
    layout: Layout,
    price: Float,
    y: Int8,
    ell: Float,
    block_true: Int32 | None,
    cost: Float,
    probability: Float,
    random: UInt64,
) -> None:
    """Redraw every atom outside blocks, then every block, given the rest (Gibbs sampling).

    `probability` gains each atom's conditional probability at its turn; `cost` is `room_for_block`.
    """
    moves, fixed, block_of = moves_of(layout, price), layout.fixed, layout.block_of
    columns = moves.columns
    for atom in range(y.size):
        if fixed[atom] >= 0:
            probability[atom] += fixed[atom]
            continue
        if block_true is not None and block_of[atom] >= 0:
            continue
        delta = change(atom, y, ell, moves)
        gain = delta if y[atom] else -delta
        true = 1.0 / (1.0 + math.exp(-gain)) if gain > -700.0 else 0.0
        probability[atom] += true
        set_atom(atom, 1 if uniform(random) < true else 0, y, ell, columns)
    if block_true is None:
        return
    for block in range(block_true.size):
        old = block_true[block]
        if old >= 0 and fixed[old] == 1:
            continue
        if old >= 0:
            set_atom(old, 0, y, ell, columns)
        new = _redraw_block(layout, block, y, ell, moves, cost, probability, random)
        if new >= 0:
            set_atom(new, 1, y, ell, columns)
        block_true[block] = new
