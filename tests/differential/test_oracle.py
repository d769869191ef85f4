"""The oracle itself, against figures worked out by hand: it must not drift with what it judges."""

from __future__ import annotations

import numpy as np
import pytest

from tests.differential.mln_meaning import Meaning, meaning_of
from tests.differential.mln_syntax import read_program
from tests.differential.mln_worlds import read_world, roles_of
from tests.differential.psl_meaning import Listed, least_energy, rows_of
from tests.differential.psl_syntax import read_rule


def meaning(rules: str, facts: str = "", query: tuple[str, ...] = ("P", "F")) -> Meaning:
    program = read_program(f"t = {{A, B, C}}\nP(t)\nF(t, t)\n{rules}\n")
    world = read_world(program, facts)
    return meaning_of(program, world, roles_of(program, [world], query, ()))


@pytest.mark.parametrize(
    ("formula", "p", "f"),
    [
        ("P(x) => (FORALL y F(x,y))", 0.223964, 0.613033),
        ("(EXIST y F(x,y)) => P(x)", 0.832656, 0.496559),
        ("P(x) <=> (EXIST y F(x,y))", 0.716095, 0.519871),
        ("P(x) => (EXIST y F(x,y))", 0.482206, 0.569401),
    ],
)
def test_quantifiers_within_a_formula(formula: str, p: float, f: float) -> None:
    found = meaning(f"1.4 {formula}\n0.2 F(x,y)")
    assert found.marginals[[0, 3]] == pytest.approx([p, f], abs=1e-6)


def test_a_conjunction_is_one_clause_of_the_negated_weight() -> None:
    found = meaning("2 P(x) ^ P(y)", query=("P",))
    by_hand = np.array([2.0 * 9 - 2.0 * state.sum() ** 2 for state in found.states])
    assert found.energy - found.energy.min() == pytest.approx(by_hand - by_hand.min())


def test_facts_fix_atoms_and_soft_evidence_weighs_them() -> None:
    found = meaning("0.5 P(x)", "P(A)\n!P(B)\n0.8 P(C)", query=("P",))
    assert found.atoms == [("P", ("C",))]
    odds = 0.8 / 0.2 * np.exp(0.5)
    assert found.marginals == pytest.approx([odds / (1 + odds)])
    assert found.evidence_energy == 0.5


def test_hinges_of_a_logical_and_an_arithmetic_rule() -> None:
    listed = Listed({("A", "x"): 0.7, ("B", "x"): None, ("B", "y"): None}, frozenset(["B"]))
    (row,) = rows_of(read_rule("2: A(X) -> B(X) ^2"), listed)
    assert row.cost({("B", "x"): 0.2}) == pytest.approx(2 * 0.5**2)
    (row,) = rows_of(read_rule("1: B(+X) / |X| <= 0.4"), listed)
    assert row.cost({("B", "x"): 1.0, ("B", "y"): 0.5}) == pytest.approx(0.35)


@pytest.mark.parametrize("square", ["", " ^2"])
def test_least_energy_of_two_rules_that_pull_apart(square: str) -> None:
    listed = Listed({("B", "x"): None}, frozenset(["B"]))
    rows = [
        row
        for rule in (f"3: B(X){square}", f"1: !B(X){square}")
        for row in rows_of(read_rule(rule), listed)
    ]
    assert least_energy(rows, [("B", "x")]) == pytest.approx(1.0 if not square else 0.75, abs=1e-6)
