"""Printing PSL rules; reading what is printed gives the same rule."""

from __future__ import annotations

from workbench.language.notation import TIGHTNESS, Notation
from workbench.language.program import (
    ArithmeticRule,
    Calculation,
    Cardinality,
    Factor,
    LinearTerm,
    LogicalRule,
    Weight,
)
from workbench.language.terms import And, Atom, Comparison, Constant, Formula, Not, Or

ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"})
OPERATORS = {"=": "==", "!=": "!=", "%": "%", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def psl_number(value: float) -> str:
    """The shortest text that reads back as `value`."""
    return repr(float(value))


def format_psl_rule(rule: LogicalRule | ArithmeticRule) -> str:
    """A rule on one line: weight, rule, exponent or full stop, filters."""
    exponent = " ^2" if rule.squared else ""
    if isinstance(rule, LogicalRule):
        head = " | ".join(PSL.item(item) for item in rule.head)
        text = (
            f"{' & '.join(PSL.item(item) for item in rule.body)} -> {head}" if rule.body else head
        )
        return _weighted(text, rule.weight, exponent)
    filters = "".join(f" {{{f.variable}: {_condition(f.condition, 0)}}}" for f in rule.filters)
    return _weighted(format_linear(rule.terms, rule.relation), rule.weight, exponent) + filters


def _weighted(text: str, weight: Weight, exponent: str) -> str:
    if weight.kind == "hard":
        return f"{text} ."
    return f"{psl_number(weight.value or 0.0)}: {text}{exponent}"


def _comparison(notation: Notation, comparison: Comparison) -> str:
    """`(A != B)`, with `!` in front where `%` is negated."""
    left, right = notation.term(comparison.left), comparison.right
    if comparison.operator == "+bin":
        return (
            f"+bin({left}, {right.name if isinstance(right, Constant) else notation.term(right)})"
        )
    if comparison.operator.endswith("~"):
        return f"{comparison.operator.removesuffix('~')}{left}"
    sign = "!" if comparison.operator == "!%" else ""
    operator = OPERATORS[comparison.operator.removeprefix(sign)]
    return f"{sign}({left} {operator} {notation.term(right)})"


def _in_definitions(notation: Notation, comparison: Comparison) -> str:
    if comparison.operator not in ("=", "<", "<=", ">", ">="):
        return _comparison(notation, comparison)
    return (
        f"{notation.term(comparison.left)} {comparison.operator} {notation.term(comparison.right)}"
    )


PSL = Notation(
    " & ",
    " .",
    lambda name: f"'{name.translate(ESCAPES)}'",
    _comparison,
    _in_definitions,
    bare_atoms=False,
)
"""How soft logic is written."""


def _condition(formula: Formula, around: int) -> str:
    match formula:
        case Atom():
            return PSL.atom(formula)
        case Comparison():
            return PSL.item(formula)
        case Not(body):
            return "!" + (
                f"({_condition(body, 0)})" if isinstance(body, And | Or) else _condition(body, 3)
            )
        case And(items) | Or(items):
            tightness, sign = (2, " & ") if isinstance(formula, And) else (1, " | ")
            text = sign.join(_condition(item, tightness + 1) for item in items)
            return f"({text})" if tightness < around else text
    raise TypeError(type(formula).__name__)


def format_linear(terms: tuple[LinearTerm, ...], relation: str) -> str:
    """`terms relation 0` with its negative terms and its number on the right side."""
    left = [term for term in terms if term.atoms and term.coefficient > 0]
    left += [
        term
        for term in terms
        if not term.atoms and term.factor is not None and term.coefficient > 0
    ]
    right = [term for term in terms if term.atoms and term.coefficient <= 0]
    right += [
        term
        for term in terms
        if not term.atoms and term.factor is not None and term.coefficient <= 0
    ]
    number = sum(term.coefficient for term in terms if not term.atoms and term.factor is None)
    sides = [" + ".join(_linear_term(term, 1.0) for term in left) or "0"]
    texts = [_linear_term(term, -1.0) for term in right]
    if number or not texts:
        sides.append(" + ".join([*texts, _plain(-number)]).replace("+ -", "- "))
    else:
        sides.append(" + ".join(texts))
    return f" {relation} ".join(sides)


def _plain(value: float) -> str:
    return repr(float(value) + 0.0).removesuffix(".0")


def _linear_term(term: LinearTerm, sign: float) -> str:
    parts = [PSL.atom(atom) for atom in term.atoms]
    if term.factor is not None:
        parts.insert(0, _factor(term.factor, 2))
    coefficient = sign * term.coefficient
    if coefficient != 1.0 or not parts:
        parts.insert(0, _plain(coefficient))
    return " * ".join(parts)


def _factor(factor: Factor, around: int) -> str:
    match factor:
        case Cardinality(variable):
            return f"|{variable}|"
        case Calculation("min" | "max" as operator, left, right):
            return f"@{operator.capitalize()}[{_factor(left, 0)}, {_factor(right, 0)}]"
        case Calculation(operator, left, right):
            tightness = TIGHTNESS[operator]
            text = f"{_factor(left, tightness)} {operator} {_factor(right, tightness + 1)}"
            return f"({text})" if tightness < around else text
    assert isinstance(factor, float)
    return _plain(factor)
