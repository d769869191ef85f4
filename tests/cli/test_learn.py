"""Learning and scoring from the command line: folds, choices in folds, tests, calibration."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

RULES = """
Friends(person, person)
Smokes(person)
Cancer(person)
Smokes(x)
Cancer(x)
Smokes(x) => Cancer(x)
Friends(x, y) => (Smokes(x) <=> Smokes(y))
"""
WORLDS = {
    "one": "Friends(A, B)\nFriends(C, D)\nSmokes(A)\nSmokes(B)\nCancer(A)\n",
    "two": "Friends(A, B)\nFriends(B, C)\nSmokes(C)\nCancer(C)\nCancer(B)\n",
    "three": "Friends(C, D)\nFriends(A, B)\nSmokes(C)\nSmokes(D)\nCancer(D)\n",
    "four": "Friends(A, D)\nFriends(B, C)\nSmokes(A)\nSmokes(D)\nCancer(A)\n",
}


@pytest.fixture
def files(tmp_path: Path) -> list[Path | str]:
    """Rules and the options that name the worlds."""
    rules = tmp_path / "rules.mln"
    rules.write_text(RULES)
    found: list[Path | str] = [rules, "--query", "Smokes,Cancer"]
    for name, facts in WORLDS.items():
        (tmp_path / f"{name}.db").write_text(facts)
        found += ["--world", tmp_path / f"{name}.db"]
    return found


def test_crossval_reports_each_world_with_mean_deviation_and_interval(
    run: Run, files: list[Path | str]
) -> None:
    found = run("crossval", *files, "--json").json
    assert [fold["fold"] for fold in found["folds"]] == list(WORLDS)
    low, high = found["interval"]["CLL"]
    assert low < found["mean"]["CLL"] < high <= 0
    assert all(0 <= end <= 1 for end in found["interval"]["accuracy"])
    assert found["sd"]["CLL"] > 0


def test_worlds_are_held_out_together_and_parameters_chosen_inside_each_fold(
    run: Run, files: list[Path | str]
) -> None:
    found = run(
        "crossval",
        *files,
        "--fold",
        "one,two",
        "--fold",
        "three",
        "--validate",
        "prior_sd=0.3,3",
        "--json",
    )
    assert [fold["fold"] for fold in found.json["folds"]] == ["one + two", "three"]
    dealt = run("crossval", *files, "--folds", "2", "--json").json
    assert sorted(name for fold in dealt["folds"] for name in fold["fold"].split(" + ")) == sorted(
        WORLDS
    )
    wrong = run("crossval", *files, "--fold", "one,five")
    assert wrong.code == 2
    assert "E0806" in wrong.err


def test_two_cross_validations_are_compared_by_paired_tests(
    run: Run, files: list[Path | str], tmp_path: Path
) -> None:
    workspace = tmp_path / "runs.db"
    run("crossval", *files, "--workspace", workspace)
    run(f"crossval {files[0]} --query Smokes,Cancer --set prior_sd=0.1 --workspace {workspace}")
    tests = run("compare", workspace, 1, 2, "--json").json["tests"]
    of_cll = {test["test"]: test for test in tests if test["metric"] == "CLL"}
    assert set(of_cll) == {"paired t", "Wilcoxon", "corrected resampled t"}
    assert of_cll["paired t"]["p"] < of_cll["corrected resampled t"]["p"] <= 1
    assert all(test["folds"] == 4 for test in of_cll.values())


def test_evaluate_prints_how_often_predictions_came_true(run: Run, tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text(
        "atom,predicate,value\nS(A),S,0.95\nS(B),S,0.91\nS(C),S,0.1\nS(D),S,0.05\n"
    )
    truth = tmp_path / "truth.db"
    truth.write_text("S(A)\n")
    found = run("evaluate", "--predictions", predictions, "--truth", truth, "--json").json
    assert [(row["from"], row["atoms"], row["true"]) for row in found["calibration"]] == [
        (0.0, 1, 0.0),
        (0.1, 1, 0.0),
        (0.9, 2, 0.5),
    ]


def test_the_default_learner_follows_the_labels(
    run: Run, files: list[Path | str], tmp_path: Path
) -> None:
    labelled = run(
        "learn", files[0], "--data", tmp_path / "one.db", "--query", "Smokes,Cancer", "--json"
    ).json
    assert labelled["learner"] == "pseudo_likelihood"
    assert labelled["status"] == "converged"
    (tmp_path / "hidden.db").write_text(WORLDS["one"] + "?Smokes(C)\n")
    hidden = run(
        "learn", files[0], "--data", tmp_path / "hidden.db", "--query", "Smokes,Cancer", "--json"
    ).json
    assert hidden["learner"] == "diagonal_newton"
    assert hidden["diagnostics"]["hidden_atoms"] == 1


def test_lazy_reaches_the_learner(run: Run, files: list[Path | str]) -> None:
    refused = run("learn", *files, "--lazy")
    assert (refused.code, "E0512" in refused.err) == (2, True)
    learned = run("learn", *files, "--lazy", "--learner", "max_margin", "--json")
    assert learned.code == 0


def test_labels_are_needed_to_learn_and_a_false_one_is_one(run: Run, tmp_path: Path) -> None:
    rules, data = tmp_path / "rules.mln", tmp_path / "data.db"
    rules.write_text("E(t)\nP(t)\nE(x) => P(x)\n!P(x)\n")
    data.write_text("E(A)\nE(B)\n")
    found = run("learn", rules, "--data", data, "--query", "P")
    assert (found.code, "E0501" in found.err) == (1, True)
    data.write_text("E(A)\nE(B)\n!P(A)\n")
    assert run("learn", rules, "--data", data, "--query", "P").code == 0


def test_rules_that_say_nothing_are_said_to(run: Run, tmp_path: Path) -> None:
    rules, data, out = tmp_path / "rules.mln", tmp_path / "data.db", tmp_path / "learned.mln"
    rules.write_text("E(t)\nP(t)\nE(x) => P(x)\n")
    data.write_text("E(A)\nE(B)\nP(A)\n")
    learned = run("learn", rules, "--data", data, "--query", "P", "--out", out, "--json")
    assert [warning["code"] for warning in learned.json["warnings"]] == ["E0709"]
    assert "no effect of any rule" in learned.json["warnings"][0]["help"]
    at_once = ("--learner", "max_margin", "--time-limit", 0)
    stopped = run("learn", rules, "--data", data, "--query", "P", *at_once)
    assert (stopped.code, "give it more time" in stopped.err) == (4, True)
    found = run("infer", out, "--data", data, "--query", "P")
    assert "E0709" in found.err
    rules.write_text("E(t)\nP(t)\n-0.0000002 E(x) => P(x)\n")
    assert "E0709" in run("infer", rules, "--data", data, "--query", "P").err
    rules.write_text("E(t)\nP(t)\nE(x) => P(x)\nE(A).\n")
    assert "E0709" not in run("infer", rules, "--data", data, "--query", "P").err
