"""Probabilistic soft logic from the command line, as PSL's users try it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.conftest import Run

RULES = """1.0: Friend(X, Y) & Likes(X) -> Likes(Y)
2.0: Likes(X) -> Nice(X)
0.5: !Likes(X)
"""
DATA = """predicates:
  Friend/2: closed
  Likes/1: open
  Nice/1: open
  Lonely/1: open
observations:
  Friend: friend.tsv
  Likes: observed.tsv
targets:
  Likes: likes.tsv
  Nice: nice.tsv
  Lonely: lonely.tsv
truth:
  Likes: truth.tsv
"""
FILES = {
    "model.psl": RULES,
    "model.data": DATA,
    "friend.tsv": "A\tB\nB\tC\n",
    "observed.tsv": "A\t0.8\n",
    "likes.tsv": "B\nC\n",
    "nice.tsv": "A\nB\nC\nD\nE\t0.25\n",
    "lonely.tsv": "A\nB\t0.3\n",
    "truth.tsv": "B\t0.7\nC\t0.6\n",
}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", [("infer",), ("explain", "Likes(B)"), ("crossval",)])
def test_marginals_are_refused(run: Run, model: Path, command: tuple[str, ...]) -> None:
    verb, *rest = command
    outcome = run(verb, "model.psl", *rest, "--data", "model.data", "--task", "marginal")
    assert (outcome.code, "E0414" in outcome.err) == (2, True)


def test_the_linear_program_is_exact_and_proven(run: Run, model: Path) -> None:
    found = run("infer", "model.psl", "--data", "model.data", "--engine", "lp", "--json").json
    assert (found["status"], found["gap"]) == ("optimal", 0.0)
    assert found["energy"] == pytest.approx(0.8, abs=1e-9)
    (model / "model.psl").write_text(RULES.replace("Likes(Y)", "Likes(Y) ^2"))
    squared = run("infer", "model.psl", "--data", "model.data", "--engine", "lp")
    assert (squared.code, "squared" in squared.err) == (2, True)


def test_the_linear_program_does_not_round_soft_logic(run: Run, model: Path) -> None:
    outcome = run("infer model.psl --data model.data -e lp --set rounding=roundup")
    assert (outcome.code, "E0804" in outcome.err) == (2, True)


@pytest.mark.parametrize("engine", ["auto", "lp", "admm", "pdhg", "ecos"])
def test_targets_that_no_rule_moves_keep_their_listed_values(
    run: Run, model: Path, engine: str
) -> None:
    outcome = run(f"infer model.psl --data model.data -e {engine} -o out.csv --json")
    with (model / "out.csv").open() as lines:
        value = {row["atom"]: float(row["value"]) for row in csv.DictReader(lines)}
    free = ("Lonely(A)", "Lonely(B)", "Nice(D)", "Nice(E)")
    assert [value[atom] for atom in free] == [0.5, 0.3, 0.5, 0.25]
    assert [one["code"] for one in outcome.json["warnings"]] == ["E0314"]
    asked = run("infer", "model.psl", "--data", "model.data", "--query", "Likes,Nice", "--json")
    assert asked.json["warnings"] == []


def test_learned_weights_stand_beside_rules_without_their_old_ones(run: Run, model: Path) -> None:
    outcome = run("learn", "model.psl", "--data", "model.data", "--json")
    assert [row["clause"] for row in outcome.json["weights"]] == [
        "Friend(X, Y) & Likes(X) -> Likes(Y)",
        "Likes(X) -> Nice(X)",
        "!Likes(X)",
    ]


def test_predictions_are_scored_against_the_truth_that_the_data_file_lists(
    run: Run, model: Path
) -> None:
    (model / "predicted.csv").write_text(
        "atom,predicate,value\nLikes(B),Likes,0.5\nLikes(C),Likes,0.5\n"
    )
    scores = run("evaluate --predictions predicted.csv --truth model.data --json").json
    assert scores["MAE"] == pytest.approx(0.15)
