"""What a program takes from data once: edges of bins, means, deviations; then written in it.

`+bin(a, 4)` stands for one rule for each quarter of the numbers `a`, `standardised(a)` for `(a -
mean) / deviation`, and `scaled(a)` for `(a - least) / (greatest - least)`. A fitted program has
numbers in it, and means the same on other data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

from workbench.language.bins import BIN
from workbench.language.builtin import FITTED
from workbench.language.formulas import map_parts, map_terms, rule_atoms, rule_comparisons
from workbench.language.printing import format_rule
from workbench.language.program import ArithmeticRule, FormulaRule, LogicalRule, Program, Rule
from workbench.language.rewriting import with_rules
from workbench.language.terms import (
    And,
    Apply,
    Comparison,
    Constant,
    Formula,
    Literal,
    Term,
    Variable,
)
from workbench.language.values import ValueKind, value_text


@dataclass(frozen=True)
class Wanted:
    """Numbers that a rule asks of data.

    Attributes
    ----------
    asked : Comparison or Apply
        `+bin(a, 4)`, `standardised(a)` or `scaled(A)`.
    source : (str, int) or None
        The predicate and place whose numbers the variable takes; None where it stands at no such
        place.
    """

    rule: int
    asked: Comparison | Apply
    variable: str
    source: tuple[str, int] | None


def wanted_of(program: Program) -> Iterator[Wanted]:
    """What the rules of a program ask of data, rule by rule."""
    for number, rule in enumerate(program.rules):
        if isinstance(rule, ArithmeticRule):
            continue
        atoms = tuple(rule_atoms(rule))
        for asked in dict.fromkeys(_asked(rule)):
            term = asked.left if isinstance(asked, Comparison) else asked.arguments[0]
            name = term.name if isinstance(term, Variable) else ""
            places = (
                (atom.predicate, place)
                for atom in atoms
                for place, (argument, kind) in enumerate(
                    zip(atom.arguments, program.predicates[atom.predicate].kinds)
                )
                if isinstance(argument, Variable)
                and argument.name == name
                and kind is ValueKind.NUMBER
            )
            yield Wanted(number, asked, name, next(places, None))


def _asked(rule: Rule) -> Iterator[Comparison | Apply]:
    for comparison in rule_comparisons(rule):
        if comparison.operator.removeprefix("!") == BIN:
            yield replace(comparison, operator=BIN)
        for term in (comparison.left, comparison.right):
            yield from _fitted_terms(term)
    if rule.weight.factor is not None:
        yield from _fitted_terms(rule.weight.factor)


def _fitted_terms(term: Term) -> Iterator[Apply]:
    if isinstance(term, Apply):
        if term.function in FITTED and len(term.arguments) == 1:
            yield term
        for argument in term.arguments:
            yield from _fitted_terms(argument)


def fitted_text(program: Program, numbers_of: Callable[[Wanted], Sequence[float]]) -> str:
    """The text of the program with the numbers that its rules ask of data.

    `numbers_of`: edges between bins, ascending; or mean and deviation; or least and greatest.
    """
    asked: dict[int, list[Wanted]] = {}
    for wanted in wanted_of(program):
        asked.setdefault(wanted.rule, []).append(wanted)
    lines = {}
    for number, mine in asked.items():
        rule = program.rules[number]
        terms = {
            one.asked: _shifted(one.asked, numbers_of(one))
            for one in mine
            if isinstance(one.asked, Apply)
        }
        rule = _with_terms(rule, terms)
        bins = [one for one in mine if isinstance(one.asked, Comparison)]
        cut = [tuple(_intervals(one, numbers_of(one))) for one in bins]
        chosen = (dict(zip((one.asked for one in bins), tests)) for tests in product(*cut))
        lines[number] = "\n".join(format_rule(_with_tests(rule, tests)) for tests in chosen)
    return with_rules(program, lines) if lines else program.text


def _number(value: float) -> Constant:
    return Constant(value_text(value))


def _shifted(asked: Apply, numbers: Sequence[float]) -> Term:
    """`scaled(a, least, greatest)`, `standardised(a, mean, deviation)`."""
    return replace(asked, arguments=(asked.arguments[0], *map(_number, numbers)))


def _intervals(wanted: Wanted, edges: Sequence[float]) -> Iterator[tuple[Comparison, ...]]:
    """`a < e1`, `a >= e1 ^ a < e2`, ..., `a >= ek`."""
    variable = Variable(wanted.variable)
    for low, high in pairwise((None, *edges, None)):
        above = () if low is None else (Comparison(">=", variable, _number(low)),)
        below = () if high is None else (Comparison("<", variable, _number(high)),)
        yield (*above, *below)


def _with_terms(rule: Rule, terms: Mapping[Apply, Term]) -> Rule:
    def change(term: Term) -> Term:
        if isinstance(term, Apply):
            return terms.get(term) or replace(term, arguments=tuple(map(change, term.arguments)))
        return term

    if isinstance(rule, FormulaRule):
        factor = None if rule.weight.factor is None else change(rule.weight.factor)
        weight = replace(rule.weight, factor=factor)
        return replace(rule, formula=map_terms(rule.formula, change), weight=weight)
    if not isinstance(rule, LogicalRule):
        return rule

    def item(old: Literal | Comparison) -> Literal | Comparison:
        return (
            replace(old, left=change(old.left), right=change(old.right))
            if isinstance(old, Comparison)
            else old
        )

    return replace(rule, body=tuple(map(item, rule.body)), head=tuple(map(item, rule.head)))


def _with_tests(rule: Rule, tests: dict[Comparison | Apply, tuple[Comparison, ...]]) -> Rule:
    if isinstance(rule, FormulaRule):
        return replace(rule, formula=_tested(rule.formula, tests))
    assert isinstance(rule, LogicalRule)
    body: list[Literal | Comparison] = []
    for item in rule.body:
        body += tests.get(item, (item,)) if isinstance(item, Comparison) else (item,)
    return replace(rule, body=tuple(body))


def _tested(formula: Formula, tests: dict[Comparison | Apply, tuple[Comparison, ...]]) -> Formula:
    if isinstance(formula, Comparison):
        found = tests.get(formula, (formula,))
        return found[0] if len(found) == 1 else And(found)
    if isinstance(formula, And):
        parts = (_tested(item, tests) for item in formula.items)
        return And(
            tuple(
                one for part in parts for one in (part.items if isinstance(part, And) else (part,))
            )
        )
    return map_parts(formula, lambda part: _tested(part, tests))
