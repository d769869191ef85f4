"""What makes a database a workspace: its tables and their format, checked and brought up to date when it is opened."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from workbench.database.rows import first_value
from workbench.database.upgrade import upgrade
from workbench.errors import InputError, WorkbenchError
from workbench.resources import sql_text

if TYPE_CHECKING:
    from workbench.database.database import Database

__all__ = ["DISPLAY_NAMES", "FORMAT_VERSION", "WORKSPACE_TABLES", "make_ready"]

DISPLAY_NAMES = "CREATE TABLE IF NOT EXISTS display_name (type VARCHAR, constant INTEGER, name VARCHAR)"
"""What people call things: made when the first name is kept."""
WORKSPACE_TABLES = tuple(re.findall(r"^CREATE TABLE (\w+)", sql_text("schema"), re.MULTILINE))
FORMAT_VERSION = 5


def make_ready(database: Database) -> None:
    """Make the tables of a new workspace; bring an older one up to date, and refuse what is none or is damaged.

    Raises
    ------
    InputError
        E0201 for another format or another kind of database, E0222 where tables are missing.
    """
    connection, path = database.connection, database.path
    tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if "workspace_format" in tables:
        version = first_value(connection.execute("SELECT max(version) FROM workspace_format"))
        is_older = version is not None and 1 <= version < FORMAT_VERSION
        if version is not None and is_older and not database.read_only:
            _upgrade(database, version)
        elif version != FORMAT_VERSION:
            raise InputError.of(
                "E0201",
                f"{path} was written by another version of the workbench (format {version}, "
                f"this one reads {FORMAT_VERSION})",
                help="an older one is brought up to date when it is opened for writing" if is_older else None,
            )
        _check_tables(database)
    elif tables or database.read_only:
        raise InputError.of(
            "E0201",
            f"{path} is a DuckDB database but no workspace",
            help="choose another file for the workspace, and load the tables of this one as attached tables",
        )
    else:
        with database.transaction():
            connection.execute(sql_text("schema"))


def _upgrade(database: Database, version: int) -> None:
    try:
        with database.transaction() as connection:
            upgrade(connection, version)
    except duckdb.CatalogException as error:
        raise _damaged(database.path, str(error).splitlines()[0]) from None


def _check_tables(database: Database) -> None:
    """Refuse a workspace in which a table is missing: another program has been at it."""
    held = set(
        database.connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() "
            "UNION ALL SELECT schema_name, view_name FROM duckdb_views()"
        ).fetchall()
    )
    missing = [name for name in WORKSPACE_TABLES if ("main", name) not in held]
    if not missing:
        needed = [("main", table) for table in database.type_tables().values()]
        for predicate in database.predicates().values():
            needed += [("main", predicate.table_name), ("facts", predicate.view_name)]
        missing = [name for schema, name in needed if (schema, name) not in held]
    if missing:
        raise _damaged(database.path, f"it has no table {', '.join(missing[:5])}")


def _damaged(path: Path | None, what: str) -> WorkbenchError:
    return InputError.of(
        "E0222",
        f"{path} is damaged: {what}",
        help="`workbench repair OLD NEW` copies the tables that can still be read into a new workspace",
    )
