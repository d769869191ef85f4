"""Facts from tables of other databases: DuckDB's own, SQLite's and PostgreSQL's."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb

from workbench.database.database import Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.ingest import LoadReport
from workbench.database.outside import copy_in, first_line, outside
from workbench.database.postgres_tables import copy_postgres_table, postgres_table_names
from workbench.database.row_mapping import STAGED_ROWS, RowMapping, find_predicate, load_rows
from workbench.database.sqlite_tables import copy_sqlite_table, sqlite_table_names
from workbench.database.table_files import numbered
from workbench.database.text_files import FactSource, open_binary
from workbench.errors import InputError, masked


def load_attached(
    database: Database,
    source: str | os.PathLike[str],
    *,
    table: str,
    predicate: str | None,
    value: str | None = None,
) -> LoadReport:
    """Load a table or view of a DuckDB, SQLite or PostgreSQL database.

    SQLite files are read by Python's own driver; PostgreSQL needs the extra `postgresql`.

    Raises E0213 when the database or the table cannot be read; E0250 where PostgreSQL's driver is
    not installed.

    Parameters
    ----------
    source : path or str
        A file, or a PostgreSQL connection string (`postgresql://...` or `host=... dbname=...`).
    table : str
        `table` or `schema.table`.
    predicate : str or None
        None takes the table's name.
    """
    if "\0" in table or "\0" in os.fspath(source):
        raise InputError.of("E0213", "the name of a table or database holds a NUL character")
    stored = find_predicate(database, predicate or table.rsplit(".", 1)[-1], None)
    with database.transaction() as connection, outside() as reader:
        copy_attached(reader, os.fspath(source), table, _kind_of(source), "incoming_table")
        copy_in(numbered("incoming_table", first=1), reader, connection, STAGED_ROWS)
        return load_rows(
            database,
            stored,
            FactSource(masked(f"{source}:{table}")),
            RowMapping(value=value),
        )


def database_tables(source: str, kind: str) -> tuple[str, ...]:
    """The tables and views of a DuckDB, SQLite or PostgreSQL database, in order of name.

    Raises E0213, as for `load_attached`, and for a database without tables.
    """
    if kind == "postgres":
        names = postgres_table_names(source)
    elif kind == "sqlite":
        names = sqlite_table_names(source)
    else:
        with outside() as reader:
            attach(reader, source)
            names = tuple(_tables_of(reader))
    if not names:
        raise InputError.of("E0213", f"{source} holds no tables")
    return names


def _tables_of(reader: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, str]]:
    """The schema and name of the tables of `attached` by what they are called, in order."""
    found = reader.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = "
        "'attached' AND table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY ALL"
    ).fetchall()
    return {
        name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in found
    }


def is_workspace(path: Path) -> bool:
    """Whether a file of DuckDB's is a workspace, also where it is the one that is open."""
    with outside() as reader:
        try:
            reader.execute(f"ATTACH {text_literal(os.fspath(path))} AS attached (READ_ONLY)")
        except duckdb.Error as error:
            return "already attached" in str(error)
        found = reader.execute(
            "SELECT 1 FROM duckdb_tables() WHERE database_name = 'attached' "
            "AND schema_name = 'main' AND table_name = 'workspace_format'"
        ).fetchall()
    return bool(found)


def copy_attached(
    reader: duckdb.DuckDBPyConnection, source: str, table: str, kind: str, into: str
) -> tuple[str, ...]:
    """Create the table `into` in `reader` from a table of another database; the names of its
    columns.

    Raises E0213, as for `load_attached`.
    """
    if kind == "postgres":
        copy_postgres_table(source, table, reader, into)
    elif kind == "sqlite":
        copy_sqlite_table(source, table, reader, into)
    else:
        attach(reader, source)
        # Names hold dots of their own; what is not listed may be written with its schema.
        parts = _tables_of(reader).get(table, table.split("."))
        scan = ".".join(map(quoted, ("attached", *parts)))
        try:
            reader.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(into)} AS FROM {scan}")
        except duckdb.Error as error:
            raise InputError.of(
                "E0213", f"{table} of {source} cannot be read: {first_line(error)}"
            ) from None
        finally:
            reader.execute("DETACH attached")
    return tuple(row[0] for row in reader.execute(f"DESCRIBE {quoted(into)}").fetchall())


def _kind_of(source: str | os.PathLike[str]) -> str:
    text = os.fspath(source)
    if text.startswith(("postgres://", "postgresql://")) or "dbname=" in text:
        return "postgres"
    with open_binary(Path(text)) as stream:
        return "sqlite" if stream.read(16).startswith(b"SQLite format 3") else "duckdb"


def attach(reader: duckdb.DuckDBPyConnection, source: str) -> None:
    """Make a DuckDB file readable as `attached`; E0213 where it cannot be."""
    try:
        reader.execute(f"ATTACH {text_literal(source)} AS attached (READ_ONLY)")
    except duckdb.Error as error:
        raise InputError.of("E0213", f"{source} cannot be attached: {first_line(error)}") from None
