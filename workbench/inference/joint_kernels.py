"""Joint draws: a few atoms and blocks that share rows, redrawn together.

A single move cannot pass between states that hard or heavy rows hold apart, such as two blocks that
must swap their values; a joint draw can. Each *unit* of a group, an atom outside blocks or a block,
is a list of options: the atom that it makes true, -1 for none.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int8, Int32, Int64, UInt64
from workbench.inference.gibbs_kernels import set_atom
from workbench.inference.local_search import Moves, change, moves_of
from workbench.inference.random_numbers import below, uniform
from workbench.network.compiled import compiled
from workbench.network.ground_network import AT_MOST_ONE
from workbench.network.layout import Layout

STATES = 64
"""Most joint states of a group; every other group has at most `FEW`, enough for a pair."""
FEW = 8
UNITS = 6
"""Most units of a group."""
ATTEMPTS = 16
"""Tries to let a group grow by a neighbour."""
SHARE = 128
"""Two groups are drawn for so many atoms, and two more: as much work as a plain sweep."""


class Group(NamedTuple):
    """Work space: the units of a group and the cost of each joint state.

    Attributes
    ----------
    free : int32 array, shape (n_free,)
        Atoms that are not fixed.
    option : int32 array
        The options of all units, one after the other.
    start : int64 array, shape (UNITS + 1,)
        Where each unit's options begin.
    block : int32 array, shape (UNITS,)
        The block that each unit is, or -1.
    place, step : int32 arrays, shape (UNITS,)
        Which option each unit takes while states are listed, and whether it goes up or down from
        there.
    cost : float64 array, shape (STATES,)
        By joint state, the first unit's option running fastest: the energy relative to the state
        before.
    """

    free: Int32
    option: Int32
    start: Int64
    block: Int32
    place: Int32
    step: Int32
    cost: Float


def new_group(layout: Layout) -> Group:
    """Work space for groups on a layout."""
    widest = int(np.diff(layout.block_ptr).max(initial=0)) + 2
    block, place, step = np.zeros((3, UNITS), np.int32)
    return Group(
        free=np.flatnonzero(layout.fixed < 0).astype(np.int32),
        option=np.zeros(UNITS * widest, np.int32),
        start=np.zeros(UNITS + 1, np.int64),
        block=block,
        place=place,
        step=step,
        cost=np.zeros(STATES),
    )


@compiled
def _add_unit(layout: Layout, group: Group, n: int, atom: int, states: int, most: int) -> int:
    """Add a free atom's unit as number `n`; how many joint states then, 0 where it does not fit."""
    option, start, block_of, fixed = group.option, group.start, layout.block_of, layout.fixed
    at = start[n]
    block = block_of[atom]
    for k in range(n):
        if (block >= 0 and group.block[k] == block) or (block < 0 and option[start[k]] == atom):
            return 0
    group.block[n] = block
    if block < 0:
        option[at] = atom
        option[at + 1] = -1
        at += 2
    else:
        for i in range(layout.block_ptr[block], layout.block_ptr[block + 1]):
            member = layout.block_atom[i]
            if fixed[member] < 0:
                option[at] = member
                at += 1
            elif fixed[member] == 1:
                return 0
        if layout.block_kind[block] == AT_MOST_ONE:
            option[at] = -1
            at += 1
    start[n + 1] = at
    total = states * (at - start[n])
    return total if total <= most else 0


@compiled
def take(
    new: int, only: int, block: int, y: Int8, ell: Float, true: Int32 | None, moves: Moves
) -> float:
    """Let a block, or where it is -1 the atom `only`, take option `new`; the energy's change."""
    old = (only if y[only] else -1) if true is None or block < 0 else true[block]
    total = 0.0
    if new == old:
        return total
    if old >= 0:
        total += change(old, y, ell, moves)
        set_atom(old, 0, y, ell, moves.columns)
    if new >= 0:
        total += change(new, y, ell, moves)
        set_atom(new, 1, y, ell, moves.columns)
    if true is not None and block >= 0:
        true[block] = new
    return total


