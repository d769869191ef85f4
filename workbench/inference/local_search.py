"""Local search over 0/1 states: the state, its unsatisfied items, and how flips change them.

An *item* is what can be unsatisfied: row r, or the soft unit clause of atom a as `n_rows + a`. A
row of negative weight is unsatisfied while it holds as a clause, for that is when it costs. Inner
functions take the few arrays that a flip reads: passing a whole layout down to them costs more than
the work itself.
"""

from __future__ import annotations

from typing import NamedTuple

from workbench.arrays import Float, Int8, Int32, Int64
from workbench.inference.random_numbers import uniform
from workbench.inference.search_state import Search
from workbench.network.compiled import compiled
from workbench.network.ground_network import AT_MOST, AT_MOST_ONE, EQUAL, HINGE
from workbench.network.hinge_problem import Columns
from workbench.network.layout import Layout


@compiled
def row_cost(price: float, kind: int, ell: float) -> float:
    """What a row costs at this `ell`."""
    if kind == EQUAL:
        return price * (1.0 + abs(ell)) if abs(ell) > 1e-9 else 0.0
    if ell <= 1e-9:
        return 0.0
    if kind == HINGE:
        return price * ell
    return price * (1.0 + ell) if kind == AT_MOST else price * ell * ell


@compiled
def is_unsatisfied(price: float, kind: int, ell: float) -> bool:
    """Whether a row's item is unsatisfied at this `ell`."""
    if kind == EQUAL:
        return abs(ell) > 1e-9
    return (price > 0 and ell > 1e-9) or (price < 0 and ell <= 1e-9)


class Moves(NamedTuple):
    """What tells how the cost changes when an atom flips: each atom's rows, and the costs."""

    columns: Columns
    field: Float
    price: Float
    kind: Int8


@compiled
def columns_of(layout: Layout) -> Columns:
    """The entries of a layout by atom."""
    return Columns(layout.atom_ptr, layout.atom_row, layout.atom_coefficient)


@compiled
def moves_of(layout: Layout, price: Float) -> Moves:
    """The moves of a layout whose rows cost `price`."""
    return Moves(columns_of(layout), layout.field, price, layout.kind)


@compiled
def change(atom: int, y: Int8, ell: Float, moves: Moves) -> float:
    """How the cost changes if this atom alone flips. Looks at each of its rows once."""
    (atom_ptr, atom_row, coefficient), field, price, kind = moves
    sign = 1.0 - 2.0 * y[atom]
    total: float = -field[atom] * sign
    for k in range(atom_ptr[atom], atom_ptr[atom + 1]):
        row = atom_row[k]
        old = ell[row]
        new = old + sign * coefficient[k]
        if kind[row] == HINGE:
            total += price[row] * ((new if new > 0.0 else 0.0) - (old if old > 0.0 else 0.0))
        else:
            total += row_cost(price[row], kind[row], new) - row_cost(price[row], kind[row], old)
    return total


class Items(NamedTuple):
    """What `flip` keeps up to date, and reads of the rows that an atom is in."""

    y: Int8
    ell: Float
    change: Float
    row_ptr: Int64
    row_atom: Int32
    row_coefficient: Float
    reach: Float
    unsatisfied: Int32
    place: Int32
    visits: Int64


@compiled
def flip(atom: int, start: int, n: int, items: Items, moves: Moves) -> int:
    """Flip an atom of the component listing `n` unsatisfied items at `start`; the new `n`."""
    y, ell, changes, row_ptr, row_atom, row_coefficient, reach, unsatisfied, place, visits = items
    (atom_ptr, atom_row, coefficient), field, price, kind = moves
    own = changes[atom]
    looked = 0
    sign = 1.0 - 2.0 * y[atom]
    n_rows = ell.size
    first = atom_ptr[atom]
    # The atom's rows, and at last the atom itself, which is an item where its field is against it.
    for k in range(first, atom_ptr[atom + 1] + 1):
        if k < atom_ptr[atom + 1]:
            item = atom_row[k]
            cost = price[item]
            if cost == 0.0:
                continue
            old = ell[item]
            new = old + sign * coefficient[k]
            ell[item] = new
            now = is_unsatisfied(cost, kind[item], new)
            looked += 1
            # No flip brings a row to its kink that is further from it than it reaches: what its
            # other atoms' flips cost stays as it is.
            if kind[item] == EQUAL or old > -reach[item] or new > -reach[item]:
                last = row_ptr[item + 1]
                looked += last - row_ptr[item]
                if kind[item] == HINGE:
                    kept = (new if new > 0.0 else 0.0) - (old if old > 0.0 else 0.0)
                    for i in range(row_ptr[item], last):
                        other = row_atom[i]
                        step = -row_coefficient[i] if y[other] else row_coefficient[i]
                        after = new + step
                        before = old + step
                        after = (after if after > 0.0 else 0.0) - (before if before > 0.0 else 0.0)
                        changes[other] += cost * (after - kept)
                else:
                    kept = row_cost(cost, kind[item], new) - row_cost(cost, kind[item], old)
                    for i in range(row_ptr[item], last):
                        other = row_atom[i]
                        step = -row_coefficient[i] if y[other] else row_coefficient[i]
                        after = row_cost(cost, kind[item], new + step)
                        changes[other] += after - row_cost(cost, kind[item], old + step) - kept
        else:
            y[atom] = 1 - y[atom]
            changes[atom] = -own
            item = n_rows + atom
            now = field[atom] * (0.5 - y[atom]) > 0
        at = place[item]
        if now and at < 0:
            unsatisfied[start + n] = item
            place[item] = start + n
            n += 1
        elif not now and at >= 0:
            n -= 1
            moved = unsatisfied[start + n]
            unsatisfied[at] = moved
            place[moved] = at
            place[item] = -1
    visits[0] += looked
    return n


