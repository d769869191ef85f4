"""The facade: the same path as the command line, in Python, with its runs recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.errors import UsageError
from workbench.resources import shipped

RULES = """
Friends(person, person)
Smokes(person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) => (Smokes(x) <=> Smokes(y))
"""


@pytest.fixture
def workspace() -> wb.Workspace:
    opened = wb.open()
    friends = pd.DataFrame({"a": ["Ada", "Bo", "Cy"], "b": ["Bo", "Cy", "Dee"]})
    opened.declare(RULES)
    opened.load(friends, predicate="Friends")
    opened.load(pd.DataFrame({"a": ["Ada"]}), predicate="Smokes")
    return opened


def test_a_frame_becomes_facts_and_facts_predictions(workspace: wb.Workspace) -> None:
    result = workspace.infer(RULES, query=["Smokes", "Cancer"], engine="exact")
    frame = result.predictions()
    assert list(frame.columns) == ["atom", "predicate", "value"]
    assert set(frame["predicate"]) == {"Smokes", "Cancer"}
    assert result.value("Smokes(Bo)") > result.value("Smokes(Cy)") > result.value("Smokes(Dee)")


def test_explanations_sum_to_the_conditional_log_odds(workspace: wb.Workspace) -> None:
    result = workspace.infer(RULES, query=["Smokes", "Cancer"], engine="exact", record=False)
    explanation = result.explain("Smokes(Bo)")
    assert explanation.log_odds == pytest.approx(
        sum(item.contribution for item in explanation.contributions)
    )
    assert np.isfinite(explanation.log_odds)
    assert "Smokes(Bo)" in explanation.sentence()


def test_averaged_explanations_are_means_over_sampled_states(workspace: wb.Workspace) -> None:
    result = workspace.infer(RULES, query=["Smokes", "Cancer"], engine="exact", record=False)
    explanation = result.explain("Smokes(Cy)", samples=400, seed=2)
    assert explanation.samples == 400
    assert explanation.log_odds == pytest.approx(
        sum(item.contribution for item in explanation.contributions)
    )
    # The two clauses of the friendship pull towards Bo's value, each by half the formula's weight.
    toward = [item for item in explanation.contributions if "Smokes(Bo)" in item.others]
    pull = sum(item.contribution for item in toward)
    assert pull == pytest.approx(1.1 / 2 * (2 * result.value("Smokes(Bo)") - 1), abs=0.1)


def test_an_atom_that_is_not_open_is_refused_with_its_name(workspace: wb.Workspace) -> None:
    result = workspace.infer(RULES, query=["Cancer"], engine="exact", record=False)
    with pytest.raises(UsageError, match="Zed") as told:
        result.explain("Cancer(Zed)")
    assert "known, not predicted" in (told.value.diagnostics[0].help or "")
    with pytest.raises(UsageError, match="Owns") as told:
        result.explain("Owns(Ada)")
    assert told.value.diagnostics[0].help == "predicted are atoms of Cancer"


def test_runs_are_recorded_compared_and_exported(workspace: wb.Workspace) -> None:
    first = workspace.infer(RULES, query=["Cancer"], engine="exact")
    second = workspace.infer(RULES.replace("1.5", "3.0"), query=["Cancer"], engine="exact")
    assert first.run_id is not None
    assert second.run_id is not None
    assert workspace.runs()["id"].tolist() == [second.run_id, first.run_id]
    difference = workspace.runs.compare(first.run_id, second.run_id)
    assert {change["setting"] for change in difference["settings"]} >= {"program_hash"}
    assert [change["atom"] for change in difference["predictions"]] == ["Cancer(Ada)"]
    (weight,) = difference["weights"]
    assert weight["formula"] == "Smokes(x) => Cancer(x)"  # as written, not its clause
    assert (weight["weight_first"], weight["weight_second"], weight["change"]) == (1.5, 3.0, 1.5)
    rounded = workspace.infer(RULES.replace("1.5", "1.5000000001"), query=["Cancer"])
    assert workspace.runs.compare(first.run_id, rounded.run_id or 0)["weights"] == []
    exported = workspace.runs.predictions(first.run_id)
    assert np.allclose(exported["value"], first.predictions()["value"])
    assert "Cancer" in workspace.models.program(first.run_id)


def test_learned_weights_predict_and_print(tmp_path: Path) -> None:
    folder = shipped("data", "university")
    with wb.open() as workspace:
        rules = folder / "advisors.mln"
        workspace.load(folder / "dataset.toml", rules=rules)
        worlds = list(workspace.data.worlds())
        learned = workspace.learn(
            rules, query="AdvisedBy", worlds=worlds[:2], learner="pseudo_likelihood", record=False
        )
        assert np.isfinite(learned.weights).all()
        path = tmp_path / "learned.mln"
        learned.save(path)
        direct = workspace.infer(
            learned, query="AdvisedBy", worlds=worlds[2:3], engine="gibbs", record=False
        )
        printed = workspace.infer(
            path, query="AdvisedBy", worlds=worlds[2:3], engine="gibbs", record=False
        )
        truth = workspace.ground(rules, learning=True, query="AdvisedBy", worlds=worlds[2:3]).truth
    assert np.abs(direct.solution.values - printed.solution.values).mean() < 0.02
    from workbench.evaluation import scores

    assert scores(direct.solution.values, truth)["AUC-ROC"] > 0.9


def test_a_workspace_file_keeps_data_and_runs(tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    with wb.open(path) as first:
        first.declare(RULES)
        first.load(pd.DataFrame({"a": ["Ada"], "b": ["Bo"]}), predicate="Friends")
        first.infer(RULES, query=["Smokes", "Cancer"], engine="exact")
    with wb.open(path) as again:
        assert len(again.runs()) == 1
        assert (
            again.infer(RULES, query=["Smokes", "Cancer"], engine="exact").grounding.network.n_atoms
            == 4
        )


def test_every_rule_reports_its_distance_and_an_explanation_its_values(tmp_path: Path) -> None:
    rules = tmp_path / "friends.psl"
    rules.write_text(
        "2: Knows(A, B) & Votes(A) -> Votes(B)\n1: !Votes(A) ^2\nVotes(A) + Wins(A) <= 1 .\n"
    )
    for name, rows in (
        ("knows", "a\tb\n"),
        ("votes_seen", "a\t0.8\n"),
        ("votes", "b\n"),
        ("wins", "b\n"),
    ):
        (tmp_path / f"{name}.tsv").write_text(rows)
    (tmp_path / "friends.data").write_text(
        "predicates:\n  Knows/2: closed\n  Votes/1: open\n  Wins/1: open\n"
        "observations:\n  Knows: knows.tsv\n  Votes: votes_seen.tsv\n"
        "targets:\n  Votes: votes.tsv\n  Wins: wins.tsv\n"
    )
    with wb.open() as workspace:
        workspace.load(tmp_path / "friends.data", rules=rules)
        result = workspace.infer(rules, record=False, options={"tolerance": 1e-8})
        explanation = result.explain('Votes("b")')
    # 2 max(0, 0.8 - x) + x^2 is least at x = 0.8, the kink.
    assert result.value('Votes("b")') == pytest.approx(0.8, abs=1e-4)
    follow, prior, bound = result.rules()
    assert (follow.groundings, prior.groundings, bound.groundings) == (1, 1, 1)
    assert follow.distance == pytest.approx(0.0, abs=1e-4)
    assert prior.distance == pytest.approx(0.8, abs=1e-4)
    assert prior.mean == prior.distance
    assert bound.weight is None
    assert bound.distance == pytest.approx(0.0, abs=1e-6)
    hard = next(item for item in explanation.contributions if item.template < 0)
    assert hard.ground == '!Votes("b") v !Wins("b")'
    assert hard.others == ('Wins("b")',)
    assert len(hard.values) == 1


def test_what_a_notebook_shows_of_a_result_is_one_line() -> None:
    ws = wb.open()
    ws.data.open_example("smokers")
    text, _ = ws.rules.at_hand()
    assert (
        repr(ws.infer(text, query=["Smokes"]))
        == "InferenceResult(marginal by exact, exact, 15 atoms, run 1)"
    )
    assert repr(ws.learn(text, query=["Smokes"])) == "LearningResult(converged, 5 weights, run 2)"
    assert repr(ws.ground(text)) == "Grounding(0 ground rows over 10 open atoms)"
