"""Many rules without variables are decided together, each as it is alone."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tests.grounding.test_snapshots import Listener
from workbench.database import Database, load_alchemy_text
from workbench.grounding import Grounding, GroundRequest
from workbench.grounding.ground import Grounder
from workbench.language import parse_mln
from workbench.progress import SILENT

DECLARED = "Smokes(person)\nCancer(person)\nIll(person)\n"
RULES = [
    f"{1 + i / 100} Smokes(P{i}) ^ !Ill(P{i % 7}) => "
    f"Cancer(P{i + 1}){' v Cancer(P0)' if i % 5 == 0 else ''}"
    for i in range(120)
]
FACTS = "".join(f"Smokes(P{i})\n" for i in range(0, 120, 2)) + "Ill(P3)\nCancer(P9)\n"


def grounded(rules: list[str], two_worlds: bool) -> tuple[Grounding, list[str]]:
    """The grounding, and what was asked of the database."""
    program = parse_mln(DECLARED + "\n".join(rules) + "\n0.1 Cancer(x)\n")
    with Database.open(threads=1) as database:
        database.declare(program)
        load_alchemy_text(database, FACTS)
        if two_worlds:
            load_alchemy_text(database, "Smokes(P1)\nSmokes(P3)\n", world="other")
        listener = Listener(database.cursor())
        request = GroundRequest(query=["Cancer"], closed=["Smokes", "Ill"])
        return Grounder(
            database, cast(Any, listener), program, request, SILENT
        ).run(), listener.statements


@pytest.mark.parametrize("two_worlds", [False, True])
def test_they_are_counted_by_few_queries(two_worlds: bool) -> None:
    together, statements = grounded(RULES, two_worlds)
    assert sum("AS decided" in one for one in statements) <= 4
    assert not any("sum(CAST" in one for one in statements)
    for rule, text in zip(together.rules, RULES[:9]):
        alone = grounded([text], two_worlds)[0].rules[0]
        assert (rule.open, rule.satisfied, rule.violated) == (
            alone.open,
            alone.satisfied,
            alone.violated,
        )
