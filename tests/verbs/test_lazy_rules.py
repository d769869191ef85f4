"""Rules of very many groundings, of which only those are made that a state violates."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

import workbench as wb
from workbench import leaving
from workbench.database import load_alchemy_text
from workbench.errors import InfeasibleError, InputError
from workbench.grounding import lazy_rows
from workbench.inference.relaxed_first import RelaxedFirst

RULES = """*Like(thing, thing)
Same(thing, thing)
Good(thing)
3 Like(x,y) => Same(x,y)
-1 Same(x,y)
0.4 Same(x,y) ^ Good(x) => Good(y)
0.7 Good(x)
Same(x,y) => Same(y,x).
Same(x,y) ^ Same(y,z) => Same(x,z).
Same(x,x).
"""


def likes(seed: int, n: int = 7) -> str:
    generator = np.random.default_rng(seed)
    pairs = generator.integers(0, n, (2 * n, 2))
    return "\n".join(f"Like(T{one}, T{other})" for one, other in pairs if one != other)


def inferred(rules: str, *worlds: str, **how: object) -> wb.InferenceResult:
    with wb.open() as ws:
        ws.declare(rules)
        for number, facts in enumerate(worlds):
            load_alchemy_text(ws.database, facts, world=f"w{number}")
        return ws.infer(rules, query=["Same", "Good"], task="map", **how)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small domains count as large ones."""
    monkeypatch.setattr(lazy_rows, "MANY", 20)


@pytest.mark.parametrize("seed", range(8))
def test_the_answer_is_the_whole_networks(seed: int, few: None) -> None:
    whole = inferred(RULES, likes(seed), likes(seed + 100, 4), engine="ilp")
    lazy = inferred(RULES, likes(seed), likes(seed + 100, 4))
    assert lazy.solution.engine == "cpi"
    assert str(lazy.solution.status) == "optimal"
    assert lazy.solution.energy == pytest.approx(whole.solution.energy)
    assert lazy.solution.hard_violation == 0.0
    assert lazy.grounding.network.n_rows < whole.grounding.network.n_rows
    assert [rule.groundings for rule in lazy.rules()] == [rule.groundings for rule in whole.rules()]
    assert sum(rule.distance for rule in lazy.rules() if rule.weight is None) == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_a_limit_of_no_time_leaves_a_state_that_keeps_the_rules(seed: int, few: None) -> None:
    found = inferred(RULES, likes(seed), time_limit=0.0)
    groups = {
        tuple(atom[5:-1].split(", "))
        for atom, value in zip(found.predictions()["atom"], found.predictions()["value"])
        if atom.startswith("Same") and value == 1
    }
    assert found.solution.hard_violation == 0.0
    assert {(one, one) for pair in groups for one in pair} <= groups
    assert {(y, x) for x, y in groups} == groups
    assert all((a, d) in groups for a, b in groups for c, d in groups if b == c)
    assert found.solution.bound <= found.solution.energy


def test_what_is_left_before_its_end_keeps_the_rules(
    few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Event()
    monkeypatch.setattr(RelaxedFirst, "infer", lambda *given: heard.wait())
    monkeypatch.setattr(leaving, "GRACE", 0.1)
    found = inferred(RULES, likes(2), time_limit=1.0).solution
    heard.set()
    assert str(found.status) == "limit"
    assert found.reason.endswith("best so far")
    assert found.hard_violation == 0.0
    assert found.bound < found.energy


def test_a_clash_names_rules_whose_rows_were_asked_for(few: None) -> None:
    rules = RULES + "Like(x,y) => Same(x,y).\n!Same(T0, T2).\n"
    with pytest.raises(InfeasibleError) as caught:
        inferred(rules, "Like(T0, T1)\nLike(T1, T2)\nLike(T2, T3)\nLike(T4, T5)")
    assert "!Same(T0, T1) v !Same(T1, T2) v Same(T0, T2)" in str(caught.value)


def test_the_limit_holds_for_rows_that_are_asked_for(few: None) -> None:
    rules = "*Q(t)\nS(t, t)\nR(t, t)\nSame(t, t)\nGood(t)\n2 S(x, y)\n2 R(x, y)\n" + (
        "-9 Same(x, y)\nS(x,y) ^ R(y,z) => Same(x,z).\n"
    )
    facts = "\n".join(f"Q(T{number})" for number in range(9))
    with wb.open() as ws:
        ws.declare(rules)
        load_alchemy_text(ws.database, facts)
        with pytest.raises(InputError, match="E0310"):
            ws.infer(rules, query=["S", "R", "Same", "Good"], task="map", limit=600)


def test_parameters_reach_the_rounds(few: None) -> None:
    found = inferred(RULES, likes(2), engine="cpi", options={"max_rounds": 1})
    assert "after 1 rounds" in found.solution.reason
    assert found.solution.hard_violation == 0.0


def test_known_atoms_have_their_rules_made_in_full(few: None) -> None:
    facts = likes(3) + "\nSame(T0, T1)\n!Same(T0, T2)"
    lazy, whole = (inferred(RULES, facts, labels="evidence", engine=e) for e in ("auto", "ilp"))
    assert lazy.solution.energy == pytest.approx(whole.solution.energy)
    assert lazy.grounding.network.n_rows == whole.grounding.network.n_rows


def test_the_same_is_asked_again_and_explained(few: None) -> None:
    with wb.open() as ws:
        ws.declare(RULES)
        load_alchemy_text(ws.database, "Like(T0, T1)\nLike(T1, T2)\nLike(T0, T2)\nLike(T3, T4)")
        first = ws.infer(RULES, query=["Same", "Good"], task="map")
        again = ws.infer(RULES, query=["Same", "Good"], task="map")
        assert first.solution.values.tolist() == again.solution.values.tolist()
        told = again.explain("Same(T0, T1)")
    assert any("Like(T0, T1)" in one.ground for one in told.contributions)
