"""The names of a type's constants, by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from workbench.arrays import Int32
from workbench.database.arrow_columns import arrow_column
from workbench.database.identifiers import quoted
from workbench.database.rows import FEW, first_value

if TYPE_CHECKING:
    from pyarrow import ChunkedArray

SOME = 500
"""Ids whose names are taken one by one: `take` imports all of Arrow's functions."""


@dataclass(frozen=True)
class Names:
    """The name of each constant of a type: plain texts of few, an Arrow array of many."""

    texts: Sequence[str] | ChunkedArray

    @classmethod
    def of(cls, connection: duckdb.DuckDBPyConnection, table: str) -> Names:
        """The names in a table of constants, whose ids are dense from 0."""
        query = f"SELECT name FROM {quoted(table)} ORDER BY id"
        if first_value(connection.execute(f"SELECT count(*) FROM {quoted(table)}")) <= FEW:
            return cls(tuple(name for (name,) in connection.execute(query).fetchall()))
        return cls(connection.sql(query).to_arrow_table().column("name"))

    def at(self, ids: Int32) -> list[str]:
        """The names at some ids."""
        if isinstance(self.texts, Sequence):
            return [self.texts[place] for place in ids.tolist()]
        if len(ids) <= SOME:
            return [self.texts[place].as_py() for place in ids.tolist()]
        found: list[str] = self.texts.take(arrow_column(ids)).to_pylist()
        return found

    def place(self, name: str) -> int:
        """The id of a name; -1 where there is none."""
        if isinstance(self.texts, Sequence):
            return self.texts.index(name) if name in self.texts else -1
        return int(self.texts.index(name).as_py())

    def listed(self) -> list[str]:
        """All names."""
        return list(self.texts) if isinstance(self.texts, Sequence) else self.texts.to_pylist()
