"""The table's form, which scripts read as JSON."""

from __future__ import annotations

import json

import pytest

from experiments import FoldScore, ReproductionTable, reproduce, rows_from_folds
from experiments.measurements import Measurements
from workbench.errors import Cancelled, UsageError
from workbench.progress import Progress

SCORES = (
    FoldScore("MLN(VP)", "uw-cse", "AUC-PR", "ai", 0.3),
    FoldScore("MLN(VP)", "uw-cse", "AUC-PR", "theory", 0.5),
    FoldScore("ours", "uw-cse", "F1", "ai", float("nan")),
)
PUBLISHED = {("MLN(VP)", "uw-cse", "AUC-PR"): 0.295, ("CLAUDIEN", "uw-cse", "AUC-PR"): 0.006}


def test_rows_keep_the_published_order_and_add_ours() -> None:
    rows = rows_from_folds(SCORES, PUBLISHED)
    assert [(row.system, row.published, row.ours, row.folds) for row in rows] == [
        ("MLN(VP)", 0.295, pytest.approx(0.4), 2),
        ("CLAUDIEN", 0.006, None, 0),
        ("ours", None, None, 0),
    ]
    assert rows[0].sd == pytest.approx(0.02**0.5)


def test_json_has_the_promised_keys() -> None:
    table = ReproductionTable("uw-cse", "title", rows_from_folds(SCORES, PUBLISHED), SCORES)
    record = json.loads(json.dumps(table.as_record(), allow_nan=False))
    assert set(record["rows"][0]) == {
        "system",
        "column",
        "metric",
        "published",
        "ours",
        "sd",
        "folds",
    }
    assert record["folds_detail"][0] == {
        "system": "MLN(VP)", "column": "uw-cse", "metric": "AUC-PR", "fold": "ai", "value": 0.3,
    }  # fmt: skip
    assert table.find("MLN(VP)", "uw-cse", "AUC-PR").ours == pytest.approx(0.4)
    with pytest.raises(KeyError):
        table.find("MLN(VP)", "uw-cse", "F1")


def test_unknown_experiments_are_named(tmp_path) -> None:
    with pytest.raises(UsageError, match="uw-cse"):
        reproduce("uwcse")
    with pytest.raises(UsageError, match="E0903"):
        reproduce("uw-cse", folds=0, data_dir=tmp_path)
    with pytest.raises(UsageError, match="E0901"):
        reproduce("uw-cse", data_dir=tmp_path / "absent")


@pytest.mark.parametrize("how", [Cancelled("learner"), KeyboardInterrupt(), RuntimeError("query")])
def test_what_was_measured_before_a_cancel_is_kept_however_it_ends_the_work(
    how: BaseException,
) -> None:
    measured = Measurements(Progress())
    with measured.until_cancelled():
        measured.add("rules", "all", "fold 1", {"F1": 0.5})
        measured.progress.cancel_event.set()
        raise how
    table = measured.table("name", "title", {}, ())
    assert ([row.ours for row in table.rows], table.complete) == ([0.5], False)


def test_a_fault_ends_an_experiment_that_nobody_cancelled() -> None:
    with pytest.raises(RuntimeError), Measurements(Progress()).until_cancelled():
        raise RuntimeError
