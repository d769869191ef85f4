"""Which rules make a predicate transitive."""

from __future__ import annotations

import pytest

from workbench.language import parse_mln, parse_psl
from workbench.language.clausal import clausal_form
from workbench.language.transitivity import transitive_predicates

DECLARED = "Same(thing, thing)\nNear(thing, thing)\n"


@pytest.mark.parametrize(
    ("rule", "transitive"),
    [
        ("Same(x, y) ^ Same(y, z) => Same(x, z).", True),
        ("Same(x, y) ^ Same(x, z) => Same(y, z).", True),
        ("Same(x, y) ^ Same(y, z) ^ x != z => Same(x, z).", True),
        ("!(Same(x, y) ^ Same(y, z) ^ !Same(x, z)).", True),
        ("1 Same(x, y) ^ Same(y, z) => Same(x, z)", False),
        ("Same(x, y) ^ Near(y, z) => Same(x, z).", False),
        ("Same(x, y) ^ Same(y, z) => Near(x, z).", False),
        ("Same(x, y) ^ Same(y, z) ^ Near(x, z) => Same(x, z).", False),
        ("Same(x, y) => Same(x, z) v Same(z, y).", False),
        ("Same(x, y) ^ Same(y, x) => Same(x, x).", False),
        ("Same(x, y) ^ Same(y, A) => Same(x, A).", False),
        ("Same(x, y) => Same(y, x).", False),
    ],
)
def test_hard_rules_of_markov_logic(rule: str, transitive: bool) -> None:
    clauses = clausal_form(parse_mln(DECLARED + rule))
    assert transitive_predicates(clauses) == (("Same",) if transitive else ())


@pytest.mark.parametrize(("ending", "transitive"), [(".", True), ("", False)])
def test_hard_rules_of_soft_logic(ending: str, transitive: bool) -> None:
    weight = "" if transitive else "1: "
    rule = f"{weight}Same(A, B) & Same(B, C) & (A != C) -> Same(A, C) {ending}"
    assert transitive_predicates(clausal_form(parse_psl(rule))) == (("Same",) if transitive else ())
