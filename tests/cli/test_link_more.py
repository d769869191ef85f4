"""`link NEW.csv --with W.duckdb`: the command line over a kept linkage."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.linkage import people
from tests.cli.conftest import Run


def test_new_records_are_linked_with_a_kept_linkage(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = people(200, seed=4)[0]
    frame.to_csv("people.csv", index=False)
    frame.iloc[[7]].assign(record=900).to_csv("new.csv", index=False)
    assert (
        run("link", "people.csv", "--out", "clusters.csv", "--workspace", "kept.duckdb").code == 0
    )
    again = run("link new.csv --with kept.duckdb --out new_clusters.csv --pairs p.csv --json")
    said = json.loads(again.out)
    assert (again.code, said["records"], said["new"]) == (0, 201, 1)
    first = pd.read_csv("clusters.csv").set_index("id")["cluster"]
    assert said["changed"]["merged"][0]["cluster"] == str(first[7])
    assert pd.read_csv("new_clusters.csv").set_index("id")["cluster"][900] == first[7]
    assert len(pd.read_csv("p.csv")) == said["candidates"]
    assert "passed" not in run("link", "new.csv", "--with", "kept.duckdb", "--out", "again.csv").out


def test_a_program_and_its_facts_stand_where_they_are_asked_for(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people(100, seed=4)[0].to_csv("people.csv", index=False)
    assert run("link people.csv --out clusters.csv --program rules.mln").code == 0
    assert {one.name for one in tmp_path.iterdir()} == {
        "people.csv", "clusters.csv", "rules.mln", "rules.db",
    }  # fmt: skip
    first = Path("rules.mln").read_text(encoding="utf-8").splitlines()[0]
    assert first == "// workbench infer rules.mln --data rules.db --query Same"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--with", "none.duckdb"), "E0682"),
        (("--with", "kept.duckdb", "--one-to-one"), "E0686"),
        (("--with", "kept.duckdb", "--workspace", "kept.duckdb"), "E0686"),
        (("--with", "kept.duckdb", "--labels", "labels.csv"), "E0686"),
        (("--with", "kept.duckdb", "--seed", "3"), "E0686"),
        (("--with", "new.csv"), "E0682"),
    ],
)
def test_what_does_not_go_with_it_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("new.csv").write_text("id,name\n1,Ann\n")
    done = run("link", "new.csv", "--out", "clusters.csv", *words)
    assert done.code == 2
    assert code in done.err
    assert not Path("clusters.csv").exists()
