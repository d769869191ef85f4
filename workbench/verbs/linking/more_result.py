"""What linking new records found, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow

from workbench.arrays import Float, Int64
from workbench.errors import Diagnostic
from workbench.linkage.blocking import Pairs
from workbench.linkage.components import told
from workbench.linkage.mixture import sigmoid
from workbench.verbs.common import as_json
from workbench.verbs.linking.new import Added
from workbench.verbs.linking.result import write_linked
from workbench.verbs.linking.settings import NATS

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Regrouped:
    """Records of the components that were clustered again.

    Attributes
    ----------
    number : int64 array, shape (n_records,)
    rows : pyarrow.Table
        As they are stored.
    before, after : int64 arrays, shape (n_records,)
        The cluster, by the number of its first record; a new record was in one of its own.
    component : int64 array, shape (n_records,)
        As it is now, by the number of its first record.
    limited : bool
        Whether the time limit left some as they were joined first.
    """

    number: Int64
    rows: pyarrow.Table
    before: Int64
    after: Int64
    component: Int64
    limited: bool

    def moved(self, once: Int64) -> list[int]:
        """Clusters now that hold a record of another one before, or that records have left."""
        return [
            int(one)
            for one in np.unique(
                self.after[(self.after != self.before) | np.isin(self.before, once)]
            )
        ]


@dataclass(frozen=True)
class MoreLinked:
    """What new records changed.

    Attributes
    ----------
    run_id : int
        The linkage they were added to.
    compared : pyarrow.Table
        left_source, left, right_source, right (sources by place), log_odds: the compared pairs.
    regrouped : Regrouped or None
        None where no new record is like another one.
    records : pyarrow.Table
        number, source, id, cluster: the records of the files, and those of their clusters and of
        clusters that changed.
    figures : mapping of str to float
        records, clusters, components, components_open, energy and bound of the whole linkage.
    by_settings : bool
        Whether a model that Splink trained weighs the pairs.
    """

    run_id: int
    sources: tuple[str, ...]
    added: Added
    compared: pyarrow.Table
    regrouped: Regrouped | None
    records: pyarrow.Table
    figures: Mapping[str, Any]
    seconds: float
    by_settings: bool = False

    def __repr__(self) -> str:
        return (
            f"MoreLinked({self.added.count:,} new records, {self.figures['clusters']:,} "
            f"clusters, {self.status})"
        )

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is to be known of the files."""
        return self.added.warnings

    @property
    def status(self) -> str:
        """`optimal` only where the clusters of every component, old ones too, are proven best."""
        if self.figures["energy"] - self.figures["bound"] <= 1e-6 * max(
            1.0, self.figures["energy"]
        ):
            return "optimal"
        return "limit" if self.regrouped is not None and self.regrouped.limited else "feasible"

    @property
    def clusters(self) -> pd.DataFrame:
        """Columns source, id, cluster: the files' records, their clusters', and changed ones."""
        import pandas as pd

        names, sources = self._names, np.array(self.sources, object)
        return pd.DataFrame(
            {
                "source": sources[self.records.column("source").to_numpy()],
                "id": self.records.column("id").to_numpy(),
                "cluster": [names[number] for number in self.records.column("cluster").to_pylist()],
            }
        )

    @property
    def pairs(self) -> pd.DataFrame:
        """Columns left_source, left, right_source, right, probability: the compared pairs, a new
        record in each.

        By settings also match_weight: the log odds in bits.
        """
        import pandas as pd

        sources = np.array(self.sources, object)
        found = {name: self.compared.column(name).to_numpy() for name in self.compared.column_names}
        log_odds = found.pop("log_odds")
        for name in ("left_source", "right_source"):
            found[name] = sources[found[name]]
        found["probability"] = sigmoid(log_odds).round(6)
        if self.by_settings:
            found["match_weight"] = (log_odds / NATS).round(9)
        return pd.DataFrame(found)

    @cached_property
    def changed(self) -> dict[str, Any]:
        """Clusters by what became of them.

        merged : `cluster` holds what were `clusters` before, and new `records`; split : `cluster`
        is now `clusters`;
        new : clusters of new records alone. Where records were corrected or removed also renamed :
        `cluster` is what
        `was` before its first record left it; corrected, removed : the records.
        """
        names, (before, joined, after) = self._names, self._moves()
        removed = self.added.removed
        others: dict[str, Any] = (
            {}
            if removed is None
            else {
                "renamed": [
                    {"cluster": names[parts[0]], "was": names[old]}
                    for old, parts in after.items()
                    if len(parts) == 1 and parts[0] != old and before[parts[0]] == [old]
                ],
                "corrected": [names[one] for one in self.added.corrected.tolist()],
                "removed": [names[one] for one in removed.column("number").to_pylist()],
            }
        )
        return others | {
            "merged": [
                {
                    "cluster": names[one],
                    "clusters": [names[old] for old in before[one]],
                    "records": [names[new] for new in joined.get(one, ())],
                }
                for one in before
                if len(before[one]) > 1 or one in joined
            ],
            "split": [
                {"cluster": names[old], "clusters": [names[one] for one in parts]}
                for old, parts in after.items()
                if len(parts) > 1
            ],
            "new": [names[one] for one in joined if one not in before],
        }

    def _moves(self) -> tuple[_Groups, _Groups, _Groups]:
        """Of clusters now those before and their new records; of those before the ones now."""
        before, joined, after = _Groups(), _Groups(), _Groups()
        again, new = self.regrouped, set(self.added.new.tolist())
        touched = np.zeros(0, np.int64) if again is None else again.number
        if again is not None:
            for number, old, now in zip(
                again.number.tolist(), again.before.tolist(), again.after.tolist()
            ):
                if number in new:
                    joined.put(now, number)
                else:
                    before.put(now, old)
                    after.put(old, now)
        for number in np.setdiff1d(self.added.new, touched).tolist():
            joined.put(number, number)
        return before, joined, after

    @cached_property
    def _names(self) -> dict[int, str]:
        """What records are called by, of two sources after the source's name."""
        known = (
            self.added.before,
            None if self.regrouped is None else self.regrouped.rows,
            self.records,
        )
        tables = [table for table in known if table is not None]
        said = [table.select(["number", "source", "id"]).to_pydict() for table in tables]
        several = len(self.sources) > 1
        return {
            number: f"{self.sources[source]}:{name}" if several else name
            for one in said
            for number, source, name in zip(one["number"], one["source"], one["id"])
        }

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        figures, compared = self.figures, len(self.compared)
        record = {
            "status": self.status,
            "run": self.run_id,
            "records": figures["records"],
            "new": self.added.count,
            "known": self.added.known,
            "candidates": compared,
            "share_of_pairs": compared / max(1, self.added.count * figures["records"]),
            "clusters": figures["clusters"],
            "energy": figures["energy"],
            "bound": figures["bound"],
            "gap": (figures["energy"] - figures["bound"]) / max(figures["energy"], 1e-9),
            "components": figures["components"],
            "components_open": figures["components_open"],
            "records_clustered": 0 if self.regrouped is None else len(self.regrouped.number),
            "changed": self.changed,
            "seconds": self.seconds,
            "left_out": self.added.left_out,
            "diagnostics": [one.as_record() for one in self.warnings],
        }
        return as_json(record)  # type: ignore[no-any-return]

    def write_clusters(self, path: Path) -> None:
        """Write `clusters` as CSV, or Parquet by the file's ending."""
        write_linked(self.clusters, path)

    def write_pairs(self, path: Path) -> None:
        """Write `pairs` as CSV, or Parquet by the file's ending."""
        write_linked(self.pairs, path)


class _Groups(dict[int, list[int]]):
    """Numbers by the group that they are in, each once."""

    def put(self, group: int, number: int) -> None:
        members = self.setdefault(group, [])
        if number not in members:
            members.append(number)


def linked_pairs(rows: pyarrow.Table, pairs: Pairs, log_odds: Float) -> pyarrow.Table:
    """Pairs of stored records by source and id, with their log odds."""
    found = {}
    for side, places in (("left", pairs.left), ("right", pairs.right)):
        found[f"{side}_source"] = rows.column("source").take(pyarrow.array(places))
        found[side] = rows.column("id").take(pyarrow.array(places))
    return pyarrow.table(found | {"log_odds": told(log_odds)})
