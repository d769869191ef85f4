"""Versions of rules: what anybody wrote can be gone back to."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.verbs import rules
from workbench.workspace import Workspace, open_workspace

A, B = "1 P(x)\n2 Q(x)\n3 R(x)\n", "1 P(x)\n2 Q(x)\n4 R(x)\n"


@pytest.fixture
def ws() -> Workspace:
    return open_workspace()


def texts(ws: Workspace) -> list[str]:
    return [one.text for one in ws.rules.versions()]


def test_what_is_gone_back_from_stays_a_version(ws: Workspace) -> None:
    ws.rules.keep(A, "mln", author="Ada")
    ws.rules.keep(B, "mln", author="Ada", typed=True)
    assert texts(ws) == [B]  # a line changed a moment after
    ws.rules.keep(A, "mln", author="Ada")
    assert texts(ws) == [A, B]


def test_two_minutes_of_typing_are_one_version_unless_lines_go(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed: dict[str, Any] = {"author": "Ada", "typed": True}
    ws.rules.keep(A, "mln", **typed)
    ws.rules.keep("", "mln", **typed)  # all of it deleted
    assert texts(ws) == ["", A]
    monkeypatch.setattr(rules, "TOGETHER", rules.TOGETHER * 0)
    ws.rules.keep("1", "mln", **typed)
    assert texts(ws) == ["1", "", A]


def test_what_is_set_aside_leaves_the_rules_at_hand(ws: Workspace) -> None:
    ws.rules.keep(A, "mln", author="Ben")
    ws.rules.set_aside(B, "mln", author="Ada")
    assert ws.rules.at_hand() == (A, "mln")
    assert texts(ws) == [B, A]


COMMENTED = """// Of several
// lines, over nothing.

P(thing)  // said beside a declaration
/* a block
   of lines */
1.5   (P(y))  // beside a rule

// 2 P(y) => !P(y)
// the end
"""


def test_a_run_keeps_its_rules_as_they_were_written(ws: Workspace) -> None:
    ws.declare(COMMENTED)
    ws.data.add("P(A)")
    ws.rules.keep(COMMENTED, "mln")
    text, _ = ws.rules.at_hand()
    run = ws.infer(text, query=["P"])
    assert text == ws.runs.get(run.run_id).program_text == COMMENTED
    learned = ws.learn(text, query=["P"]).text()
    weight = learned.partition("*/\n")[2].partition(" ")[0]
    assert learned == COMMENTED.replace("1.5  ", weight)
    assert ws.runs.get(ws.infer(learned, query=["P"]).run_id).program_text == learned
