"""`reproduce`: what is printed of a table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments import EXPERIMENTS, FoldScore, ReproductionTable, Row, rows_from_folds
from tests.cli.conftest import Run


def _experiment(**options: object) -> ReproductionTable:
    ours = -0.5 if options.get("systems") in (None, ("NB",)) else None
    rows = (
        Row("NB", "advisedBy", "CLL", -0.4, ours, None, int(ours is not None)),
        Row("KB", "x", "CLL", -0.3, None, None, 0),
    )
    return ReproductionTable("uw-cse", "A table", rows)


def test_a_part_of_a_table_is_printed_without_the_rest(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "uw-cse", _experiment)
    whole = run("reproduce", "uw-cse", "--data-dir", tmp_path)
    assert whole.code == 0
    assert "KB" in whole.out
    part = run("reproduce", "uw-cse", "--data-dir", tmp_path, "--system", "NB")
    assert "NB" in part.out
    assert "KB" not in part.out
    assert "1 published figures without ours" in part.out


def _folds(value: float) -> Callable[..., ReproductionTable]:
    def experiment(**options: object) -> ReproductionTable:
        scores = (FoldScore("NB", "advisedBy", "CLL", "ai", value),)
        return ReproductionTable("uw-cse", "A table", rows_from_folds(scores, {}), scores)

    return experiment


def test_a_record_says_what_made_it_and_is_compared_to_the_third_decimal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "figures" / "uw-cse.json"
    again = ("reproduce", "uw-cse", "--data-dir", tmp_path, "--system", "NB")
    monkeypatch.setitem(EXPERIMENTS, "uw-cse", _folds(-0.5))
    assert run(*again, "--record", record).code == 0
    (measurement,) = json.loads(record.read_text())["measurements"]
    assert measurement["command"] == "workbench reproduce uw-cse --system NB"
    assert {"commit", "day", "cpu_seconds", "versions"} <= measurement.keys()

    monkeypatch.setitem(EXPERIMENTS, "uw-cse", _folds(-0.5002))
    assert run(*again, "--against", record).code == 0
    monkeypatch.setitem(EXPERIMENTS, "uw-cse", _folds(-0.501))
    other = run(*again, "--against", record, "--json")
    assert other.code == 1
    assert json.loads(other.out)["against"]["differences"][0]["again"] == -0.501

    assert "E0905" in run(*again, "--against", record).err
    assert run(*again, "--record", record).code == 0
    (measurement,) = json.loads(record.read_text())["measurements"]
    assert measurement["table"]["rows"][0]["ours"] == -0.501


def test_a_record_that_is_none_is_said_before_anything_runs(run: Run, tmp_path: Path) -> None:
    answer = run("reproduce", "uw-cse", "--data-dir", tmp_path, "--against", tmp_path / "none.json")
    assert "E0906" in answer.err
    (tmp_path / "other.json").write_text("[]")
    answer = run(f"reproduce uw-cse --data-dir {tmp_path} --against {tmp_path / 'other.json'}")
    assert "E0906" in answer.err
    answer = run("reproduce", "uw-cse", "--data-dir", tmp_path, "--record", tmp_path)
    assert "E0906" in answer.err, "a folder holds no record"
