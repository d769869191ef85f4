"""Known labels of what is asked: evidence, or withheld; held-out ones are never seen."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

import workbench as wb
from workbench.errors import UsageError

RULES = "Knows(p, p)\nFan(p)\n2 Knows(x, y) ^ Fan(x) => Fan(y)\n-0.5 Fan(x)\n"
PEOPLE = [f"P{number}" for number in range(8)]


@pytest.fixture
def workspace() -> Iterator[wb.Workspace]:
    """A chain of acquaintances, of whom P0 and P1 are known fans and P4 is known to be none."""
    with wb.open() as opened:
        opened.declare(RULES)
        opened.load(pd.DataFrame({"a": PEOPLE[:-1], "b": PEOPLE[1:]}), predicate="Knows")
        opened.load(pd.DataFrame({"a": ["P0", "P1", "P4"], "value": [1, 1, 0]}), predicate="Fan")
        yield opened


def values(frame: pd.DataFrame) -> dict[str, float]:
    return dict(zip(frame["atom"], frame["value"]))


def test_known_labels_are_evidence_or_withheld(workspace: wb.Workspace) -> None:
    seen = values(workspace.infer(RULES, query="Fan", engine="exact").predictions())
    assert sorted(seen) == [f"Fan({name})" for name in PEOPLE if name not in ("P0", "P1", "P4")]
    withheld = workspace.infer(RULES, query="Fan", engine="exact", labels="withheld")
    unseen = values(withheld.predictions())
    assert sorted(unseen) == [f"Fan({name})" for name in PEOPLE]
    assert seen["Fan(P2)"] > unseen["Fan(P2)"] + 0.1
    assert withheld.run_id is not None
    again = workspace.reopen(withheld.run_id)
    assert values(again.predictions()) == unseen
    with pytest.raises(UsageError, match="E0834"):
        workspace.infer(RULES, query="Fan", labels="hidden")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="E0834"):
        workspace.infer("1: Knows(A, B) & Fan(A) -> Fan(B)", labels="withheld")


def test_withheld_labels_change_no_prediction(workspace: wb.Workspace) -> None:
    before = values(
        workspace.infer(RULES, query="Fan", engine="exact", labels="withheld").predictions()
    )
    with workspace.database.transaction() as connection:
        connection.execute("UPDATE p_Fan SET value = 1 - value")
    after = values(
        workspace.infer(RULES, query="Fan", engine="exact", labels="withheld").predictions()
    )
    assert after == before


def predicted(workspace: wb.Workspace, *, inductive: bool) -> pd.DataFrame:
    result = workspace.crossval(
        RULES,
        folds="kept",
        query="Fan",
        learner="fixed",
        engine="exact",
        task="marginal",
        inductive=inductive,
    )
    assert result.run_id is not None
    frame = workspace.runs.predictions(result.run_id)
    reopened = workspace.reopen(result.run_id, fold=0)
    first = frame[frame["fold"] == 0]
    assert {atom: values(reopened.predictions())[atom] for atom in first["atom"]} == values(first)
    return frame


def test_withheld_labels_score_what_was_predicted_without_them(workspace: wb.Workspace) -> None:
    made = workspace.infer(RULES, query="Fan", engine="exact", labels="withheld")
    report = workspace.evaluate(made)
    predicted = values(made.predictions())
    right = [(predicted[f"Fan({name})"] >= 0.5) == (name != "P4") for name in ("P0", "P1", "P4")]
    assert report["scored"] == 3
    assert report["accuracy"] == pytest.approx(sum(right) / 3)
    assert made.run_id is not None
    scored = workspace.runs.scored(made.run_id).dropna(subset=["truth"])
    assert dict(zip(scored["atom"], scored["truth"])) == {"Fan(P0)": 1, "Fan(P1)": 1, "Fan(P4)": 0}
    seen = workspace.infer(RULES, query="Fan", engine="exact")
    assert seen.run_id is not None
    assert workspace.runs.scored(seen.run_id)["truth"].isna().all()


@pytest.mark.parametrize("inductive", [False, True])
def test_labels_of_other_folds_are_evidence_unless_inductive(
    workspace: wb.Workspace, inductive: bool
) -> None:
    """Weights are kept as they are, so that labels can act on predictions as evidence alone."""
    workspace.data.make_folds("random", predicate="Fan", count=3, seed=1)
    before = predicted(workspace, inductive=inductive)
    tested = [atom[4:-1] for atom in before.loc[before["fold"] == 0, "atom"]]
    with workspace.database.transaction() as connection:
        ids = "SELECT id FROM c_p WHERE name IN (SELECT unnest($names))"
        connection.execute(
            f"UPDATE p_Fan SET value = 1 - value WHERE a0 IN ({ids})", {"names": tested}
        )
    held_out = predicted(workspace, inductive=inductive)
    here = before["fold"] == 0
    assert held_out.loc[here, "value"].tolist() == before.loc[here, "value"].tolist()
    with workspace.database.transaction() as connection:
        connection.execute(
            f"UPDATE p_Fan SET value = 1 - value WHERE a0 NOT IN ({ids})", {"names": tested}
        )
    others = predicted(workspace, inductive=inductive)
    assert (others.loc[here, "value"].tolist() == before.loc[here, "value"].tolist()) == inductive
