"""What makes a database a workspace: tables and format, checked and upgraded on opening."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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


_SCHEMA_OF_FACTS = "facts"


def refuse_name(path: Path) -> None:
    """Refuse a file that DuckDB would name as the schema in which predicates stand as views.

    Raises E0201.
    """
    if path.name.split(".")[0].casefold() == _SCHEMA_OF_FACTS:
        raise InputError.of(
            "E0201",
            f"no workspace can be called {path.name}: `facts` is what queries call its facts by",
            help="choose another name for the file",
        )


@contextmanager
def left_as_found(path: Path | None, read_only: bool) -> Iterator[None]:
    """An empty file is a new workspace; one that could not be made whole is not left behind."""
    if path is None or read_only:
        yield
        return
    new = not path.exists()
    if is_empty(path):
        path.unlink()  # DuckDB refuses a file without its header, and makes one that is missing
        new = True
    try:
        yield
    except BaseException:
        if new:
            for made in (path, _log_of(path)):
                made.unlink(missing_ok=True)
        raise


def is_empty(path: Path) -> bool:
    """Whether nothing has been written yet, into its log neither."""
    return path.is_file() and path.stat().st_size == 0 and not _log_of(path).exists()


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + ".wal")
