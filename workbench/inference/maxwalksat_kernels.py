"""The inner loop of MaxWalkSAT."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int8, Int32, Int64, UInt64
from workbench.inference.local_search import Items, Moves, begin, change, flip, moves_of, reset
from workbench.inference.random_numbers import below, uniform
from workbench.inference.search_state import Search
from workbench.network.compiled import compiled
from workbench.network.ground_network import EQUAL, EXACTLY_ONE
from workbench.network.layout import Layout

PARTNERS = 8
"""How many members of a large block are compared when its true one is to become false."""


@compiled
def change_of_pair(first: int, second: int, y: Int8, ell: Float, moves: Moves) -> float:
    """How the cost changes if both atoms flip."""
    atom_ptr, atom_row, coefficient = moves.columns
    total = change(first, y, ell, moves)
    sign = 1.0 - 2.0 * y[first]
    for k in range(atom_ptr[first], atom_ptr[first + 1]):
        ell[atom_row[k]] += sign * coefficient[k]
    total += change(second, y, ell, moves)
    for k in range(atom_ptr[first], atom_ptr[first + 1]):
        ell[atom_row[k]] -= sign * coefficient[k]
    return total


@compiled
def _heir(
    atom: int, members: Int32, y: Int8, ell: Float, moves: Moves, fixed: Int8, random: UInt64
) -> tuple[int, int]:
    """The member to become true in this one's place, -1 where none may; entries looked at."""
    atom_ptr, size = moves.columns.indptr, members.size
    heir, visits, least = -1, 0, np.inf
    for trial in range(min(size, PARTNERS)):
        other = members[trial if size <= PARTNERS else below(random, size)]
        if other == atom or fixed[other] >= 0:
            continue
        delta = change_of_pair(atom, other, y, ell, moves)
        visits += atom_ptr[atom + 1] - atom_ptr[atom] + atom_ptr[other + 1] - atom_ptr[other]
        if delta < least:
            heir, least = other, delta
    return heir, visits


