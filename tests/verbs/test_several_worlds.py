"""Recorded runs over several databases: scores and what-if hold their atoms apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import workbench as wb

RULES = "E(t)\nP(t)\n2 E(x) => P(x)\n-1 P(x)\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[wb.Workspace]:
    """A and B in both worlds; in one only A is P, in two only B."""
    with wb.open() as opened:
        opened.declare(RULES)
        for world, evidence, truth in (
            ("one", "E(A)\n!E(B)\n", "P(A)\n"),
            ("two", "E(B)\n!E(A)\n", "P(B)\n"),
        ):
            (tmp_path / "facts.db").write_text(evidence)
            (tmp_path / "truth.db").write_text(truth)
            opened.load(tmp_path / "facts.db", world=world)
            opened.load(tmp_path / "truth.db", world=world, partition="truth")
        yield opened


def test_labels_of_each_world_are_met_by_its_own_atoms(workspace: wb.Workspace) -> None:
    result = workspace.infer(RULES, query="P", engine="exact")
    assert result.run_id is not None
    assert workspace.evaluate(result)["accuracy"] == 1.0
    frame = workspace.runs.scored(result.run_id)
    assert frame[["world", "atom", "truth"]].to_numpy().tolist() == [
        ["one", "P(A)", 1.0],
        ["one", "P(B)", 0.0],
        ["two", "P(A)", 0.0],
        ["two", "P(B)", 1.0],
    ]
    assert workspace.runs.scores_by_fold(result.run_id)["accuracy"].tolist() == [1.0]


def test_a_change_is_paired_world_by_world(workspace: wb.Workspace) -> None:
    result = workspace.infer(RULES, query="P", engine="exact")
    assert result.run_id is not None
    changed = workspace.what_if(workspace.reopen(result.run_id), {"E(A)": None})
    assert len(changed) == 4
    assert sorted(zip(changed["world"], changed["atom"])) == [
        (world, atom) for world in ("one", "two") for atom in ("P(A)", "P(B)")
    ]
    before = dict(zip(zip(changed["world"], changed["atom"]), changed["before"]))
    likely, unlikely = 1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))
    assert before["one", "P(A)"] == pytest.approx(likely)
    assert before["two", "P(A)"] == pytest.approx(unlikely)
    same = changed[changed["atom"] == "P(B)"]
    assert np.allclose(same["change"], 0)


def test_scores_of_what_the_weights_were_learned_from_are_marked(workspace: wb.Workspace) -> None:
    learned = workspace.learn(
        RULES.replace("2 E", "E").replace("-1 P", "P"), query="P", worlds=["one"]
    )
    seen = workspace.evaluate(workspace.infer(learned, query="P", worlds=["one"]))
    assert seen["in_sample"]
    assert "in-sample" in seen["reading"]
    unseen = workspace.evaluate(workspace.infer(learned, query="P", worlds=["two"]))
    assert not unseen["in_sample"]
    assert "in-sample" not in unseen["reading"]


def test_a_file_of_truth_scores_as_the_labels_in_the_workspace(
    workspace: wb.Workspace, tmp_path: Path
) -> None:
    result = workspace.infer(RULES, query="P", worlds=["two"])
    by_file = workspace.evaluate(result, tmp_path / "truth.db")
    by_label = workspace.evaluate(result)
    assert by_label.pop("in_sample") is False
    assert by_file == by_label
