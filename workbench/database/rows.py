"""Rows out of a database and into it: one row, columns of ids, tables handed in or copied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import numpy as np

from workbench.arrays import Array, Int32
from workbench.database.identifiers import quoted

TOGETHER = 50
"""Queries that one statement asks: preparing it grows more than linearly."""
FEW = 1000
"""Rows that go in and out as plain values: importing Arrow for them takes longer, and 30 MB."""


def first_row(result: duckdb.DuckDBPyConnection) -> tuple[Any, ...] | None:
    """The first row of an executed query, or None; the result is read to its end.

    A result read in part blocks relational work on its connection, so `fetchone` is not enough.
    """
    rows = result.fetchall()
    return rows[0] if rows else None


def first_value(result: duckdb.DuckDBPyConnection) -> Any:
    """The first value of an executed query's first row, or None; the number of changed rows."""
    row = first_row(result)
    return None if row is None else row[0]


def ids_of_columns(rows: Mapping[str, Any], columns: Sequence[str]) -> Int32:
    """Columns of ids side by side, int32 of shape (n, columns); `rows` has a `world` beside."""
    none = np.zeros((len(rows["world"]), 0), np.int32)
    return np.column_stack([*(np.asarray(rows[column], np.int32) for column in columns), none])


@contextmanager
def handed_in(connection: duckdb.DuckDBPyConnection, name: str, rows: Any) -> Iterator[None]:
    """A data frame, Arrow table or reader as a relation that queries inside can name."""
    connection.register(name, rows)
    try:
        yield
    finally:
        connection.unregister(name)


def copy_table(
    source: duckdb.DuckDBPyConnection, target: duckdb.DuckDBPyConnection, table: str
) -> int:
    """Copy the rows of a table, all or none, read to the end before the first is written."""
    rows: Any = source.sql(f"FROM {quoted(table)}").to_arrow_table()
    with handed_in(target, "copied_rows", rows):
        target.execute(f"INSERT INTO {quoted(table)} BY NAME FROM copied_rows")
    return int(rows.num_rows)


def insert_rows(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    types: Sequence[str],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Insert many rows of plain values at once, their columns of the types that SQL calls so."""
    cells = ", ".join(f"unnest(${place}::{kind}[])" for place, kind in enumerate(types, 1))
    columns = [list(column) for column in zip(*rows)]
    if columns:
        connection.execute(f"INSERT INTO {quoted(table)} SELECT {cells}", columns)


def insert_few(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, Sequence[Any] | Array]
) -> None:
    """Insert few rows, NaN as NULL; rows of a two-dimensional array are lists without the -1 at
    their ends.
    """
    cells = ", ".join(f"unnest(${place})" for place in range(1, len(columns) + 1))
    connection.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {cells}",
        [_plain(values) for values in columns.values()],
    )


def _plain(values: Sequence[Any] | Array) -> list[Any]:
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return [[one for one in row if one >= 0] for row in values.tolist()]
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    found = (one.item() if isinstance(one, np.generic) else one for one in listed)
    return [None if isinstance(one, float) and one != one else one for one in found]


def filled(connection: duckdb.DuckDBPyConnection, tables: Iterable[str]) -> set[str]:
    """Of some tables those that have a row: much less than asking an empty one anything else."""
    names = list(tables)
    found = with_a_row(connection, [f"FROM {quoted(name)}" for name in names])
    return {names[number] for number in found}


def with_a_row(connection: duckdb.DuckDBPyConnection, sources: Sequence[str]) -> set[int]:
    """The numbers of those of some `FROM` clauses that have a row."""
    found = set[int]()
    for first in range(0, len(sources), TOGETHER):
        asked = " UNION ALL ".join(
            f"(SELECT {number} {source} LIMIT 1)"
            for number, source in enumerate(sources[first : first + TOGETHER], first)
        )
        found |= {number for (number,) in connection.execute(asked).fetchall()}
    return found
