"""Golden SQL: every statement that grounding sends to the database, one file a kind of rule.

`python -m tests.grounding.test_snapshots` writes the files anew; their differences are to be read
like code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from tests.grounding.reading import statements_only
from tests.grounding.test_psl_against_nested_loops import load
from tests.oracles.nested_loop_psl import Key
from workbench.database import Database, load_alchemy_text
from workbench.grounding import GroundRequest
from workbench.grounding.dialect import render
from workbench.grounding.ground import Grounder
from workbench.grounding.planning import make_plan
from workbench.language import parse_mln, parse_psl
from workbench.progress import SILENT

SNAPSHOTS = Path(__file__).parent / "snapshots"

DECLARED = """
Friends(person, person)
Smokes(person)
Cancer(person)
Enemies(person, person)
Age(person, number)
Named(person, text)
Born(person, date)
Same(person, person)
"""
FACTS = """
Friends(Ann, Bob)
Friends(Bob, Cy)
Enemies(Bob, Cy)
Age(Ann, 31)
Age(Bob, 64)
Named(Ann, "anna")
Named(Bob, "ann")
Born(Ann, 1990-01-01)
Born(Cy, 1991-01-01)
!Smokes(Cy)
"""
MLN = {
    "clause": "1 Friends(x, y) ^ Smokes(x) => Smokes(y) v Enemies(x, "
    "y)\n1 !Smokes(x)\nSmokes(Ann).",
    "plus": "1 Smokes(+x) => Cancer(x)\n1 Friends(x, y) ^ Friends(y, z) => Friends(x, z) v "
    "Cancer(+x)",
    "symmetric": "1 Smokes(x) ^ Smokes(y) => x = y\n1 Smokes(x) ^ Smokes(y) ^ x != y => Cancer(x)",
    "existential": "1 EXIST y (Friends(x, y) ^ Smokes(y)) v Cancer(x)\nEXIST y Smokes(y).",
    "values": (
        "1 Age(x, a) ^ a >= 30 => Smokes(x)\n1 Born(x, s) ^ Born(y, t) ^ days(t, s) > 0 => "
        "Same(x, y)\n"
        "1 Named(x, s) ^ Named(y, t) ^ jaro_winkler(s, t) >= 0.8 ^ x != y => Same(x, y)"
    ),
    "numeric-feature": "1 * a: Age(x, a) => Smokes(x)",
    "definitions": (
        "Peers(x, y) := Friends(x, z) ^ Friends(y, z) ^ x != y.\nLone(x) := Age(x, a) ^ "
        "!Enemies(x, x).\n"
        "1 Peers(x, y) ^ Smokes(x) => Smokes(y)\n1 Lone(x) => Smokes(x)"
    ),
    "aggregates": (
        "Count(x, n) := n = count(y: Friends(x, y)).\nOldest(x, a) := a = max(b: Friends(x, y) ^ "
        "Age(y, b)).\n"
        "Mean(x, a) := a = mean(b: Friends(x, y) ^ Age(y, b)).\n"
        "Recent(x, n) := n = count(y: Friends(x, y) ^ Born(y, t) ^ t <= $now ^ t > $now - 365).\n"
        "1 Count(x, n) ^ n >= 1 => Smokes(x)\n1 Oldest(x, a) ^ a > 60 => Smokes(x)\n"
        "1 Mean(x, a) ^ a > 60 => Smokes(x)\n1 Recent(x, n) ^ n >= 1 => Smokes(x)"
    ),
    "recursion": (
        "Reach(x, y) := Friends(x, y).\nReach(x, z) := Reach(x, y) ^ Friends(y, z).\n"
        "Far(x, y) := Friends(x, y).\nFar(x, z) := Far(x, y) ^ Far(y, z).\n"
        "1 Reach(x, y) => Same(x, y)\n1 Far(x, y) => Same(x, y)"
    ),
    "scopes": (
        "Same(x, y) open where Named(x, s) ^ Named(y, t) ^ x != y ^ levenshtein(s, t) <= 1.\n"
        "2 Same(x, y) => Same(y, x)\n-0.7 Same(x, y)"
    ),
    "lazy": "2 Smokes(x) ^ Smokes(y) => Same(x, y)\nSame(x, y) => Same(y, x).",
}
PSL = {
    "logical": (
        "1: Knows(A, B) & Open(A) -> Open(B) ^2\n2: Link(A, B) & Link(B, C) & (A != C) -> Link(A, "
        "C)\n0.5: !Open(A)"
    ),
    "arithmetic": (
        "1: Link(A, +B) <= 0.5 * Closed(A) {B: Knows(A, B)}\n1: Link(A, +B) / |B| >= Open(A)\n"
        "1: Open(A) + Open(B) >= 0.7"
    ),
}
ATOMS: dict[Key, tuple[str, float | None]] = {
    ("Open", "Ann"): ("target", None),
    ("Open", "Bob"): ("target", None),
    ("Open", "Cy"): ("evidence", 0.25),
    **{
        ("Link", a, b): ("target", None) for a in ("Ann", "Bob", "Cy") for b in ("Ann", "Bob", "Cy")
    },
    ("Closed", "Ann"): ("evidence", 0.5),
    ("Knows", "Ann", "Bob"): ("evidence", 1.0),
    ("Knows", "Bob", "Ann"): ("evidence", 1.0),
}
CASES = (*MLN, *(f"{name}-in-two-worlds" for name in ("clause", "aggregates", "scopes")), *PSL)

LEFT_OUT = (
    "DROP",
    "SELECT table_name",
    "SELECT 0 AS n, EXISTS (FROM ",
    "SELECT name FROM",
    "SELECT c.name",
)
"""Statements that are not about rules: what there is, what it is called, what is done with."""


class Listener:
    """A connection whose statements are kept."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.statements: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def execute(self, statement: str, *parameters: Any) -> Any:
        self.statements.append(statement)
        return self.connection.execute(statement, *parameters)

    def sql(self, statement: str) -> Any:
        self.statements.append(statement)
        return self.connection.sql(statement)


