"""Blank lines: what they separate, and that any number of them is one step."""

from __future__ import annotations

import pytest

from workbench.language import parse_mln, parse_psl
from workbench.language.mln.parsing import GRAMMAR as MLN
from workbench.language.psl.parsing import GRAMMAR as PSL


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n  \t\r\n\n", "\n" * 1000])
def test_rules_end_where_their_lines_end_whatever_the_gap(gap: str) -> None:
    program = parse_mln(f"P(t){gap}Q(t){gap}1 P(x){gap}2 Q(x) ^{gap}P(x){gap}")
    assert [rule.text.split()[0] for rule in program.rules] == ["1", "2"]
    assert program.rules[1].span is not None
    assert program.rules[1].span.line == 1 + 3 * gap.count("\n")
    assert len(parse_psl(f"1: P(X) -> Q(X){gap}2: Q(X){gap}-> R(X){gap}").rules) == 2


def test_an_open_parenthesis_goes_on_over_one_end_of_line_only() -> None:
    assert len(parse_mln("P(t)\nQ(t)\n1 P(x) => (Q(x)\n   v P(x))").rules) == 1


@pytest.mark.parametrize("grammar", [MLN, PSL])
def test_blank_lines_are_one_token(grammar) -> None:  # type: ignore[no-untyped-def]
    tokens = list(grammar.parser.lex("A\n \n\t\n\n" + "\n" * 100_000 + "  B"))
    assert [token.type for token in tokens] == ["NAME", "NEWLINE", "NAME"]
    assert tokens[2].line == 100_005
