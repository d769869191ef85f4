"""Quantifiers, from text to exact marginals: figures worked out by hand, worlds of different constants."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import workbench as wb
from workbench.database import load_alchemy_text


def marginals(
    rules: str, facts: Mapping[str, str], query: list[str], closed: list[str] | None = None
) -> dict[tuple[str, str], float]:
    """Exact marginals by (world, atom)."""
    with wb.open() as ws:
        ws.declare(rules)
        for world, text in facts.items():
            load_alchemy_text(ws.database, text, world=world)
        frame = ws.infer(rules, query=query, closed=closed, engine="exact").predictions()
    worlds = frame["world"] if "world" in frame else [next(iter(facts))] * len(frame)
    return {(world, atom): float(value) for world, atom, value in zip(worlds, frame["atom"], frame["value"])}


@pytest.mark.parametrize(
    ("formula", "p", "f"),
    [
        ("P(x) => (FORALL y F(x,y))", 0.223964, 0.613033),
        ("(EXIST y F(x,y)) => P(x)", 0.832656, 0.496559),
        ("P(x) <=> (EXIST y F(x,y))", 0.716095, 0.519871),
        ("P(x) => (EXIST y F(x,y))", 0.482206, 0.569401),
    ],
)
def test_an_inner_universal_quantifier_is_a_variable_of_its_clause(formula: str, p: float, f: float) -> None:
    rules = f"person = {{A, B, C}}\nP(person)\nF(person, person)\n1.4 {formula}\n0.2 F(x,y)\n"
    found = marginals(rules, {"one": ""}, ["P", "F"])
    assert found["one", "P(A)"] == pytest.approx(p, abs=1e-6)
    assert found["one", "F(A, A)"] == pytest.approx(f, abs=1e-6)
