"""The variables of one component, and an order in which to eliminate them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Int64
from workbench.network.ground_network import AT_MOST_ONE, Relation
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
    held : float
        Most entries at once where a table is let go once its message is sent: of one table and the
        messages that wait for theirs.
    """

    order: list[int]
    scopes: list[tuple[int, ...]]
    width: float
    size: float
    held: float


def joined_components(layout: Layout) -> Int64:
    """Components with rows or blocks."""
    has_rows = np.diff(layout.row_start) > 0
    blocked = np.flatnonzero(layout.block_of >= 0)
    has_block = np.zeros(layout.n_components, np.bool_)
    has_block[np.searchsorted(layout.atom_start, blocked, side="right") - 1] = True
    return np.flatnonzero(has_rows | has_block)


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
            if layout.block_kind[block] == AT_MOST_ONE:
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


EASY = 2.0**20
"""Entries of all tables below which no other order is looked for."""

Cost = Callable[["_Graph", int], float]


@dataclass(frozen=True)
class _Graph:
    """Variables not yet eliminated that share a row or a table, and the bits of each."""

    bits: list[float]
    neighbours: list[set[int]]

    def around(self, variable: int) -> float:
        """Bits of a variable's neighbours: of the table that eliminating it leaves."""
        return sum(self.bits[other] for other in self.neighbours[variable])


def plan(variables: Variables, width: float) -> EliminationOrder | float:
    """The order of fewest entries among the greedy ones: the narrowest next table first, the
    fewest new neighbours first, and as the variables are numbered, which suits grids. The last
    two are looked for only where the first is too wide, or large.

    Returns
    -------
    EliminationOrder or float
        The bits of a table of the first order that exceeds `width` where each has one.
    """
    narrowest = _greedy(variables, width, _Graph.around)
    if isinstance(narrowest, EliminationOrder) and narrowest.size <= EASY:
        return narrowest

    def fill(graph: _Graph, variable: int) -> float:
        if graph.around(variable) > width + 1e-9:
            return np.inf
        around = graph.neighbours[variable]
        return float(sum(len(around - graph.neighbours[other]) - 1 for other in around))

    tried = (narrowest, *(_greedy(variables, width, cost) for cost in (fill, _number)))
    found = [order for order in tried if isinstance(order, EliminationOrder)]
    return min(found, key=lambda order: order.size) if found else narrowest


def _number(graph: _Graph, variable: int) -> float:
    return float(variable)


def _greedy(variables: Variables, width: float, cost_of: Cost) -> EliminationOrder | float:
    """The variable of least cost next; or the bits of one that exceeds `width`.

    A cost is looked at again where the variable's neighbours change, not where theirs do.
    """
    graph = _graph(variables)
    bits, neighbours = graph.bits, graph.neighbours
    cost = [cost_of(graph, variable) for variable in range(len(bits))]
    heap = [(value, variable) for variable, value in enumerate(cost)]
    heapq.heapify(heap)
    order: list[int] = []
    groups: list[set[int]] = []
    done = [False] * len(bits)
    while heap:
        value, variable = heapq.heappop(heap)
        if done[variable] or value != cost[variable]:
            continue
        if (wide := graph.around(variable)) > width + 1e-9:
            return wide
        around = neighbours[variable]
        done[variable] = True
        order.append(variable)
        groups.append(around)
        for other in around:
            neighbours[other] |= around
            neighbours[other] -= {variable, other}
        for other in around:
            cost[other] = cost_of(graph, other)
            heapq.heappush(heap, (cost[other], other))
    return _measured(bits, order, groups)


def _graph(variables: Variables) -> _Graph:
    bits = [float(np.log2(choice.size)) if choice.size else 0.0 for choice in variables.choices]
    neighbours: list[set[int]] = [set() for _ in bits]
    for scope in variables.scopes:
        for variable in scope:
            neighbours[variable].update(scope)
    for variable, around in enumerate(neighbours):
        around.discard(variable)
    return _Graph(bits, neighbours)


def _measured(
    bits: Sequence[float], order: list[int], groups: Sequence[set[int]]
) -> EliminationOrder:
    """The order, with its scopes and what its tables need."""
    place = {variable: at for at, variable in enumerate(order)}
    scopes = [
        (variable, *sorted(around, key=place.__getitem__))
        for variable, around in zip(order, groups, strict=True)
    ]
    widest, size, waiting, held = 0.0, 0.0, 0.0, 0.0
    received = [0.0] * len(order)
    for at, scope in enumerate(scopes):
        message = sum(bits[variable] for variable in scope[1:])
        entries = 2.0 ** (message + bits[scope[0]])
        widest, size = max(widest, message), size + entries
        held = max(held, waiting + entries)
        waiting -= received[at]
        if len(scope) > 1:
            received[place[scope[1]]] += 2.0**message
            waiting += 2.0**message
    return EliminationOrder(order, scopes, widest, size, held)
