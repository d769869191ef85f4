"""One DuckDB connection: written in transactions by one thread at a time, read by many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Self

import duckdb

from workbench.database.running import prepared
from workbench.database.storage_faults import faults_told


@dataclass
class Commits:
    """How many transactions of one DuckDB instance were committed, by whatever connection."""

    count: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False)

    def add(self) -> None:
        with self._lock:
            self.count += 1


class Transactions:
    """A database whose faults are told in the user's words.

    Writes go through `transaction()`, one thread at a time; every thread that reads takes its own
    `cursor()`.

    Attributes
    ----------
    commits : Commits
        Of all that share the instance.
    begun : int
        How many there were before the last transaction that began here.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        path: Path | None,
        read_only: bool,
        commits: Commits | None = None,
    ) -> None:
        self.connection = prepared(connection)
        self.path = path
        self.read_only = read_only
        self.commits = commits or Commits()
        self.begun = 0
        self._lock = RLock()
        self._depth = 0

    def close(self) -> None:
        """Close the database; a file is checkpointed.

        Raises E0221 where the disk has no room for the checkpoint: the changes stay in the log
        beside the file.
        """
        with faults_told(self.path):
            self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own to the same database, for one thread."""
        return prepared(self.connection.cursor())

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The writing connection inside a transaction: committed at the end, rolled back on any
        exception.

        Nested uses join the outermost one. Temporary tables take part in the rollback.
        """
        with self._lock, faults_told(self.path):
            if self._depth == 0:
                self.begun = self.commits.count
                self.connection.execute("BEGIN TRANSACTION")
            self._depth += 1
            try:
                yield self.connection
                if self._depth == 1:
                    self.before_commit()
                    self.commits.add()
                    self.connection.execute("COMMIT")
            except BaseException:
                if self._depth == 1:
                    # A commit that failed has rolled back already, and a fatal fault leaves nothing
                    # to roll back. An interrupt that comes late may hit the first of two.
                    for _ in range(2):
                        with suppress(duckdb.Error):
                            self.connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self.after_transaction()

    def before_commit(self) -> None:
        """Do what was put off to the end of a transaction."""

    def after_transaction(self) -> None:
        """Forget what was put off, whether it was done or not."""

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The writing connection, for one thread at a time; inside its transaction, if any."""
        with self._lock, faults_told(self.path):
            yield self.connection

    def execute(
        self, sql: str, parameters: Mapping[str, Any] | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Run a statement on a cursor of its own."""
        cursor = self.cursor()
        with faults_told(self.path):
            return cursor.execute(sql, parameters) if parameters else cursor.execute(sql)
