"""Definitions in SQL: one SELECT of the user's over the tables of a mapping,
whose rows are facts of a predicate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from workbench.database import (
    QueryResult,
    arrow_column,
    outside,
    query,
    quoted,
    relations_read,
    unused_name,
)
from workbench.errors import Diagnostic, InputError, WorkbenchError, did_you_mean
from workbench.tables.facts import mapped_predicates, target_of
from workbench.tables.mapping import SqlDefinition, TablesMapping
from workbench.tables.staged import Staging
from workbench.tables.typed import ROW, TypedTable
from workbench.tables.values import BLANKS, date_and_time, is_blank

if TYPE_CHECKING:
    import pyarrow

MOST_ROWS = 1_000_000
SECONDS = 60.0
LESS = "select less, or define it in the rules (:=)"
WHOLE = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
)
VALUES: Mapping[str, tuple[str, ...]] = {
    "number": (*WHOLE, "DOUBLE", "FLOAT", "DECIMAL"),
    "date": ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
    "text": ("VARCHAR",),
}
"""SQL types whose cells can be a value of each type of the language;
a name of a thing is a text or a whole number.
"""


def check_definitions(mapping: TablesMapping) -> None:
    """Refuse definitions that no data can make right.

    Raises InputError with every fault: E0253 for SQL that is not one SELECT of tables, E0256 for a
    type that the mapping does not have, E0257 for a name that is taken.
    """
    faults = tuple(_faults(mapping))
    if faults:
        raise InputError(faults)


def _faults(mapping: TablesMapping) -> Iterator[Diagnostic]:
    predicates = mapped_predicates(mapping) if mapping.definitions else ()
    taken = {
        found.name.casefold(): f"a predicate of the table {found.table}" for found in predicates
    }
    called = Counter(table.name.casefold() for table in mapping.tables)
    twice = [table.name for table in mapping.tables if called[table.name.casefold()] > 1]
    if twice and mapping.definitions:
        message = f"two tables are called {twice[0]}, which SQL cannot tell apart"
        yield Diagnostic("E0231", message, None, "rename one")
        return
    types = {*VALUES, *(name for found in predicates for name in found.types)}
    for one in mapping.definitions:
        if one.name.casefold() in taken:
            message = f"the definition {one.name} is called as {taken[one.name.casefold()]} is"
            yield Diagnostic("E0257", message, one.span, "give one of them another name")
        taken[one.name.casefold()] = "another definition"
        for name in dict.fromkeys(one.types):
            if name not in types:
                cure = did_you_mean(name, types, f"the types are {', '.join(sorted(types))}")
                message = f"{one.name} is of {name}, which is no type of the mapping"
                yield Diagnostic("E0256", message, one.span, cure)
        try:
            relations_read(one.sql)
        except WorkbenchError as error:
            message = f"the SQL of {one.name} is refused: {error.diagnostics[0].message}"
            yield Diagnostic(
                "E0253", message, one.span, "write one SELECT of the tables of the mapping"
            )


def defined_rows(
    staging: Staging, mapping: TablesMapping, typed: Mapping[str, TypedTable]
) -> dict[str, dict[str, pyarrow.Array]]:
    """The columns of each definition's rows, each row once and in order, by name of the definition.

    A row with a NULL or an empty text makes no fact. The column to predict is not among those that
    the SQL sees, so that no label can reach a definition. Each SQL is run in a process of its own:
    see `workbench.database.query`.

    Raises InputError with every fault: those of `check_definitions`; E0254 for tables, columns and
    cells that SQL speaks of wrongly, E0255 for another number of columns than types, E0256 for a
    column that its type does not fit, E0258 for more than a million rows; E0216 and E0225 where
    time or memory is up.
    """
    check_definitions(mapping)
    found: dict[str, dict[str, pyarrow.Array]] = {}
    faults: list[Diagnostic] = []
    if not mapping.definitions:
        return found
    read = frozenset[str]().union(*(relations_read(one.sql) for one in mapping.definitions))
    with outside() as connection:
        for name, table in typed.items():
            _show(connection, staging, mapping, table, filled=name.casefold() in read)
        for one in mapping.definitions:
            try:
                found[one.name] = _columns(one, _answer(connection, mapping, one))
            except WorkbenchError as error:
                faults += [replace(fault, span=one.span) for fault in error.diagnostics]
    if faults:
        raise InputError(tuple(faults))
    return found


def _show(
    connection: duckdb.DuckDBPyConnection,
    staging: Staging,
    mapping: TablesMapping,
    typed: TypedTable,
    *,
    filled: bool,
) -> None:
    """A table as the user knows it: what the mapping reads, as it reads it,
    and its other columns as texts.
    """
    staged, target = staging.tables[typed.mapping.name], target_of(mapping)
    hidden = (
        target.column.name
        if target is not None and target.table.name == typed.mapping.name
        else None
    )
    cells = (
        {}
        if typed.mapping.key is not None or typed.mapping.relation is not None
        else {ROW: f"r.{ROW}"}
    )
    for column in typed.mapping.columns:
        if column.name in typed.columns and column.name != hidden:
            name = typed.columns[column.name]
            day = column.kind == "date" and (
                column.parts or not date_and_time(column.reading.format or "")[1]
            )
            kind = "::DATE" if day else "::BOOLEAN" if column.kind == "yes/no" else ""
            cells[name] = f"r.{name}{kind}"
    for other in staged.columns:
        if other not in typed.columns and other != hidden:
            cell = f"s.{staged.cell(other)}"
            name = quoted(unused_name(other, (ROW, *(taken.strip('"') for taken in cells))))
            cells[name] = f"CASE WHEN NOT {is_blank(cell, BLANKS)} THEN {cell} END"
    wanted = ", ".join(f"{cell} AS {name}" for name, cell in cells.items())
    joined = (
        f"{typed.relation} r JOIN {staged.relation} s ON s.rowid + {staged.first_row} = r.{ROW}"
    )
    rows = staging.record_batches(f"SELECT {wanted} FROM {joined}{'' if filled else ' LIMIT 0'}")
    connection.register("incoming_rows", rows)
    connection.execute(f"CREATE TABLE {quoted(typed.mapping.name)} AS FROM incoming_rows")
    connection.unregister("incoming_rows")


def _answer(
    connection: duckdb.DuckDBPyConnection, mapping: TablesMapping, one: SqlDefinition
) -> QueryResult:
    try:
        answer = query(connection, one.sql, max_rows=MOST_ROWS, seconds=SECONDS)
    except WorkbenchError as error:
        (fault,) = error.diagnostics
        message = f"the SQL of {one.name}: {fault.message.split(' Error: ', 1)[-1]}"
        if fault.code != "E0215":
            raise InputError.of(fault.code, message, help=LESS) from None
        raise InputError.of(
            "E0254", message, help=_seen(connection, mapping, relations_read(one.sql))
        ) from None
    if answer.truncated:
        raise InputError.of("E0258", f"{one.name} has more than {MOST_ROWS:,} rows", help=LESS)
    if len(answer.columns) != len(one.types):
        said = f"{len(answer.columns)} ({', '.join(answer.columns)})"
        message = (
            f"{one.name} has {len(one.types)} types ({', '.join(one.types)}), and its SQL "
            f"selects {said}"
        )
        raise InputError.of("E0255", message, help="select a column for each type, in their order")
    return answer


def _seen(
    connection: duckdb.DuckDBPyConnection, mapping: TablesMapping, read: frozenset[str]
) -> str:
    """What the SQL could have read: the columns of the tables that it names, else the tables."""
    target = target_of(mapping)
    if (
        target is not None
        and target.column.name.casefold() in read
        and target.table.name.casefold() in read
    ):
        return f"{target.name} is what is predicted, and definitions do not see it"
    shown = {name: connection.table(quoted(name)).columns for name in mapping.by_name}
    named = [
        f"{name}({', '.join(columns)})"
        for name, columns in shown.items()
        if name.casefold() in read
    ]
    return f"it can read {', '.join(named or shown)}"


def _columns(one: SqlDefinition, answer: QueryResult) -> dict[str, pyarrow.Array]:
    _check_fit(one, answer)
    rows = sorted({row for row in answer.rows if None not in row and "" not in row})
    cells = list(zip(*rows)) or [()] * len(one.types)
    return {
        f"v{place}": _AS.get(name, _texts)(cells[place]) for place, name in enumerate(one.types)
    }


def _check_fit(one: SqlDefinition, answer: QueryResult) -> None:
    """E0256 where a column or a number cannot be what its type says."""
    for place, (name, column, kind) in enumerate(zip(one.types, answer.columns, answer.types)):
        if kind.split("(", 1)[0] not in (*VALUES.get(name, (*WHOLE, "VARCHAR")), '"NULL"'):
            wanted = {"number": "DOUBLE", "date": "DATE"}.get(name, "VARCHAR")
            message = f"{column} of {one.name} is to be a {name}, and the SQL gives {kind}"
            raise InputError.of(
                "E0256", message, help=f"select CAST({column} AS {wanted}), or say another type"
            )
        if name == "number" and not all(
            row[place] is None or np.isfinite(float(row[place])) for row in answer.rows
        ):
            message = f"{column} of {one.name} has cells that are no finite number"
            raise InputError.of(
                "E0256", message, help="leave them out: a division by zero gives such"
            )


def _texts(cells: Sequence[Any]) -> pyarrow.Array:
    return arrow_column([str(cell) for cell in cells])


_AS: Mapping[str, Callable[[Sequence[Any]], pyarrow.Array]] = {
    "number": lambda cells: arrow_column(np.array([float(cell) for cell in cells], np.float64)),
    "date": lambda cells: arrow_column(np.array(cells, "datetime64[us]")),
}
