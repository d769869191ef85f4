"""Hypothesis strategies for formulas and rules, all well typed over a small vocabulary."""

from __future__ import annotations

from hypothesis import strategies as st

from workbench.language.program import (
    ArithmeticRule,
    Calculation,
    Cardinality,
    Filter,
    FormulaRule,
    LinearTerm,
    LogicalRule,
    Weight,
)
from workbench.language.terms import (
    And,
    Apply,
    Atom,
    Comparison,
    Constant,
    Formula,
    FreeSign,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Quantified,
    SumVariable,
    Variable,
)

MLN_DECLARATIONS = (
    "P(t)\nQ(t, t)\n*Rain\nHas(t, t!)\nt Next(t)\nu = {A1, B1}\nn = {1,...,5}\nIn(u?, n)\n"
)

names = st.sampled_from(["x", "y", "z", "x'", "w1", "ä"])
constants = st.builds(
    Constant,
    st.sampled_from(
        ["Ann", "Bob_2", "7", "-3", "1.5e3", "two words", 'quo"te', "a\\b", "Ünal", "", "line\nend"]
    ),
)
variables = st.builds(Variable, names)


def _applications(terms: st.SearchStrategy[object]) -> st.SearchStrategy[Apply]:
    pair = st.tuples(terms, terms)
    return st.one_of(
        st.builds(Apply, st.sampled_from(["+", "-", "*", "/", "%"]), pair),
        st.builds(Apply, st.just("concat"), pair),
        st.builds(Apply, st.sampled_from(["Next", "succ"]), st.tuples(terms)),
    )


terms = st.recursive(st.one_of(variables, constants), _applications, max_leaves=4)
atoms = st.one_of(
    st.builds(Atom, st.just("P"), st.tuples(terms)),
    st.builds(Atom, st.just("Q"), st.tuples(terms, terms)),
    st.just(Atom("Rain", ())),
)
# Every variable of a comparison occurs in P, so that it has a type.
comparisons = st.one_of(
    st.builds(Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), terms, terms),
    st.builds(Comparison, st.sampled_from(["substr", "startsWith"]), terms, terms),
)


def _compounds(formulas: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(formulas, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Not, formulas),
        st.builds(And, several),
        st.builds(Or, several),
        st.builds(Implies, formulas, formulas),
        st.builds(Iff, formulas, formulas),
        st.builds(
            Quantified,
            st.sampled_from(["forall", "exist"]),
            st.lists(names, min_size=1, max_size=2, unique=True).map(tuple),
            formulas,
        ),
    )


formulas = st.recursive(
    st.one_of(atoms, comparisons, st.builds(FreeSign, atoms)), _compounds, max_leaves=6
)
numbers = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False).map(lambda value: value + 0.0)
weights = st.one_of(
    st.builds(Weight, st.sampled_from(["given", "fixed"]), numbers),
    st.just(Weight("hard")),
    st.just(Weight("learn")),
)
formula_rules = st.builds(FormulaRule, formulas, weights, st.booleans())

psl_names = st.sampled_from(["A", "B", "c", "X1"])
psl_constants = st.builds(
    Constant, st.sampled_from(["7", "it's", 'say "x"', "a\\b", "Ünal", "two words"])
)
psl_terms = st.one_of(st.builds(Variable, psl_names), psl_constants)
psl_atoms = st.one_of(
    st.builds(Atom, st.just("Near"), st.tuples(psl_terms, psl_terms)),
    st.builds(Atom, st.just("Warm"), st.tuples(psl_terms)),
)
psl_comparisons = st.builds(
    Comparison, st.sampled_from(["=", "!=", "%", "!%"]), psl_terms, psl_terms
)
psl_literals = st.one_of(st.builds(Literal, psl_atoms, st.booleans()), psl_comparisons)
psl_weights = st.one_of(
    st.builds(Weight, st.just("given"), st.floats(0, 1e6)), st.just(Weight("hard"))
)


@st.composite
def logical_rules(draw: st.DrawFn) -> LogicalRule:
    weight = draw(psl_weights)
    return LogicalRule(
        tuple(draw(st.lists(psl_literals, max_size=3))),
        tuple(draw(st.lists(psl_literals, min_size=1, max_size=3))),
        weight,
        weight.kind != "hard" and draw(st.booleans()),
    )


factors = st.recursive(
    st.builds(Cardinality, st.just("S")),
    lambda inner: st.one_of(
        st.builds(Calculation, st.just("/"), st.just(1.0), inner),
        st.builds(Calculation, st.sampled_from(["min", "max"]), inner, st.floats(1, 9)),
        st.builds(Calculation, st.just("+"), inner, st.floats(1, 9)),
    ),
    max_leaves=3,
)
sum_atoms = st.builds(Atom, st.just("Near"), st.tuples(psl_terms, st.just(SumVariable("S"))))
conditions = st.recursive(
    st.one_of(
        st.builds(Atom, st.just("Warm"), st.tuples(st.just(Variable("S")))),
        st.builds(Comparison, st.sampled_from(["=", "!="]), st.just(Variable("S")), psl_constants),
    ),
    lambda inner: st.one_of(
        st.builds(Not, inner.filter(lambda f: not isinstance(f, Comparison | Not))),
        st.builds(And, st.tuples(inner, inner)),
        st.builds(Or, st.tuples(inner, inner)),
    ),
    max_leaves=4,
)


@st.composite
def arithmetic_rules(draw: st.DrawFn) -> ArithmeticRule:
    """In the order that reading gives: positive terms, negative terms, constant."""
    positive = st.floats(0.01, 100)
    coefficients = [
        *draw(st.lists(positive, max_size=2)),
        *(-c for c in draw(st.lists(positive, max_size=2))),
    ] or [1.0]
    terms = []
    for coefficient in coefficients:
        factor = draw(st.one_of(st.none(), factors))
        terms.append(
            LinearTerm(coefficient, draw(st.tuples(st.one_of(psl_atoms, sum_atoms))), factor)
        )
    summed = any(
        isinstance(argument, SumVariable) for term in terms for argument in term.atoms[0].arguments
    )
    if not summed:
        terms = [LinearTerm(term.coefficient, term.atoms) for term in terms]
    constant = draw(st.sampled_from([0.0, 1.0, -1.0, 0.25]))
    if constant:
        terms.append(LinearTerm(constant))
    weight = draw(psl_weights)
    filters = (Filter("S", draw(conditions)),) if summed and draw(st.booleans()) else ()
    squared = weight.kind != "hard" and draw(st.booleans())
    return ArithmeticRule(
        tuple(terms), draw(st.sampled_from(["<=", ">=", "="])), filters, weight, squared
    )
