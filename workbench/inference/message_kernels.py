"""Sequential reweighted message passing: costs moved between values and tables, sum by sum equal.

Moving what is least in a table to its variable, and shares of a variable's costs back to its
tables, changes no state's cost; the sum of what is least of each variable and table bounds the
least cost, and no move lowers it (Kolmogorov 2015, "A new look at reweighted message passing").
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int64
from workbench.inference.cost_tables import CostTables
from workbench.network.compiled import compiled


class Messages(NamedTuple):
    """Costs as they stand after messages; changed in place.

    Attributes
    ----------
    value, entry : float64 arrays
        As in `Costs`; infinite at values and combinations that are ruled out.
    least : float64 array, shape (n_tables,)
        The least entry of each table.
    """

    value: Float
    entry: Float
    least: Float


@compiled
def least_of(table: int, place: int, tables: CostTables, entry: Float, found: Float) -> None:
    """For each value of a place's variable the least entry of the table, into `found`."""
    variable, stride = tables.variable[place], tables.stride[place]
    n = tables.value_ptr[variable + 1] - tables.value_ptr[variable]
    for value in range(n):
        found[value] = np.inf
    for block in range(tables.entry_ptr[table], tables.entry_ptr[table + 1], stride * n):
        for value in range(n):
            first = block + value * stride
            for at in range(first, first + stride):
                if entry[at] < found[value]:
                    found[value] = entry[at]


@compiled
def add_to(table: int, place: int, tables: CostTables, entry: Float, cost: Float) -> None:
    """Add `cost`, by value of a place's variable, to the entries of the table; infinite ones of
    either stay, and become, infinite.
    """
    variable, stride = tables.variable[place], tables.stride[place]
    n = tables.value_ptr[variable + 1] - tables.value_ptr[variable]
    for block in range(tables.entry_ptr[table], tables.entry_ptr[table + 1], stride * n):
        for value in range(n):
            first = block + value * stride
            for at in range(first, first + stride):
                entry[at] += cost[value]


@compiled
def gather(variable: int, tables: CostTables, messages: Messages, room: Float) -> float:
    """Move what is least in its tables to a variable; what their `least` was in all."""
    value, entry, least = messages
    first = tables.value_ptr[variable]
    n = tables.value_ptr[variable + 1] - first
    moved = 0.0
    for k in range(tables.place_ptr[variable], tables.place_ptr[variable + 1]):
        place = tables.place[k]
        table = tables.table[place]
        least_of(table, place, tables, entry, room)
        for at in range(n):
            value[first + at] += room[at]
            # Entries of a value that the table rules out are infinite, and stay so.
            room[at] = 0.0 if room[at] == np.inf else -room[at]
        add_to(table, place, tables, entry, room)
        moved += least[table]
        least[table] = 0.0
    return moved


@compiled
def share(
    variable: int, forward: bool, tables: CostTables, messages: Messages, least: float, room: Float
) -> None:
    """Move equal shares of a variable's costs, whose least is `least`, to the tables that variables
    to come are in; what the others would have had stays.
    """
    value, entry, least_entry = messages
    first, last = tables.value_ptr[variable], tables.value_ptr[variable + 1]
    to_come = passed = 0
    for k in range(tables.place_ptr[variable], tables.place_ptr[variable + 1]):
        table = tables.table[tables.place[k]]
        to_come += tables.variable[tables.scope_ptr[table + 1] - 1] != variable
        passed += tables.variable[tables.scope_ptr[table]] != variable
    if not forward:
        to_come, passed = passed, to_come
    if to_come == 0:
        return
    # By the larger of both counts: what is not shared now is left for the sweep back.
    part = 1.0 / max(to_come, passed)
    for at in range(first, last):
        room[at - first] = value[at] * part
    for k in range(tables.place_ptr[variable], tables.place_ptr[variable + 1]):
        place = tables.place[k]
        table = tables.table[place]
        end = tables.scope_ptr[table + 1] - 1 if forward else tables.scope_ptr[table]
        if tables.variable[end] != variable:
            add_to(table, place, tables, entry, room)
            least_entry[table] = least * part
    kept = 1.0 - to_come * part if to_come < passed else 0.0
    for at in range(first, last):
        if value[at] < np.inf:
            value[at] *= kept


