"""The rows that paths reach and what their tables say of them: each read once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database.arrow_columns import numpy_column
from workbench.structure.candidate import Onward
from workbench.structure.reached import Reached
from workbench.structure.relational import Column
from workbench.structure.sequences import Moments
from workbench.structure.table_paths import Hop
from workbench.study.row_queries import LABEL_ROW, RowQueries
from workbench.tables import Staging


@dataclass
class RowsRead:
    """Reads them as they are asked for.

    What a path reaches is read without what its rows say: many paths end in one table.
    """

    staging: Staging
    queries: RowQueries
    _reached: dict[tuple[str, tuple[Hop, ...]], tuple[Reached, Int64]] = field(default_factory=dict)
    _cells: dict[tuple[str, Onward], Float] = field(default_factory=dict)
    _moments: dict[tuple[str, str], Moments] = field(default_factory=dict)

    def forget(self) -> None:
        """Let go of the rows reached; cells are no more than the tables have."""
        self._reached.clear()

    def reached(self, start: str, suffix: tuple[Hop, ...]) -> tuple[Reached, Int64]:
        """The rows that a suffix reaches from every row of its start, by anchor and time,
        and their own `rowid`.
        """
        key = (start, suffix)
        if key not in self._reached:
            found = arrays_of(self.staging, self.queries.reached(start, suffix))
            end = suffix[-1].table if suffix else start
            dated = self.queries.schema.dated_through(end) is not None
            self._reached[key] = (
                Reached(found["a_"].astype(np.int64), found["t_"] if dated else None),
                found[LABEL_ROW].astype(np.int64),
            )
        return self._reached[key]

    def said(self, table: str, onwards: Iterable[Onward], rows: Int64) -> dict[Onward, Float]:
        """What lies onward of some rows of a table (their `rowid`, negative for none);
        NaN where nothing is known.
        """
        wanted = list(dict.fromkeys(onwards))
        missing = [one for one in wanted if (table, one) not in self._cells]
        self._read(table, [one for one in missing if one.column.after is None])
        for one in missing:
            if one.column.after is not None:
                self._cells[table, one] = self._in_sequence(table, one.column)
        return {one: self._cells[table, one][rows] for one in wanted}

    def _in_sequence(self, table: str, column: Column) -> Float:
        """Which rows of a table come after one that has a value of a column, or how long after the
        one before; of row -1 none.
        """
        after = column.after
        assert after is not None
        name, when = Onward((), Column(after.by, "name")), Onward((), Column(after.date, "date"))
        held = Onward((), Column(column.name, "category", (after.value,)))
        wanted = (name, when, held) if after.value else (name, when)
        self._read(table, [one for one in wanted if (table, one) not in self._cells])
        if (table, after.by) not in self._moments:
            of, at = self._cells[table, name], self._cells[table, when]
            self._moments[table, after.by] = Moments.of(of, at)
        moments = self._moments[table, after.by]
        if not after.value:
            return moments.since()
        return moments.after(self._cells[table, held] == 0, directly=after.directly)

    def _read(self, table: str, onwards: list[Onward]) -> None:
        if not onwards:
            return
        found = arrays_of(self.staging, self.queries.cells(table, onwards))
        rows = found["r_"].astype(np.int64)
        for number, onward in enumerate(onwards):
            # One cell more than rows: row -1 is none.
            cells = np.full(int(rows.max(initial=-1)) + 2, np.nan)
            cells[rows] = found[f"c{number}"]
            self._cells[table, onward] = cells


def arrays_of(staging: Staging, sql: str) -> dict[str, Float]:
    """The columns of a Select as numbers, NaN for NULL."""
    table = staging.record_batches(sql).read_all()
    return {
        name: np.asarray(numpy_column(table.column(name).cast("float64")), np.float64)
        for name in table.column_names
    }


def looked_up(keys: Int64, values: Float, wanted: Int64, missing: float = np.nan) -> Float:
    """values[keys == wanted], `missing` where there is no such key; keys ascend."""
    if not len(keys):
        return np.full(len(wanted), missing)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], missing)
