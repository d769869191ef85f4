"""SampleSAT (Wei, Erenrich and Selman 2004): a state of the clauses that MC-SAT keeps."""

from __future__ import annotations

import math
from typing import NamedTuple

from workbench.arrays import Float, Int8, Int32, Int64, UInt64
from workbench.inference.random_numbers import below, uniform
from workbench.network.compiled import compiled
from workbench.network.ground_network import AT_MOST_ONE
from workbench.network.hinge_problem import Columns


class Slice(NamedTuple):
    """Work space of a step, shared by all chains.

    Attributes
    ----------
    keep_row, keep_atom : float64 arrays, shapes (n_rows,), (n_atoms,)
        Probability that a row, or an atom's unit clause, binds the next state where the present one
        agrees with it.
    active : int8 array, shape (n_rows,)
        1 for clauses that the next state must satisfy and propagation has not settled.
    open_literals : int32 array, shape (n_rows,)
    fixed : int8 array, shape (n_atoms,)
    queue, free : int32 arrays, shape (n_atoms,)
    violated, place : int32 arrays, shape (n_rows,)
    old : int8 array, shape (n_atoms,)
    figures : int64 array, shape (3,)
        Steps made, searches that failed, flips made.
    """

    keep_row: Float
    keep_atom: Float
    active: Int8
    open_literals: Int32
    fixed: Int8
    queue: Int32
    free: Int32
    violated: Int32
    place: Int32
    old: Int8
    figures: Int64


@compiled
def _list_violated(
    row: int, ell: Float, active: Int8, violated: Int32, place: Int32, n: int
) -> int:
    """Keep the list of violated active rows up to date for one row."""
    now = active[row] == 1 and ell[row] > 0
    at = place[row]
    if now and at < 0:
        violated[n] = row
        place[row] = n
        n += 1
    elif not now and at >= 0:
        n -= 1
        last = violated[n]
        violated[at] = last
        place[last] = at
        place[row] = -1
    return n


@compiled
def _turn(
    atom: int,
    y: Int8,
    ell: Float,
    columns: Columns,
    active: Int8,
    violated: Int32,
    place: Int32,
    n: int,
) -> int:
    """Flip an atom and list its rows anew."""
    atom_ptr, atom_row, coefficient = columns
    sign = 1.0 - 2.0 * y[atom]
    y[atom] = 1 - y[atom]
    for k in range(atom_ptr[atom], atom_ptr[atom + 1]):
        row = atom_row[k]
        ell[row] += sign * coefficient[k]
        n = _list_violated(row, ell, active, violated, place, n)
    return n


@compiled
def newly_violated(atom: int, y: Int8, ell: Float, columns: Columns, active: Int8) -> int:
    """How many active rows more are violated once the atom flips."""
    atom_ptr, atom_row, coefficient = columns
    sign = 1.0 - 2.0 * y[atom]
    total = 0
    for k in range(atom_ptr[atom], atom_ptr[atom + 1]):
        row = atom_row[k]
        if active[row]:
            new = ell[row] + sign * coefficient[k]
            total += int(new > 0) - int(ell[row] > 0)
    return total


class BlockState(NamedTuple):
    """The blocks of a layout, the true member of each, and which atoms a step has fixed."""

    of: Int32
    ptr: Int64
    atom: Int32
    kind: Int8
    true: Int32
    fixed: Int8


@compiled
def _partner(atom: int, y: Int8, blocks: BlockState, random: UInt64) -> int:
    """The atom to flip along to keep the block: -1 for none needed, -2 when there is none."""
    block_of, block_ptr, block_atom, kind, true, fixed = blocks
    block = block_of[atom]
    if block < 0:
        return -1
    if y[atom] == 0:
        other = true[block]
        return -2 if other >= 0 and fixed[other] >= 0 else other
    if kind[block] == AT_MOST_ONE:
        return -1
    found = -2
    seen = 0
    for i in range(block_ptr[block], block_ptr[block + 1]):
        other = block_atom[i]
        if other != atom and fixed[other] < 0:
            seen += 1
            if below(random, seen) == 0:
                found = other
    return found


@compiled
def sample_sat(
    rows: tuple[Int64, Int32, Float],
    columns: Columns,
    work: Slice,
    y: Int8,
    ell: Float,
    blocks: BlockState | None,
    n_free: int,
    n: int,
    steps: int,
    random: UInt64,
) -> bool:
    """SampleSAT (Wei et al. 2004): WalkSAT and annealing steps, half each, until all rows hold."""
    active, fixed, violated, place = work.active, work.fixed, work.violated, work.place
    free = work.free
    row_ptr, row_atom, row_coefficient = rows
    for step in range(steps):
        if n == 0:
            work.figures[2] += step
            return True
        chosen = -1
        chosen_partner = -1
        if uniform(random) < 0.5:  # annealing: any flip, by what it breaks
            atom = free[below(random, n_free)]
            partner = -1 if blocks is None else _partner(atom, y, blocks, random)
            if partner == -2:
                continue
            broken = newly_violated(atom, y, ell, columns, active)
            if partner >= 0:
                broken += newly_violated(partner, y, ell, columns, active)
            if broken <= 0 or uniform(random) < math.exp(-10.0 * broken):
                chosen, chosen_partner = atom, partner
        else:  # WalkSAT: a flip that mends a violated row
            row = violated[below(random, n)]
            at_random = uniform(random) < 0.5
            least = 1 << 30
            seen = 0
            for k in range(row_ptr[row], row_ptr[row + 1]):
                atom = row_atom[k]
                if fixed[atom] >= 0 or (row_coefficient[k] < 0) == (y[atom] == 1):
                    continue
                partner = -1 if blocks is None else _partner(atom, y, blocks, random)
                if partner == -2:
                    continue
                broken = 0
                if not at_random:
                    broken = newly_violated(atom, y, ell, columns, active)
                    if partner >= 0:
                        broken += newly_violated(partner, y, ell, columns, active)
                if broken < least:
                    least = broken
                    seen = 0
                if broken == least:
                    seen += 1
                    if below(random, seen) == 0:
                        chosen, chosen_partner = atom, partner
        if chosen < 0:
            continue
        n = _turn(chosen, y, ell, columns, active, violated, place, n)
        if chosen_partner >= 0:
            n = _turn(chosen_partner, y, ell, columns, active, violated, place, n)
        if blocks is not None and blocks.of[chosen] >= 0:
            blocks.true[blocks.of[chosen]] = chosen if y[chosen] == 1 else chosen_partner
    work.figures[2] += steps
    return n == 0
