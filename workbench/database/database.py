"""One workspace: a DuckDB database, in memory or in a file, that never reaches outside itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb

from workbench.database.domains import declare_constants, program_constants, refresh_domains
from workbench.database.rows import first_value
from workbench.database.schema import declare_stored, declare_type, stored_form
from workbench.database.storage_faults import check_log, faults_told, why_not_opened
from workbench.database.stored import StoredPredicate, read_predicates
from workbench.database.transactions import Commits, Transactions
from workbench.database.workspace_format import is_empty, left_as_found, make_ready, refuse_name
from workbench.errors import InputError, UsageError, did_you_mean
from workbench.language.declarations import Function, Predicate, Type
from workbench.language.program import Program

DEFAULT_WORLD = "world"


class Database(Transactions):
    """Evidence, worlds, folds and runs in one DuckDB database.

    The instance is closed to the outside: files are read by Python or by a second, throw-away
    DuckDB instance and handed in, so no query typed by a user can touch the file system or the
    network.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        path: Path | None,
        read_only: bool,
        commits: Commits | None = None,
    ) -> None:
        super().__init__(connection, path, read_only, commits)
        self._stale: set[int] = set()
        self._catalog: dict[str, Mapping[str, Any]] = {}

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
        read_only : bool
            Refuse writes; the file must exist.
        threads : int or None
            DuckDB's worker threads; None for all cores.
        memory_limit : str or None
            Such as `'4GB'`; None for DuckDB's default, 80 % of memory.
        """
        target = None if path is None else Path(path)
        if target is not None:
            refuse_name(target)
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
            raise InputError.of(
                "E0201",
                f"there is no workspace at {target}",
                help="leave out read_only to create one",
            )
        if read_only and target is not None and is_empty(target):
            cls.open(target).close()
        with left_as_found(target, read_only), faults_told(target):
            try:
                connection = duckdb.connect(
                    ":memory:" if target is None else str(target),
                    read_only=read_only,
                    config=config,
                )
            except duckdb.Error as error:
                raise why_not_opened(target, error) from None
            database = cls(connection, target, read_only)
            try:
                if target is not None:
                    check_log(connection, target)
                make_ready(connection, database.transaction, target, read_only=read_only)
            except BaseException:
                with suppress(duckdb.Error):
                    connection.close()
                raise
        return database

    def declare(self, program: Program) -> None:
        """Make the tables of a program's types, predicates and functions, and take its constants
        into all domains.

        Predicates already there stay, with their facts; where argument types changed, the facts are
        encoded anew. The constants of an earlier program that no fact has leave the domains.

        Raises E0202 when a predicate with facts is declared with another number of arguments.
        """
        with self.transaction() as connection:
            self.declare_predicates(
                [one for name, one in program.predicates.items() if name not in program.defined],
                functions=program.functions.values(),
                types=program.types.values(),
            )
            if declare_constants(connection, program_constants(program)):
                self.forget_catalog()
                self.refresh_domains()

    def declare_predicates(
        self,
        predicates: Iterable[Predicate],
        *,
        functions: Iterable[Function] = (),
        types: Iterable[Type] = (),
    ) -> None:
        """Make the tables of predicates that no program declares (yet), as of `dataset.toml`."""
        with self.transaction() as connection:
            before = self.predicates()
            for declared in types:
                if declared.name not in self.type_tables():
                    declare_type(connection, declared.name)
                    self.forget_catalog()
            relations: tuple[Predicate | Function, ...] = (*predicates, *functions)
            stored = declare_stored(connection, map(stored_form, relations), before)
            if stored != before:
                self.forget_catalog()
            if any(
                (stored[name].argument_types, stored[name].kinds) != (old.argument_types, old.kinds)
                for name, old in before.items()
            ):
                self.refresh_domains()

    def predicates(self) -> Mapping[str, StoredPredicate]:
        """The predicates and functions with a table, by name."""
        return self._once("predicates", read_predicates)

    def predicate(self, name: str) -> StoredPredicate:
        """One stored predicate.

        Raises E0203 when there is none of that name.
        """
        stored = self.predicates()
        if name not in stored:
            raise UsageError.of(
                "E0203", f"no predicate is called {name}", help=did_you_mean(name, stored)
            )
        return stored[name]

    def type_tables(self) -> Mapping[str, str]:
        """The table of constants of each type."""
        return self._once(
            "types", _pairs("SELECT name, table_name FROM constant_type ORDER BY name")
        )

    def worlds(self) -> Mapping[str, int]:
        """The id of each world, by name, in order of id."""
        return self._once("worlds", _pairs("SELECT name, id FROM world ORDER BY id"))

    def _once(
        self, name: str, read: Callable[[duckdb.DuckDBPyConnection], Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """What a query of the catalog gives, read once a transaction, which sees no other's."""
        with self.reading() as connection:
            if not self._depth:
                return read(connection)
            if name not in self._catalog:
                self._catalog[name] = read(connection)
            return self._catalog[name]

    def forget_catalog(self) -> None:
        """Types, predicates or worlds were written: they are read again."""
        self._catalog.clear()

    def ids_of_worlds(self, names: Iterable[str]) -> tuple[int, ...]:
        """The ids of worlds by their names. Raises E0807 for a world that is not there."""
        known = self.worlds()
        if unknown := ", ".join(name for name in names if name not in known):
            raise UsageError.of(
                "E0807",
                f"there is no world {unknown}",
                help=f"the worlds are {', '.join(known)}",
            )
        return tuple(known[name] for name in names)

    def world_id(self, name: str = DEFAULT_WORLD) -> int:
        """The id of the world called `name`, made when it does not exist."""
        existing = self.worlds()
        if name in existing:
            return existing[name]
        with self.transaction() as connection:
            number = len(existing)
            connection.execute("INSERT INTO world VALUES (?, ?)", [number, name])
            self.forget_catalog()
            self.refresh_domains([number])
        return number

    def refresh_domains(self, worlds: Iterable[int] | None = None) -> None:
        """Recompute `domain` for some worlds (all when None) from facts and program constants.

        Inside a transaction the work is put off to its end, and done once.
        """
        with self.transaction():
            self._stale |= set(self.worlds().values() if worlds is None else worlds)

    def before_commit(self) -> None:
        """Bring the domains up to date that wait for the end of the transaction."""
        if self._stale:
            refresh_domains(self.connection, self.predicates(), sorted(self._stale))
            self._stale.clear()

    def after_transaction(self) -> None:
        """Forget the domains that waited for a commit that did not come, and the catalog."""
        self._stale.clear()
        self._catalog.clear()

    def setting(self, name: str) -> str | None:
        """A remembered text, such as the program at hand; None when there is none."""
        with self.reading() as connection:
            value = first_value(
                connection.execute("SELECT value FROM setting WHERE name = ?", [name])
            )
        return None if value is None else str(value)

    def remember(self, name: str, value: str | None) -> None:
        """Keep a text under a name in the workspace; None forgets it."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM setting WHERE name = ?", [name])
            if value is not None:
                connection.execute("INSERT INTO setting VALUES (?, ?)", [name, value])

    def within(self) -> Database:
        """This database as its open transaction sees it, also for what takes a cursor; for the
        thread that writes.

        Domains that wait for the end of the transaction are brought up to date.
        """
        self.before_commit()
        return _InTransaction(self)

    def beside(self) -> Database:
        """This database on a connection of its own: it reads what is committed without waiting."""
        return Database(self.connection.cursor(), self.path, self.read_only, self.commits)


class _InTransaction(Database):
    """A database seen inside its open transaction: cursors are the writing connection itself."""

    def __init__(self, whole: Database) -> None:
        super().__init__(whole.connection, whole.path, whole.read_only, whole.commits)
        self._catalog_of = whole

    def cursor(self) -> duckdb.DuckDBPyConnection:
        return self.connection

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        yield self.connection
        self.before_commit()

    def forget_catalog(self) -> None:
        self._catalog_of.forget_catalog()

    def _once(
        self, name: str, read: Callable[[duckdb.DuckDBPyConnection], Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        return self._catalog_of._once(name, read)


def _pairs(query: str) -> Callable[[duckdb.DuckDBPyConnection], Mapping[str, Any]]:
    return lambda connection: dict(connection.execute(query).fetchall())
