"""A `Select` as SQL text: DuckDB's, and what another database's dialect says otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from workbench.errors import UsageError, WorkbenchError
from workbench.grounding.select import (
    Call,
    ColumnRef,
    Expression,
    Function,
    Operation,
    Operator,
    Raw,
    Registered,
    Select,
    Source,
    Star,
    Union,
    Value,
)


class Dialect:
    """SQL as DuckDB reads it; a subclass states what its database reads otherwise.

    Attributes
    ----------
    types : mapping of DuckDB's names of types to the database's
    functions : mapping of Function to format string of the arguments, or None for what the database
    has not
    operators : mapping of Operator to format string of two operands
    semi_joins : bool
        Whether `SEMI JOIN` and `ANTI JOIN` are known; else they are written as conditions.
    ordered_sums : bool
        Whether an aggregate can be told the order of its values.
    registered : bool
        Whether functions of ours can be called.
    row_subqueries : bool
        Whether a subquery of rows is one column; else one column a value.
    """

    name: ClassVar[str] = "DuckDB"
    types: ClassVar[Mapping[str, str]] = {}
    functions: ClassVar[Mapping[Function, str | None]] = {}
    operators: ClassVar[Mapping[Operator, str]] = {}
    semi_joins: ClassVar[bool] = True
    ordered_sums: ClassVar[bool] = True
    registered: ClassVar[bool] = True
    row_subqueries: ClassVar[bool] = True

    def render(self, query: Select | Union, indent: str = "") -> str:
        """SQL text, one clause a line; E0880 for a function that the database has not."""
        if isinstance(query, Union):
            return f"\n{indent}UNION ALL\n".join(
                self.render(select, indent) for select in query.selects
            )
        shown = ", ".join(f"{self.expression(value)} AS {name}" for name, value in query.columns)
        lines = [f"SELECT {'DISTINCT ' if query.distinct else ''}{shown}"]
        tests = [
            source
            for source in query.sources[1:]
            if source.kind in ("anti", "semi") and not self.semi_joins
        ]
        joined = [source for source in query.sources if source not in tests]
        for number, source in enumerate(joined):
            lines.append(
                ("FROM " if number == 0 else "  ") + self._source(source, number == 0, indent)
            )
        where = [
            *map(self._operand, query.where),
            *(self._exists(source, indent) for source in tests),
        ]
        if where:
            lines.append("WHERE " + "\n  AND ".join(where))
        if query.group_by:
            lines.append("GROUP BY " + ", ".join(map(self._group_key, query.group_by)))
        if query.having:
            lines.append("HAVING " + " AND ".join(map(self._operand, query.having)))
        if query.order_by:
            lines.append("ORDER BY " + ", ".join(map(self.expression, query.order_by)))
        if query.limit is not None:
            lines.append(f"LIMIT {query.limit}")
        return "\n".join(indent + line for line in lines)

    def expression(self, expression: Expression) -> str:
        """SQL text of an expression."""
        match expression:
            case ColumnRef(table, name):
                return f"{table}.{name}" if table else name
            case Value(value):
                return self.literal(value)
            case Operation("IN", (Call("row", keys), Raw(select))) if not self.row_subqueries:
                return (
                    f"({', '.join(map(self.expression, keys))}) IN "
                    f"({self.render(_values_of_rows(select))})"
                )
            case Operation(operator, operands):
                shown = [self._operand(one) for one in operands]
                if operator not in ("AND", "OR"):
                    # NOT binds more loosely than all but these.
                    shown = [
                        f"({text})" if isinstance(one, Call) and one.function == "not" else text
                        for one, text in zip(operands, shown)
                    ]
                return self._infix(operator, shown)
            case Star():
                return "*"
            case Raw(select):
                return f"({self.render(select)})"
            case Registered(name, arguments):
                if not self.registered:
                    raise self.lacks("functions written in Python")
                return f"{name}({', '.join(map(self.expression, arguments))})"
            case Call("not", (argument,)):
                return f"NOT {self._operand(argument)}"
            case Call("distinct", (argument,)):
                return f"DISTINCT {self._operand(argument)}"
            case Call("case", arguments):
                pairs = zip(arguments[:-1:2], arguments[1::2])
                branches = " ".join(
                    f"WHEN {self.expression(a)} THEN {self.expression(b)}" for a, b in pairs
                )
                return f"CASE {branches} ELSE {self.expression(arguments[-1])} END"
            case Call():
                return self._call(expression)

    def literal(self, value: float | int | str | bool | None) -> str:
        """A number, text, truth value or NULL."""
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        if isinstance(value, float):
            shown = f"{value!r}" if abs(value) != float("inf") else f"'{value}'"
            return f"{shown}::{self._type('DOUBLE')}"
        return str(value)

    def lacks(self, what: str) -> WorkbenchError:
        """E0880 for what only the workspace's own database can do."""
        return UsageError.of(
            "E0880",
            f"a rule needs {what}, which {self.name} has not",
            help="leave out --on to ground on this machine",
        )

    def _infix(self, operator: Operator, operands: Sequence[str]) -> str:
        form = self.operators.get(operator)
        if form is None:
            return f" {operator} ".join(operands)
        shown = operands[0]
        for other in operands[1:]:
            shown = form.format(shown, other)
        return shown

    def _call(self, call: Call) -> str:
        inside = ", ".join(map(self.expression, call.arguments))
        if call.order and self.ordered_sums:
            inside += " ORDER BY " + ", ".join(map(self.expression, call.order))
        suffix = (
            f" FILTER (WHERE {self.expression(call.filter)})" if call.filter is not None else ""
        )
        form = self.functions.get(call.function, "")
        if form is None:
            raise self.lacks(f"the function {call.function}")
        if form:
            return form.format(*map(self._operand, call.arguments), all=inside, filter=suffix)
        word, _, type_name = call.function.partition(" ")
        if type_name:
            return f"{word.upper()}({inside} AS {self._type(type_name)})"
        return f"{call.function}({inside}){suffix}"

    def _type(self, name: str) -> str:
        return self.types.get(name, name)

    def _source(self, source: Source, first: bool, indent: str) -> str:
        if isinstance(source.relation, str):
            shown = f"{source.relation} AS {source.alias}"
        else:
            shown = (
                f"(\n{self.render(source.relation, indent + '    ')}\n{indent}  ) AS {source.alias}"
            )
        if first:
            return shown
        if not source.on:
            if source.kind == "inner":
                return f"CROSS JOIN {shown}"
            return f"{source.kind.upper()} JOIN {shown} ON TRUE"
        word = {"inner": "JOIN", "left": "LEFT JOIN", "anti": "ANTI JOIN", "semi": "SEMI JOIN"}[
            source.kind
        ]
        return f"{word} {shown} ON " + " AND ".join(map(self._operand, source.on))

    def _exists(self, source: Source, indent: str) -> str:
        """A semi or anti join as a condition."""
        word = "NOT EXISTS" if source.kind == "anti" else "EXISTS"
        on = " AND ".join(map(self._operand, source.on)) or "TRUE"
        return f"{word} (SELECT 1 AS one FROM {self._source(source, True, indent)} WHERE {on})"

    def _group_key(self, expression: Expression) -> str:
        """A number in GROUP BY would name a column."""
        text = self.expression(expression)
        return f"CAST({text} AS {self._type('INTEGER')})" if isinstance(expression, Value) else text

    def _operand(self, expression: Expression) -> str:
        text = self.expression(expression)
        return (
            f"({text})"
            if isinstance(expression, Operation) and len(expression.operands) > 1
            else text
        )


def _values_of_rows(select: Select) -> Select:
    """A subquery of rows, one column a value."""
    ((_, row),) = select.columns
    assert isinstance(row, Call)
    return replace(
        select, columns=tuple((f"k{place}", value) for place, value in enumerate(row.arguments))
    )


DUCKDB = Dialect()
render, render_expression = DUCKDB.render, DUCKDB.expression
