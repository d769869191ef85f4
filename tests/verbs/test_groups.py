"""Which groups an update splits and merges, against all predictions' groups."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

import workbench as wb
from workbench.workspace import Workspace

RULES = """
Near(person, person)
Same(person, person)
5 Near(x, y) => Same(x, y)
-0.5 Same(x, y)
Same(x, y) => Same(y, x).
Same(x, y) ^ Same(y, z) => Same(x, z).
Same(x, x).
"""
PEOPLE = "ABCDEF"


def started(*facts: str, worlds: Iterable[str] = ("world",)) -> tuple[Workspace, int]:
    ws = wb.open()
    ws.declare(RULES)
    for world in worlds:
        ws.data.add(*facts, world=world)
    number = ws.infer(RULES, query="Same", task="map", engine="ilp").run_id
    assert number is not None
    return ws, number


def groups(ws: Workspace, run: int) -> set[frozenset[str]]:
    """The groups of a run's true atoms and of the facts, things without a link left out."""
    rows = ws.runs.predictions(run)
    pairs = [tuple(atom[5:-1].split(", ")) for atom in rows.loc[rows["value"] == 1, "atom"]]
    facts = ws.database.execute("SELECT * FROM facts.Same WHERE value = 1").fetchall()
    found = {one: frozenset(one) for one in PEOPLE}
    for left, right in [*pairs, *[row[1:3] for row in facts]]:
        both = found[left] | found[right]
        found |= dict.fromkeys(both, both)
    return set(found.values())


def told(before: set[frozenset[str]], after: set[frozenset[str]]) -> dict[str, list[list[str]]]:
    """What the groups' changes are, each whole beside its parts' first things."""
    return {
        kind: sorted(
            sorted(min(whole & part) for part in parts if whole & part)
            for whole in wholes
            if len([part for part in parts if whole & part]) > 1
        )
        for kind, wholes, parts in (("merged", after, before), ("split", before, after))
    }


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_changes_are_those_of_all_predictions(seed: int) -> None:
    chance = random.Random(seed)
    everyone = [f"Near({one}, {one})" for one in PEOPLE]
    ws, run = started(*everyone, "Near(A, B)", "Near(C, D)")
    with ws:
        seen = 0
        for _ in range(8):
            fact = f"Near({chance.choice(PEOPLE)}, {chance.choice(PEOPLE)})"
            there = chance.random() < 0.5 and fact not in everyone
            before = groups(ws, run)
            done = ws.update(run, [] if there else [fact], [fact] if there else [])
            run = done.result.run_id or run
            wanted = told(before, groups(ws, run))
            found = {
                kind: sorted(one["clusters"] for one in entries)
                for kind, entries in done.clusters.items()
            }
            assert found == wanted
            seen += len(wanted["merged"]) + len(wanted["split"])
        assert seen


def test_facts_join_and_separate_too() -> None:
    ws, run = started("Near(A, B)", "Near(C, D)")
    with ws:
        done = ws.update(run, ["Same(A, C)", "Same(C, A)"])
        assert done.summary()["clusters"] == {
            "merged": [{"predicate": "Same", "cluster": "A", "clusters": ["A", "C"]}],
            "split": [],
        }
        done = ws.update(run, ["!Same(A, C)", "!Same(C, A)"], correct=True)
        assert done.summary()["clusters"] == {
            "merged": [],
            "split": [{"predicate": "Same", "cluster": "A", "clusters": ["A", "C"]}],
        }


def test_groups_of_several_worlds_are_apart() -> None:
    ws, run = started("Near(A, B)", "Near(C, D)", worlds=("north", "south"))
    with ws:
        done = ws.update(run, ["Near(B, C)", "Near(A, C)", "Near(A, D)"], world="south")
        assert done.summary()["clusters"]["merged"] == [
            {"predicate": "Same", "cluster": "A", "clusters": ["A", "C"], "world": "south"}
        ]


def test_worlds_that_were_not_asked_about_are_left_out() -> None:
    with wb.open() as ws:
        ws.declare(RULES)
        for world in ("north", "south"):
            ws.data.add("Near(A, B)", "Near(C, D)", world=world)
        run = ws.infer(RULES, query="Same", task="map", worlds=["north"]).run_id
        assert run is not None
        done = ws.update(run, ["Same(A, C)", "Same(C, A)"], world="south")
        assert done.clusters == {"merged": [], "split": []}
        done = ws.update(run, ["Same(A, C)", "Same(C, A)"], world="north")
        assert [one["world"] for one in done.clusters["merged"]] == ["north"]


def test_without_a_hard_rule_there_are_no_groups() -> None:
    with wb.open() as ws:
        rules = RULES.replace("Same(x, y) ^ Same(y, z) => Same(x, z).", "")
        ws.declare(rules)
        ws.data.add("Near(A, B)")
        run = ws.infer(rules, query="Same", task="map", engine="ilp").run_id
        done = ws.update(run, ["Near(B, C)"])
        assert len(done.changes)
        assert done.clusters == {"merged": [], "split": []}
