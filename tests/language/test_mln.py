"""Alchemy's input, construct by construct."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import InputError
from workbench.language import check, clausal_form, format_program, parse_mln, read_program
from workbench.language.clauses import Clause
from workbench.language.program import FormulaRule, Weight

BASE = "Smokes(person)\nCancer(person)\nFriends(person, person)\n"


def only_rule(text: str) -> FormulaRule:
    (rule,) = parse_mln(BASE + text).rules
    assert isinstance(rule, FormulaRule)
    return rule


def printed(text: str) -> str:
    """The formula as it was understood: parentheses show the precedence."""
    return format_program(parse_mln(BASE + text)).splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("!Smokes(x) ^ Cancer(x) v Smokes(y)", "(!Smokes(x) ^ Cancer(x)) v Smokes(y)"),
        ("Smokes(x) v Cancer(x) ^ Smokes(y)", "Smokes(x) v (Cancer(x) ^ Smokes(y))"),
        ("Smokes(x) => Cancer(x) => Smokes(y)", "(Smokes(x) => Cancer(x)) => Smokes(y)"),
        ("Smokes(x) => Cancer(x) <=> Smokes(y)", "(Smokes(x) => Cancer(x)) <=> Smokes(y)"),
        ("EXIST y Friends(x,y) ^ Smokes(y)", "EXIST y (Friends(x,y) ^ Smokes(y))"),
        (
            "Smokes(x) => EXIST y Friends(x,y) v Cancer(y)",
            "Smokes(x) => (EXIST y (Friends(x,y) v Cancer(y)))",
        ),
        ("exist y Friends(x,y)", "EXIST y Friends(x,y)"),
        ("Forall x,y Friends(x,y)", "FORALL x,y Friends(x,y)"),
        ("!EXIST y Friends(x,y)", "!(EXIST y Friends(x,y))"),
        ("!(x = y) v Friends(x,y)", "!(x = y) v Friends(x, y)"),
        ("greaterThan(x, y) v Friends(x,y)", "x > y v Friends(x,y)"),
    ],
)
def test_precedence(text: str, meant: str) -> None:
    assert parse_mln(BASE + text).rules == parse_mln(BASE + meant).rules


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("1.5 Smokes(x)", Weight("given", 1.5)),
        ("-2e-1 Smokes(x)", Weight("given", -0.2)),
        ("+3 Smokes(x)", Weight("given", 3.0)),
        (".5: Smokes(x)", Weight("given", 0.5)),
        ("@1.5 Smokes(x)", Weight("fixed", 1.5)),
        ("Smokes(x) v Cancer(x).", Weight("hard")),
        ("Smokes(x) v Cancer(x)", Weight("learn")),
        ("2 *Smokes(x)", Weight("given", 2.0)),
        ("w: !Friends(x, w) v Smokes(x)", Weight("variable", None, "w")),
    ],
)
def test_weights(text: str, weight: Weight) -> None:
    assert only_rule(text).weight == weight


def test_declarations() -> None:
    program = parse_mln(
        """
        // types
        throw = {1,...,20}
        person = { Anna, "Bob the builder", carl, -3 }   /* quoted, bare
        and negative */
        Outcome(throw, face!)
        Position(person, place?)
        *Rated(person, person)
        person MotherOf(person)
        Rain
        Sun()
        1 Rain => Sun
        """
    )
    assert program.types["throw"].constants[-1] == "20"
    assert program.types["person"].constants == ("Anna", "Bob the builder", "carl", "-3")
    assert program.predicates["Outcome"].exactly_one == (1,)
    assert program.predicates["Position"].at_most_one == (1,)
    assert program.predicates["Rated"].closed is True
    assert program.predicates["Rain"].arity == program.predicates["Sun"].arity == 0
    assert program.functions["MotherOf"].return_type == "person"
    assert set(program.types) == {"throw", "person", "face", "place"}


def test_lines_go_on_after_and_before_operators() -> None:
    program = parse_mln(
        BASE + "1 Smokes(x) ^\n  Friends(x,y)\n  => Smokes(y)\n2 Cancer(\n  x)\n\n3 Smokes(x)"
    )
    assert [rule.weight.value for rule in program.rules] == [1.0, 2.0, 3.0]


def test_names_may_have_primes_and_any_script() -> None:
    program = parse_mln("Größe(mensch, zahl)\n1 Größe(x', 5) v Größe(Jürgen, 6) v Größe(張三, 7)")
    (clause,) = clausal_form(program)
    assert isinstance(clause, Clause)
    assert clause.variable_types == (("x'", "mensch"),)


def test_quoted_and_bare_constants_are_the_same() -> None:
    assert only_rule('1 Smokes("Ann")').formula == only_rule("1 Smokes(Ann)").formula


def test_a_weight_from_data() -> None:
    program = parse_mln("Sim(doc, doc, score)\nSame(doc, doc)\nw: !Sim(x, y, w) v Same(x, y)")
    assert program.predicates["Sim"].value_last
    (clause,) = clausal_form(program)
    assert isinstance(clause, Clause)
    assert (clause.weight_variable, clause.fixed, clause.weight) == ("w", True, None)
    assert clause.variable_types == (("x", "doc"), ("y", "doc"))


def test_functions_become_definitions() -> None:
    (clause,) = clausal_form(
        parse_mln("n = {1,...,9}\nIn(n)\nn F(n)\n1 In(F(succ(i))) => In(i + 1)")
    )
    assert isinstance(clause, Clause)
    assert [(d.function, d.type_name) for d in clause.function_values] == [
        ("succ", "n"),
        ("F", "n"),
        ("+", "n"),
    ]
    assert clause.variable_types == (("i", "n"),)


def test_includes(tmp_path: Path) -> None:
    (tmp_path / "base.mln").write_text(BASE, encoding="utf-8")
    main = tmp_path / "main.mln"
    main.write_text(
        '#include "base.mln"\n#include "base.mln"\n1 Smokes(x) => Cancer(x)\n', encoding="utf-8"
    )
    assert len(read_program(main).rules) == 1


def test_an_include_that_includes_itself_is_read_once(tmp_path: Path) -> None:
    main = tmp_path / "main.mln"
    main.write_text(f'{BASE}#include "main.mln"\n1 Smokes(x)\n', encoding="utf-8")
    assert len(read_program(main).rules) == 1


def test_errors_of_included_files_point_into_them(tmp_path: Path) -> None:
    (tmp_path / "base.mln").write_text(BASE + "1 Smoke(x)\n1 P(x", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        parse_mln(
            '#include "base.mln"\n#include "none.mln"\n#include "code.cpp"', directory=tmp_path
        )
    found = [(d.code, Path(d.span.source or "").name) for d in caught.value.diagnostics if d.span]
    assert found == [("E0114", ""), ("E0113", ""), ("E0104", "base.mln"), ("E0103", "base.mln")]


def test_a_second_declaration_is_a_formula_with_a_warning() -> None:
    program = parse_mln("Smokes(person)\nSmokes(person)")
    assert len(program.rules) == 1
    assert [d.code for d in check(program)] == ["E0116"]


def test_an_indivisible_formula_of_one_clause_is_accepted() -> None:
    program = parse_mln(BASE + "2 [Smokes(x) => Cancer(x)]")
    assert len(clausal_form(program)) == 1
    with pytest.raises(InputError, match="indivisible"):
        clausal_form(parse_mln(BASE + "2 [Smokes(x) <=> Cancer(x)]"))


def test_an_empty_program_is_a_program() -> None:
    assert (
        parse_mln("").rules
        == parse_mln("\ufeff".removeprefix("\ufeff") + "// nothing\n").rules
        == ()
    )


def test_thousands_of_rules_are_read() -> None:
    text = BASE + "".join(
        f"{i}.5 Smokes(A{i}) ^ Friends(A{i},x) => Smokes(x)\n" for i in range(3_000)
    )
    assert len(parse_mln(text).rules) == 3_000
