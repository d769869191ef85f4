"""Few rows go in as plain values, and are then what they are by way of Arrow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from workbench.database import Database
from workbench.database import runs as module
from workbench.database.runs import RunRecord, record_run

TABLES: Mapping[str, Mapping[str, Any]] = {
    "weights": {
        "template": [0, 1, 2],
        "formula": ["P(x)", None, "Q(y)"],
        "weight": [1, 2.5, float("nan")],
        "initial": [None, None, None],
        "fixed": np.array([True, False, True]),
        "open": [None, 3, np.int64(4)],
    },
    "predictions": {
        "world": np.array([0, 0, 1], np.int32),
        "predicate": np.array(["P", "P", "Q"], object),
        "arguments": np.array([[0, 2], [1, -1], [-1, -1]], np.int32),
        "value": np.array([0.5, np.nan, 1.0]),
    },
    "metrics": {"metric": ["accuracy"], "value": [0.75]},
    "traces": {"step": np.zeros(0, np.int64), "series": [], "value": []},
}


def test_few_rows_are_recorded_as_many_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with Database.open() as database:
        for few in (10, 0):
            monkeypatch.setattr(module, "FEW", few)
            record_run(database, RunRecord("infer", "exact", 0.1, **TABLES))
        for table in ("weight", "prediction", "metric", "trace"):
            one, other = (
                database.execute(
                    f"SELECT * EXCLUDE run FROM run_{table} WHERE run = {run} ORDER BY rowid"
                ).fetchall()
                for run in (1, 2)
            )
            assert one == other
            assert len(one) == len(next(iter(TABLES[f"{table}s"].values())))
