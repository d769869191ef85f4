"""What is printed reads back as the same program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus.test_corpus import REFUSED, programs
from tests.language.clause_text import format_clause
from tests.language.strategies import (
    MLN_DECLARATIONS,
    arithmetic_rules,
    formula_rules,
    logical_rules,
)
from workbench.language import clausal_form, format_program, parse_mln, parse_psl, read_program
from workbench.language.mln.parsing import mln_statements
from workbench.language.program import FormulaRule, Program
from workbench.language.psl.parsing import psl_statements

MLN = parse_mln(MLN_DECLARATIONS)


@settings(max_examples=200, deadline=None)
@given(st.lists(formula_rules, min_size=1, max_size=3))
def test_markov_logic_round_trip(rules: list[FormulaRule]) -> None:
    program = replace(MLN, rules=tuple(rules))
    read = [
        item for _, item in mln_statements(format_program(program)) if isinstance(item, FormulaRule)
    ]
    assert tuple(read) == program.rules


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(logical_rules(), arithmetic_rules()), min_size=1, max_size=3))
def test_soft_logic_round_trip(rules: list[object]) -> None:
    program = Program("psl", {}, {}, {}, tuple(rules))  # type: ignore[arg-type]
    assert tuple(item for _, item in psl_statements(format_program(program))) == program.rules


@pytest.mark.parametrize(
    "path",
    [p for p in programs(".mln", ".psl") if p.name not in REFUSED],
    ids=lambda path: path.name,
)
def test_the_corpus_round_trips(path: Path) -> None:
    program = read_program(path)
    parse = parse_mln if program.language == "mln" else parse_psl
    assert parse(format_program(program)) == program


@pytest.mark.parametrize(
    ("rule", "printed"),
    [
        ("1.50 P(x)^Q(x,y)=>P(y)", "1.5 !P(x) v !Q(x, y) v P(y)"),
        ("P(Next(x)) v x != Ann.", "P(Next(x)) v x != Ann."),
        ("EXIST y Q(x,y)", "EXIST y Q(x, y)"),
        ("2 P(x) ^ Q(x,x)", "-2 !P(x) v !Q(x, x)"),
    ],
)
def test_clauses_are_printed_as_logic(rule: str, printed: str) -> None:
    (clause,) = clausal_form(parse_mln(MLN_DECLARATIONS + rule))
    assert format_clause(clause) == printed


@pytest.mark.parametrize(
    ("rule", "printed"),
    [
        ("1: A(X) && (X != Y) & B(X,Y) >> C(Y) ^2", ["1: A(X) & B(X, Y) -> C(Y) | (X == Y) ^2"]),
        ("B(X,+Y) <= 1 .", ["B(X, +Y) <= 1 ."]),
        ("2: B(X,Y) = B(Y,X)", ["2: B(X, Y) <= B(Y, X)", "2: B(Y, X) <= B(X, Y)"]),
        ("0.5: ~A(X)", ["0.5: !A(X)"]),
    ],
)
def test_soft_logic_clauses_are_printed_as_rules(rule: str, printed: list[str]) -> None:
    assert [format_clause(clause) for clause in clausal_form(parse_psl(rule))] == printed
