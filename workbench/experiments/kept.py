"""Reproduced tables kept in a workspace: what was run last of each row, for the page to show."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.experiments.table import FoldScore, ReproductionTable, Row

if TYPE_CHECKING:
    from workbench.workspace import Workspace

__all__ = ["keep", "kept"]


def keep(workspace: Workspace, table: ReproductionTable) -> None:
    """Keep a table; systems that it has no figures of stay as they were kept before."""
    before = kept(workspace, table.name)
    joined = table if before is None else _joined(before, table)
    workspace.remember(_key(table.name), json.dumps(joined.as_record()))


def kept(workspace: Workspace, name: str) -> ReproductionTable | None:
    """The table kept of an experiment, or None."""
    text = workspace.recall(_key(name))
    if text is None:
        return None
    record: dict[str, Any] = json.loads(text)
    record["rows"] = tuple(Row(**row) for row in record["rows"])
    record["folds_detail"] = tuple(FoldScore(**score) for score in record["folds_detail"])
    return ReproductionTable(**record | {"notes": tuple(record["notes"])})


def _joined(before: ReproductionTable, now: ReproductionTable) -> ReproductionTable:
    """`now`, with what `before` has of systems and columns that were not run again."""
    run = {(row.system, row.column) for row in now.rows if row.ours is not None}
    older = {
        (row.system, row.column, row.metric): row
        for row in before.rows
        if row.ours is not None and (row.system, row.column) not in run
    }
    rows = [older.pop((row.system, row.column, row.metric), row) for row in now.rows]
    details = [score for score in before.folds_detail if (score.system, score.column) not in run]
    return replace(
        now,
        rows=(*rows, *older.values()),
        folds_detail=(*details, *now.folds_detail),
        notes=tuple(dict.fromkeys((*before.notes, *now.notes))),
        seconds={**before.seconds, **now.seconds},
    )


def _key(name: str) -> str:
    return f"experiment:{name}"