def statements(case: str) -> str:
    """What grounding a case's rules asks of the database, in order."""
    name, two = case.removesuffix("-in-two-worlds"), case.endswith("-in-two-worlds")
    program = parse_psl(PSL[name]) if name in PSL else parse_mln(DECLARED + MLN[name])
    with Database.open(threads=1) as database:
        database.declare(program)
        if name in PSL:
            load(database, program, [ATOMS])
        else:
            load_alchemy_text(database, FACTS)
            if two:
                load_alchemy_text(
                    database,
                    "Friends(Ann, Dee)\nAge(Dee, 20)\nBorn(Dee, 1992-02-02)",
                    world="other",
                )
        listener = Listener(database.cursor())
        query = (
            None
            if name in PSL
            else [one for one in ("Smokes", "Cancer", "Same") if f"{one}(" in MLN[name]]
        )
        request = GroundRequest(query=query)
        grounder = Grounder(database, cast(Any, listener), program, request, SILENT)
        with statements_only():
            shown = list(_grounded(grounder, lazily=name == "lazy"))
    told = [one for one in (*listener.statements, *shown) if not one.startswith(LEFT_OUT)]
    text = ";\n\n".join(told) + ";\n"
    return re.sub(r"\b(find|value|state)(_\w*?)?_\d+\(", r"\1\2(", text)


def _grounded(grounder: Grounder, *, lazily: bool) -> Iterator[str]:
    if not lazily:
        grounder.run()
        return
    clauses = grounder.open()
    grounder.vocabulary.state.set(np.zeros(0, np.int64), np.zeros(0))
    for clause in clauses:
        plan = make_plan(grounder.vocabulary, clause, violated=True)
        yield from (render(shape.select) for shape in plan.shapes(None))
    grounder.vocabulary.drop()


@pytest.mark.parametrize("case", CASES)
def test_statements_are_those_that_were_reviewed(case: str) -> None:
    assert statements(case) == (SNAPSHOTS / f"{case}.sql").read_text()


def test_every_file_has_a_case() -> None:
    assert {path.stem for path in SNAPSHOTS.glob("*.sql")} == set(CASES)


if __name__ == "__main__":
    SNAPSHOTS.mkdir(exist_ok=True)
    for old in SNAPSHOTS.glob("*.sql"):
        old.unlink()
    for one in CASES:
        (SNAPSHOTS / f"{one}.sql").write_text(statements(one))