@compiled
def begin(layout: Layout, search: Search, block_true: Int32 | None, component: int) -> None:
    """Compute a component's `ell`, cost and unsatisfied items from `y`; remember a best state."""
    n_rows = search.ell.size
    first_atom, last_atom = layout.atom_start[component], layout.atom_start[component + 1]
    y, best, is_moved, field = search.y, search.best, search.is_moved, layout.field
    place = search.place
    row_ptr, row_atom, coefficient = layout.row_ptr, layout.row_atom, layout.row_coefficient
    kind = layout.kind
    price, ells, unsatisfied = search.price, search.ell, search.unsatisfied
    block_of = layout.block_of
    b, moved = layout.b, search.moved
    at = layout.row_start[component] + first_atom
    start = at
    cost = 0.0
    for row in range(layout.row_start[component], layout.row_start[component + 1]):
        ell = b[row]
        for k in range(row_ptr[row], row_ptr[row + 1]):
            ell += coefficient[k] * y[row_atom[k]]
        ells[row] = ell
        place[row] = -1
        cost += row_cost(price[row], kind[row], ell)
        if is_unsatisfied(price[row], kind[row], ell):
            unsatisfied[at] = row
            place[row] = at
            at += 1
    moves = moves_of(layout, price)
    for atom in range(first_atom, last_atom):
        search.change[atom] = change(atom, y, ells, moves)
        cost -= field[atom] * y[atom]
        place[n_rows + atom] = -1
        if field[atom] * (0.5 - y[atom]) > 0:
            unsatisfied[at] = n_rows + atom
            place[n_rows + atom] = at
            at += 1
        if block_true is not None and block_of[atom] >= 0 and y[atom]:
            block_true[block_of[atom]] = atom
    search.n_unsatisfied[component] = at - start
    search.cost[component] = cost
    better = cost < search.best_cost[component]
    if better:
        search.best_cost[component] = cost
    n_moved = 0
    for atom in range(first_atom, last_atom):
        if better:
            best[atom] = y[atom]
        is_moved[atom] = y[atom] != best[atom]
        if is_moved[atom]:
            moved[first_atom + n_moved] = atom
            n_moved += 1
    search.n_moved[component] = n_moved


@compiled
def reset(
    layout: Layout, search: Search, block_true: Int32 | None, component: int, how: int
) -> None:
    """Give a component a state: by fields (`how` 0), at random (1), or as it is (2).

    Blocks end with one true member where they demand one or any was true: a fixed one, else the one
    of the largest field, or with `how` 1 a random one.
    """
    y, fixed, field, random = search.y, layout.fixed, layout.field, search.random
    block_ptr, block_atom, block_of = layout.block_ptr, layout.block_atom, layout.block_of
    first_atom, last_atom = layout.atom_start[component], layout.atom_start[component + 1]
    for atom in range(first_atom, last_atom):
        if fixed[atom] >= 0:
            y[atom] = fixed[atom]
        elif how == 0:
            y[atom] = field[atom] > 0
        elif how == 1:
            y[atom] = uniform(random) < 0.5
        search.last_flip[atom] = -1099511627776
    if block_true is None:
        return
    for first in range(first_atom, last_atom):
        block = block_of[first]
        if block < 0 or block_atom[block_ptr[block]] != first:
            continue
        any_true = False
        for k in range(block_ptr[block], block_ptr[block + 1]):
            any_true = any_true or y[block_atom[k]] == 1
        chosen = -1
        key = 0.0
        for k in range(block_ptr[block], block_ptr[block + 1]):
            atom = block_atom[k]
            if fixed[atom] == 1:
                chosen = atom
                break
            if (
                fixed[atom] == 0
                or (any_true and y[atom] == 0)
                or (not any_true and layout.block_kind[block] == AT_MOST_ONE)
            ):
                continue
            own = uniform(random) if how == 1 else field[atom]
            if chosen < 0 or own > key:
                chosen = atom
                key = own
        for k in range(block_ptr[block], block_ptr[block + 1]):
            y[block_atom[k]] = block_atom[k] == chosen
        block_true[block] = chosen
