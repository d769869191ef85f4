"""Predicates as the database holds them: their columns, and the way from ids to names and back;
numbers, dates and texts as columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal as OneOf

import duckdb

from workbench.database.identifiers import quoted, unused_name
from workbench.language.values import VALUE_TYPES, ValueKind, argument_kinds

SQL_TYPES = {ValueKind.NUMBER: "DOUBLE", ValueKind.DATE: "TIMESTAMP", ValueKind.TEXT: "VARCHAR"}
"""The column type that holds each kind of value."""

# DuckDB reads more as a date than the one form that rules and data share ("epoch", "infinity",
# years of six digits).
_DATE = r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?"


def value_of_text(cell: str, kind: ValueKind) -> str:
    """The value that a cell of text is, as an SQL expression; NULL where it is none of its kind."""
    match kind:
        case ValueKind.NUMBER:
            return f"try_cast({cell} AS DOUBLE)"
        case ValueKind.DATE:
            return (
                f"CASE WHEN regexp_full_match({cell}, '{_DATE}') THEN try_cast({cell} AS "
                "TIMESTAMP) END"
            )
        case ValueKind.TEXT:
            return f"{cell}"


def is_no_value(cell: str, kind: ValueKind) -> str:
    """Whether a cell of text is no value of its kind; infinity and not-a-number are no numbers."""
    if kind is ValueKind.NUMBER:
        return f"NOT coalesce(isfinite({value_of_text(cell, kind)}), false)"
    return f"{value_of_text(cell, kind)} IS NULL"


def text_of_value(cell: str, kind: ValueKind) -> str:
    """A value as rules and data write it: `30`, `0.5`, `2020-01-31`, `2020-01-31 10:20:30`."""
    match kind:
        case ValueKind.NUMBER:
            return f"regexp_replace({cell}::VARCHAR, '\\.0$', '')"
        case ValueKind.DATE:
            return (
                f"CASE WHEN {cell} = date_trunc('day', {cell}) THEN {cell}::DATE::VARCHAR ELSE "
                f"{cell}::VARCHAR END"
            )
        case ValueKind.TEXT:
            return f"{cell}"


@dataclass(frozen=True, slots=True)
class StoredPredicate:
    """A predicate (or function, with its value as the last argument) as the database holds it.

    Attributes
    ----------
    argument_types : tuple of str
        The type of each column a0, a1, ...; a function's return type comes last.
    kind : {'predicate', 'function'}
    value_last : bool
        The last column is a number that weighs a rule, whatever its type is called.
    entities : tuple of int
        Columns of constants' ids whose type is called like a type of values.
    """

    name: str
    table_name: str
    view_name: str
    argument_types: tuple[str, ...]
    kind: OneOf["predicate", "function"] = "predicate"
    value_last: bool = False
    closed: bool | None = None
    exactly_one: tuple[int, ...] = ()
    at_most_one: tuple[int, ...] = ()
    entities: tuple[int, ...] = ()

    @property
    def arity(self) -> int:
        """Number of columns, a function's value included."""
        return len(self.argument_types)

    @property
    def shape(self) -> tuple[object, ...]:
        """What facts of equal shape can stand in one table by."""
        return self.argument_types, self.kind, self.kinds, self.value_last

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"a{position}" for position in range(self.arity))

    @property
    def constant_columns(self) -> tuple[tuple[str, str], ...]:
        """Column and type of the arguments that are dictionary-encoded."""
        columns = zip(self.columns, self.argument_types, self.kinds)
        return tuple((column, type_name) for column, type_name, kind in columns if kind is None)

    @property
    def kinds(self) -> tuple[ValueKind | None, ...]:
        """The kind of value that each column holds; None for a constant's id."""
        entities = range(self.arity) if self.kind == "function" else self.entities
        return argument_kinds(self.argument_types, entities, value_last=self.value_last)

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that a fact says something of: all, or all but a function's value."""
        return self.columns[:-1] if self.kind == "function" else self.columns

    @property
    def value_columns(self) -> tuple[tuple[str, ValueKind], ...]:
        """Column and kind of the arguments that are values."""
        return tuple(
            (column, kind) for column, kind in zip(self.columns, self.kinds) if kind is not None
        )

    @property
    def argument_names(self) -> tuple[str, ...]:
        """Column names of the readable view: the types, numbered where one occurs twice."""
        names: list[str] = []
        for position, type_name in enumerate(self.argument_types):
            number = self.argument_types[:position].count(type_name) + 1
            wanted = (
                f"{type_name}_{number}" if self.argument_types.count(type_name) > 1 else type_name
            )
            names.append(unused_name(wanted, [*names, "world", "value", "partition"]))
        return tuple(names)

    def as_texts(self, tables: Mapping[str, str]) -> Coded:
        """The names of constants and the texts of values, from a relation `f` of stored facts."""
        return self._coded(tables, "f", "name", "id", text_of_value)

    def as_ids(self, tables: Mapping[str, str], source: str = "f") -> Coded:
        """The ids of constants and the values, from texts; rows of unknown names are left out."""
        return self._coded(tables, source, "id", "name", value_of_text)

    def as_written(self, source: str = "f") -> Coded:
        """The names of constants as they are and the values, from texts."""
        values = dict(self.value_columns)
        cells = (
            value_of_text(f"{source}.{column}", values[column])
            if column in values
            else f"{source}.{column}"
            for column in self.columns
        )
        return Coded([f"{cell} AS {column}" for cell, column in zip(cells, self.columns)], "")

    def _coded(
        self,
        tables: Mapping[str, str],
        source: str,
        wanted: str,
        known: str,
        value: Callable[[str, ValueKind], str],
    ) -> Coded:
        names, values = dict(self.constant_columns), dict(self.value_columns)
        cells = {
            column: f"c_{column}.{wanted}"
            if column in names
            else value(f"{source}.{column}", values[column])
            for column in self.columns
        }
        return Coded(
            [f"{cell} AS {column}" for column, cell in cells.items()],
            " ".join(
                f"JOIN {quoted(tables[name])} c_{column} ON c_{column}.{known} = {source}.{column}"
                for column, name in self.constant_columns
            ),
        )


@dataclass(frozen=True, slots=True)
class Coded:
    """Columns of facts in the other form, `a0, a1, ...`, and the joins that give them."""

    cells: list[str]
    joins: str


def read_predicates(connection: duckdb.DuckDBPyConnection) -> dict[str, StoredPredicate]:
    """All stored predicates by name, in order of name.

    Sorted here: DuckDB takes longer to plan an order than to find the rows.
    """
    arguments: dict[str, list[tuple[str, bool]]] = {}
    for name, _, type_name, entity in sorted(
        connection.execute(
            "SELECT predicate, position, type, entity FROM predicate_argument"
        ).fetchall()
    ):
        arguments.setdefault(name, []).append((type_name, entity))
    found = {}
    rows = connection.execute(
        "SELECT name, table_name, view_name, kind, value_last, closed, exactly_one, at_most_one "
        "FROM predicate"
    ).fetchall()
    for name, table, view, kind, value_last, closed, exactly_one, at_most_one in sorted(
        rows, key=itemgetter(0)
    ):
        given = arguments.get(name, [])
        found[name] = StoredPredicate(
            name,
            table,
            view,
            tuple(type_name for type_name, _ in given),
            kind,
            value_last,
            closed,
            tuple(exactly_one),
            tuple(at_most_one),
            tuple(
                place
                for place, (type_name, entity) in enumerate(given)
                if entity and type_name in VALUE_TYPES
            ),
        )
    return found
