"""One workspace: a DuckDB database, in memory or in a file, that never reaches outside itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any

import duckdb

from workbench.database.domains import declare_constants, program_constants, refresh_domains
from workbench.database.identifiers import quoted
from workbench.database.rows import copy_table, first_value
from workbench.database.running import ended_on_interrupt
from workbench.database.schema import create_predicate_table, declare_stored, declare_type, stored_form
from workbench.database.storage_faults import check_log, storage_fault, why_not_opened
from workbench.database.stored import StoredPredicate, read_predicates
from workbench.database.upgrade import upgrade
from workbench.errors import InputError, UsageError, WorkbenchError, nearest
from workbench.language.program import Function, Predicate, Program, Type
from workbench.resources import sql_text

__all__ = ["DEFAULT_WORLD", "DISPLAY_NAMES", "FORMAT_VERSION", "Database"]

DEFAULT_WORLD = "world"
DISPLAY_NAMES = "CREATE TABLE IF NOT EXISTS display_name (type VARCHAR, constant INTEGER, name VARCHAR)"
"""What people call things: made when the first name is kept."""
WORKSPACE_TABLES = tuple(re.findall(r"^CREATE TABLE (\w+)", sql_text("schema"), re.MULTILINE))
FORMAT_VERSION = 5


class Database:
    """Evidence, worlds, folds and runs in one DuckDB database.

    The instance is closed to the outside: files are read by Python or by a second, throw-away DuckDB instance and
    handed in, so no query typed by a user can touch the file system or the network.

    Writes go through `transaction()`, one thread at a time; every thread that reads takes its own `cursor()`.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path | None, read_only: bool) -> None:
        self.connection = ended_on_interrupt(connection)
        self.path = path
        self.read_only = read_only
        self._lock = RLock()
        self._depth = 0
        self._stale: set[int] = set()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        read_only: bool = False,
        threads: int | None = None,
        memory_limit: str | None = None,
    ) -> Database:
        """Open a workspace, and create it where `path` does not exist; `None` keeps it in memory.

        Parameters
        ----------
        path : path or None
        read_only : bool
            Refuse writes; the file must exist.
        threads : int or None
            DuckDB's worker threads; None for all cores.
        memory_limit : str or None
            Such as `'4GB'`; None for DuckDB's default, 80 % of memory.

        Raises
        ------
        InputError
        """
        target = None if path is None else Path(path)
        config: dict[str, str | bool | int | float | list[str]] = {
            "enable_external_access": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        if threads is not None:
            config["threads"] = str(threads)
        if memory_limit is not None:
            config["memory_limit"] = memory_limit
        if read_only and (target is None or not target.exists()):
            raise InputError.of("E0201", f"there is no workspace at {target}", help="leave out read_only to create one")
        if read_only and target is not None and _is_empty(target):
            cls.open(target).close()
        with _left_as_found(target, read_only):
            try:
                connection = duckdb.connect(
                    ":memory:" if target is None else str(target), read_only=read_only, config=config
                )
            except duckdb.Error as error:
                raise why_not_opened(target, error) from None
            database = cls(connection, target, read_only)
            try:
                if target is not None:
                    check_log(connection, target)
                database._prepare()
            except BaseException as error:
                with suppress(duckdb.Error):
                    connection.close()
                if (fault := storage_fault(error, target)) is not None:
                    raise fault from None
                raise
        return database

    def _prepare(self) -> None:
        tables = {name for (name,) in self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        if "workspace_format" in tables:
            version = first_value(self.connection.execute("SELECT max(version) FROM workspace_format"))
            is_older = version is not None and 1 <= version < FORMAT_VERSION
            if version is not None and is_older and not self.read_only:
                self._upgrade(version)
            elif version != FORMAT_VERSION:
                raise InputError.of(
                    "E0201",
                    f"{self.path} was written by another version of the workbench (format {version}, "
                    f"this one reads {FORMAT_VERSION})",
                    help="an older one is brought up to date when it is opened for writing" if is_older else None,
                )
            self._check_tables()
        elif tables or self.read_only:
            raise InputError.of(
                "E0201",
                f"{self.path} is a DuckDB database but no workspace",
                help="choose another file for the workspace, and load the tables of this one as attached tables",
            )
        else:
            with self.transaction() as connection:
                connection.execute(sql_text("schema"))

    def _upgrade(self, version: int) -> None:
        try:
            with self.transaction() as connection:
                upgrade(connection, version)
        except duckdb.CatalogException as error:
            raise self._lacks(str(error).splitlines()[0]) from None

    def _check_tables(self) -> None:
        """Refuse a workspace in which a table is missing: another program has been at it."""
        held = {(schema, name) for schema, name in self._rows("SELECT schema_name, table_name FROM duckdb_tables()")}
        held |= {(schema, name) for schema, name in self._rows("SELECT schema_name, view_name FROM duckdb_views()")}
        wanted = [("main", table) for table in WORKSPACE_TABLES]
        missing = [name for schema, name in wanted if (schema, name) not in held]
        if not missing:
            needed = [("main", table) for table in self.type_tables().values()]
            for predicate in self.predicates().values():
                needed += [("main", predicate.table_name), ("facts", predicate.view_name)]
            missing = [name for schema, name in needed if (schema, name) not in held]
        if missing:
            raise self._lacks(f"it has no table {', '.join(missing[:5])}")

    def _lacks(self, what: str) -> WorkbenchError:
        return InputError.of(
            "E0222",
            f"{self.path} is damaged: {what}",
            help="`workbench repair OLD NEW` copies the tables that can still be read into a new workspace",
        )

    def close(self) -> None:
        """Close the database; a file is checkpointed.

        Raises
        ------
        InputError
            E0221 where the disk has no room for the checkpoint: the changes stay in the log beside the file.
        """
        with self._told():
            self.connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own to the same database, for one thread."""
        return ended_on_interrupt(self.connection.cursor())

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The writing connection inside a transaction: committed at the end, rolled back on any exception.

        Nested uses join the outermost one. Temporary tables take part in the rollback.
        """
        with self._lock:
            if self._depth == 0:
                self.connection.execute("BEGIN TRANSACTION")
            self._depth += 1
            try:
                yield self.connection
                if self._depth == 1:
                    self._refresh_stale_domains()
                    self.connection.execute("COMMIT")
            except BaseException as error:
                if self._depth == 1:
                    # A commit that failed has rolled back already, and a fatal fault leaves nothing to roll back.
                    # An interrupt that comes late may hit the first of two.
                    for _ in range(2):
                        with suppress(duckdb.Error):
                            self.connection.execute("ROLLBACK")
                if (fault := storage_fault(error, self.path)) is not None:
                    raise fault from None
                raise
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._stale.clear()

    def declare(self, program: Program) -> None:
        """Make the tables of a program's types, predicates and functions, and take its constants into all domains.

        Predicates already there stay, with their facts; where argument types changed, the facts are encoded anew. The
        constants of an earlier program that no fact has leave the domains.

        Raises
        ------
        InputError
            E0202 when a predicate with facts is declared with another number of arguments.
        """
        with self.transaction() as connection:
            self.declare_predicates(
                [one for name, one in program.predicates.items() if name not in program.defined],
                functions=program.functions.values(),
                types=program.types.values(),
            )
            if declare_constants(connection, program_constants(program)):
                self.refresh_domains()

    def declare_predicates(
        self, predicates: Iterable[Predicate], *, functions: Iterable[Function] = (), types: Iterable[Type] = ()
    ) -> None:
        """Make the tables of predicates that no program declares (yet), such as those of `dataset.toml`."""
        with self.transaction() as connection:
            before = self.predicates()
            stored = dict(before)
            for declared in types:
                declare_type(connection, declared.name)
            relations: tuple[Predicate | Function, ...] = (*predicates, *functions)
            for wanted in map(stored_form, relations):
                stored[wanted.name] = declare_stored(connection, wanted, stored)
            if any(
                (stored[name].argument_types, stored[name].kinds) != (old.argument_types, old.kinds)
                for name, old in before.items()
            ):
                self.refresh_domains()

    def predicates(self) -> Mapping[str, StoredPredicate]:
        """The predicates and functions with a table, by name."""
        with self._lock:
            return read_predicates(self.connection)

    def predicate(self, name: str) -> StoredPredicate:
        """One stored predicate.

        Raises
        ------
        UsageError
            E0203 when there is none of that name.
        """
        stored = self.predicates()
        if name not in stored:
            close = nearest(name, stored)
            raise UsageError.of(
                "E0203", f"no predicate is called {name}", help=f"did you mean {close}?" if close else None
            )
        return stored[name]

    def type_tables(self) -> Mapping[str, str]:
        """The table of constants of each type."""
        return dict(self._rows("SELECT name, table_name FROM constant_type ORDER BY name"))

    def worlds(self) -> Mapping[str, int]:
        """The id of each world, by name, in order of id."""
        return dict(self._rows("SELECT name, id FROM world ORDER BY id"))

    def world_id(self, name: str = DEFAULT_WORLD) -> int:
        """The id of the world called `name`, made when it does not exist."""
        existing = self.worlds()
        if name in existing:
            return existing[name]
        with self.transaction() as connection:
            number = len(existing)
            connection.execute("INSERT INTO world VALUES (?, ?)", [number, name])
            self.refresh_domains([number])
        return number

    def refresh_domains(self, worlds: Iterable[int] | None = None) -> None:
        """Recompute `domain` for some worlds (all when None) from facts and program constants.

        Inside a transaction the work is put off to its end, and done once.
        """
        with self.transaction():
            self._stale |= set(self.worlds().values() if worlds is None else worlds)

    def _refresh_stale_domains(self) -> None:
        if self._stale:
            refresh_domains(self.connection, self.predicates(), sorted(self._stale))

    def _rows(self, sql: str) -> list[Any]:
        """Rows as the writing connection sees them, inside its transaction where there is one."""
        with self._lock, self._told():
            return self.connection.execute(sql).fetchall()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Faults of disk, file and memory while reading, told as such."""
        try:
            yield
        except duckdb.Error as error:
            if (fault := storage_fault(error, self.path)) is not None:
                raise fault from None
            raise

    def setting(self, name: str) -> str | None:
        """A remembered text, such as the program at hand; None when there is none."""
        with self._lock:
            value = first_value(self.connection.execute("SELECT value FROM setting WHERE name = ?", [name]))
        return None if value is None else str(value)

    def remember(self, name: str, value: str | None) -> None:
        """Keep a text under a name in the workspace; None forgets it."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM setting WHERE name = ?", [name])
            if value is not None:
                connection.execute("INSERT INTO setting VALUES (?, ?)", [name, value])

    def within(self) -> Database:
        """This database as its open transaction sees it, also for what takes a cursor; for the thread that writes.

        Domains that wait for the end of the transaction are brought up to date.
        """
        self._refresh_stale_domains()
        self._stale.clear()
        return _InTransaction(self.connection, self.path, self.read_only)

    def beside(self) -> Database:
        """This database on a connection of its own, to read what is committed without waiting for who writes."""
        return Database(self.connection.cursor(), self.path, self.read_only)

    def copy(self, path: str | os.PathLike[str] | None = None, *, facts: bool = True, runs: bool = True) -> Database:
        """A copy of declarations, constants and facts in memory, to try changes on; or, at a path, of everything.

        Without `facts` declarations alone are copied (at a path, constants too), without `runs` no recorded run.
        Cost: linear in the number of facts.

        Raises
        ------
        InputError
            E0201 when there is a file at `path` already.
        """
        if path is not None and Path(path).exists():
            raise InputError.of("E0201", f"there is a file at {path} already", help="choose another name for the copy")
        other = Database.open(path, threads=1)
        with self._lock, other.transaction() as target:
            tables = ["world", "constant_type", "predicate", "predicate_argument", "program_constant"]
            if path is not None:
                tables += ["folds", "setting"]
            if path is not None and runs:
                tables += ["run", "run_weight", "run_predicate", "run_prediction", "run_metric", "run_trace"]
            for table in tables:
                copy_table(self.connection, target, table)
            if self._rows("FROM duckdb_tables() WHERE table_name = 'display_name'"):
                target.execute(DISPLAY_NAMES)
                copy_table(self.connection, target, "display_name")
            for table in self.type_tables().values():
                target.execute(f"CREATE TABLE {quoted(table)} (id INTEGER NOT NULL, name VARCHAR NOT NULL)")
                if facts or path is not None:
                    copy_table(self.connection, target, table)
            type_tables = self.type_tables()
            for predicate in self.predicates().values():
                create_predicate_table(target, predicate, type_tables)
                if facts:
                    copy_table(self.connection, target, predicate.table_name)
            other.refresh_domains()
        return other

    def execute(self, sql: str, parameters: Mapping[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        """Run a statement on a cursor of its own."""
        cursor = self.cursor()
        with self._told():
            return cursor.execute(sql, parameters) if parameters else cursor.execute(sql)


class _InTransaction(Database):
    """A database seen from inside its open transaction: cursors are the writing connection itself."""

    def cursor(self) -> duckdb.DuckDBPyConnection:
        return self.connection

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        yield self.connection
        self._refresh_stale_domains()
        self._stale.clear()


@contextmanager
def _left_as_found(path: Path | None, read_only: bool) -> Iterator[None]:
    """An empty file is a new workspace; one that could not be made whole is not left behind."""
    if path is None or read_only:
        yield
        return
    new = not path.exists()
    if _is_empty(path):
        path.unlink()  # DuckDB refuses a file without its header, and makes one that is missing
        new = True
    try:
        yield
    except BaseException:
        if new:
            for made in (path, _log_of(path)):
                made.unlink(missing_ok=True)
        raise


def _is_empty(path: Path) -> bool:
    return path.is_file() and path.stat().st_size == 0 and not _log_of(path).exists()


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + ".wal")
