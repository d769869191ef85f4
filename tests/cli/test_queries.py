"""Query files, and Alchemy's form of results."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.verbs.test_queries import FACTS, RULES


def test_query_files_and_alchemys_result_form(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.mln").write_text(RULES, encoding="utf-8")
    (tmp_path / "d.db").write_text(FACTS, encoding="utf-8")
    (tmp_path / "q.txt").write_text(
        "Cancer(Anna),  // a comment\n\nSmokes(Bob), Smokes(Cy)\n", encoding="utf-8"
    )
    given = (
        "infer",
        tmp_path / "r.mln",
        "--data",
        tmp_path / "d.db",
        "-f",
        tmp_path / "q.txt",
        "--engine",
        "exact",
    )
    out = tmp_path / "x.result"
    assert run(*given, "--query", "Cancer(Bob)", "--out", out).code == 0
    lines = [line.rsplit(" ", 1) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [atom for atom, _ in lines] == [
        "Smokes(Bob)",
        "Smokes(Cy)",
        "Cancer(Anna)",
        "Cancer(Bob)",
    ]
    assert all(0 < float(value) < 1 for _, value in lines)
    (tmp_path / "e.db").write_text(FACTS, encoding="utf-8")
    two = run(*given, "--world", tmp_path / "e.db", "--out", tmp_path / "y.result")
    assert (two.code, "E0135" in two.err, (tmp_path / "y.result").exists()) == (2, True, False)
    missing = run(*given[:-3], tmp_path / "none.txt")
    assert (missing.code, "E0136" in missing.err) == (1, True)


@pytest.mark.parametrize("name", ["p.cvs", "p.xlsx", "p.tsv", "p.csv.zip"])
def test_an_unknown_ending_of_predictions_is_refused_before_any_work(
    run: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / "r.mln").write_text("P(t)\n1 P(A)\n")
    found = run(
        "infer", tmp_path / "r.mln", "--out", tmp_path / name, "--workspace", tmp_path / "w.duckdb"
    )
    assert (found.code, "E0248" in found.err, ".csv, .parquet and .result" in found.err) == (
        2,
        True,
        True,
    )
    assert not (tmp_path / name).exists()
    assert run("runs", tmp_path / "w.duckdb", "--json").json == []
    for other in ("p.csv", "p.csv.gz", "p.parquet", "p"):
        assert run("infer", tmp_path / "r.mln", "--out", tmp_path / other).code == 0
        assert (tmp_path / other).stat().st_size
    run("infer", tmp_path / "r.mln", "--workspace", tmp_path / "w.duckdb")
    refused = run("export", tmp_path / "w.duckdb", "1", "--out", tmp_path / name)
    assert (refused.code, "E0248" in refused.err) == (2, True)
