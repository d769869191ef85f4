"""What could only fail is told before it is tried, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.verbs.prospects import Verb
from workbench.workspace import Workspace, open_workspace

DECLARED = "Likes(person, topic)\nFan(person)\n"


@pytest.fixture
def people(tmp_path: Path) -> Workspace:
    ws = open_workspace()
    ws.declare(DECLARED)
    (tmp_path / "Likes.csv").write_text("p,t\n" + "".join(f"P{n},T{n % 2}\n" for n in range(8)))
    ws.load(tmp_path / "Likes.csv")
    return ws


def label(ws: Workspace, tmp_path: Path) -> None:
    (tmp_path / "Fan.csv").write_text("p\nP0\nP2\n")
    ws.load(tmp_path / "Fan.csv", partition="truth")


@pytest.mark.parametrize(
    ("rules", "labelled", "first", "hindered"),
    [
        ("1 Likes(p, +t) => Fan(p)\n", True, "infer", set()),
        ("Likes(p, +t) => Fan(p)\n", True, "learn", {"infer"}),
        ("Likes(p, +t) => Fan(p)\n", False, "learn", {"infer", "learn", "crossval"}),
        ("1 Likes(p, +t) => Fan(p)\n", False, "infer", {"learn", "crossval"}),
    ],
)
def test_what_is_hindered_fails_and_nothing_else(
    people: Workspace, tmp_path: Path, rules: str, labelled: bool, first: str, hindered: set[Verb]
) -> None:
    if labelled:
        label(people, tmp_path)
    text = DECLARED + rules
    found = people.rules.prospects(people.declare(text))
    assert found.first == first
    query = ("Fan",)
    verbs: tuple[Verb, ...] = ("infer", "learn", "crossval")
    assert {verb for verb in verbs if found.hindrance(verb, query)} == hindered
    people.data.make_folds("random", predicate="Likes" if not labelled else "Fan", count=2)
    for verb in verbs:
        options = {"folds": "kept"} if verb == "crossval" else {}
        if verb in hindered:
            with pytest.raises(WorkbenchError):
                getattr(people, verb)(text, query=query, **options)
        else:
            getattr(people, verb)(text, query=query, **options)


def test_what_is_asked_for_by_default_has_labels(people: Workspace, tmp_path: Path) -> None:
    label(people, tmp_path)
    found = people.rules.prospects(people.declare(DECLARED + "Likes(p, +t) => Fan(p)\n"))
    assert found.query(()) == ("Fan",)
    assert found.query(("Likes",)) == ("Likes",)
    assert "Choose" in (found.hindrance("learn", ()) or "")


@pytest.mark.parametrize(
    ("facts", "query", "open_atoms"), [("P1", (), 0), ("P1", ("Fan",), 7), ("?P1", (), 1)]
)
def test_where_everything_is_known_something_is_to_be_asked_for(
    people: Workspace, tmp_path: Path, facts: str, query: tuple[str, ...], open_atoms: int
) -> None:
    text = DECLARED + "1 Likes(p, T0) => Fan(p)\n"
    mark, name = facts[:-2], facts[-2:]
    (tmp_path / "fans.db").write_text(f"{mark}Fan({name})\n")
    people.load(tmp_path / "fans.db", rules=text)
    told = people.rules.prospects(people.declare(text)).hindrance("infer", query)
    assert (told is None) == (open_atoms > 0)
    assert people.infer(text, query=query or None).summary()["atoms"] == open_atoms


def test_soft_logic_needs_data_of_every_predicate(people: Workspace) -> None:
    text = "1: Likes(P, T) -> Fan(P)\n"
    program = people.rules.check(text, "psl").program
    assert program is not None
    found = people.rules.prospects(program)
    assert "Fan" in (found.hindrance("infer", ()) or "")
    assert found.hindrance("infer", (), ["Fan"]) is None
    with pytest.raises(WorkbenchError, match="Fan has no data"):
        people.infer(program)
    people.infer(program, closed=["Fan"])


def test_facts_for_yes_and_no_can_be_learned_from_and_predicted_unseen(
    people: Workspace, tmp_path: Path
) -> None:
    text = DECLARED + "1 Likes(p, +t) => Fan(p)\n"
    (tmp_path / "fans.db").write_text("".join(f"{'!' * (n % 3 == 0)}Fan(P{n})\n" for n in range(8)))
    people.load(tmp_path / "fans.db", rules=text)
    found = people.rules.prospects(people.declare(text))
    assert (found.labelled, found.decided) == ((), ("Fan",))
    people.data.make_folds("random", predicate="Fan", count=2)
    done = people.train_and_score(text, query=["Fan"], folds="kept")
    assert done.predicted.summary()["atoms"] == 8
    assert [run.kind for run in people.runs.all()] == ["infer", "learn", "crossval"]
    assert people.review().total == 0, "what was withheld is known"
