"""Variable elimination by a bucket tree, upwards for log Z and downwards for all marginals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float
from workbench.inference.elimination_order import EliminationOrder, Variables
from workbench.network.ground_network import Relation
from workbench.network.layout import SQUARED, Layout


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
    tables, messages, parents = _upwards(layout, variables, order, _log_sum, look)
    log_z = sum(float(message) for message, parent in zip(messages, parents) if parent < 0)
    probability: dict[int, float] = {}
    if not np.isfinite(log_z):
        return probability, float(log_z)
    downward: list[Float] = [np.zeros(())] * len(tables)
    for at in range(len(tables) - 1, -1, -1):
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
    """The atoms that are true in a component's best state, and minus its energy (-inf: none)."""
    tables, messages, parents = _upwards(layout, variables, order, _log_max, look)
    best = sum(float(message) for message, parent in zip(messages, parents) if parent < 0)
    if not np.isfinite(best):
        return [], float(best)
    value: dict[int, int] = {}
    for at in range(len(tables) - 1, -1, -1):
        scope = order.scopes[at]
        column = np.moveaxis(tables[at], 0, -1)[tuple(value[other] for other in scope[1:])]
        value[scope[0]] = int(np.argmax(column))
    chosen = [int(variables.choices[variable][index]) for variable, index in value.items()]
    return [atom for atom in chosen if atom >= 0], best


def _upwards(
    layout: Layout,
    variables: Variables,
    order: EliminationOrder,
    combine: Callable[[Float, tuple[int, ...]], Float],
    look: Callable[[], None],
) -> tuple[list[Float], list[Float], list[int]]:
    """Tables with the messages from below, the message of each, and where it goes (-1: a root)."""
    place = {variable: at for at, variable in enumerate(order.order)}
    tables = [
        np.zeros([variables.choices[variable].size for variable in scope]) for scope in order.scopes
    ]
    for variable, choice in enumerate(variables.choices):
        look()
        gain = np.where(choice >= 0, layout.field[np.maximum(choice, 0)], 0.0)
        tables[place[variable]] += gain.reshape(-1, *[1] * (len(order.scopes[place[variable]]) - 1))
    constant = 0.0
    costs: dict[_Cost, Float] = {}
    for row, scope in zip(variables.rows.tolist(), variables.scopes, strict=True):
        look()
        ordered = tuple(sorted(scope, key=place.__getitem__))
        cost = _cost(layout, variables, row, ordered)
        if cost not in costs:
            costs[cost] = cost.table()
        gain = -costs[cost]
        if not ordered:
            constant += float(gain)
            continue
        home = place[ordered[0]]
        tables[home] += _spread(gain, ordered, order.scopes[home])
    messages: list[Float] = []
    parents: list[int] = []
    for at, scope in enumerate(order.scopes):
        look()
        message = combine(tables[at], (0,))
        messages.append(message)
        parents.append(place[scope[1]] if len(scope) > 1 else -1)
        if parents[at] >= 0:
            tables[parents[at]] += _spread(message, scope[1:], order.scopes[parents[at]])
    if not messages:
        return tables, [np.asarray(constant)], [-1]
    roots = [at for at, parent in enumerate(parents) if parent < 0]
    messages[roots[0]] = messages[roots[0]] + constant
    return tables, messages, parents


@dataclass(frozen=True)
class _Cost:
    """What a row costs: equal for many rows of a component, whose table is then made once.

    Attributes
    ----------
    constant : float
        With the coefficients of atoms known to be true.
    parts : tuple of tuples of float
        Of each variable, the coefficient that each of its values adds.
    """

    constant: float
    parts: tuple[tuple[float, ...], ...]
    kind: int
    weight: float

    def table(self) -> Float:
        """By combination of the variables' values; infinite where the row forbids one."""
        ell = np.full([1] * len(self.parts), self.constant)
        for axis, part in enumerate(self.parts):
            ell = ell + np.array(part).reshape(
                [-1 if other == axis else 1 for other in range(len(self.parts))]
            )
        if self.kind == Relation.EQUAL:
            return np.where(np.abs(ell) > 1e-9, np.inf, 0.0)
        if self.kind == Relation.AT_MOST:
            return np.where(ell > 1e-9, np.inf, 0.0)
        potential = np.maximum(ell, 0.0)
        return np.asarray(
            self.weight * (potential**2 if self.kind == SQUARED else potential), np.float64
        )


def _cost(layout: Layout, variables: Variables, row: int, scope: tuple[int, ...]) -> _Cost:
    span = slice(int(layout.row_ptr[row]), int(layout.row_ptr[row + 1]))
    coefficient = dict(
        zip(layout.row_atom[span].tolist(), layout.row_coefficient[span].tolist(), strict=True)
    )
    true = sum(factor for atom, factor in coefficient.items() if layout.fixed[atom] == 1)
    parts = tuple(
        tuple(coefficient.get(atom, 0.0) for atom in variables.choices[variable].tolist())
        for variable in scope
    )
    return _Cost(
        float(layout.b[row]) + true, parts, int(layout.kind[row]), float(layout.weight[row])
    )


def _spread(table: Float, scope: tuple[int, ...], target: tuple[int, ...]) -> Float:
    """A table over `scope` in the target's order, with axes of length 1 for other variables."""
    sizes = dict(zip(scope, table.shape, strict=True))
    return table.reshape([sizes.get(variable, 1) for variable in target])


def _log_sum(table: Float, axes: tuple[int, ...]) -> Float:
    if not axes:
        return table
    largest = table.max(axis=axes, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(
            np.log(np.exp(table - shift).sum(axis=axes)) + np.squeeze(shift, axis=axes)
        )


def _log_max(table: Float, axes: tuple[int, ...]) -> Float:
    return np.asarray(table.max(axis=axes))