@compiled
def _list_states(
    group: Group, n: int, states: int, y: Int8, ell: Float, true: Int32 | None, moves: Moves
) -> None:
    """Visit all joint states of `n` units, one unit changing at a time, and note each energy."""
    option, start, block = group.option, group.start, group.block
    place, step, cost = group.place, group.step, group.cost
    energy = 0.0
    for unit in range(n):
        place[unit] = 0
        step[unit] = 1
        first = start[unit]
        energy += take(option[first], option[first], block[unit], y, ell, true, moves)
    cost[0] = energy
    at = 0
    for _ in range(1, states):
        # The first unit with an option left in its direction goes on; those before it turn round.
        unit = 0
        stride = 1
        while not 0 <= place[unit] + step[unit] < start[unit + 1] - start[unit]:
            step[unit] = -step[unit]
            stride *= start[unit + 1] - start[unit]
            unit += 1
        place[unit] += step[unit]
        at += step[unit] * stride
        first = start[unit]
        new = option[first + place[unit]]
        energy += take(new, option[first], block[unit], y, ell, true, moves)
        cost[at] = energy


@compiled
def _grow(layout: Layout, group: Group, most: int, price: Float, random: UInt64) -> tuple[int, int]:
    """Grow a group of at most so many joint states from a free atom; its units, and its states."""
    fixed, free, start, option = layout.fixed, group.free, group.start, group.option
    atom_ptr, atom_row, row_ptr = layout.atom_ptr, layout.atom_row, layout.row_ptr
    states = _add_unit(layout, group, 0, free[below(random, free.size)], 1, STATES)
    n = 1 if states else 0
    for _ in range(ATTEMPTS if n else 0):
        if n == UNITS:
            break
        unit = below(random, n)
        at = start[unit] + below(random, start[unit + 1] - start[unit])
        atom = option[at] if option[at] >= 0 else option[start[unit]]
        degree = atom_ptr[atom + 1] - atom_ptr[atom]
        if degree == 0:
            continue
        # Of two of its rows the heavier: what holds atoms together most is what is to be passed.
        row = atom_row[atom_ptr[atom] + below(random, degree)]
        other = atom_row[atom_ptr[atom] + below(random, degree)]
        if abs(price[other]) > abs(price[row]):
            row = other
        atom = layout.row_atom[row_ptr[row] + below(random, row_ptr[row + 1] - row_ptr[row])]
        if fixed[atom] >= 0:
            continue
        grown = _add_unit(layout, group, n, atom, states, most)
        if grown:
            states = grown
            n += 1
    return n, states


@compiled
def _draw(cost: Float, states: int, random: UInt64) -> int:
    """One of the joint states, by `exp(-cost)`."""
    least = cost[0]
    for state in range(states):
        least = min(least, cost[state])
    total = 0.0
    for state in range(states):
        total += math.exp(least - cost[state])
    draw = uniform(random) * total
    drawn = 0
    for state in range(states):
        kept = math.exp(least - cost[state])
        if kept > 0.0:  # where rounding leads past the last state, the last one that may be
            drawn = state
            if draw < kept:
                break
        draw -= kept
    return drawn


@compiled
def joint_sweep(
    layout: Layout,
    group: Group,
    price: Float,
    y: Int8,
    ell: Float,
    true: Int32 | None,
    random: UInt64,
) -> None:
    """Redraw groups grown at random from free atoms; heavier rows lead to neighbours more often.

    Which group is drawn does not depend on the state, so each draw leaves the network's
    distribution as it is.
    """
    n_free, start, option = group.free.size, group.start, group.option
    moves = moves_of(layout, price)
    for number in range(2 + 2 * ((n_free + SHARE - 1) // SHARE) if n_free else 0):
        n, states = _grow(layout, group, STATES if number % 2 else FEW, price, random)
        if n < 2:  # single moves draw single units
            continue
        _list_states(group, n, states, y, ell, true, moves)
        drawn = _draw(group.cost, states, random)
        for unit in range(n):
            first = start[unit]
            size = start[unit + 1] - first
            new = option[first + drawn % size]
            drawn //= size
            take(new, option[first], group.block[unit], y, ell, true, moves)
