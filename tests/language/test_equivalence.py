"""Clausal form and the translation to PSL keep the meaning, by enumeration of every state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.language.interpreter import (
    bindings,
    clause_bindings,
    clause_holds,
    ground_atoms,
    holds,
    satisfied_weight,
    soft_energy,
    states,
)
from workbench.errors import InputError
from workbench.language import check, clausal_form, format_program, parse_mln, parse_psl
from workbench.language.clauses import Clause
from workbench.language.declarations import Type
from workbench.language.formulas import formula_terms, term_variables
from workbench.language.mln_to_psl import mln_to_psl
from workbench.language.program import FormulaRule, Program, Weight
from workbench.language.terms import (
    And,
    Atom,
    Comparison,
    Constant,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Variable,
)

BASE = parse_mln("P(t)\nQ(t, t)\nR\n")
DOMAINS = {"t": ("A", "B")}
ATOMS = ground_atoms(BASE, DOMAINS)

names = st.sampled_from(["x", "y"])
terms = st.one_of(st.builds(Variable, names), st.builds(Constant, st.sampled_from(["A", "B"])))
leaves = st.one_of(
    st.builds(Atom, st.just("P"), st.tuples(terms)),
    st.builds(Atom, st.just("Q"), st.tuples(terms, terms)),
    st.just(Atom("R", ())),
)
tests = st.builds(Comparison, st.sampled_from(["=", "!="]), st.builds(Variable, names), terms)


def compounds(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    pair = st.tuples(inner, inner)
    quantified = st.builds(
        Quantified, st.sampled_from(["forall", "exist"]), st.tuples(names), inner
    )
    return st.one_of(
        st.builds(Not, inner),
        st.builds(And, pair),
        st.builds(Or, pair),
        st.builds(Implies, inner, inner),
        st.builds(Iff, inner, inner),
        quantified,
    )


formulas = st.recursive(st.one_of(leaves, leaves, tests), compounds, max_leaves=4)


def free_variables(formula: Formula) -> list[str]:
    match formula:
        case Quantified(_, variables, body):
            return [name for name in free_variables(body) if name not in variables]
        case Not(body):
            return free_variables(body)
        case And(items) | Or(items):
            return list(dict.fromkeys(name for item in items for name in free_variables(item)))
        case Implies(left, right) | Iff(left, right):
            return list(dict.fromkeys([*free_variables(left), *free_variables(right)]))
    return list(
        dict.fromkeys(v.name for term in formula_terms(formula) for v in term_variables(term))
    )


def clauses_of(formula: Formula, weight: Weight) -> list[Clause]:
    program = replace(BASE, rules=(FormulaRule(formula, weight),))
    assume(not any(diagnostic.severity == "error" for diagnostic in check(program)))
    try:
        return list(clausal_form(program, DOMAINS, limit=300))  # type: ignore[arg-type]
    except InputError:
        assume(False)
        raise


@settings(max_examples=150, deadline=None)
@given(formulas)
def test_a_hard_formula_holds_where_its_clauses_do(formula: Formula) -> None:
    clauses = clauses_of(formula, Weight("hard"))
    free = [(name, "t") for name in free_variables(formula)]
    for state in list(states(ATOMS))[::5]:
        meant = all(
            holds(formula, state, binding, DOMAINS["t"]) for binding in bindings(free, DOMAINS)
        )
        found = all(
            clause_holds(clause, state, binding, DOMAINS)
            for clause in clauses
            for binding in clause_bindings(clause, DOMAINS)
        )
        assert meant == found


WEIGHTED = """
1.5 P(x) ^ Q(x,y) => P(y)
-2 P(x) v Q(x,y) v Q(y,x)
0.7 P(x) <=> R
2 P(x) ^ Q(x,x)
-1 P(x) ^ x != y => Q(x,y)
3 EXIST y Q(x,y)
1 P(x) v (EXIST y !Q(x,y))
2.5 P(A) ^ Q(x,y) ^ (R v P(x))
-0.5 R
R => P(B).
"""


def same_differences(program: Program) -> None:
    """The translation, printed and read again, costs the same on every state, up to a constant."""
    translation = mln_to_psl(program)
    again = parse_psl(format_program(translation.program))
    assert again.rules == translation.program.rules
    clauses = [clause for clause in clausal_form(program, DOMAINS) if isinstance(clause, Clause)]
    domain_facts = {
        (name, constant): True for name in translation.domains.values() for constant in DOMAINS["t"]
    }
    domains = dict.fromkeys(translation.program.types, DOMAINS["t"])
    constants = []
    for state in states(ATOMS):
        logic = satisfied_weight(clauses, state, DOMAINS)
        soft = soft_energy(translation.program, {**state, **domain_facts}, domains)
        assert (logic is None) == (soft is None)
        if logic is not None and soft is not None:
            constants.append(logic + soft)
    assert np.ptp(constants or [0.0]) <= 1e-9


@pytest.mark.parametrize("text", [*WEIGHTED.split("\n")[1:-1], WEIGHTED])
def test_the_translation_to_soft_logic_keeps_differences_of_energy(text: str) -> None:
    same_differences(parse_mln("t = {A, B}\nP(t)\nQ(t, t)\nR\n" + text))


weights = st.one_of(
    st.just(Weight("hard")), st.builds(Weight, st.just("given"), st.floats(-3, 3, width=16))
)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.builds(FormulaRule, formulas, weights), min_size=1, max_size=3))
def test_the_translation_of_random_programs_keeps_them(rules: list[FormulaRule]) -> None:
    program = replace(BASE, rules=tuple(rules), types={"t": Type("t", DOMAINS["t"])})
    assume(not any(diagnostic.severity == "error" for diagnostic in check(program)))
    try:
        mln_to_psl(program)
    except InputError:
        assume(False)
    same_differences(program)


def test_blocks_become_hard_sums() -> None:
    program = parse_mln("Has(t, u!)\nMay(t, u?)\n")
    assert (
        format_program(mln_to_psl(program).program) == "Has(X0, +Y1) = 1 .\nMay(X0, +Y1) <= 1 .\n"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("t M(t)\n1 P(M(x))", "a function has no PSL rule"),
        ("P(x) ^ Q(x,y)", "no weight yet"),
        ("-1 EXIST y Q(x,y)", "under a negative weight"),
        ("1 P(x) ^ x < y => P(y)", "order or string comparison"),
    ],
)
def test_what_soft_logic_cannot_say_is_declined(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        mln_to_psl(parse_mln("P(t)\nQ(t, t)\n" + text))
    assert caught.value.diagnostics[0].code == "E0129"
    assert words in caught.value.diagnostics[0].message


def test_each_atom_sums_over_a_name_of_its_own() -> None:
    program = mln_to_psl(
        parse_mln("P(t)\nQ(t, t)\n2 EXIST x (P(x) v Q(x, y) v !Q(y, x))\n")
    ).program
    assert format_program(program) == "2.0: P(+X) + Q(+X2, Y) + |X3| >= Q(Y, +X3) + 1\n"
