"""Clausal form, Alchemy's to the clause."""

from __future__ import annotations

import pytest

from tests.language.clause_text import format_clause
from workbench.language import clausal_form, parse_mln
from workbench.language.clauses import Clause

DECLARATIONS = "P(t)\nQ(t)\nR(t)\nS(t, t)\n"


def clauses_of(formula: str, domain: tuple[str, ...] = ("A", "B")) -> list[Clause]:
    clauses = clausal_form(parse_mln(DECLARATIONS + formula), {"t": domain})
    assert all(isinstance(clause, Clause) for clause in clauses)
    return list(clauses)  # type: ignore[arg-type]


def shown(clause: Clause) -> str:
    def term(argument: object) -> str:
        return argument.name  # type: ignore[attr-defined, no-any-return]

    parts = [
        ("" if literal.positive else "!")
        + literal.atom.predicate
        + "".join(map(term, literal.atom.arguments))
        for literal in clause.literals
    ]
    parts += [f"{term(guard.left)}{guard.operator}{term(guard.right)}" for guard in clause.guards]
    return " ".join(parts)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("2 P(x) ^ Q(x) => R(x)", {"!Px !Qx Rx": 1.0}),
        ("2 P(x) <=> Q(x)", {"!Px Qx": 0.5, "!Qx Px": 0.5}),
        ("2 P(x) ^ Q(x)", {"!Px !Qx": -1.0}),
        ("2.5 P(x) ^ Q(x) ^ (R(x) v S(x,y))", {"!Px !Qx": -0.5, "Rx Sxy": 0.5}),
        ("1 P(x) ^ (Q(x) v !Q(x))", {"Px": 0.5}),
        ("1 (P(x) v Q(x)) ^ (P(x) v Q(x)) ^ (R(x) v Q(x))", {"Px Qx": 2 / 3, "Rx Qx": 1 / 3}),
        ("1 !(P(x) <=> Q(x))", {"Px Qx": 0.25, "!Qx !Px": 0.25}),
        ("1 (P(x) v Q(x)) ^ !P(x) ^ !Q(x)", {}),
        ("1 (P(x) v Q(x)) ^ (Q(x) v R(x)) ^ !P(x) ^ !Q(x)", {"Qx Rx": 1 / 3}),
        ("(P(x) v Q(x)) ^ !P(x) ^ !Q(x).", {"Px Qx": 1.0, "!Px": 1.0, "!Qx": 1.0}),
        ("P(x) ^ Q(x).", {"Px": 1.0, "Qx": 1.0}),
        ("1 P(x) ^ x != y => Q(y)", {"!Px Qy x=y": 1.0}),
        ("1 x < y => !(P(x) v Q(y))", {"!Px x>=y": 0.5, "!Qy x>=y": 0.5}),
    ],
)
def test_shares(formula: str, expected: dict[str, float]) -> None:
    found = {shown(clause): clause.share for clause in clauses_of(formula)}
    assert found == pytest.approx(expected)


def test_existential_over_a_disjunction_stays_one_clause() -> None:
    (clause,) = clauses_of("EXIST y !P(x) v S(x,y) v Q(y)")
    assert clause.existential == ("y",)
    assert shown(clause) == "!Px Sxy Qy"


def test_existential_over_a_conjunction_is_expanded_and_keeps_one_weight() -> None:
    clauses = clauses_of("3 EXIST y (P(y) ^ Q(y))")
    assert [shown(clause) for clause in clauses] == ["PA PB", "PA QB", "QA PB", "QA QB"]
    assert {clause.index for clause in clauses} == {0}
    assert all(clause.tied and clause.weight == 3 and clause.share == 0.25 for clause in clauses)


@pytest.mark.parametrize(
    ("formula", "expected", "share"),
    [
        ("1 P(x) v (FORALL y S(x,y))", "Px Sxy", 1.0),
        ("1 (EXIST y S(x,y)) => P(x)", "!Sxy Px", 1.0),
        ("1 !(EXIST y S(x,y))", "!Sxy", 1.0),
        ("1 P(x) ^ (FORALL y S(x,y))", "!Px !Sxy", -1.0),
    ],
)
def test_inner_universal_variables_are_variables_of_the_clause(
    formula: str, expected: str, share: float
) -> None:
    (clause,) = clauses_of(formula)
    assert (shown(clause), clause.existential, clause.share) == (expected, (), share)
    assert {name for name, _ in clause.variable_types} == {"x", "y"}


def test_exist_forall_is_not_reordered() -> None:
    (clause,) = clauses_of("1 EXIST x FORALL y S(x,y)")
    assert shown(clause) == "SAy_1 SBy_2"
    assert clause.variable_types == (("y_1", "t"), ("y_2", "t"))


def test_free_sign_gives_both_signs() -> None:
    assert [shown(clause) for clause in clauses_of("*P(x) v Q(x)")] == ["Px Qx", "!Px Qx"]


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("P(x) => EXIST y S(x,y)", "!P(x) v EXIST y S(x, y)"),
        ("EXIST y (P(x) v S(x,y))", "EXIST y P(x) v S(x, y)"),
        ("P(x) => EXIST y (S(x,y) v x != A)", "!P(x) v EXIST y S(x, y) v x != A"),
    ],
)
def test_a_clause_is_printed_with_its_quantifier_over_what_stood_under_it(
    formula: str, text: str
) -> None:
    """Over an empty type `EXIST y` makes all that stands under it false,
    so the text must keep apart what does not.
    """
    (clause,) = clauses_of(formula)
    assert format_clause(clause) == text
    (again,) = clauses_of(text)
    assert format_clause(again) == text