@compiled
def sweep(
    forward: bool,
    tables: CostTables,
    messages: Messages,
    bound: float,
    ceiling: float,
    room: Float,
) -> float:
    """Pass messages from variable to variable, and rule out values of which every state costs
    `ceiling` or more; the new bound, infinite where every state does.

    Time: a small multiple of the entries, for each variable of their table.
    """
    value = messages.value
    n = tables.value_ptr.size - 1
    for step in range(n):
        variable = step if forward else n - 1 - step
        first, last = tables.value_ptr[variable], tables.value_ptr[variable + 1]
        before = np.inf
        for at in range(first, last):
            before = min(before, value[at])
        # The bound gains what the variable's least rose by, less what its tables gave up for it.
        moved = gather(variable, tables, messages, room)
        least = np.inf
        for at in range(first, last):
            least = min(least, value[at])
        bound += least - before - moved
        if bound >= ceiling:
            return np.inf
        for at in range(first, last):
            if bound - least + value[at] >= ceiling:
                value[at] = np.inf
        share(variable, forward, tables, messages, least, room)
    return bound


@compiled
def decode(
    forward: bool, tables: CostTables, messages: Messages, state: Int64, room: Float
) -> None:
    """Choose a value for each variable in turn: the cheapest beside those chosen before."""
    value, entry, _ = messages
    n = tables.value_ptr.size - 1
    for step in range(n):
        variable = step if forward else n - 1 - step
        first = tables.value_ptr[variable]
        size = tables.value_ptr[variable + 1] - first
        for at in range(size):
            room[at] = value[first + at]
        for k in range(tables.place_ptr[variable], tables.place_ptr[variable + 1]):
            place = tables.place[k]
            table = tables.table[place]
            end = tables.scope_ptr[table + 1] - 1 if forward else tables.scope_ptr[table]
            if tables.variable[end] == variable:
                _add_beside(table, place, tables, entry, state, room)
        state[variable] = _cheapest(size, 0, room)


@compiled
def descend(tables: CostTables, value: Float, entry: Float, state: Int64, room: Float) -> None:
    """Give each variable in turn the value that is cheapest beside all others', to no more change.

    The costs are those without messages.
    """
    changed = True
    while changed:
        changed = False
        for variable in range(state.size):
            first = tables.value_ptr[variable]
            size = tables.value_ptr[variable + 1] - first
            for at in range(size):
                room[at] = value[first + at]
            for k in range(tables.place_ptr[variable], tables.place_ptr[variable + 1]):
                place = tables.place[k]
                _add_beside(tables.table[place], place, tables, entry, state, room)
            chosen = _cheapest(size, state[variable], room)
            changed |= chosen != state[variable]
            state[variable] = chosen


@compiled
def _add_beside(
    table: int, place: int, tables: CostTables, entry: Float, state: Int64, room: Float
) -> None:
    """Add to each value of a place's variable its entry beside the other variables' values."""
    at = tables.entry_ptr[table]
    for other in range(tables.scope_ptr[table], tables.scope_ptr[table + 1]):
        if other != place:
            at += tables.stride[other] * state[tables.variable[other]]
    variable = tables.variable[place]
    for value in range(tables.value_ptr[variable + 1] - tables.value_ptr[variable]):
        room[value] += entry[at + value * tables.stride[place]]


@compiled
def _cheapest(size: int, now: int, cost: Float) -> int:
    """The value of least cost; `now` where others are not clearly cheaper."""
    best = now
    for value in range(size):
        clearly = cost[best] == np.inf or cost[best] - cost[value] > 1e-12 * (1.0 + abs(cost[best]))
        if cost[value] < cost[best] and clearly:
            best = value
    return best


@compiled
def cost_of(tables: CostTables, value: Float, entry: Float, state: Int64) -> float:
    """What a state costs."""
    total = 0.0
    for variable in range(state.size):
        total += value[tables.value_ptr[variable] + state[variable]]
    for table in range(tables.entry_ptr.size - 1):
        at = tables.entry_ptr[table]
        for place in range(tables.scope_ptr[table], tables.scope_ptr[table + 1]):
            at += tables.stride[place] * state[tables.variable[place]]
        total += entry[at]
    return total


@compiled
def most_doubtful(
    tables: CostTables, messages: Messages, room: Float, own: Float
) -> tuple[int, int]:
    """The variable whose two cheapest values are nearest, all its tables asked, and the cheapest;
    (-1, 0) where each has one value left.
    """
    value, entry, _ = messages
    doubtful, cheapest, nearest = -1, 0, np.inf
    for variable in range(tables.value_ptr.size - 1):
        first = tables.value_ptr[variable]
        size = tables.value_ptr[variable + 1] - first
        for at in range(size):
            own[at] = value[first + at]
        for k in range(tables.place_ptr[variable], tables.place_ptr[variable + 1]):
            place = tables.place[k]
            least_of(tables.table[place], place, tables, entry, room)
            for at in range(size):
                own[at] += room[at]
        best = _cheapest(size, 0, own)
        second = np.inf
        for at in range(size):
            if at != best:
                second = min(second, own[at])
        if second - own[best] < nearest:
            doubtful, cheapest, nearest = variable, best, second - own[best]
    return doubtful, cheapest
