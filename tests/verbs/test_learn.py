"""Learning through the facade: parameters by a held-out world, violated hard clauses."""

from __future__ import annotations

import pytest

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.errors import UsageError

RULES = """
Smokes(person)
Friends(person, person)
Smokes(x)
Friends(x, y) ^ Smokes(x) => Smokes(y)
"""
FACTS = {
    "one": "Smokes(A)\nSmokes(B)\nFriends(A, B)\nFriends(C, D)\n",
    "two": "Smokes(A)\nFriends(A, B)\nFriends(B, C)\n",
    "three": "Smokes(C)\nSmokes(D)\nFriends(C, D)\nFriends(A, B)\n",
}


def test_parameters_are_chosen_on_the_last_world() -> None:
    with wb.open() as workspace:
        workspace.declare(RULES)
        for world, facts in FACTS.items():
            load_alchemy_text(workspace.database, facts, world=world)
        result = workspace.learn(
            RULES,
            learner="pseudo_likelihood",
            candidates={"prior_sd": [0.1, 1.0]},
            query=("Smokes",),
            record=False,
        )
        plain = workspace.learn(RULES, learner="pseudo_likelihood", query=("Smokes",), record=False)
    tried = result.learned.diagnostics["validation"]
    assert [entry["prior_sd"] for entry in tried] == [0.1, 1.0]
    assert all(entry["score"] < 0 for entry in tried)
    assert "validation" not in plain.learned.diagnostics


def test_violated_hard_clauses_are_named() -> None:
    rules = RULES + "Friends(x, y) ^ Smokes(y) => Smokes(x).\n"
    with wb.open() as workspace:
        workspace.declare(rules)
        load_alchemy_text(workspace.database, "Smokes(B)\nFriends(A, B)\nFriends(C, D)\n")
        result = workspace.learn(
            rules, learner="pseudo_likelihood", query=("Smokes",), record=False
        )
    (warning,) = [warning for warning in result.warnings if warning.code == "E0508"]
    assert "Smokes(A) v !Smokes(B)" in warning.message
    assert result.weights == pytest.approx(result.weights)


def test_a_label_that_is_neither_true_nor_false_is_named() -> None:
    with wb.open() as space:
        program = space.declare("P(t)\nQ(t)\n1 P(x) => Q(x)\n")
        load_alchemy_text(space.database, "P(A)\nP(B)\nQ(A)\n0.4 Q(B)\n")
        with pytest.raises(UsageError, match=r"E0502.*Q.B. is 0.4"):
            space.learn(program, query=["Q"])


@pytest.mark.parametrize(
    ("declared", "rules", "told"),
    [
        ("", "Topic(p, +t)", ["topic"]),
        ("topic = {Art, War}\n", "Topic(p, +t)", []),
        ("", "Word(+w, p) => Topic(p, Art)", []),
        ("", "Word(+w, p) v Topic(p, Art)", ["word"]),
    ],
)
def test_types_that_a_learned_program_makes_alike_in_all_worlds_are_told(
    declared: str, rules: str, told: list[str]
) -> None:
    program = f"{declared}Topic(page, topic)\nWord(word, page)\n{rules}\n"
    with wb.open() as workspace:
        workspace.declare(program)
        load_alchemy_text(
            workspace.database, "Topic(A, Art)\nTopic(B, War)\nWord(Sea, A)\n", world="one"
        )
        load_alchemy_text(workspace.database, "Topic(C, Art)\nWord(Sky, C)\n", world="two")
        notes = [
            one
            for one in workspace.learn(program, query="Topic", record=False).warnings
            if one.code == "E0515"
        ]
    assert [one.message.split(" in the worlds")[0].rsplit(" ", 1)[1] for one in notes] == told


@pytest.mark.parametrize(("completions", "status"), [(1, "iterations"), (5, "converged")])
def test_completions_that_have_not_settled_are_not_called_converged(
    completions: int, status: str
) -> None:
    rules = "P(t)\n*Near(t, t)\nP(x)\nNear(x, y) ^ P(x) => P(y)\n"
    with wb.open() as workspace:
        workspace.declare(rules)
        facts = "P(A)\nP(B)\nP(C)\n?P(D)\nNear(A, D)\nNear(D, B)\n"
        load_alchemy_text(workspace.database, facts)
        options = {"completions": completions}
        result = workspace.learn(
            rules, learner="pseudo_likelihood", options=options, query="P", record=False
        )
    assert result.learned.status == status
    assert result.weights[0] > 0
