"""Copies of a workspace: in memory, to try changes on, in a file of its own, and of what can still
be read of a damaged one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from workbench.database.database import Database
from workbench.database.rows import copy_table
from workbench.database.running import prepared
from workbench.database.schema import create_predicate_table, create_type_table, declare_type
from workbench.database.storage_faults import storage_fault
from workbench.database.stored import StoredPredicate, read_predicates
from workbench.database.workspace_format import DISPLAY_NAMES, WORKSPACE_TABLES
from workbench.errors import InputError

_DECLARATIONS = ("world", "constant_type", "predicate", "predicate_argument", "program_constant")
# The new workspace has its own format, and makes the domains from the facts.
_REMADE = ("workspace_format", "domain")


@dataclass(frozen=True)
class Salvage:
    """What became of each table.

    Attributes
    ----------
    saved : tuple of (str, int)
        A predicate or record table and its rows, all of which are in the new workspace.
    lost : tuple of (str, str)
        One that could not be read, and why.
    """

    saved: tuple[tuple[str, int], ...]
    lost: tuple[tuple[str, str], ...]


def salvage(source: str | os.PathLike[str], destination: str | os.PathLike[str]) -> Salvage:
    """Copy every table that can be read whole into a new workspace; the damaged file is only read.

    Cost: linear in the number of facts.

    Raises E0201 where there is a file at the destination, or none at the source; E0222 where not
    even the list of predicates can be read: nothing can be saved then.
    """
    if Path(destination).exists():
        raise InputError.of(
            "E0201", f"there is a file at {destination} already", help="choose another name"
        )
    if not Path(source).is_file():
        raise InputError.of("E0201", f"there is no workspace at {source}")
    with _told(source):
        damaged = prepared(
            duckdb.connect(str(source), read_only=True, config={"enable_external_access": "false"})
        )
    try:
        with damaged, Database.open(destination) as whole, whole.transaction() as target:
            with _told(source):
                predicates = read_predicates(damaged)
                for table in _DECLARATIONS:
                    copy_table(damaged, target, table)
            return _copy_tables(damaged, target, predicates, whole)
    except BaseException:
        for made in (Path(destination), Path(f"{destination}.wal")):
            made.unlink(missing_ok=True)
        raise


@contextmanager
def _told(source: str | os.PathLike[str]) -> Iterator[None]:
    """What is so damaged that nothing can be saved is said to be."""
    try:
        yield
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        fault = storage_fault(error, source)
        if fault is not None and fault.diagnostics[0].code != "E0222":
            raise fault from None
        reason = str(error).splitlines()[0]
        raise InputError.of(
            "E0222",
            f"nothing of {source} can be saved: {reason}",
            help="go back to a copy from before",
        ) from None


def _copy_tables(
    damaged: duckdb.DuckDBPyConnection,
    target: duckdb.DuckDBPyConnection,
    predicates: dict[str, StoredPredicate],
    whole: Database,
) -> Salvage:
    saved: list[tuple[str, int]] = []
    lost: list[tuple[str, str]] = []
    tables = dict(target.execute("SELECT name, table_name FROM constant_type").fetchall())
    unread = {}
    for type_name, table in tables.items():
        create_type_table(target, table)
        try:
            copy_table(damaged, target, table)
        except duckdb.InterruptException:  # ended by hand: nothing is lost
            raise
        except duckdb.Error as error:
            unread[type_name] = str(error).splitlines()[0]
            lost.append((f"names of type {type_name}", unread[type_name]))
    for predicate in predicates.values():
        create_predicate_table(
            target, predicate, {**tables, **_declared(target, predicate, tables)}
        )
        nameless = [name for _, name in predicate.constant_columns if name in unread]
        if nameless:
            lost.append((predicate.name, f"the names of {nameless[0]} are lost"))
            continue
        _copy_or_lose(damaged, target, predicate.table_name, predicate.name, saved, lost)
    for table in WORKSPACE_TABLES:
        if table not in (*_DECLARATIONS, *_REMADE):
            _copy_or_lose(damaged, target, table, table, saved, lost)
    whole.forget_catalog()
    whole.refresh_domains()
    return Salvage(tuple(saved), tuple(lost))


def _declared(
    target: duckdb.DuckDBPyConnection, predicate: StoredPredicate, tables: dict[str, str]
) -> dict[str, str]:
    """Tables of types that the predicate names and the damaged file did not list."""
    return {
        name: declare_type(target, name)
        for _, name in predicate.constant_columns
        if name not in tables
    }


def _copy_or_lose(
    damaged: duckdb.DuckDBPyConnection,
    target: duckdb.DuckDBPyConnection,
    table: str,
    name: str,
    saved: list[tuple[str, int]],
    lost: list[tuple[str, str]],
) -> None:
    try:
        saved.append((name, copy_table(damaged, target, table)))
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        lost.append((name, str(error).splitlines()[0]))


def copy_of(
    database: Database,
    path: str | os.PathLike[str] | None = None,
    *,
    facts: bool = True,
    runs: bool = True,
) -> Database:
    """A copy of declarations, constants and facts in memory, to try changes on; or, at a path, of
    everything.

    Without `facts` declarations alone are copied (at a path, constants too), without `runs` no
    recorded run. Cost: linear in the number of facts.

    Raises E0201 when there is a file at `path` already.
    """
    if path is not None and Path(path).exists():
        raise InputError.of(
            "E0201", f"there is a file at {path} already", help="choose another name for the copy"
        )
    other = Database.open(path, threads=1)
    with database.reading() as source, other.transaction() as target:
        tables = ["world", "constant_type", "predicate", "predicate_argument", "program_constant"]
        if path is not None:
            tables += ["folds", "setting"]
        if path is not None and runs:
            parts = ("weight", "predicate", "prediction", "base", "metric", "trace")
            tables += ["run", *(f"run_{part}" for part in parts)]
        for table in tables:
            copy_table(source, target, table)
        if source.execute("FROM duckdb_tables() WHERE table_name = 'display_name'").fetchall():
            target.execute(DISPLAY_NAMES)
            copy_table(source, target, "display_name")
        for table in database.type_tables().values():
            create_type_table(target, table)
            if facts or path is not None:
                copy_table(source, target, table)
        type_tables = database.type_tables()
        for predicate in database.predicates().values():
            create_predicate_table(target, predicate, type_tables)
            if facts:
                copy_table(source, target, predicate.table_name)
        other.forget_catalog()
        other.refresh_domains()
    return other
