"""A workspace asked again with other weights: as one asked for the first time, and nothing ground
again; whatever else changes is ground.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from scipy.sparse import issparse

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.verbs import last_grounding
from workbench.workspace import Workspace

DECLARED = (
    "Friends(person, person)\nSmokes(person)\nCancer(person)\nLikes(person, thing)\n"
    "Degree(person, person, number)\n"
)
FACTS = {
    "one": "Friends(Anna, Bob)\nFriends(Bob, Cy)\nSmokes(Anna)\nLikes(Bob, Tea)\n0.7 Smokes(Cy)\n",
    "two": "Degree(Dan, Eve, 2.5)\nFriends(Dan, Eve)\nFriends(Eve, Eve)\nLikes(Dan, Ale)\n"
    "Likes(Eve, Tea)\n",
}
MLN = {
    "shared clauses": "{} Smokes(x) ^ Friends(x, y) => Smokes(y) ^ Cancer(y)",
    "plus": "{} Likes(x, +t) => Smokes(x)",
    "inner conjunction": "{} Smokes(x) => EXIST y (Friends(x, y) ^ Cancer(y))",
    "inner universal": "{} Smokes(x) => (FORALL y Friends(x, y) => Cancer(y))",
    "times a number": "{} * n: Degree(x, y, n) => Smokes(x)",
    "hard beside": "{} Smokes(x)\nSmokes(x) ^ Friends(x, y) => Cancer(y).",
    "negated": "{} !(Smokes(x) ^ Cancer(x))",
    "without groundings": "{} Likes(x, x2) ^ x = Nobody => Smokes(x)",
}
PSL_FACTS = ["Link(A, B)", "Link(B, C)", "0.8 Seen(A)"]
TARGETS = ["?Good(A)", "?Good(B)", "?Good(C)"]


def asked(ws: Workspace, text: str, **request: object) -> object:
    return ws.infer(text, query="Smokes,Cancer", task="map", engine="ilp", record=False, **request)


def with_facts() -> Workspace:
    ws = wb.open()
    ws.declare(DECLARED)
    for world, facts in FACTS.items():
        load_alchemy_text(ws.database, facts, world=world)
    return ws


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs that were ground."""
    texts: list[str] = []
    real = last_grounding.ground

    def counted(database, program, *rest, **named):
        texts.append(program.text)
        return real(database, program, *rest, **named)

    monkeypatch.setattr(last_grounding, "ground", counted)
    return texts


def assert_same(one: object, other: object) -> None:
    """Two results by every array of their networks, their templates, and their answers."""
    for field in fields(one.grounding.network):
        left, right = (getattr(each.grounding.network, field.name) for each in (one, other))
        if issparse(left):
            assert (left != right).nnz == 0, field.name
        elif isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right, err_msg=field.name)
    left, right = one.grounding.templates, other.grounding.templates
    np.testing.assert_array_equal(left.weight, right.weight)
    assert (left.label, left.formula) == (right.label, right.formula)
    assert one.solution.energy == pytest.approx(other.solution.energy, abs=1e-9)
    assert one.evidence_energy == pytest.approx(other.evidence_energy, abs=1e-9)
    assert [str(each) for each in one.warnings] == [str(each) for each in other.warnings]
    assert one.rules() == other.rules()
    atom = one.predictions()["atom"].iloc[0]
    world = one.predictions()["world"].iloc[0] if "world" in one.predictions() else None
    assert one.explain(atom, world=world) == other.explain(atom, world=world)


@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("name", MLN)
def test_other_weights_are_as_ground_anew(name: str, tie: bool, made: list[str]) -> None:
    before, after = (DECLARED + MLN[name].format(weight) + "\n0.3 Cancer(x)\n" for weight in "13")
    with with_facts() as ws, with_facts() as fresh:
        asked(ws, before, tie=tie)
        again = asked(ws, after, tie=tie)
        warned = bool(again.grounding.warnings)
        assert len(made) == 1 + warned
        assert_same(again, asked(fresh, after, tie=tie))


def test_soft_logic_too(made: list[str]) -> None:
    text = "{}: Link(X, Y) & Good(X) -> Good(Y) ^2\n0.4: Seen(X) -> Good(X)\n{}: Good(+X) <= 1\n"
    with wb.open() as ws, wb.open() as fresh:
        for each in (ws, fresh):
            each.declare(text.format(1, 1))
            each.data.add(*PSL_FACTS)
            each.data.add(*TARGETS, partition="target")
        ws.infer(text.format(1, 2), record=False)
        again = ws.infer(text.format(5, 0.5), record=False)
        assert len(made) == 1
        assert_same(again, fresh.infer(text.format(5, 0.5), record=False))


@pytest.mark.parametrize(
    "change",
    ["fact", "truth", "world", "sign", "zero", "query", "closed", "rule", "order", "worlds"],
)
def test_whatever_else_changes_is_ground(change: str, made: list[str]) -> None:
    rule, other = "1 Smokes(x) ^ Friends(x, y) => Smokes(y)\n", "2 Smokes(x) => Cancer(x)\n"
    text, request = DECLARED + rule + other, {}
    with with_facts() as ws:
        asked(ws, text)
        match change:
            case "fact":
                ws.data.add("Friends(Cy, Anna)", world="one")
            case "truth":
                ws.data.add("Cancer(Cy)", world="one", partition="truth")
            case "world":
                ws.data.add("Friends(Fay, Gus)", world="three")
            case "sign":
                text = text.replace("2 Smokes", "-2 Smokes")
            case "zero":
                text = text.replace("2 Smokes", "0 Smokes")
            case "closed":
                request = {"closed": "Likes"}
            case "rule":
                text += "1 Cancer(x)\n"
            case "order":
                text = DECLARED + other + rule
            case "worlds":
                request = {"worlds": ["one"]}
        if change == "query":
            ws.infer(text, query="Smokes", task="map", engine="ilp", record=False)
        else:
            asked(ws, text, **request)
        assert len(made) == 2


def test_a_function_registered_anew_is_called_anew(made: list[str]) -> None:
    text = DECLARED + "1 Degree(x, y, n) ^ shifted_degree(n) > 1 => Smokes(x)\n"
    with with_facts() as ws:
        ws.data.add("Degree(Anna, Bob, 1)", world="two")
        answers = []
        for shift in (0.0, 1.0):
            wb.register_function(
                "shifted_degree", lambda n, by=shift: n.to_numpy(False) + by, ["number"]
            )
            answers.append(asked(ws, text).predictions()["value"].sum())
        assert len(made) == 2
        assert answers[1] == answers[0] + 1


def test_a_recorded_run_is_opened_and_asked_what_if_without_grounding(made: list[str]) -> None:
    text = DECLARED + "1 Smokes(x) ^ Friends(x, y) => Smokes(y)\n0.5 Cancer(x)\n"
    with with_facts() as ws:
        run = ws.infer(text, query="Smokes,Cancer", task="map")
        opened = ws.reopen(run.run_id)
        ws.what_if(opened, weights={"Cancer(x)": 2.0})
        assert len(made) == 1
        assert opened.predictions()["value"].tolist() == run.predictions()["value"].tolist()
