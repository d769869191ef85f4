"""Query files, and Alchemy's form of results."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.verbs.test_queries import FACTS, RULES


def test_query_files_and_alchemys_result_form(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.mln").write_text(RULES, encoding="utf-8")
    (tmp_path / "d.db").write_text(FACTS, encoding="utf-8")
    (tmp_path / "q.txt").write_text("Cancer(Anna),  // a comment\n\nSmokes(Bob), Smokes(Cy)\n", encoding="utf-8")
    given = ("infer", tmp_path / "r.mln", "--data", tmp_path / "d.db", "-f", tmp_path / "q.txt", "--engine", "exact")
    out = tmp_path / "x.result"
    assert run(*given, "--query", "Cancer(Bob)", "--out", out).code == 0
    lines = [line.rsplit(" ", 1) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [atom for atom, _ in lines] == ["Smokes(Bob)", "Smokes(Cy)", "Cancer(Anna)", "Cancer(Bob)"]
    assert all(0 < float(value) < 1 for _, value in lines)
    (tmp_path / "e.db").write_text(FACTS, encoding="utf-8")
    two = run(*given, "--world", tmp_path / "e.db", "--out", tmp_path / "y.result")
    assert (two.code, "E0135" in two.err, (tmp_path / "y.result").exists()) == (2, True, False)
    missing = run(*given[:-3], tmp_path / "none.txt")
    assert (missing.code, "E0136" in missing.err) == (1, True)
