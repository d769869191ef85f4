"""Facts changed by hand: in place of what contradicts them, with who did it."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.workspace import Workspace, open_workspace


@pytest.fixture
def people() -> Workspace:
    ws = open_workspace()
    ws.declare("Likes(person, topic)\nFan(person)\n")
    ws.data.add('Likes(Ann, "a, b")\nFan(Ann)', world="East")
    return ws


def facts(ws: Workspace, predicate: str) -> list[tuple[object, ...]]:
    return list(ws.data.facts_page(predicate).rows)


def test_a_fact_is_corrected_added_and_removed(people: Workspace) -> None:
    made = people.data.edit("Fan(Ann)", "false", author="Ada", world="East")
    assert made.changed
    assert facts(people, "Fan") == [("East", "Ann", 0.0, "evidence")]
    people.data.edit('Likes(Ben, "a, b")', "true", author="Ben", world="East")
    assert len(facts(people, "Likes")) == 2
    people.data.edit("Fan(Ann)", "removed", author="Ada", world="East")
    assert facts(people, "Fan") == []
    assert people.data.edit("Fan(Ann)", "removed", author="Ada", world="East").changed == 0
    assert [(one.author, one.fact, one.how) for one in people.data.edits()][1:] == [
        ("Ada", "Fan(Ann)", "removed"),
        ("Ben", 'Likes(Ben, "a, b")', "true"),
        ("Ada", "Fan(Ann)", "false"),
    ]


@pytest.mark.parametrize("fact", ["Fan(", "Nobody(Ann)", "Fan(Ann, Ben)"])
def test_what_is_no_fact_changes_nothing_and_is_no_history(people: Workspace, fact: str) -> None:
    before = facts(people, "Fan")
    with pytest.raises(WorkbenchError):
        people.data.edit(fact, "true", world="East")
    assert facts(people, "Fan") == before
    assert people.data.edits() == ()


def test_an_edit_is_taken_back_unless_something_else_was_said_since(people: Workspace) -> None:
    before = facts(people, "Fan")
    for how in ("false", "removed"):
        made = people.data.edit("Fan(Ann)", how, world="East")
        assert people.data.edits()[0].can_be_undone
        assert people.data.undo_edit(made, author="Ada")
        assert facts(people, "Fan") == before
        assert not people.data.edits()[0].can_be_undone
    made = people.data.edit("Fan(Ann)", "removed", world="East")
    people.data.edit("Fan(Ann)", "false", world="East")
    with pytest.raises(WorkbenchError, match="E0850"):
        people.data.undo_edit(made)
    assert facts(people, "Fan") == [("East", "Ann", 0.0, "evidence")]
    assert people.data.edits()[1].can_be_undone


def test_facts_between_true_and_false_and_targets_are_removed_and_come_again() -> None:
    ws = open_workspace()
    ws.declare("Enjoys(person, topic)\ninteger age(person)\n")
    ws.data.add("0.25 Enjoys(Ann, Chess)", "age(Ann) = 31")
    ws.data.add("Enjoys(Ben, Chess)", partition="target")
    before = facts(ws, "Enjoys"), facts(ws, "age")
    edits = [
        ws.data.edit("Enjoys(Ann, Chess)", "removed"),
        ws.data.edit("Enjoys(Ben, Chess)", "removed", partition="target"),
        ws.data.edit("age(Ann) = 32", "true"),
    ]
    assert facts(ws, "Enjoys") == []
    for one in edits:
        assert ws.data.undo_edit(one) == one.changed > 0
    assert (facts(ws, "Enjoys"), facts(ws, "age")) == before
