"""PSL's rules, corner by corner."""

from __future__ import annotations

import pytest

from workbench.errors import InputError
from workbench.language import check, clausal_form, parse_psl
from workbench.language.clauses import Clause, LinearRule
from workbench.language.declarations import Predicate
from workbench.language.program import (
    ArithmeticRule,
    Calculation,
    Cardinality,
    LinearTerm,
    LogicalRule,
)
from workbench.language.psl.types import with_declarations
from workbench.language.terms import And, Atom, Comparison, Constant, Not, Or, SumVariable, Variable


def logical(text: str) -> LogicalRule:
    (rule,) = parse_psl(text).rules
    assert isinstance(rule, LogicalRule)
    return rule


def arithmetic(text: str) -> ArithmeticRule:
    (rule,) = parse_psl(text).rules
    assert isinstance(rule, ArithmeticRule)
    return rule


@pytest.mark.parametrize(
    "text",
    [
        "1: A(X) & B(X) -> C(X) | D(X)",
        "1: A(X) && B(X) >> C(X) || D(X)",
        "1: C(X) | D(X) <- A(X) & B(X)",
        "1: C(X) || D(X) << A(X) && B(X)",
        "1.0 : ( A(X) & B(X) ) -> ( C(X) | D(X) )",
        "1: A(X) &\n  & B(X)\n  -> C(X) | D(X) ^1",
        "/* a */ 1: A(X) & // b\n B(X) # c\n -> C(X) | D(X)",
    ],
)
def test_ways_to_write_one_rule(text: str) -> None:
    assert logical(text) == logical("1: A(X) & B(X) -> C(X) | D(X)")


@pytest.mark.parametrize(
    ("sign", "operator"),
    [("!=", "!="), ("~=", "!="), ("-", "!="), ("==", "="), ("%", "%"), ("^", "%")],
)
def test_comparisons(sign: str, operator: str) -> None:
    rule = logical(f"1: A(X) & A(Y) & (X {sign} Y) -> B(X, Y)")
    assert rule.body[2] == Comparison(operator, Variable("X"), Variable("Y"))
    (clause,) = clausal_form(parse_psl(f"1: A(X) & A(Y) & X {sign} Y -> B(X, Y)"))
    assert isinstance(clause, Clause)
    negated = {"!=": "=", "=": "!=", "%": "!%"}[operator]
    assert clause.guards == (Comparison(negated, Variable("X"), Variable("Y")),)


def test_constants_in_either_quotes_with_escapes() -> None:
    rule = logical(r"""1: A('it\'s', "say \"x\"", X) -> B(X)""")
    (atom,) = [literal.atom for literal in rule.body]  # type: ignore[union-attr]
    assert atom.arguments[:2] == (Constant("it's"), Constant('say "x"'))


def test_names_do_not_depend_on_case() -> None:
    program = parse_psl("1: CANDSAME(R1, R2) -> SAME(R1, R2)\n10.0: Same(R1, R2) = Same(R2, R1)")
    assert list(program.predicates) == ["CANDSAME", "SAME"]
    declared = with_declarations(program, [Predicate("Same", ("id", "id"), closed=False)])
    assert list(declared.predicates) == ["Same", "CANDSAME"]
    assert declared.predicates["CANDSAME"].argument_types == ("id", "id")
    assert declared.predicates["Same"].closed is False


def test_declared_types_must_agree_where_rules_join() -> None:
    program = parse_psl("1: A(X, Y) -> B(Y)")
    with pytest.raises(InputError) as caught:
        with_declarations(program, [Predicate("A", ("p", "q")), Predicate("B", ("r",))])
    assert [d.code for d in caught.value.diagnostics] == ["E0106"]
    with pytest.raises(InputError) as caught:
        with_declarations(program, [Predicate("A", ("p",))])
    assert [d.code for d in caught.value.diagnostics] == ["E0105"]


def test_priors_and_negated_heads() -> None:
    assert (
        check(parse_psl("1: !A(X)\n1: A(X)\n1: !A(X) -> !B(X)\n1: A(X) = 0.75\n1: ~A(X) | B(X)"))
        == ()
    )


def test_the_clause_of_a_logical_rule() -> None:
    (clause,) = clausal_form(parse_psl("2: A(X) & A(X) & !B(X) -> !C(X) | D(X) ^2"))
    assert isinstance(clause, Clause)
    assert [(literal.atom.predicate, literal.positive) for literal in clause.literals] == [
        ("A", False),
        ("B", True),
        ("C", False),
        ("D", True),
    ]
    assert (clause.multiset, clause.power, clause.weight) == (True, 2, 2.0)


