"""Queries that name atoms."""

from __future__ import annotations

import pytest

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.errors import UsageError

RULES = """
person = {Anna, Bob, Cy}
Smokes(person)
Cancer(person)
Friends(person, person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x,y) => (Smokes(x) <=> Smokes(y))
"""
FACTS = "Friends(Anna, Bob)\nFriends(Cy, Cy)"


@pytest.fixture
def workspace() -> wb.Workspace:
    ws = wb.open()
    ws.declare(RULES)
    load_alchemy_text(ws.database, FACTS)
    return ws


@pytest.mark.parametrize(
    ("query", "answered"),
    [
        ("Cancer(x)", ["Cancer(Anna)", "Cancer(Bob)", "Cancer(Cy)"]),
        ('Cancer(Anna), Cancer("Cy")', ["Cancer(Anna)", "Cancer(Cy)"]),
        (
            ["Cancer", "Cancer(Anna)", "Smokes(Bob)"],
            ["Smokes(Bob)", "Cancer(Anna)", "Cancer(Bob)", "Cancer(Cy)"],
        ),
        (
            "Friends(x,x), Smokes(Anna)",
            ["Smokes(Anna)", "Friends(Anna, Anna)", "Friends(Bob, Bob)"],
        ),
        ("Friends(Anna, x)", ["Friends(Anna, Anna)", "Friends(Anna, Cy)"]),
    ],
)
def test_only_what_is_asked_is_answered_and_the_rest_stays_open(
    workspace: wb.Workspace, query: str | list[str], answered: list[str]
) -> None:
    result = workspace.infer(RULES, query=query, hidden=None, engine="exact")
    frame = result.predictions()
    assert frame["atom"].tolist() == answered
    assert result.summary()["query_atoms"] == len(answered)
    whole = sorted({atom.split("(")[0] for atom in answered})
    everything = workspace.infer(RULES, query=whole, engine="exact")
    values = dict(zip(everything.grounding.atoms.names(), everything.solution.values))
    assert frame["value"].tolist() == pytest.approx([values[atom] for atom in answered])
    assert result.run_id is not None
    assert workspace.reopen(result.run_id).predictions()["value"].tolist() == pytest.approx(
        frame["value"].tolist()
    )
    assert workspace.runs.predictions(result.run_id)["atom"].tolist() == answered


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("Cancer(Ann)", "no constant of person"),
        ("Cancer(Anna, Bob)", "takes 1 argument"),
        ("Cancer(x, y)", "takes 1 argument"),
        ("Cancer(Anna", "is no atom"),
        ("Cancr(Anna)", "no predicate"),
    ],
)
def test_a_query_that_does_not_fit(workspace: wb.Workspace, query: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        workspace.infer(RULES, query=query)


def test_an_atom_that_the_data_give_is_no_answer(workspace: wb.Workspace) -> None:
    result = workspace.infer(RULES, query=["Friends(Anna, Bob)", "Smokes(Anna)"])
    assert "E0318" in [one.code for one in result.warnings]
    assert result.predictions()["atom"].tolist() == ["Smokes(Anna)"]


def test_nothing_open_is_nothing_to_predict_and_said() -> None:
    rules = "Smokes(person)\n1.5 Smokes(x)\n"
    with wb.open() as ws:
        ws.declare(rules)
        load_alchemy_text(ws.database, "Smokes(Anna)")
        nothing = ws.infer(rules)
        assert [one.code for one in nothing.warnings].count("E0318") == 1
        asked = ws.infer(rules, query="Smokes", labels="withheld")
        assert "E0318" not in [one.code for one in asked.warnings]
