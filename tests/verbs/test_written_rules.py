"""Rules come back as their author wrote them, and say the same as the clauses that were learned."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.language import parse_mln
from workbench.language.psl.document_reading import parse_psl_document
from workbench.language.psl.forms import files_to_document
from workbench.network import energy
from workbench.verbs.written_rules import learned_text, written_rules

FACTS = """
Friends(Ada, Bo)
Friends(Bo, Ada)
Friends(Bo, Cy)
Smokes(Ada)
Cancer(Ada)
Group(Ada, G1)
Group(Bo, G2)
Group(Cy, G1)
Age(Ada, 2)
Age(Bo, 3.5)
"""
RULES = """// who is who
Friends(person, person)
Smokes(person)   // smokers
Cancer(person)
Group(person, group)
Age(person, number)

// smoking causes cancer
1.5  Smokes(x) => Cancer(x)   // so they say
1.1  Friends(x, y) => (Smokes(x) <=> Smokes(y))
0.3 Smokes(x)   ^   Cancer(x)
-0.5 Group(x, +g) ^ Smokes(x)
0.4 Smokes(x) => (EXIST y (Friends(x, y) ^ Cancer(y)))
!Friends(x, x).
0.2 Smokes(x) ^
  !Cancer(x)
0.6 Smokes(Ada) v (Cancer(y) ^ contains(y, "o"))
0.7 * (a - 1): Age(x, a) ^ a > 1 => (Smokes(x) <=> Cancer(x))
"""
QUERY = ("Smokes", "Cancer")


def test_one_weight_a_formula_in_its_own_sense() -> None:
    with wb.open() as workspace:
        workspace.declare(RULES)
        load_alchemy_text(workspace.database, FACTS)
        grounding = workspace.ground(RULES, learning=True, query=QUERY)
    found = {
        one.text: one.weight
        for one in written_rules(grounding.templates, grounding.templates.weight)
    }
    assert found == pytest.approx(
        {
            "Smokes(x) => Cancer(x)": 1.5,
            "Friends(x, y) => (Smokes(x) <=> Smokes(y))": 1.1,
            "Smokes(x) ^ Cancer(x)": 0.3,
            "Group(x, G1) ^ Smokes(x)": -0.5,
            "Group(x, G2) ^ Smokes(x)": -0.5,
            "Smokes(x) => (EXIST y (Friends(x, y) ^ Cancer(y)))": 0.4,
            "Smokes(x) ^ !Cancer(x)": 0.2,
            'Smokes(Ada) v (Cancer(y) ^ contains(y, "o"))': 0.6,
            "(a - 1): Age(x, a) ^ a > 1 => (Smokes(x) <=> Cancer(x))": 0.7,
        }
    )


@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("apart", [False, True])
def test_the_learned_program_says_what_was_learned(tie: bool, apart: bool) -> None:
    """Energies differ by a constant between learned weights and the program read back."""
    with wb.open() as workspace:
        workspace.declare(RULES)
        load_alchemy_text(workspace.database, FACTS)
        before = workspace.ground(RULES, learning=True, query=QUERY, tie=tie)
        share = before.templates.share
        random = np.random.default_rng(7)
        weights = random.normal(size=share.size) if apart else before.templates.weight + share
        text = learned_text(parse_mln(RULES), before.templates, weights)
        after = workspace.ground(text, learning=True, query=QUERY)
    assert before.atoms.names(np.arange(6)) == after.atoms.names(np.arange(6))
    states = [np.array(state, np.float64) for state in product((0, 1), repeat=6)]
    old = np.array([energy(before.network, weights, state) for state in states])
    new = np.array([energy(after.network, after.templates.weight, state) for state in states])
    np.testing.assert_allclose(old - old[0], new - new[0], atol=1e-7)
    assert "Smokes(person)   // smokers" in text
    assert "// smoking causes cancer\n" in text
    assert "!Friends(x, x)." in text
    said = "// of Friends(x, y) => (Smokes(x) <=> Smokes(y))"
    assert text.count(said) == (2 if apart and not tie else 0)


def test_clauses_learned_apart_keep_what_describes_their_formula() -> None:
    """Of a block, too: the rule behind them is still of it."""
    rules = "P(t)\nQ(t)\n\n// alike\n1 P(x) <=> Q(x)   // both ways\n1 P(x)\n\n1 Q(x)\n"
    with wb.open() as workspace:
        workspace.declare(rules)
        load_alchemy_text(workspace.database, "P(A)\nQ(A)\nP(B)\n!Q(B)\n!P(C)\n")
        templates = workspace.ground(rules, learning=True, query=["P", "Q"]).templates
        text = learned_text(parse_mln(rules), templates, np.array([1.0, 2.0, 3.0, 4.0]))
    assert [rule.description for rule in parse_mln(text).rules] == ["alike", "alike", "alike", ""]
    assert "// of P(x) <=> Q(x)   // both ways\n" in text


def test_a_soft_program_keeps_its_form() -> None:
    rules = "// close\n1.0: Near(A, B) & Likes(A) -> Likes(B) ^2\n\n0.5: !Likes(A)   # prior\n"
    with wb.open() as workspace:
        program = workspace.declare(rules)
    templates = SimpleNamespace(
        rule=np.array([0, 1]),
        share=np.ones(2),
        label=("a", "b"),
        formula=("Near(A, B) ...", "!Likes(A)"),
    )
    text = learned_text(program, templates, np.array([0.25, 2.0]))
    assert text.splitlines()[0] == "// close"
    assert text.splitlines()[1].startswith("0.25: ")
    assert text.splitlines()[1].endswith("^2")
    assert text.splitlines()[3] == "2.0: !Likes(A)   # prior"


def test_recorded_runs_tell_rules_as_written() -> None:
    with wb.open() as workspace:
        workspace.declare(RULES)
        load_alchemy_text(workspace.database, FACTS)
        learned = workspace.learn(RULES, query=QUERY)
        assert learned.run_id is not None
        frame = workspace.models.rules(learned.run_id)
        expected = [(row["text"], row["weight"]) for row in learned.rules()]
    assert list(zip(frame["formula"], frame["weight"])) == expected
    conjunction = frame[frame["formula"] == "Smokes(x) ^ Cancer(x)"].iloc[0]
    assert conjunction["clauses"] == "!Smokes(x) v !Cancer(x)"


@pytest.mark.parametrize("tie", [False, True])
def test_what_was_learned_predicts_as_its_program_does(tie: bool) -> None:
    with wb.open() as workspace:
        workspace.declare(RULES)
        load_alchemy_text(workspace.database, FACTS)
        learned = workspace.learn(RULES, query=QUERY, tie=tie)
        found, read = (
            workspace.infer(rules, query=QUERY, labels="withheld", engine="exact").predictions()
            for rules in (learned, learned.text())
        )
        assert workspace.runs.get(2).parameters.get("tie", False) == tie
    assert found["atom"].tolist() == read["atom"].tolist()
    np.testing.assert_allclose(found["value"], read["value"], atol=1e-6)


def test_recorded_weights_stand_beside_the_words_of_their_own_rules() -> None:
    """Also where a formula above them was learned as two clauses, or not at all."""
    rules = (
        "P(t)\nQ(t)\nR(t)\n\n// alike\n1 P(x) <=> Q(x)\n// never\n1 R(x) ^ Q(x) => P(x)\n"
        "// common\n1 P(x)\n// rare\n1 Q(x)\n"
    )
    with wb.open() as workspace:
        workspace.declare(rules)
        load_alchemy_text(workspace.database, "P(A)\nQ(A)\nP(B)\n!Q(B)\n!P(C)\nQ(C)\nR(D)\n")
        learned = workspace.learn(rules, query=["P", "Q"], learner="pseudo_likelihood")
        assert learned.run_id is not None
        inferred = workspace.infer(learned, query=["P", "Q"], labels="withheld")
        expected = [(row["text"], row["description"]) for row in learned.rules()]
        assert ("P(x)", "common") in expected
        assert len(expected) > 3
        for number in (learned.run_id, inferred.run_id):
            frame = workspace.models.rules(number)
            assert list(zip(frame["formula"], frame["description"])) == expected


def test_a_soft_run_and_a_document_keep_or_leave_what_describes_rules() -> None:
    rules = "# likes spread\n1: Near(A, B) & Likes(A) -> Likes(B) ^2\n\n0.2: !Likes(A) ^2\n"
    with wb.open() as workspace:
        program = workspace.declare(rules)
        workspace.data.add("Near(P0, P1)", "Likes(P0)")
        workspace.data.add("Likes(P1)", partition="target")
        result = workspace.infer(rules)
        assert result.run_id is not None
        told = workspace.models.rules(result.run_id)["description"]
    assert list(told) == ["likes spread", ""]
    document = files_to_document(
        program, parse_psl_document("predicates:\n  Near/2: closed\n  Likes/1: open\n")
    )
    assert [rule.description for rule in document.program().rules] == ["", ""]
    assert len(document.rules) == 2
