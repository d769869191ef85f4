"""Temporary tables by kind and name, each made when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np

from workbench.arrays import Array
from workbench.database.identifiers import quoted
from workbench.database.rows import first_value, handed_in

Columns = dict[str, Array]
"""Columns of numbers by their names, without NULL."""

MOST_HELD = 2**28
"""Bytes of arrays from which no more tables are read into such."""


@dataclass
class TemporaryTables:
    """Temporary tables and views of one connection.

    `largest`: rows of the largest one that was made.
    """

    connection: duckdb.DuckDBPyConnection
    pending: dict[str, Callable[[], object]] | None = None
    """What makes each table that is made only where a statement reads it; None: all are at once."""
    largest: int = 0
    _tables: dict[tuple[str, str], str] = field(default_factory=dict)
    _views: set[str] = field(default_factory=set)
    _taken: set[str] = field(default_factory=set)
    _sizes: dict[str, int] = field(default_factory=dict)
    _arrays: dict[str, Columns | None] = field(default_factory=dict)
    _offered: dict[str, Callable[[], Columns | None]] = field(default_factory=dict)
    _held: int = 0

    def of(self, kind: str, name: str, query_of: Callable[[], str]) -> str:
        """The temporary table of a kind and name, made once; a view where that saves nothing."""
        key = (kind, name)
        if key not in self._tables:
            table = self._named(kind, name)
            self._make(table, query_of())
            self._tables[key] = quoted(table) if not table.isidentifier() else table
        return self._tables[key]

    def later(
        self,
        kind: str,
        name: str,
        query_of: Callable[[], str],
        arrays_of: Callable[[], Columns | None],
    ) -> str:
        """As `of`, but where tables may wait the table is made when a statement reads it; its
        columns of numbers are `arrays_of` till then, where that knows them.
        """
        if self.pending is None:
            return self.of(kind, name, query_of)
        key = (kind, name)
        if key not in self._tables:
            table = self._named(kind, name)
            self._tables[key] = table = quoted(table) if not table.isidentifier() else table
            self.pending[table] = lambda: self._make(table.strip('"'), query_of())
            self._offered[table] = arrays_of
        return self._tables[key]

    def held(self, table: str) -> Columns | None:
        """The columns of a table that waits to be made of them."""
        offered = self._offered.get(table)
        return offered() if offered is not None else None

    def need(self, table: str) -> None:
        """Make a table that has waited: a statement is to read it."""
        make = (self.pending or {}).pop(table, None)
        if make is not None:
            make()

    def _named(self, kind: str, name: str) -> str:
        table = f"{kind}_{word(name)}"
        if table.casefold() in self._taken:
            table = f"{table}_{len(self._tables)}"
        self._taken.add(table.casefold())
        return table

    def _make(self, table: str, query: str) -> None:
        if "ORDER BY" in query or "UNION" in query:
            self._create(table, query)
        else:
            self.connection.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(table)} AS {query}")
            self._views.add(table)

    def keep(self, kind: str, name: str, query: str) -> str:
        """Make a temporary table of a query's rows, dropped with the others; its unquoted name."""
        table = f"{kind}_{word(name)}_{len(self._tables)}"
        self._create(table, query)
        self._tables[(kind, name)] = quoted(table)
        return table

    def keep_few(self, kind: str, name: str, query: str, most: int) -> str | None:
        """As `keep`, in the place of what there was, where the query has at most so many rows; else
        none is kept.
        """
        self.drop(kind, name)
        table = f"{kind}_{word(name)}_{len(self._tables)}"
        made = self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS {query} LIMIT {most + 1}"
        )
        self._sizes[table] = int(first_value(made))
        if self._sizes[table] > most:
            self.connection.execute(f"DROP TABLE {table}")
            return None
        self._tables[(kind, name)] = table
        return table

    def of_kind(self, kind: str) -> frozenset[str]:
        """The tables of a kind that were made."""
        return frozenset(table for (own, _), table in self._tables.items() if own == kind)

    def arrays(self, table: str, most: int) -> Columns | None:
        """The columns of numbers of a table, read once; None of a view, and of more rows than
        `most` or than there is room for.
        """
        if table not in self._arrays:
            offered = self._offered.pop(table, None)
            found = offered() if offered is not None else None
            if found is None:
                self.need(table)
                found = self._read(table, most)
            self._arrays[table] = found
            self._held += sum(_bytes(one) for one in (found or {}).values())
        return self._arrays[table]

    def _read(self, table: str, most: int) -> Columns | None:
        if self._sizes.get(table.strip('"'), most + 1) > most or self._held > MOST_HELD:
            return None
        return self.read(f"FROM {table}")

    def read(self, query: str) -> Columns:
        """The columns of numbers that a query finds, but those with NULL."""
        rows: Any = self.connection.execute(query).fetchnumpy()
        found: Columns = {}
        for name, column in rows.items():
            plain = not isinstance(column, np.ma.MaskedArray) and column.dtype.kind in "if"
            if plain and (column == column).all():
                found[name] = _spared(column, found.values())
        return found

    def _create(self, table: str, query: str) -> None:
        made = self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(table)} AS {query}")
        self._sizes[table] = int(first_value(made))
        self.largest = max(self.largest, self._sizes[table])

    def size(self, table: str) -> int:
        """Rows that a table had when it was made."""
        return self._sizes[table]

    def replace(self, kind: str, name: str, table: object, query: str) -> str:
        """Make or replace a temporary table by a query over an Arrow table `incoming`; its name."""
        self.drop(kind, name)
        with handed_in(self.connection, "incoming", table):
            return self.of(kind, name, lambda: query)

    def drop(self, kind: str, name: str) -> None:
        """Drop a temporary table, if there is one: it is made anew when next asked for."""
        if (table := self._tables.pop((kind, name), None)) is not None:
            self._held -= sum(_bytes(one) for one in (self._arrays.pop(table, None) or {}).values())
            self._sizes.pop(table.strip('"'), None)
            self._taken.discard(table.strip('"').casefold())
            self._offered.pop(table, None)
            if self.pending is not None and self.pending.pop(table, None) is not None:
                return
            what = "VIEW" if table.strip('"') in self._views else "TABLE"
            self._views.discard(table.strip('"'))
            self.connection.execute(f"DROP {what} IF EXISTS {table}")

    def drop_all(self) -> None:
        """Drop all that was made."""
        for kind, name in list(self._tables):
            self.drop(kind, name)


def _spared(values: Array, others: Iterable[Array]) -> Array:
    """The values, as one number where all are equal, or as another array that is equal."""
    if len(values) and (values == values[0]).all():
        return np.broadcast_to(values[:1].copy(), values.shape)
    for other in others:
        if other.dtype == values.dtype and np.array_equal(other, values):
            return other
    return values


def _bytes(values: Array) -> int:
    return values.nbytes if values.strides != (0,) else 0


def word(name: str) -> str:
    """A name in letters that SQL needs no quotes for."""
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
