"""Lists in the cells of JSON and Parquet files, as tables of their own that refer to their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import duckdb

from workbench.database import quoted
from workbench.tables.names import singular_words


@dataclass(frozen=True)
class Nested:
    """A column of a file whose cells are single values, or lists of them.

    Attributes
    ----------
    cell : str
        Its SQL.
    of : str
        What DuckDB says is in its lists; empty where it holds none.
    """

    name: str
    cell: str
    of: str = ""


@dataclass(frozen=True)
class ListTable:
    """A column of lists as a table: for each element the key of its row, and what it says.

    Attributes
    ----------
    part : str or None
        The column; None for what of the file is in no list.
    columns : tuple of str
        The key's name, then those of an element.
    select : str
        Its rows.
    """

    name: str
    part: str | None
    columns: tuple[str, ...]
    select: str


def flat_columns(
    connection: duckdb.DuckDBPyConnection, scan: str, inside: str = "", prefix: str = ""
) -> Iterator[Nested]:
    """The columns of a file; the fields of an object are columns, called by both."""
    wanted = f"SELECT unnest({inside}) FROM {scan}" if inside else f"FROM {scan}"
    for name, kind, *_ in connection.execute(f"DESCRIBE {wanted}").fetchall():
        cell = f"{inside}.{quoted(name)}" if inside else quoted(name)
        if kind.startswith("STRUCT(") and not kind.endswith("]"):
            yield from flat_columns(connection, scan, f"({cell})", f"{prefix}{name}_")
        else:
            yield Nested(f"{prefix}{name}", cell, kind[:-2] if kind.endswith("[]") else "")


def list_tables(
    connection: duckdb.DuckDBPyConnection,
    scan: str,
    table: str,
    columns: Sequence[Nested],
    taken: Collection[str],
) -> list[ListTable]:
    """A table for each column of lists; none where no column tells the rows apart.

    It is called as the column where no table in `taken` is, else by the table's name and that.
    """
    lists = [column for column in columns if column.of]
    key = _key(connection, scan, columns) if lists else None
    if key is None:
        return []
    names = {one.casefold() for one in (*taken, table)}
    found = []
    for column in lists:
        name = column.name if column.name.casefold() not in names else f"{table}_{column.name}"
        if name.casefold() not in names:
            names.add(name.casefold())
            rows = (
                f"(SELECT {key.cell} AS k, unnest({column.cell}) AS e FROM {scan}) "
                "WHERE e IS NOT NULL"
            )
            said = _elements(connection, rows, column)
            cells = ", ".join(cell for _, cell in said)
            labels = (key.name, *(label for label, _ in said))
            found.append(ListTable(name, column.name, labels, f"SELECT k, {cells} FROM {rows}"))
    return found


def _key(
    connection: duckdb.DuckDBPyConnection, scan: str, columns: Sequence[Nested]
) -> Nested | None:
    """The first column that is different in every row."""
    single = [column for column in columns if not column.of]
    if not single:
        return None
    counts = ", ".join(f"count(DISTINCT {column.cell})" for column in single)
    rows, *different = connection.execute(f"SELECT count(*), {counts} FROM {scan}").fetchall()[0]
    return next((one for one, n in zip(single, different) if n == rows > 0), None)


def _elements(
    connection: duckdb.DuckDBPyConnection, rows: str, column: Nested
) -> list[tuple[str, str]]:
    """What an element says: the fields of an object, or itself, called as one of the list."""
    if not column.of.startswith("STRUCT(") or column.of.endswith("]"):
        return [("_".join(singular_words(column.name)) or column.name, "e")]
    scan = f"(SELECT e FROM {rows})"
    return [
        (f"{column.name}_{field.name}", field.cell) for field in flat_columns(connection, scan, "e")
    ]
