"""Variable elimination by a bucket tree, upwards for log Z and downwards for all marginals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from workbench.arrays import Float
from workbench.inference.cost_tables import RowCost, cost_of_row
from workbench.inference.elimination_order import EliminationOrder, Variables
from workbench.network.layout import Layout


def marginals(
    layout: Layout,
    variables: Variables,
    order: EliminationOrder,
    look: Callable[[], None] = lambda: None,
) -> tuple[dict[int, float], float]:
    """The probability of each free atom, and log Z of the component (energy of free atoms only).

    log Z is -inf where hard rows clash. `look` is called at every table, and stops the work by
    raising. Time and space: the entries of all tables.
    """
    steps = _upwards(layout, variables, order, _log_sum, look)
    tables, messages, parents = _kept(steps)
    log_z = sum(float(message) for message, parent in zip(messages, parents) if parent < 0)
    probability: dict[int, float] = {}
    if not np.isfinite(log_z):
        return probability, float(log_z)
    downward: list[Float] = [np.zeros(())] * len(tables)
    for at in reversed(range(len(order.scopes))):
        look()
        parent = parents[at]
        scope = order.scopes[at]
        if parent >= 0:
            # What the parent's table says without this one's own message. Where that is -inf, so is
            # the table.
            with np.errstate(invalid="ignore"):
                rest = tables[parent] - _spread(messages[at], scope[1:], order.scopes[parent])
            rest[np.isnan(rest)] = -np.inf
            kept = set(scope[1:])
            axes = tuple(
                axis for axis, variable in enumerate(order.scopes[parent]) if variable not in kept
            )
            downward[at] = _log_sum(rest, axes)
        tables[at] = tables[at] + downward[at]
        belief = _log_sum(tables[at], tuple(range(1, len(scope))))
        mass = np.exp(belief - belief.max())
        mass /= mass.sum()
        for atom, share in zip(variables.choices[scope[0]].tolist(), mass.tolist(), strict=True):
            if atom >= 0:
                probability[atom] = share
    return probability, log_z


def best_values(
    layout: Layout,
    variables: Variables,
    order: EliminationOrder,
    look: Callable[[], None] = lambda: None,
) -> tuple[list[int], float]:
    """The atoms that are true in a component's best state, and minus its energy (-inf: none).

    Space: `order.held`, and a byte for each entry of a message.
    """
    best, chosen = 0.0, []
    for table, message, parent in _upwards(layout, variables, order, _log_max, look):
        # All that is kept of a table: a byte where the variable has few values.
        chosen.append(table.argmax(axis=0).astype(np.min_scalar_type(len(table))))
        if parent < 0:
            best += float(message)
    if not np.isfinite(best):
        return [], best
    value: dict[int, int] = {}
    for at in reversed(range(len(order.scopes))):
        variable, *others = order.scopes[at]
        value[variable] = int(chosen[at][tuple(value[other] for other in others)])
    true = [int(variables.choices[variable][index]) for variable, index in value.items()]
    return [atom for atom in true if atom >= 0], best


def log_partition(
    layout: Layout,
    variables: Variables,
    order: EliminationOrder,
    look: Callable[[], None] = lambda: None,
) -> float:
    """log Z of the component alone. Space: `order.held`, as a table goes with its message."""
    return sum(
        float(message)
        for _, message, parent in _upwards(layout, variables, order, _log_sum, look)
        if parent < 0
    )


def _kept(
    steps: Iterator[tuple[Float, Float, int]],
) -> tuple[list[Float], list[Float], list[int]]:
    """All tables, their messages, and where each goes."""
    tables, messages, parents = [], [], []
    for table, message, parent in steps:
        tables.append(table)
        messages.append(message)
        parents.append(parent)
    return tables, messages, parents


def _upwards(
    layout: Layout,
    variables: Variables,
    order: EliminationOrder,
    combine: Callable[[Float, tuple[int, ...]], Float],
    look: Callable[[], None],
) -> Iterator[tuple[Float, Float, int]]:
    """Each table with the messages from below, its message, and where that goes (-1: a root)."""
    place = {variable: at for at, variable in enumerate(order.order)}
    received: list[list[tuple[Float, tuple[int, ...]]]] = [[] for _ in order.order]
    constant = _gather_rows(layout, variables, place, received, look)
    if not received:
        yield np.zeros(1), np.asarray(constant), -1
    for at, scope in enumerate(order.scopes):
        look()
        table = np.zeros([variables.choices[variable].size for variable in scope])
        choice = variables.choices[scope[0]]
        gain = np.where(choice >= 0, layout.field[np.maximum(choice, 0)], 0.0)
        table += _spread(gain, scope[:1], scope)
        for part, over in received[at]:
            table += _spread(part, over, scope)
        received[at].clear()
        message = combine(table, (0,))
        if len(scope) > 1:
            parent = place[scope[1]]
            received[parent].append((message, scope[1:]))
        else:
            # What no variable decides is added to one root's message.
            parent, message, constant = -1, message + constant, 0.0
        yield table, message, parent


def _gather_rows(
    layout: Layout,
    variables: Variables,
    place: Mapping[int, int],
    received: Sequence[list[tuple[Float, tuple[int, ...]]]],
    look: Callable[[], None],
) -> float:
    """Add each row's gain to what the table of its first variable receives; the gain of rows that
    no variable decides.
    """
    constant = 0.0
    gains: dict[RowCost, Float] = {}
    for row, scope in zip(variables.rows.tolist(), variables.scopes, strict=True):
        look()
        ordered = tuple(sorted(scope, key=place.__getitem__))
        cost = cost_of_row(layout, variables, row, ordered)
        if cost not in gains:
            gains[cost] = -cost.table()
        if ordered:
            received[place[ordered[0]]].append((gains[cost], ordered))
        else:
            constant += float(gains[cost])
    return constant


def _spread(table: Float, scope: tuple[int, ...], target: tuple[int, ...]) -> Float:
    """A table over `scope` in the target's order, with axes of length 1 for other variables."""
    sizes = dict(zip(scope, table.shape, strict=True))
    return table.reshape([sizes.get(variable, 1) for variable in target])


def _log_sum(table: Float, axes: tuple[int, ...]) -> Float:
    if not axes:
        return table
    largest = table.max(axis=axes, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    shifted = table - shift
    np.exp(shifted, out=shifted)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(shifted.sum(axis=axes)) + np.squeeze(shift, axis=axes))


def _log_max(table: Float, axes: tuple[int, ...]) -> Float:
    return np.asarray(table.max(axis=axes))