@compiled
def walk(
    layout: Layout,
    search: Search,
    block_true: Int32 | None,
    component: int,
    flips: int,
    noise: float,
    tabu: int,
    temperature: float,
) -> None:
    """Make up to `flips` steps in one component, until nothing is unsatisfied or told to stop.

    A step picks an unsatisfied item at random; then, with probability `noise`, one of its atoms
    whose flip helps it, at random; otherwise the one whose flip costs least and is not tabu. A
    costly flip is made with probability `exp(-cost / temperature)`. An atom of a block flips
    together with the member that gives or takes its place.
    """
    y, ell, price = search.y, search.ell, search.price
    changes, unsatisfied, last_flip = search.change, search.unsatisfied, search.last_flip
    random = search.random
    best, moved, is_moved = search.best, search.moved, search.is_moved
    row_ptr, row_atom, row_coefficient = layout.row_ptr, layout.row_atom, layout.row_coefficient
    kind, fixed, block_of = layout.kind, layout.fixed, layout.block_of
    atom_ptr, moves = layout.atom_ptr, moves_of(layout, price)
    rows = row_ptr, row_atom, row_coefficient, search.reach
    items = Items(y, ell, changes, *rows, unsatisfied, search.place, search.visits)
    block_ptr, block_atom, block_kind = layout.block_ptr, layout.block_atom, layout.block_kind
    n_rows = ell.size
    first_atom = layout.atom_start[component]
    start = layout.row_start[component] + first_atom
    n = search.n_unsatisfied[component]
    cost = search.cost[component]
    best_cost = search.best_cost[component]
    clock = search.clock[component]
    n_moved = search.n_moved[component]
    visits = 0
    stop = search.stop
    for _ in range(flips):
        if n == 0 or stop[0] != 0:
            break
        clock += 1
        # What to mend: a row, or an atom that its field speaks against.
        item = unsatisfied[start + below(random, n)]
        is_row = item < n_rows
        width, first, skip = 1, 0, 0
        up = at_random = False
        if is_row:
            first = row_ptr[item]
            width = row_ptr[item + 1] - first
            # Which way ell must go for the item to be satisfied.
            up = ell[item] < 0 if kind[item] == EQUAL else price[item] < 0
            at_random = uniform(random) < noise
            skip = below(random, width)
        # Which flip mends it: by noise the first from a random place on, else the cheapest.
        chosen, chosen_partner, least = -1, -1, np.inf
        for i in range(width):
            atom = item - n_rows
            if is_row:
                k = first + (i + skip if i + skip < width else i + skip - width)
                atom = row_atom[k]
                if ((row_coefficient[k] > 0) == (y[atom] == 0)) != up:
                    continue
            if fixed[atom] >= 0:
                continue
            partner, delta = -1, changes[atom]
            if block_true is not None and block_of[atom] >= 0:
                block = block_of[atom]
                if y[atom] == 0:
                    partner = block_true[block]
                    if partner >= 0 and fixed[partner] >= 0:
                        continue
                elif block_kind[block] == EXACTLY_ONE:
                    members = block_atom[block_ptr[block] : block_ptr[block + 1]]
                    partner, looked = _heir(atom, members, y, ell, moves, fixed, random)
                    visits += looked
                    if partner < 0:
                        continue
                if partner >= 0:
                    delta = change_of_pair(atom, partner, y, ell, moves)
                    visits += (
                        atom_ptr[atom + 1]
                        - atom_ptr[atom]
                        + atom_ptr[partner + 1]
                        - atom_ptr[partner]
                    )
            if at_random:
                chosen, chosen_partner, least = atom, partner, delta
                break
            is_tabu = clock - last_flip[atom] <= tabu and cost + delta >= best_cost - 1e-9
            if delta < least and not is_tabu:
                chosen, chosen_partner, least = atom, partner, delta
        if chosen < 0 or (least > 0 and uniform(random) >= math.exp(-least / temperature)):
            continue
        for atom in (chosen, chosen_partner):
            if atom < 0:
                continue
            n = flip(atom, start, n, items, moves)
            last_flip[atom] = clock
            if is_moved[atom] == 0:
                is_moved[atom] = 1
                moved[first_atom + n_moved] = atom
                n_moved += 1
        if block_true is not None and block_of[chosen] >= 0:
            block_true[block_of[chosen]] = chosen if y[chosen] == 1 else chosen_partner
        cost += least
        # The best state is renewed where atoms moved since: copying all would outweigh the steps.
        if cost < best_cost - 1e-9:
            best_cost = cost
            for k in range(first_atom, first_atom + n_moved):
                best[moved[k]] = y[moved[k]]
                is_moved[moved[k]] = 0
            n_moved = 0
    search.n_unsatisfied[component] = n
    search.cost[component] = cost
    search.best_cost[component] = best_cost
    search.clock[component] = clock
    search.n_moved[component] = n_moved
    search.visits[0] += visits


class Cooling(NamedTuple):
    """One try: each component's steps and first temperature, how it walks and starts (`reset`)."""

    flips: Int64
    heat: Float
    noise: float
    tabu: int
    how: int
    slices: int


@compiled
def anneal(
    layout: Layout,
    search: Search,
    cooling: Cooling,
    first: int,
    last: int,
    begin_slice: int,
    end_slice: int,
) -> None:
    """Slices of one try of the components `first` to `last`, cooling linearly to none.

    Before slice 0 they are given a state (see `reset`) and its bookkeeping, be there slices or not.
    """
    flips, heat, noise, tabu, how, slices = cooling
    block_true = search.block_true
    for component in range(first, last):
        if begin_slice == 0:
            reset(layout, search, block_true, component, how)
            begin(layout, search, block_true, component)
        for part in range(begin_slice, end_slice):
            temperature = heat[component] * (1.0 - part / slices) + 1e-12
            steps = flips[component] // slices + 1
            walk(layout, search, block_true, component, steps, noise, tabu, temperature)
