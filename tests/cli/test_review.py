"""`workbench review`: a letter a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.linkage import people
from workbench.cli import app
from workbench.workspace import open_workspace

RULES = "Likes(person, topic)\nFan(person)\n1 Likes(p, +t) => Fan(p)\n-0.2 Fan(p)\n"


@pytest.fixture
def saved(tmp_path: Path) -> str:
    with open_workspace() as ws:
        ws.declare(RULES)
        ws.data.add("\n".join(f"Likes(P{n}, T{n % 2})" for n in range(6)))
        ws.infer(RULES, query=["Fan"], engine="exact")
        ws.save_as(tmp_path / "work.duckdb")
    return str(tmp_path / "work.duckdb")


def review(saved: str, letters: str = "", *words: str) -> str:
    result = CliRunner().invoke(app, ["review", saved, *words], input=letters)
    assert result.exit_code == 0, result.output
    return result.output


def test_letters_are_answers_and_labels(saved: str) -> None:
    said = review(saved, "y\nn\nu\ns\nx\ny\nl\nq\n", "--reviewer", "Ada")
    assert "  person P" in said
    assert "Likes T" in said
    assert "Taken back: Fan(" in said
    assert "Ada: 2 answered, 1 skipped" in said
    assert "Run 3:" in said
    with open_workspace(saved) as ws:
        assert [one.says for one in ws.answers()] == [True, None, True]
        assert ws.data.facts_page("Fan", partition="truth").total == 2
        assert [run.kind for run in ws.runs.all()] == ["infer", "learn", "infer"]
    found = json.loads(review(saved, "", "--reviewer", "Ben", "--json"))
    assert (found["run"], found["total"]) == (3, 4)
    assert len(found["questions"]) == 4
    said = review(saved, "", "--reviewer", "Ben", "--run", "1", "--second")
    assert "Ben: 0 answered, 0 skipped" in said


def test_pairs_of_a_linkage_are_asked_and_linked_again(tmp_path: Path) -> None:
    """A linkage that is newer than any prediction is reviewed; files are read anew with answers."""
    table = tmp_path / "people.csv"
    people(120, seed=4)[0].to_csv(table, index=False)
    path = tmp_path / "linked.duckdb"
    with open_workspace(path) as ws:
        ws.link(table)
    said = review(str(path), "y\nu\nn\ns\n?\nl\nq\n")
    assert "The same?" in said
    assert "surname" in said
    assert "Taken back:" in said
    assert "Run 2: pairs of records" in said
    found = json.loads(review(str(path), "", "--run", "1", "--json", "--most", "3"))
    assert (found["run"], len(found["questions"])) == (1, 3)
    assert set(found["questions"][0]) == {"left", "right", "probability", "together"}
    with open_workspace(path) as ws:
        assert list(ws.linkage(1).answers()["same"]) == [False]
        assert list(ws.linkage(2).labels()["match"]) == [0]