def atom(name: str, *arguments: str) -> Atom:
    return Atom(name, tuple(SumVariable(a[1:]) if a[0] == "+" else Variable(a) for a in arguments))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (
            "1: A(X) <= B(X)",
            [LinearTerm(1.0, (atom("A", "X"),)), LinearTerm(-1.0, (atom("B", "X"),))],
        ),
        (
            "1: 2 A(X) + A(X) * 3 - A(X) / 4 <= 0.5 * 2",
            [(2.0, "A"), (3.0, "A"), (-0.25, "A"), (-1.0, "")],
        ),
        ("1: 0.5 + 0.75 * A(X) >= 1", [(0.75, "A"), (-0.5, "")]),
        ("1: (A(X) + B(X)) / 2 = 0", [(0.5, "A"), (0.5, "B")]),
        ("1: 1 - A(X) = -B(X)", [(1.0, "B"), (-1.0, "A"), (1.0, "")]),
        ("1: (1 + 2) A(X) <= 1", [(3.0, "A"), (-1.0, "")]),
        ("1: @Max[1, 3] * A(X) <= @Min(2, 5)", [(3.0, "A"), (-2.0, "")]),
    ],
)
def test_linear_sides(text: str, terms: list[object]) -> None:
    found = arithmetic(text).terms
    if isinstance(terms[0], LinearTerm):
        assert list(found) == terms
    else:
        assert [(t.coefficient, t.atoms[0].predicate if t.atoms else "") for t in found] == terms


def test_products_keep_their_atoms_together() -> None:
    rule = arithmetic("1: Sim(A, B) * Likes(A) * 2 <= Likes(B)")
    assert rule.terms[0] == LinearTerm(2.0, (atom("Sim", "A", "B"), atom("Likes", "A")))


def test_sums_cardinalities_and_filters() -> None:
    rule = arithmetic(
        "1: Knows(A, +B) / |B| >= @Min[1, |B|] {B: Near(A, B) & !(Far(B) | B == 'x')}"
    )
    assert rule.terms == (
        LinearTerm(1.0, (atom("Knows", "A", "+B"),), Calculation("/", 1.0, Cardinality("B"))),
        LinearTerm(-1.0, (), Calculation("min", 1.0, Cardinality("B"))),
    )
    (filter_,) = rule.filters
    far_or_x = Or((atom("Far", "B"), Comparison("=", Variable("B"), Constant("x"))))
    assert filter_.condition == And((atom("Near", "A", "B"), Not(far_or_x)))


def linear_rules(text: str) -> list[LinearRule]:
    rules = clausal_form(parse_psl(text))
    assert all(isinstance(rule, LinearRule) for rule in rules)
    return list(rules)  # type: ignore[arg-type]


def test_a_weighted_equality_is_two_hinges_of_one_template() -> None:
    first, second = linear_rules("3: A(X) = B(X) ^2")
    assert {
        (rule.rule, rule.index, rule.relation, rule.power, rule.weight) for rule in (first, second)
    } == {(0, 0, "<=", 2, 3.0)}
    assert [term.coefficient for term in first.terms] == [1.0, -1.0]
    assert [term.coefficient for term in second.terms] == [-1.0, 1.0]


def test_hard_relations() -> None:
    (equality,) = linear_rules("A(X, +Y) = 1 .")
    assert (equality.hard, equality.relation) == (True, "=")
    (at_least,) = linear_rules("A(X, +Y) >= 1 .")
    assert (at_least.relation, [term.coefficient for term in at_least.terms]) == ("<=", [-1.0, 1.0])


def test_rules_are_told_apart() -> None:
    program = parse_psl(
        "1: A(X) -> B(X) 2: B(X) -> C(X) ^2 C(X) -> D(X) . 3: A(+X) <= 1 {X: B(X)}\n"
        "A(X) = |Y|\n* E(X, +Y) .\n0.5: !A(X)"
    )
    assert [rule.weight.value for rule in program.rules] == [1.0, 2.0, None, 3.0, None, 0.5]
    assert isinstance(program.rules[3], ArithmeticRule)
    assert len(program.rules[3].filters) == 1


def test_types_are_what_rules_join() -> None:
    program = parse_psl(
        "1: Lived(P1, L) & Lived(P2, L) & (P1 != P2) -> Knows(P1, P2)\n1: Likes(P, L) -> Famous(L)"
    )
    assert {name: p.argument_types for name, p in program.predicates.items()} == {
        "Lived": ("p", "l"),
        "Knows": ("p", "p"),
        "Likes": ("p2", "l2"),
        "Famous": ("l2",),
    }
