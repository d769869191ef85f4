"""What a component's states cost, as tables over its variables: a table a set of variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int64
from workbench.inference.elimination_order import Variables
from workbench.network.ground_network import Relation
from workbench.network.layout import SQUARED, Layout

Scope = tuple[int, ...]


@dataclass(frozen=True)
class RowCost:
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


def cost_of_row(layout: Layout, variables: Variables, row: int, scope: Scope) -> RowCost:
    """What a row costs by the values of the variables in `scope`, which are all of its own."""
    span = slice(int(layout.row_ptr[row]), int(layout.row_ptr[row + 1]))
    coefficient = dict(
        zip(layout.row_atom[span].tolist(), layout.row_coefficient[span].tolist(), strict=True)
    )
    true = sum(factor for atom, factor in coefficient.items() if layout.fixed[atom] == 1)
    parts = tuple(
        tuple(coefficient.get(atom, 0.0) for atom in variables.choices[variable].tolist())
        for variable in scope
    )
    return RowCost(
        float(layout.b[row]) + true, parts, int(layout.kind[row]), float(layout.weight[row])
    )


class CostTables(NamedTuple):
    """Where the costs of values and of their combinations stand; flat arrays, for kernels.

    Attributes
    ----------
    value_ptr : int64 array, shape (n_variables + 1,)
        The stretch of values of each variable.
    entry_ptr, scope_ptr : int64 arrays, shape (n_tables + 1,)
        The stretch of entries of each table, the last variable's values side by side, and of its
        places, one a variable, in ascending order.
    variable, stride, table : int64 arrays, shape (n_places,)
        The variable of each place, how far apart its next values are, and the table.
    place_ptr, place : int64 arrays, shapes (n_variables + 1,) and (n_places,)
        The places of each variable.
    """

    value_ptr: Int64
    entry_ptr: Int64
    scope_ptr: Int64
    variable: Int64
    stride: Int64
    table: Int64
    place_ptr: Int64
    place: Int64


class Costs(NamedTuple):
    """What every state of a component costs: a sum over variables and tables.

    Attributes
    ----------
    constant : float
    value : float64 array
        What each value costs by itself.
    entry : float64 array
        What each combination in a table costs; infinite where it is forbidden.
    """

    constant: float
    value: Float
    entry: Float


def cost_tables(
    layout: Layout, variables: Variables, look: Callable[[], None] = lambda: None
) -> tuple[CostTables, Costs]:
    """The tables of a component, rows over the same variables in one, and their costs.

    `look` is called at every row, and stops the work by raising. Time and space: the entries.
    """
    value = [_own_cost(layout, choice) for choice in variables.choices]
    constant, tables = 0.0, dict[Scope, Float]()
    made: dict[RowCost, Float] = {}
    for row, scope in zip(variables.rows.tolist(), variables.scopes, strict=True):
        look()
        cost = cost_of_row(layout, variables, row, scope)
        if cost not in made:
            made[cost] = cost.table()
        if not scope:
            constant += float(made[cost])
        elif len(scope) == 1:
            value[scope[0]] = value[scope[0]] + made[cost]
        else:
            tables[scope] = tables[scope] + made[cost] if scope in tables else made[cost]
    sizes = np.array([choice.size for choice in variables.choices], np.int64)
    entry = [np.broadcast_to(table, sizes[list(scope)]).ravel() for scope, table in tables.items()]
    costs = Costs(constant, np.concatenate(value), np.concatenate((*entry, np.zeros(0))))
    return _placed(sizes, tuple(tables)), costs


def _own_cost(layout: Layout, choice: Int64) -> Float:
    """What each value of a variable costs: minus its atom's field."""
    return -np.where(choice >= 0, layout.field[np.maximum(choice, 0)], 0.0)


def _placed(sizes: Int64, scopes: tuple[Scope, ...]) -> CostTables:
    """The tables over these sets of variables, one after the other."""
    variable = np.array([one for scope in scopes for one in scope], np.int64)
    length = np.array([len(scope) for scope in scopes], np.int64)
    stride = [step for scope in scopes for step in _strides(sizes[list(scope)])]
    entries = [int(sizes[list(scope)].prod()) for scope in scopes]
    return CostTables(
        _pointers(sizes),
        _pointers(entries),
        _pointers(length),
        variable,
        np.array(stride, np.int64),
        np.repeat(np.arange(length.size), length),
        _pointers(np.bincount(variable, minlength=sizes.size)),
        np.argsort(variable, kind="stable"),
    )


def _strides(sizes: Int64) -> list[int]:
    return [int(sizes[at + 1 :].prod()) for at in range(sizes.size)]


def _pointers(counts: Iterable[int] | Int64) -> Int64:
    return np.concatenate(([0], np.cumsum(np.asarray(list(counts), np.int64)))).astype(np.int64)
