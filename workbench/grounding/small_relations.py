"""Queries over a grounding's relations: from arrays where these are small, else from a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np

from workbench.arrays import Array, Bool
from workbench.database.identifiers import quoted
from workbench.database.stored import StoredPredicate
from workbench.grounding.backend import Backend, DuckDB
from workbench.grounding.select import Select, Union
from workbench.grounding.small_queries import SmallQueries
from workbench.grounding.temporary_tables import Columns, TemporaryTables

Rows = tuple[list[str], list[tuple[Any, ...]]]


@dataclass(kw_only=True)
class SmallRelations:
    """The relations of a grounding, and what answers queries over them."""

    connection: duckdb.DuckDBPyConnection
    backend: Backend
    tables: TemporaryTables = field(init=False)
    small: SmallQueries = field(init=False)

    def __post_init__(self) -> None:
        waits = self.backend.pending if isinstance(self.backend, DuckDB) else None
        self.tables = TemporaryTables(self.connection, waits)
        self.small = SmallQueries(self.tables)

    def table(self, stored: StoredPredicate) -> str:
        """The table of a predicate's facts, in quotes: made now, if it has waited for a statement
        to read it.
        """
        self.tables.need(stored.table_name)
        return quoted(stored.table_name)

    def small_rows(self, query: Select | Union) -> Rows | None:
        """Column names and rows of a query over small relations; None of any other query."""
        return self.small.rows(query) if isinstance(self.backend, DuckDB) else None

    def small_answer(self, select: Select) -> Columns | None:
        """The columns of a query over small relations, where tables may wait."""
        found = None if self.tables.pending is None else self.small.answer(select)
        return None if found is None else found[0]

    def rows(self, query: Select | Union) -> Rows:
        """The columns' names and all rows of a query that has few, such as counts."""
        found = self.small_rows(query)
        return self.backend.rows(query) if found is None else found

    def text(self, query: Select | Union) -> str:
        """SQL text of a query for the workspace's database, all of whose relations are there."""
        return DuckDB(self.connection, self.tables.pending).text(query)


def placed(rows: Columns, domains: Sequence[Columns | None]) -> Columns:
    """Facts `world, a0, ...` of one world as `world, a0, p0, ...`, in the order of positions.

    `domains` has `(world, a, p)` of each argument that is a constant; facts with a constant that
    the world lacks are left out.
    """
    found, order = dict(rows), [rows["world"]]
    there: Bool = np.ones(len(rows["world"]), bool)
    for number, domain in enumerate(domains):
        if domain is not None:
            found[f"p{number}"] = positions = _positions(domain, rows[f"a{number}"])
            there &= positions >= 0
        name = f"a{number}" if domain is None else f"p{number}"
        order += [found[name]] if name in found else []
    chosen = np.lexsort(order[::-1])
    return {name: column[chosen[there[chosen]]] for name, column in found.items()}


def _positions(domain: Columns, constants: Array) -> Array:
    """The position of each constant; -1 of those that there are not."""
    size = int(max(domain["a"].max(initial=-1), constants.max(initial=-1))) + 1
    positions = np.full(size, -1, np.int32)
    positions[domain["a"]] = domain["p"]
    return positions[constants]
