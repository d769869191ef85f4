"""What is said of scores: in-sample wherever the weights were learned from what is scored."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.workspace import Workspace, open_workspace

RULES = "Likes(person, topic)\nFan(person)\n// over both\n1 Likes(p, t) => Fan(p)\n-0.2 Fan(p)\n"


@pytest.fixture
def ws() -> Workspace:
    ws = open_workspace()
    ws.declare(RULES)
    for world in ("East", "West"):
        ws.data.add("Likes(Ann, Art)", "Likes(Bo, Art)", "Likes(Cy, Law)", world=world)
        ws.data.add("Fan(Ann)", "!Fan(Bo)", "Fan(Cy)", world=world, partition="truth")
    return ws


def said(ws: Workspace, rules: str, **options: Any) -> tuple[bool | None, str]:
    run = ws.infer(rules, query=["Fan"], engine="exact", **options).run_id
    standing = ws.runs.standing(run)
    return standing.held_out, standing.text


def test_what_was_learned_here_stays_in_sample(ws: Workspace) -> None:
    learned = ws.learn(RULES, query=["Fan"]).text()
    assert said(ws, RULES)[0] is None
    assert said(ws, learned.replace("both", "all"))[0] is False
    added = said(ws, f"{learned}0.3 Likes(p, t) ^ Fan(p) => Fan(p)\n")
    assert added[0] is False
    assert "before facts were changed" not in added[1]
    ws.data.add("Likes(Dov, Law)", world="East")
    assert said(ws, learned)[0] is False
    assert "before facts were changed" in said(ws, learned)[1]


def test_worlds_that_came_after_learning_are_held_out(ws: Workspace) -> None:
    learned = ws.learn(RULES, query=["Fan"]).text()
    ws.data.add("Likes(Ann, Law)", "Likes(Bo, Art)", world="North")
    assert said(ws, learned, worlds=["North"])[0] is True
    assert said(ws, learned, worlds=["North", "West"])[0] is False


def test_other_worlds_than_those_learned_from_are_held_out(ws: Workspace) -> None:
    learned = ws.learn(RULES, query=["Fan"], worlds=["East"]).text()
    assert said(ws, learned, worlds=["West"])[0] is True
    assert said(ws, learned, worlds=["East"])[0] is False
    assert said(ws, learned)[0] is False
