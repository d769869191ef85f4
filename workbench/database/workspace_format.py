"""What makes a database a workspace: tables and format, checked and upgraded on opening."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb

from workbench.database.rows import first_value
from workbench.database.stored import read_predicates
from workbench.database.upgrade import FORMAT_VERSION, upgrade
from workbench.errors import InputError, WorkbenchError
from workbench.resources import sql_text

DISPLAY_NAMES = (
    "CREATE TABLE IF NOT EXISTS display_name (type VARCHAR, constant INTEGER, name VARCHAR)"
)
"""What people call things: made when the first name is kept."""
WORKSPACE_TABLES = tuple(re.findall(r"^CREATE TABLE (\w+)", sql_text("schema"), re.MULTILINE))

Transaction = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


def make_ready(
    connection: duckdb.DuckDBPyConnection,
    transaction: Transaction,
    path: Path | None,
    *,
    read_only: bool,
) -> None:
    """Make the tables of a new workspace; bring an older one up to date, and refuse what is none or
    is damaged.

    Raises E0201 for another format or another kind of database, E0222 where tables are missing.
    """
    tables = {
        name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    }
    if "workspace_format" in tables:
        version = first_value(connection.execute("SELECT max(version) FROM workspace_format"))
        is_older = version is not None and 1 <= version < FORMAT_VERSION
        if version is not None and is_older and not read_only:
            _upgrade(transaction, path, version)
        elif version != FORMAT_VERSION:
            raise InputError.of(
                "E0201",
                f"{path} was written by another version of the workbench (format {version}, "
                f"this one reads {FORMAT_VERSION})",
                help="an older one is brought up to date when it is opened for writing"
                if is_older
                else None,
            )
        _check_tables(connection, path)
    elif tables or read_only:
        raise InputError.of(
            "E0201",
            f"{path} is a DuckDB database but no workspace",
            help="choose another file for the workspace, and load the tables of this one as "
            "attached tables",
        )
    else:
        with transaction():
            connection.execute(sql_text("schema"))


def _upgrade(transaction: Transaction, path: Path | None, version: int) -> None:
    try:
        with transaction() as connection:
            upgrade(connection, version)
    except duckdb.CatalogException as error:
        raise _damaged(path, str(error).splitlines()[0]) from None


def _check_tables(connection: duckdb.DuckDBPyConnection, path: Path | None) -> None:
    """Refuse a workspace in which a table is missing: another program has been at it."""
    held = set(
        connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() "
            "UNION ALL SELECT schema_name, view_name FROM duckdb_views()"
        ).fetchall()
    )
    missing = [name for name in WORKSPACE_TABLES if ("main", name) not in held]
    if not missing:
        needed = [
            ("main", table)
            for (table,) in connection.execute("SELECT table_name FROM constant_type").fetchall()
        ]
        for predicate in read_predicates(connection).values():
            needed += [("main", predicate.table_name), ("facts", predicate.view_name)]
        missing = [name for schema, name in needed if (schema, name) not in held]
    if missing:
        raise _damaged(path, f"it has no table {', '.join(missing[:5])}")


def _damaged(path: Path | None, what: str) -> WorkbenchError:
    return InputError.of(
        "E0222",
        f"{path} is damaged: {what}",
        help="`workbench repair OLD NEW` copies the tables that can still be read into a new "
        "workspace",
    )
