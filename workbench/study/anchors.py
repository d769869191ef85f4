"""Where paths over target rows begin to branch: the row that single steps lead each of them to."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.structure.candidate import Onward
from workbench.structure.reached import latest_alone
from workbench.structure.relational import Reference, Schema
from workbench.structure.table_paths import Hop
from workbench.study.relations import ROWID, Relations
from workbench.study.row_queries import RowQueries
from workbench.study.rows_read import RowsRead, arrays_of, looked_up
from workbench.tables import Staging


@dataclass(frozen=True)
class TargetTimes:
    """When each target row is asked, shape (n_rows,), as a day (since 1970) and as a year."""

    days: Float
    years: Float


@dataclass
class Anchors:
    """The anchors of target rows, each prefix of a path followed once."""

    staging: Staging
    schema: Schema
    relations: Relations
    read: RowsRead
    rows: Int64
    times: TargetTimes | None
    _found: dict[tuple[Hop, ...], Int64] = field(default_factory=dict)

    def now(self, end: str) -> Float | None:
        """When each target row is asked, as the rows that a path ends at are dated."""
        table = self.schema.dating_table(end)
        if self.times is None or table is None:
            return None
        return self.times.years if table.dated_by_year else self.times.days

    def latest(self, end: str) -> Float:
        """When the latest of all rows is that date what a path ends at, for each target row."""
        table = self.schema.dating_table(end)
        assert table is not None
        moment = RowQueries(self.schema, self.relations, False).date("x", table.name)
        ((found,),) = self.staging.rows(f"SELECT max({moment}) FROM {self.relations[table.name]} x")
        return np.full(len(self.rows), np.nan if found is None else float(str(found)))

    def of(self, start: str, prefix: tuple[Hop, ...]) -> Int64:
        """For each target row the rowid of the row that the prefix leads to, -1 for none."""
        if not prefix:
            return self.rows
        if prefix not in self._found:
            before = self.of(start, prefix[:-1])
            table = prefix[-2].table if len(prefix) > 1 else start
            found = (
                self._to(table, prefix[-1], before)
                if prefix[-1].kind == "to"
                else self._latest(table, prefix[-1], before)
            )
            self._found[prefix] = found
        return self._found[prefix]

    def are_bound(self, start: str, prefix: tuple[Hop, ...]) -> Bool:
        """Whether the literals up to the anchor hold for each target row: none says that another
        table tells more of a thing, so that of a thing without more nothing is reached.
        """
        table = prefix[-2].table if len(prefix) > 1 else start
        if prefix and prefix[-1].kind == "to" and prefix[-1].column == self.schema[table].key:
            return self.are_bound(start, prefix[:-1])
        return np.asarray(self.of(start, prefix) >= 0)

    def _to(self, table: str, hop: Hop, before: Int64) -> Int64:
        far, near = self.relations.joined(table, hop)
        found = arrays_of(
            self.staging,
            f"SELECT x.rowid AS k, min(a.rowid) AS a FROM {self.relations[table]} x "
            f"JOIN {self.relations[hop.table]} a ON a.{far} = x.{near} GROUP BY 1 ORDER BY 1",
        )
        return looked_up(found["k"].astype(np.int64), found["a"], before, -1).astype(np.int64)

    def _latest(self, table: str, hop: Hop, before: Int64) -> Int64:
        key = Onward((Reference(hop.column, hop.table),), ROWID)
        reached, ends = self.read.reached(table, (Hop("from", hop.via, hop.through),))
        spans = reached.spans(before, self.now(hop.through))
        found = latest_alone(self.read.said(hop.through, [key], ends)[key], spans, reached.time)
        return np.where(np.isnan(found), -1, found).astype(np.int64)
