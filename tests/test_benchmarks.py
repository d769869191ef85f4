"""The one command for all benchmarks: its report's arithmetic, and a quick one of them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.report import growth, markdown, medians, tables_of
from benchmarks.suite import SUITE


def test_numbers_of_several_runs_become_medians_with_their_spread() -> None:
    runs = [
        [{"engine": "a", "rows": 5, "seconds": value, "gap": math.nan}] for value in (3.0, 1.0, 2.0)
    ]
    (record,) = medians(runs)
    assert record["seconds"] == {"median": 2.0, "least": 1.0, "most": 3.0}
    assert (record["engine"], record["rows"]) == ("a", 5)
    assert "2 (1 to 3)" in markdown([record])


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_growth_finds_the_power_of_each_kind(power: float) -> None:
    records = [
        {"kind": kind, "n": n, "cost": factor * n**power}
        for kind, factor in (("a", 1), ("b", 7))
        for n in (2, 4, 9)
    ]
    found = growth([*records, {"kind": "c", "n": 2, "cost": 1.0}], "n", "cost")
    assert found == {"a": pytest.approx(power), "b": pytest.approx(power)}


def test_records_within_records_are_columns() -> None:
    assert tables_of([{"a": 1, "b": {"c": 2}}]) == {"": [{"a": 1, "b c": 2}]}
    assert tables_of({"x": {"a": 1}, "y": [{"a": 2}], "z": None}) == {
        "x": [{"a": 1}],
        "y": [{"a": 2}],
    }


@pytest.mark.parametrize("name", SUITE)
def test_every_benchmark_is_a_module(name: str) -> None:
    for line in (SUITE[name].command, SUITE[name].quick):
        assert find_spec(f"benchmarks.{line.split()[0]}") is not None


def test_a_quick_run_writes_its_report_and_a_failure_is_said(tmp_path: Path) -> None:
    line = [
        sys.executable,
        "-m",
        "benchmarks",
        "maxwalksat",
        "--quick",
        "--json",
        "--out",
        str(tmp_path),
    ]
    report = json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
    assert report == json.loads((tmp_path / "benchmarks.json").read_text())
    (first, *_) = report["benchmarks"]["maxwalksat"]["tables"][""]
    assert first["default_energy"] >= first["optimum_bound"] - 1e-6
    assert "## maxwalksat" in (tmp_path / "benchmarks.md").read_text()
    line = [
        sys.executable,
        "-m",
        "benchmarks",
        "structure",
        "--quick",
        "--aleph",
        str(tmp_path / "none.pl"),
        "--json",
    ]
    run = subprocess.run(
        line, check=False, capture_output=True, text=True, env={"WORKBENCH_DATASETS": str(tmp_path)}
    )
    assert run.returncode == 1
    assert json.loads(run.stdout)["benchmarks"]["structure"]["failed"]
