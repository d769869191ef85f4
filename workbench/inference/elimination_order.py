"""The variables of one component, and an order in which to eliminate them."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Int64
from workbench.network.ground_network import Relation
from workbench.network.layout import Layout


@dataclass(frozen=True)
class Variables:
    """A component's variables: a free atom of two values, a block of one a member.

    Attributes
    ----------
    choices : list of int64 arrays
        The atom that each value of a variable makes true, -1 for none.
    of_atom : dict of int to int
        The variable of each free atom.
    rows : int64 array
        Rows that can cost something.
    scopes : list of tuples of int
        Variables of each of those rows.
    """

    choices: list[Int64]
    of_atom: dict[int, int]
    rows: Int64
    scopes: list[tuple[int, ...]]


@dataclass(frozen=True)
class EliminationOrder:
    """An elimination order.

    Attributes
    ----------
    scopes : list of tuples of int
        By place in the order: the variable, then those later in the order that its table spans, in
        that order.
    width : float
        Bits of the widest table, without the variable that it eliminates: the induced width for 0/1
        variables.
    size : float
        Entries of all tables together.
    """

    order: list[int]
    scopes: list[tuple[int, ...]]
    width: float
    size: float


def variables(layout: Layout, component: int) -> Variables:
    """The free variables of a component and the rows over them."""
    choices: list[Int64] = []
    of_atom: dict[int, int] = {}
    for atom in range(int(layout.atom_start[component]), int(layout.atom_start[component + 1])):
        if layout.fixed[atom] >= 0 or atom in of_atom:
            continue
        block = int(layout.block_of[atom])
        if block < 0:
            members = np.array([-1, atom])
        else:
            members = layout.block_atom[
                layout.block_ptr[block] : layout.block_ptr[block + 1]
            ].astype(np.int64)
            members = members[layout.fixed[members] < 0]
            if layout.block_kind[block]:
                members = np.append(members, -1)
        for member in members[members >= 0].tolist():
            of_atom[member] = len(choices)
        choices.append(members)
    rows = np.arange(layout.row_start[component], layout.row_start[component + 1])
    rows = rows[
        (layout.weight[rows] != 0)
        | (layout.kind[rows] == Relation.AT_MOST)
        | (layout.kind[rows] == Relation.EQUAL)
    ]
    scopes = []
    for row in rows:
        atoms = layout.row_atom[layout.row_ptr[row] : layout.row_ptr[row + 1]].tolist()
        scopes.append(tuple(sorted({of_atom[atom] for atom in atoms if atom in of_atom})))
    return Variables(choices, of_atom, rows, scopes)


def plan(variables: Variables, width: float) -> EliminationOrder | float:
    """A greedy order, narrowest next table first; or the width of one that exceeds `width` bits."""
    bits = [float(np.log2(choice.size)) if choice.size else 0.0 for choice in variables.choices]
    neighbours: list[set[int]] = [set() for _ in bits]
    for scope in variables.scopes:
        for variable in scope:
            neighbours[variable].update(scope)
    for variable, around in enumerate(neighbours):
        around.discard(variable)
    cost = [sum(bits[other] for other in around) for around in neighbours]
    heap = [(cost[variable], variable) for variable in range(len(bits))]
    heapq.heapify(heap)
    order: list[int] = []
    groups: list[set[int]] = []
    done = [False] * len(bits)
    widest, size = 0.0, 0.0
    while heap:
        value, variable = heapq.heappop(heap)
        if done[variable] or value != cost[variable]:
            continue
        if value > width + 1e-9:
            return value
        around = neighbours[variable]
        widest = max(widest, value)
        size += 2.0 ** (value + bits[variable])
        done[variable] = True
        order.append(variable)
        groups.append(around)
        for other in around:
            neighbours[other] |= around
            neighbours[other] -= {variable, other}
            cost[other] = sum(bits[third] for third in neighbours[other])
            heapq.heappush(heap, (cost[other], other))
    place = {variable: at for at, variable in enumerate(order)}
    scopes = [
        (variable, *sorted(around, key=place.__getitem__))
        for variable, around in zip(order, groups, strict=True)
    ]
    return EliminationOrder(order, scopes, widest, size)
