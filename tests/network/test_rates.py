"""Observed rates of a rule's head, against a loop over the atoms and their neighbours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import workbench as wb
from workbench.database import load_alchemy_text

RULES = """
Near(person, person)
Old(person)
Sick(person)
0.5 Near(x, y) ^ Sick(x) => Sick(y)
0.5 Old(x) => Sick(x)
0.5 Near(x, y) ^ Sick(x) ^ Sick(y)
0.5 Old(x) => !Sick(x)
0.5 Near(x, y) ^ Old(x) => !Sick(y)
"""


@pytest.mark.parametrize("seed", range(6))
def test_rates_are_those_of_the_labels(seed: int) -> None:
    random = np.random.default_rng(seed)
    people = [f"P{number}" for number in range(9)]
    near = {(x, y) for x in people for y in people if x != y and random.random() < 0.2}
    old = {x for x in people if random.random() < 0.5}
    sick = {x for x in people if random.random() < 0.4}
    unknown = {people[0]}
    facts = [f"Near({x}, {y})" for x, y in near] + [f"Old({x})" for x in old]
    facts += [f"Sick({x})" for x in sick - unknown] + [f"?Sick({x})" for x in unknown]
    facts += [f"!Old({x})" for x in people if x not in old]
    with wb.open() as workspace:
        workspace.declare(RULES)
        load_alchemy_text(workspace.database, "\n".join(facts))
        learned = workspace.learn(RULES, query="Sick", learner="diagonal_newton", record=False)
    known = [x for x in people if x not in unknown]
    near_sick = {y for x, y in near if x in sick - unknown}
    either = near_sick | {x for x, y in near if y in sick - unknown}
    near_old = {y for x, y in near if x in old}
    bodies_of = (near_sick, old, either, old, near_old)
    for record, bodies in zip(learned.rules(), bodies_of, strict=True):
        expected = [x in sick for x in known if x in bodies]
        others = [x in sick for x in known if x not in bodies]
        assert record["support"] == len(expected)
        assert record["rate"] == (pytest.approx(np.mean(expected)) if expected else None)
        assert record["rate_of_others"] == (pytest.approx(np.mean(others)) if others else None)


def test_a_body_that_is_hardly_ever_true_is_remarked_on_but_not_of_what_is_ruled_out() -> None:
    people = [f"P{number}" for number in range(40)]
    facts = [f"Near({x}, {y})" for x, y in pairwise(people)] + ["Sick(P0)", "Sick(P1)", "Old(P3)"]
    with wb.open() as workspace:
        workspace.declare(RULES)
        load_alchemy_text(workspace.database, "\n".join(facts))
        out = f"{RULES}0.5 Near(x, y) ^ Sick(x) ^ Sick(y) => x = y\n"
        for rules in (RULES, out):
            warnings = workspace.learn(rules, query="Sick", record=False).warnings
            assert [one.code for one in warnings if one.code == "E0514"] == ["E0514"]
