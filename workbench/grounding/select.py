"""The relational intermediate form: one small frozen `Select`, and its one renderer to DuckDB's SQL.

Everything that grounding asks of the database about rules is built from these classes, so that joins, counts, plans
and the statements shown in a preview come from one description.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

__all__ = [
    "Call",
    "Column",
    "Expression",
    "Operation",
    "Raw",
    "Select",
    "Source",
    "Star",
    "Union",
    "Value",
    "add",
    "all_of",
    "any_of",
    "equal",
    "negate",
    "real_sum",
    "render",
    "render_expression",
]


@dataclass(frozen=True, slots=True)
class Column:
    """`table.name`."""

    table: str
    name: str


@dataclass(frozen=True, slots=True)
class Value:
    """A number, text, truth value or NULL."""

    value: float | int | str | bool | None


@dataclass(frozen=True, slots=True)
class Operation:
    """Infix `operator` between two or more operands."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`, with `filter` and `order` for aggregates; `not`, `case` and `distinct` are calls as well.

    `cast T` and `try_cast T` convert to type T; `case` takes condition, value, condition, value, ..., otherwise.
    """

    function: str
    arguments: tuple[Expression, ...]
    order: tuple[Expression, ...] = ()
    filter: Expression | None = None


@dataclass(frozen=True, slots=True)
class Star:
    """`*`, as in `count(*)`."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A scalar subquery."""

    select: Select


Expression = Column | Value | Operation | Call | Star | Raw


@dataclass(frozen=True, slots=True)
class Union:
    """`UNION ALL` of selects with equal columns."""

    selects: tuple[Select, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """One relation of a FROM clause, and how it meets those before it (`on` empty and inner: a cross join)."""

    relation: str | Select | Union
    alias: str
    on: tuple[Expression, ...] = ()
    kind: OneOf["inner", "left", "anti", "semi"] = "inner"


@dataclass(frozen=True, slots=True)
class Select:
    """A query. `where` is a conjunction; `columns` pairs an output name with its expression."""

    columns: tuple[tuple[str, Expression], ...]
    sources: tuple[Source, ...] = ()
    where: tuple[Expression, ...] = ()
    group_by: tuple[Expression, ...] = ()
    having: tuple[Expression, ...] = ()
    order_by: tuple[Expression, ...] = field(default=())
    distinct: bool = False
    limit: int | None = None


def equal(left: Expression, right: Expression) -> Operation:
    return Operation("=", (left, right))


def negate(condition: Expression) -> Call:
    return Call("not", (condition,))


def all_of(conditions: tuple[Expression, ...]) -> Expression:
    """The conjunction; TRUE of none."""
    if not conditions:
        return Value(True)
    return conditions[0] if len(conditions) == 1 else Operation("AND", conditions)


def any_of(conditions: tuple[Expression, ...]) -> Expression:
    """The disjunction; FALSE of none."""
    if not conditions:
        return Value(False)
    return conditions[0] if len(conditions) == 1 else Operation("OR", conditions)


def add(terms: tuple[Expression, ...]) -> Expression:
    """The sum, constants folded."""
    number: float | int = 0
    others: list[Expression] = []
    for term in terms:
        if isinstance(term, Value) and isinstance(term.value, int | float):
            number += term.value
        else:
            others.append(term)
    if number or not others:
        others.append(Value(number))
    return others[0] if len(others) == 1 else Operation("+", tuple(others))


def real_sum(value: Expression, only: Expression | None = None, *, in_order: bool) -> Call:
    """The sum of real numbers; in ascending order where threads would else add them up in any, with other last bits."""
    return Call("sum", (value,), order=(value,) if in_order else (), filter=only)


def render(query: Select | Union, indent: str = "") -> str:
    """SQL text, one clause a line."""
    if isinstance(query, Union):
        return f"\n{indent}UNION ALL\n".join(render(select, indent) for select in query.selects)
    shown = ", ".join(f"{render_expression(value)} AS {name}" for name, value in query.columns)
    lines = [f"SELECT {'DISTINCT ' if query.distinct else ''}{shown}"]
    for number, source in enumerate(query.sources):
        lines.append(("FROM " if number == 0 else "  ") + _source(source, number == 0, indent))
    if query.where:
        lines.append("WHERE " + "\n  AND ".join(_operand(part) for part in query.where))
    if query.group_by:
        lines.append("GROUP BY " + ", ".join(map(_group_key, query.group_by)))
    if query.having:
        lines.append("HAVING " + " AND ".join(_operand(part) for part in query.having))
    if query.order_by:
        lines.append("ORDER BY " + ", ".join(map(render_expression, query.order_by)))
    if query.limit is not None:
        lines.append(f"LIMIT {query.limit}")
    return "\n".join(indent + line for line in lines)


def _source(source: Source, first: bool, indent: str) -> str:
    if isinstance(source.relation, str):
        shown = f"{source.relation} AS {source.alias}"
    else:
        shown = f"(\n{render(source.relation, indent + '    ')}\n{indent}  ) AS {source.alias}"
    if first:
        return shown
    if not source.on:
        if source.kind == "inner":
            return f"CROSS JOIN {shown}"
        return f"{source.kind.upper()} JOIN {shown} ON TRUE"
    word = {"inner": "JOIN", "left": "LEFT JOIN", "anti": "ANTI JOIN", "semi": "SEMI JOIN"}[source.kind]
    return f"{word} {shown} ON " + " AND ".join(_operand(part) for part in source.on)


def render_expression(expression: Expression) -> str:
    """SQL text of an expression."""
    match expression:
        case Column(table, name):
            return f"{table}.{name}" if table else name
        case Value(value):
            return _literal(value)
        case Operation(operator, operands):
            return f" {operator} ".join(map(_operand, operands))
        case Star():
            return "*"
        case Raw(select):
            return f"({render(select)})"
        case Call("not", (argument,)):
            return f"NOT {_operand(argument)}"
        case Call("distinct", (argument,)):
            return f"DISTINCT {_operand(argument)}"
        case Call("case", arguments):
            pairs = zip(arguments[:-1:2], arguments[1::2])
            branches = " ".join(f"WHEN {render_expression(a)} THEN {render_expression(b)}" for a, b in pairs)
            return f"CASE {branches} ELSE {render_expression(arguments[-1])} END"
        case Call(function, arguments, order, condition):
            inside = ", ".join(map(render_expression, arguments))
            if order:
                inside += " ORDER BY " + ", ".join(map(render_expression, order))
            suffix = f" FILTER (WHERE {render_expression(condition)})" if condition is not None else ""
            word, _, type_name = function.partition(" ")
            if type_name:
                return f"{word.upper()}({inside} AS {type_name})"
            return f"{function}({inside}){suffix}"


def _group_key(expression: Expression) -> str:
    """A number in GROUP BY would name a column."""
    text = render_expression(expression)
    return f"CAST({text} AS INTEGER)" if isinstance(expression, Value) else text


def _operand(expression: Expression) -> str:
    text = render_expression(expression)
    return f"({text})" if isinstance(expression, Operation) and len(expression.operands) > 1 else text


def _literal(value: float | int | str | bool | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):
        return f"{value!r}::DOUBLE" if abs(value) != float("inf") else f"'{value}'::DOUBLE"
    return str(value)
