"""Joins of evidence made once: the network is what each query by itself would have made."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

import workbench as wb
from tests.verbs.update_sequences import canonical
from workbench.grounding import shared_joins, small_queries
from workbench.grounding.temporary_tables import TemporaryTables

SIGNS = [("", ""), ("", "!"), ("!", ""), ("!", "!")]
SOFT = "\n".join(
    f"1: Knows(A, B) & Knows(B, C) & Knows(A, C) & {one}Trusts(A, B) & {two}Trusts(B, C) & (A != B)"
    f" & (B != C) & (A != C) -> {'!' if one != two else ''}Trusts(A, C) ^2"
    for one, two in SIGNS
)
CLAUSES = "\n".join(
    f"1.5 Knows(a, b) ^ Knows(b, c) ^ Near(a, c, n) ^ n > 2 ^ a != c ^ {one}Trusts(a, b) => "
    f"{two}Trusts(b, c)"
    for one, two in SIGNS
)
TRIADS = "\n".join(
    f"1 Works(a, b) ^ Knows(b, c) ^ {one}Trusts(a, b) ^ {two}Trusts(b, c) => Trusts(a, c)"
    for one, two in SIGNS
)
DECLARED = (
    "Knows(person, person)\nWorks(person, person)\nTrusts(person, person)\n"
    "Near(person, person, number)\n"
)


@pytest.mark.parametrize(("rules", "language"), [(SOFT, "psl"), (DECLARED + CLAUSES, "mln")])
@pytest.mark.parametrize("worlds", [1, 2])
def test_the_network_is_the_same(
    rules: str, language: str, worlds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str | None] = []
    keep = TemporaryTables.keep_few

    def kept(*given: object) -> str | None:
        made.append(keep(*given))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(TemporaryTables, "keep_few", kept)
    random = Random(4)
    with wb.open() as workspace:
        workspace.declare(DECLARED)
        people = [f"P{number}" for number in range(9)]
        for world in range(worlds):
            evidence, targets = [], []
            for one, other in product(people, people):
                evidence.append(f"Near({one}, {other}, {random.randrange(5)})")
                if random.random() < 0.6:
                    evidence.append(f"Knows({one}, {other})")
                    listed = targets if random.random() < 0.3 else evidence
                    listed.append(f"{random.choice(['', '', '!'])}Trusts({one}, {other})")
            workspace.data.add(*evidence, world=f"w{world}")
            workspace.data.add(*targets, world=f"w{world}", partition="target")
        by_arrays = canonical(workspace.ground(rules, query="Trusts", limit=10_001))
        monkeypatch.setattr(small_queries, "MOST_ROWS", -1)
        found = canonical(workspace.ground(rules, query="Trusts", limit=10_002))
        assert found == by_arrays
        assert made
        assert all(made)
        monkeypatch.setattr(shared_joins, "FEW", 10**9)
        assert canonical(workspace.ground(rules, query="Trusts", limit=10_003)) == found
        assert sum(found["rows"].values()) > 20


def test_updates_leave_no_join_behind() -> None:
    with wb.open() as workspace:
        workspace.declare(DECLARED)
        people = [f"P{number}" for number in range(5)]
        for one, other in product(people, people):
            workspace.data.add(f"Works({one}, {other})", f"Knows({one}, {other})")
        run = workspace.infer(DECLARED + TRIADS, query="Trusts", task="map").run_id or 0
        tables = "SELECT table_name FROM duckdb_tables() WHERE temporary"
        left = []
        for other in people[1:4]:
            workspace.update(run, remove=[f"Works(P0, {other})"])
            left.append(workspace.database.connection.execute(tables).fetchall())
        assert left == [[]] * 3
