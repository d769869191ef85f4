"""`reproduce`: what is printed of a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from workbench.experiments import EXPERIMENTS, ReproductionTable, Row


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
