"""Expressions over arrays: numbers and truth values that can be NULL, as SQL has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

import numpy as np

from workbench.arrays import Array, Bool
from workbench.grounding.select import Call, ColumnRef, Expression, Operation, Value


class NotInArraysError(Exception):
    """What the database is left to answer: a function, a type or rows that arrays here have not."""


@dataclass(frozen=True)
class Column:
    """Values, a number for all or one a row, and which of them are there; `None`: all are."""

    values: Array
    there: Bool | None = None

    @property
    def is_null(self) -> Bool:
        return np.asarray(np.False_ if self.there is None else ~self.there)

    @property
    def true(self) -> Bool:
        """Where a condition holds; it does not where it is NULL."""
        if self.values.dtype != bool:
            raise NotInArraysError
        return self.values if self.there is None else self.values & self.there

    @property
    def false(self) -> Bool:
        """Where a condition fails; it does not where it is NULL."""
        return ~self.true & ~self.is_null

    @property
    def all_there(self) -> Array:
        if self.there is not None and not self.there.all():
            raise NotInArraysError
        return self.values


ColumnOf = Callable[[ColumnRef], Column]


def evaluated(expression: Expression, of: ColumnOf) -> Column:
    """The values of an expression, whose columns `of` gives."""
    match expression:
        case ColumnRef():
            return of(expression)
        case Value(None):
            return Column(np.asarray(False), np.asarray(False))
        case Value(bool() | int() | float() as value) if value == value:
            return Column(np.asarray(value))
        case Operation("IS" | "IS NOT" as operator, (operand, Value(bool() | None as value))):
            found = _is(evaluated(operand, of), value)
            return Column(~found if operator == "IS NOT" else found)
        case Operation("IS DISTINCT FROM", (one, other)):
            left, right = evaluated(one, of), evaluated(other, of)
            same = left.values == right.values
            both = ~left.is_null & ~right.is_null
            return Column(~np.where(both, same, left.is_null & right.is_null))
        case Operation("AND" | "OR" as operator, operands):
            return _joined(operator, [evaluated(one, of) for one in operands])
        case Operation("=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" as operator, (one, other)):
            return _both(COMPARED[operator], evaluated(one, of), evaluated(other, of))
        case Operation("+" | "-" | "*" as operator, operands):
            return _arithmetic(operator, [evaluated(one, of) for one in operands])
        case Call("not", (operand,)):
            condition = evaluated(operand, of)
            return Column(condition.false, condition.there)
        case Call("cast DOUBLE", (operand,)):
            number = evaluated(operand, of)
            return Column(number.values.astype(np.float64), number.there)
        case Call("greatest" | "least" as function, operands):
            chosen = np.maximum if function == "greatest" else np.minimum
            return Column(reduce(chosen, [evaluated(one, of).all_there for one in operands]))
        case Call("coalesce", operands):
            return reduce(_first_there, [evaluated(one, of) for one in operands])
        case Call("case", arguments):
            return _case(arguments, of)
    raise NotInArraysError


def _is(column: Column, value: bool | None) -> Bool:
    if value is None:
        return column.is_null
    return column.true if value else column.false


def _joined(operator: str, conditions: Sequence[Column]) -> Column:
    true, false = [one.true for one in conditions], [one.false for one in conditions]
    holds, fails = (and_, or_) if operator == "AND" else (or_, and_)
    known_true = reduce(holds, true)
    if all(one.there is None for one in conditions):
        return Column(known_true)
    return Column(known_true, known_true | reduce(fails, false))


def _there(*columns: Column) -> Bool | None:
    masks = [one.there for one in columns if one.there is not None]
    return reduce(and_, masks) if masks else None


def _both(function: Callable[[Array, Array], Array], one: Column, other: Column) -> Column:
    return Column(np.asarray(function(one.values, other.values)), _there(one, other))


def _arithmetic(operator: str, operands: Sequence[Column]) -> Column:
    """Whole numbers in 64 bits, others as DuckDB has them; what is no number is left to it."""
    function = ARITHMETIC[operator]
    wide = [
        Column(
            one.values.astype(np.int64) if one.values.dtype.kind == "i" else one.values, one.there
        )
        for one in operands
    ]
    found = reduce(lambda one, other: _both(function, one, other), wide)
    if found.values.dtype.kind == "f" and not np.isfinite(found.values).all():
        raise NotInArraysError
    return found


def _first_there(one: Column, other: Column) -> Column:
    if one.there is None:
        return one
    there = None if other.there is None else one.there | other.there
    return Column(np.where(one.there, one.values, other.values), there)


def _case(arguments: Sequence[Expression], of: ColumnOf) -> Column:
    found = evaluated(arguments[-1], of)
    pairs = list(zip(arguments[:-1:2], arguments[1::2]))
    for condition, value in reversed(pairs):
        chosen, then = evaluated(condition, of).true, evaluated(value, of)
        there = None
        if then.there is not None or found.there is not None:
            there = np.where(chosen, ~then.is_null, ~found.is_null)
        found = Column(np.where(chosen, then.values, found.values), there)
    return found


COMPARED: Mapping[str, Callable[[Array, Array], Array]] = {
    "=": np.equal,
    "<>": np.not_equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}

ARITHMETIC: Mapping[str, Callable[[Array, Array], Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
}
