"""A program's text with some of its rules replaced, and everything else as its author wrote it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from workbench.language.mln.parsing import mln_statements
from workbench.language.printing import (
    format_formula,
    format_number,
    format_program,
    format_rule,
    with_weight,
)
from workbench.language.program import (
    ArithmeticRule,
    FormulaRule,
    LogicalRule,
    Program,
    Rule,
    Weight,
)
from workbench.language.psl.parsing import psl_statements
from workbench.language.statements import Statement
from workbench.language.terms import Apply, Constant

DIGITS = 10

_WEIGHT = re.compile(r"\s*@?[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*:?\s*")
_FACTOR = re.compile(
    r"\s*@?(?:w|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*\*(?P<rest>[^:]*:.*)", re.DOTALL
)


def rule_text(rule: Rule) -> str:
    """A rule as its author wrote it, without the number before it; a factor of the weight stays."""
    if rule.weight.factor is not None:
        found = _FACTOR.match(rule.text)
        return found["rest"].strip() if found else rule.text
    found = _WEIGHT.match(rule.text) if rule.weight.kind in ("given", "fixed") else None
    if found:
        return rule.text[found.end() :]
    if not rule.text and isinstance(rule, FormulaRule):
        return format_formula(rule.formula)
    return rule.text


def rule_line(rule: Rule, weight: float, text: str | None = None) -> str:
    """A rule as it was written, or in the words `text`, with another weight."""
    rounded = float(f"{weight:.{DIGITS}g}")
    given = replace(
        rule.weight, kind="fixed" if rule.weight.kind == "fixed" else "given", value=rounded
    )
    if isinstance(rule, LogicalRule | ArithmeticRule):
        return format_rule(replace(rule, weight=given))
    if (
        isinstance(given.factor, Apply)
        and given.factor.function == "standardised"
        and len(given.factor.arguments) == 3
    ):
        return with_weight(format_formula(rule.formula), _in_its_unit(weight, given))
    if text is None and rule.text:
        body = rule_text(rule)
        factor = rule.weight.factor is not None
        return f"{format_number(rounded)} * {body}" if factor else with_weight(body, given)
    body = format_formula(rule.formula) if text is None else text
    if rule.indivisible:
        body = f"[{body}]"
    elif body[0] in "-+." or body[0].isdigit():
        body = f"({body})"
    return with_weight(body, given)


def _in_its_unit(weight: float, given: Weight) -> Weight:
    """`w * standardised(a, mean, sd)` as `w / sd * (a - mean)`: what a year, or euro, weighs."""
    assert isinstance(given.factor, Apply)
    number, mean, deviation = given.factor.arguments
    assert isinstance(deviation, Constant)
    value = float(f"{weight / float(deviation.name):.{DIGITS}g}")
    return replace(given, value=value, factor=Apply("-", (number, mean)))


def with_rules(program: Program, lines: Mapping[int, str]) -> str:
    """The text of a program in which the statement of rule `number` reads `lines[number]`.

    Comments, blank lines, declarations and order stay. A program made of several files, or of none,
    is printed in canonical form first.
    """
    text = program.text if len(program.sources) <= 1 else ""
    places = _places(program, text) if text else []
    if len(places) != len(program.rules):
        text = format_program(program)
        places = _places(program, text)
    pieces, position = [], 0
    for number, statement in enumerate(places):
        if number in lines:
            pieces += [text[position : statement.start], lines[number]]
            position = statement.stop
    return "".join([*pieces, text[position:]]).rstrip("\n") + "\n"


def _places(program: Program, text: str) -> list[Statement]:
    if program.language == "psl":
        return [
            place
            for place, item in psl_statements(text)
            if isinstance(item, LogicalRule | ArithmeticRule)
        ]
    return [place for place, item in mln_statements(text) if isinstance(item, FormulaRule)]
