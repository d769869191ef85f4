"""Where the queries of rules run: a backend makes, counts, streams, interrupts; DuckDB is one."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Protocol

import duckdb
import numpy as np

from workbench.database.arrow_columns import numpy_column
from workbench.grounding.dialect import DUCKDB, Dialect
from workbench.grounding.order import in_order
from workbench.grounding.select import (
    Call,
    Operation,
    Select,
    Source,
    Star,
    Union,
    Value,
    independent,
    relations,
)

Batch = dict[str, Any]

BATCH = 262_144


class Backend(Protocol):
    """A database that the queries of rules run on.

    Facts, domains and definitions stay in the workspace's DuckDB, where the relations of a
    grounding are made; another backend takes a copy of each that a query reads.

    Attributes
    ----------
    dialect : Dialect
    interrupted : types of exceptions
        What a query raises that was interrupted.
    """

    @property
    def dialect(self) -> Dialect: ...

    @property
    def interrupted(self) -> tuple[type[Exception], ...]: ...

    def make(self, name: str, table: Any) -> None:
        """Make a relation of an Arrow table."""
        ...

    def drop(self, name: str) -> None:
        """Drop a relation that `make` made."""
        ...

    def rows(self, query: Select | Union) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The columns' names and all rows of a query that has few, such as counts."""
        ...

    def has_more_than(self, selects: tuple[Select, ...], most: int) -> bool:
        """Whether queries have more than `most` rows together, without making many more."""
        ...

    def batches(self, query: Select | Union, *, shared: bool, few: bool) -> Iterator[Batch]:
        """A query's columns, a batch at a time: arrays, `literals` an Arrow array of lists.

        `few`: at most about a thousand rows, none of them lists. `shared`: relations are so large
        that several threads read them, and rows must be brought in order.
        """
        ...

    def interrupt(self) -> None:
        """Stop the query that runs, from another thread."""
        ...


@dataclass(frozen=True)
class DuckDB:
    """The workspace's own database.

    Attributes
    ----------
    pending : dict or None
        What makes each relation that is made when a query first reads it; None: none may wait.
    """

    connection: duckdb.DuckDBPyConnection
    pending: dict[str, Callable[[], object]] | None = None
    dialect: Dialect = DUCKDB
    interrupted: tuple[type[Exception], ...] = (
        duckdb.InterruptException,
        duckdb.TransactionException,
        OSError,
    )
    """The second is what the next statement of its transaction says, such as one that tidies up;
    the third what Arrow makes of it, where rows are read in batches.
    """

    def make(self, name: str, table: Any) -> None:
        self.connection.register("incoming", table)
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM incoming")
        self.connection.unregister("incoming")

    def drop(self, name: str) -> None:
        self.connection.execute(f"DROP TABLE {name}")

    def rows(self, query: Select | Union) -> tuple[list[str], list[tuple[Any, ...]]]:
        cursor = self.connection.execute(self.text(query))
        return [column[0] for column in cursor.description or ()], cursor.fetchall()

    def text(self, query: Select | Union) -> str:
        """SQL text of a query, all of whose relations are there."""
        pending = self.pending or {}
        for name in relations(query) & pending.keys() if pending else ():
            make = pending.pop(name, None)
            if make is not None:  # else another that was made has read it
                make()
        return self.dialect.render(query)

    def has_more_than(self, selects: tuple[Select, ...], most: int) -> bool:
        """Rows are made where DuckDB's estimate asks for a look, and none after the first too many.

        A second is enough for some fifty millions.
        """
        if sum(self._estimated_rows(select) for select in selects) <= most / 10:
            return False
        found = 0
        for select in selects:
            found += prod(self._rows_up_to(most + 1, part) for part in independent(select))
            if found > most:
                return True
        return False

    def _rows_up_to(self, most: int, select: Select) -> int:
        return int(self.rows(counted((select,), most))[1][0][0])

    def _estimated_rows(self, select: Select) -> float:
        """What DuckDB expects: the topmost estimate of an operator; 0 where none has.

        Equations are looked at alone: it takes each other condition to leave a fifth.
        """
        equations = (
            one for one in select.where if isinstance(one, Operation) and one.operator == "="
        )
        joined = replace(select, where=tuple(equations))
        row = self.connection.execute(f"EXPLAIN (FORMAT JSON) {self.text(joined)}").fetchone()
        pending: list[Any] = json.loads(row[1]) if row is not None else []
        while pending:
            node = pending.pop(0)
            estimate = node.get("extra_info", {}).get("Estimated Cardinality")
            if estimate is not None:
                return float(estimate)
            pending += node.get("children", [])
        return 0.0

    def batches(self, query: Select | Union, *, shared: bool, few: bool) -> Iterator[Batch]:
        text = self.text(query)
        if few and not shared:
            columns = self.connection.execute(text).fetchnumpy()
            if len(next(iter(columns.values()))):
                yield {name: np.asarray(column) for name, column in columns.items()}
            return
        for batch in in_order(self.connection.sql(text), query, BATCH, shared=shared):
            if batch.num_rows:
                yield columns_of(batch)

    def interrupt(self) -> None:
        self.connection.interrupt()


def waiting(backend: Backend) -> Backend:
    """The backend with relations that may wait to be made till a query reads them, if it can."""
    return replace(backend, pending={}) if isinstance(backend, DuckDB) else backend


@dataclass
class Elsewhere(ABC):
    """Another database: it takes a copy of each relation that a query reads, when it first does."""

    connection: duckdb.DuckDBPyConnection
    _copied: set[str] = field(default_factory=set, init=False)

    @property
    @abstractmethod
    def dialect(self) -> Dialect:
        """How its SQL is written."""

    @abstractmethod
    def create(self, name: str, batches: Any) -> None:
        """Create or replace a relation by a reader of Arrow batches."""

    @abstractmethod
    def rows(self, query: Select | Union) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The columns' names and all rows of a query that has few."""

    def make(self, name: str, table: Any) -> None:
        self.create(name, table.to_reader())
        self._copied.add(name)

    def drop(self, name: str) -> None:
        self._copied.discard(name)

    def text(self, query: Select | Union) -> str:
        """SQL text of a query, all of whose relations are there."""
        for name in sorted(relations(query) - self._copied):
            self.create(name, self.connection.sql(f"FROM {name}").to_arrow_reader(BATCH))
            self._copied.add(name)
        return self.dialect.render(query)

    def has_more_than(self, selects: tuple[Select, ...], most: int) -> bool:
        return bool(selects) and int(self.rows(counted(selects, most + 1))[1][0][0]) > most


BackendOf = Callable[[duckdb.DuckDBPyConnection], Backend]
"""What makes the backend of a grounding whose relations are made on a connection."""


def counted(selects: Sequence[Select], most: int) -> Select:
    """The number of rows that queries have together, counted up to `most`."""
    rows = Select((("one", Value(1)),), (Source(Union(tuple(selects)), "u"),), limit=most)
    return Select((("n", Call("count", (Star(),))),), (Source(rows, "r"),))


def columns_of(batch: Any) -> Batch:
    """The columns of an Arrow batch: arrays, but `literals` an Arrow array of lists."""
    return {
        name: batch.column(place) if name == "literals" else numpy_column(batch.column(place))
        for place, name in enumerate(batch.schema.names)
    }
