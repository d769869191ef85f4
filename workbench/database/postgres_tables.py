"""Tables of PostgreSQL databases, streamed by a driver of Arrow's database connectivity (ADBC)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import duckdb

from workbench.database.identifiers import quoted
from workbench.database.outside import first_line
from workbench.database.rows import handed_in
from workbench.errors import MASK, InputError, not_installed

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Cursor

_FROM_TABLES = """
    SELECT CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END
        AS called, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS written
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
      AND has_table_privilege(c.oid, 'SELECT')"""
_TABLES = f"SELECT called FROM ({_FROM_TABLES}) AS found ORDER BY 1"
_WRITTEN = f"SELECT written FROM ({_FROM_TABLES}) AS found WHERE called = $1 ORDER BY 1"

_WITHOUT_PASSWORD = (
    f"{MASK} stands for the password, which is written nowhere: give the address with it beside "
    "the mapping, as another file of the data"
)


def copy_postgres_table(
    source: str, table: str, target: duckdb.DuckDBPyConnection, into: str
) -> None:
    """Create the temporary table `into` in `target` from a table or view of a PostgreSQL database,
    all columns as text.

    Memory: one batch of rows at a time.

    Raises E0213 when the database or the table cannot be read; E0250 where the driver is not
    installed.

    Parameters
    ----------
    source : str
        `postgresql://...`, or `host=... dbname=...`.
    table : str
        `table` or `schema.table`.
    """
    with _reading(source, f"{table} of {source}") as cursor:
        cursor.execute(_WRITTEN, (table,))
        # Names hold dots of their own; what is not listed may be written with its schema.
        listed = cursor.fetchone()
        name = listed[0] if listed else ".".join(quoted(part) for part in table.split("."))
        cursor.execute(f"SELECT * FROM {name} LIMIT 0")
        columns = [quoted(column) for column, *_ in cursor.description or ()]
        cursor.execute(
            f"SELECT {', '.join(f'{column}::text AS {column}' for column in columns)} FROM {name}"
        )
        with handed_in(target, "incoming_rows", cursor.fetch_record_batch()):
            target.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(into)} AS FROM incoming_rows")


def postgres_table_names(source: str) -> tuple[str, ...]:
    """The tables and views of a PostgreSQL database that may be read, in order of name; those of
    `public` by it alone.

    Raises InputError as for `copy_postgres_table`.
    """
    return tuple(name for (name,) in postgres_rows(source, _TABLES))


def postgres_rows(source: str, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query; InputError as for `copy_postgres_table`."""
    with _reading(source, source) as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


@contextmanager
def _reading(source: str, what: str) -> Iterator[Cursor]:
    """A cursor that can only read, and that writes dates as ISO 8601 does."""
    try:
        from adbc_driver_manager import Error
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise not_installed(
            "E0250", "a PostgreSQL database", "adbc-driver-postgresql", "postgresql"
        ) from None
    try:
        with dbapi.connect(source) as connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
            cursor.execute("SET datestyle TO ISO")
            yield cursor
    except (Error, duckdb.Error) as error:
        raise InputError.of(
            "E0213",
            f"{what} cannot be read: {first_line(error)}",
            help=_WITHOUT_PASSWORD
            if MASK in source
            else "check the address, the name and the rights of its user",
        ) from None
