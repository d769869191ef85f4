"""Tables of SQLite files, read by Python's own driver where DuckDB's extension is not installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from workbench.database.identifiers import quoted
from workbench.database.rows import handed_in
from workbench.errors import InputError

if TYPE_CHECKING:
    import sqlite3

    import pyarrow

ROWS_PER_BATCH = 100_000


def copy_sqlite_table(
    source: str | os.PathLike[str], table: str, target: duckdb.DuckDBPyConnection, into: str
) -> None:
    """Create the temporary table `into` in `target` from a table or view of a SQLite file, all
    columns as text.

    Memory: a hundred thousand rows at a time.

    Raises E0213 when the file or the table cannot be read.
    """
    import sqlite3

    address = Path(source).resolve().as_uri() + "?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            of_name = "SELECT 1 FROM sqlite_master WHERE name = ?"
            listed = connection.execute(of_name, (table,)).fetchone()
            # Names hold dots of their own; what is not listed may be written with its schema.
            parts = [table] if listed else table.split(".")
            rows = connection.execute(f"SELECT * FROM {'.'.join(map(quoted, parts))}")
            names = [name for name, *_ in rows.description]
            columns = ", ".join(f"{quoted(name)} VARCHAR" for name in names)
            target.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(into)} ({columns})")
            for batch in _batches(rows, names):
                with handed_in(target, "incoming_batch", batch):
                    target.execute(f"INSERT INTO {quoted(into)} FROM incoming_batch")
    except (sqlite3.Error, ValueError) as error:
        raise InputError.of(
            "E0213", f"{table} of {os.fspath(source)} cannot be read: {error}"
        ) from None


def sqlite_table_names(source: str | os.PathLike[str]) -> tuple[str, ...]:
    """The tables and views of a SQLite file, in order of name.

    Raises E0213 when the file cannot be read.
    """
    import sqlite3

    address = Path(source).resolve().as_uri() + "?mode=ro"
    listed = (
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
        "'sqlite\\_%' ESCAPE '\\'"
    )
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            return tuple(name for (name,) in connection.execute(f"{listed} ORDER BY name"))
    except sqlite3.Error as error:
        raise InputError.of("E0213", f"{os.fspath(source)} cannot be read: {error}") from None


def _batches(rows: sqlite3.Cursor, names: list[str]) -> Iterator[pyarrow.Table]:
    import pyarrow

    while chunk := rows.fetchmany(ROWS_PER_BATCH):
        columns = [
            pyarrow.array([_text(cell) for cell in column], pyarrow.string())
            for column in zip(*chunk)
        ]
        yield pyarrow.table(columns, names=names)


def _text(cell: str | float | bytes | None) -> str | None:
    if isinstance(cell, bytes):
        cell = _text_of_bytes(cell)
    if isinstance(cell, str) and "\0" in cell:
        raise ValueError(f"the cell {cell!r} holds a NUL character")
    return None if cell is None else str(cell)


def _text_of_bytes(cell: bytes) -> str:
    """Bytes as the text that they are, else (pictures) as DuckDB writes them: `\\xFF` for each that
    is no plain character.
    """
    try:
        text = cell.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return text
    return "".join(chr(b) if 32 <= b < 127 and b != 92 else f"\\x{b:02X}" for b in cell)
