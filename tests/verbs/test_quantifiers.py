"""Quantifiers, from text to exact marginals by hand; worlds of different constants."""

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
    return {
        (world, atom): float(value)
        for world, atom, value in zip(worlds, frame["atom"], frame["value"])
    }


@pytest.mark.parametrize(
    ("formula", "p", "f"),
    [
        ("P(x) => (FORALL y F(x,y))", 0.223964, 0.613033),
        ("(EXIST y F(x,y)) => P(x)", 0.832656, 0.496559),
        ("P(x) <=> (EXIST y F(x,y))", 0.716095, 0.519871),
        ("P(x) => (EXIST y F(x,y))", 0.482206, 0.569401),
    ],
)
def test_an_inner_universal_quantifier_is_a_variable_of_its_clause(
    formula: str, p: float, f: float
) -> None:
    rules = f"person = {{A, B, C}}\nP(person)\nF(person, person)\n1.4 {formula}\n0.2 F(x,y)\n"
    found = marginals(rules, {"one": ""}, ["P", "F"])
    assert found["one", "P(A)"] == pytest.approx(p, abs=1e-6)
    assert found["one", "F(A, A)"] == pytest.approx(f, abs=1e-6)


CONJUNCTION = "S(t)\nR(t, t)\nT(t)\n1.5 S(x) => EXIST y (R(x,y) ^ !T(y))\n"
UNIVERSAL = "S(t)\nR(t, t)\nT(t)\n0.8 S(x) => EXIST y FORALL z (R(y,z) v T(z))\n"
WORLDS = {"one": "R(A,B)\nT(B)\nR(B,A)", "two": "R(C,D)\nR(D,E)\nT(C)", "three": "T(F)"}


@pytest.mark.parametrize("rules", [CONJUNCTION, UNIVERSAL])
@pytest.mark.parametrize("query", [["S"], ["S", "R"]])
def test_a_world_is_what_it_is_alone(rules: str, query: list[str]) -> None:
    closed = sorted({"R", "T"} - set(query))
    facts = WORLDS if "R" not in query else {"one": "T(A)\nT(B)", "two": "T(C)"}
    together = marginals(rules, facts, query, closed)
    alone: dict[tuple[str, str], float] = {}
    for world, text in facts.items():
        alone |= marginals(rules, {world: text}, query, closed)
    assert together == pytest.approx(alone, abs=1e-12)


def test_a_conjunction_under_exist_shares_one_weight() -> None:
    assert marginals(CONJUNCTION, {"one": WORLDS["one"]}, ["S"], ["R", "T"])[
        "one", "S(A)"
    ] == pytest.approx(0.407333)


def test_a_learned_weight_of_an_expanded_formula_is_used_on_other_constants() -> None:
    with wb.open() as ws:
        ws.declare(CONJUNCTION)
        labels = {"one": "S(B)\nS(C)", "two": "S(F)", "three": ""}
        edges = {"one": "R(A,B)\nR(B,C)\nR(C,A)\nT(B)", "two": "R(D,E)\nR(F,D)", "three": "R(G,H)"}
        for world, text in edges.items():
            load_alchemy_text(ws.database, f"{text}\n{labels[world]}", world=world)
        learned = ws.learn(CONJUNCTION, query=["S"], closed=["R", "T"], worlds=["one", "two"])
        assert learned.templates.label == ("S(x) => (EXIST y R(x, y) ^ !T(y))",)
        by_templates = ws.infer(
            learned, query=["S"], closed=["R", "T"], worlds=["three"], engine="exact"
        )
        by_text = ws.infer(
            learned.text(), query=["S"], closed=["R", "T"], worlds=["three"], engine="exact"
        )
    assert by_text.solution.values == pytest.approx(by_templates.solution.values)
    assert abs(by_text.value("S(H)") - 0.5) > 0.01


def energy_of_nothing(rules: str, facts: Mapping[str, str]) -> float:
    """What evidence alone costs."""
    with wb.open() as ws:
        ws.declare(rules)
        for world, text in facts.items():
            load_alchemy_text(ws.database, text, world=world)
        return float(ws.infer(rules, query=["Open"], task="map").summary()["evidence_energy"])


EMPTY = "Open(t)\nQ(t, h)\nP(t)\nB\nG(h)\n"


@pytest.mark.parametrize(
    ("rule", "costs"),
    [
        # In world one h has a constant, in world two none. Violated groundings weigh 1, so do
        # satisfied ones of -1.
        ("1 EXIST e,h (Q(x,h) v P(e))", {"one": 0, "two": 2}),
        ("1 P(x) v (EXIST h Q(x,h))", {"one": 0, "two": 1}),
        ("1 EXIST h (G(h) v !G(h))", {"one": 0, "two": 1}),
        ("-1 EXIST h (G(h) v !G(h))", {"one": 1, "two": 0}),
        ("-1 P(x) v !P(x)", {"one": 2, "two": 2}),
        ("-1 Q(x,h) v !Q(x,h)", {"one": 2, "two": 0}),
        ("2 (B <=> !B)", {"one": 2, "two": 2}),
        ("-2 (B <=> !B)", {"one": 0, "two": 0}),
    ],
)
def test_empty_types_and_tautologies(rule: str, costs: dict[str, int]) -> None:
    facts = {"one": "P(A)\nQ(A, H)\nQ(C, H)\nB", "two": "P(A)\n!P(C)"}
    rules = f"{EMPTY}{rule}\n1 Open(x)\n"
    for chosen in ([*facts], ["one"], ["two"]):
        expected = sum(costs[world] for world in chosen)
        assert energy_of_nothing(rules, {world: facts[world] for world in chosen}) == pytest.approx(
            expected
        ), chosen


def test_a_formula_that_cannot_hold_is_no_formula_without_groundings() -> None:
    with wb.open() as ws:
        rules = "Open(t)\nB\n1 Open(A)\n2 (B <=> !B)\n-2 (B <=> !B)\n"
        ws.declare(rules)
        load_alchemy_text(ws.database, "B", world="one")
        assert not [one for one in ws.infer(rules, query=["Open"]).warnings if one.code == "E0307"]
