"""Checks of probabilistic soft logic: bound variables, sums, filters, equal rules."""

from __future__ import annotations

from collections.abc import Iterator, Set

from workbench.errors import Span
from workbench.language.formulas import formula_terms, term_variables
from workbench.language.program import (
    ArithmeticRule,
    Calculation,
    Cardinality,
    Factor,
    FormulaRule,
    LogicalRule,
    Program,
)
from workbench.language.source import Diagnostics
from workbench.language.terms import (
    Atom,
    Comparison,
    Constant,
    Literal,
    SumVariable,
    Term,
    Variable,
)


def check_soft_rules(program: Program, diagnostics: Diagnostics) -> None:
    """Report what is wrong with the rules of a PSL program."""
    seen: dict[LogicalRule | ArithmeticRule, Span | None] = {}
    for rule in program.rules:
        assert not isinstance(rule, FormulaRule)
        if isinstance(rule, LogicalRule):
            _check_logical(rule, diagnostics)
        else:
            _check_arithmetic(rule, diagnostics)
        if rule in seen:
            first = seen[rule]
            where = f" (line {first.line})" if first else ""
            diagnostics.add(
                "E0126",
                f"this rule stands twice{where}, and both count",
                rule.span,
                severity="warning",
            )
        seen.setdefault(rule, rule.span)
        _check_negative(rule, diagnostics)


def _check_negative(rule: LogicalRule | ArithmeticRule, diagnostics: Diagnostics) -> None:
    if rule.weight.value is not None and rule.weight.value < 0:
        diagnostics.add(
            "E0120",
            f"the weight {rule.weight.value} is negative",
            rule.span,
            "negate the rule instead: `A -> !B`",
        )


def _check_logical(rule: LogicalRule, diagnostics: Diagnostics) -> None:
    """Each variable needs an atom that binds it: positive in the body or negated in the head."""
    literals = [(item, True) for item in rule.body] + [(item, False) for item in rule.head]
    binding = [
        item.atom
        for item, in_body in literals
        if isinstance(item, Literal) and item.positive == in_body
    ]
    others = [
        item.atom
        for item, in_body in literals
        if isinstance(item, Literal) and item.positive != in_body
    ]
    if not binding and len(others) == 1:
        binding = others
    bound = {variable.name for atom in binding for variable in _variables(atom.arguments)}
    reported: set[str] = set()
    for item, _ in literals:
        terms = item.atom.arguments if isinstance(item, Literal) else (item.left, item.right)
        for variable in _variables(terms):
            if variable.name not in bound and variable.name not in reported:
                reported.add(variable.name)
                diagnostics.add(
                    "E0110",
                    f"nothing binds the variable {variable.name}",
                    variable.span or rule.span,
                    "let it stand in a positive atom of the body (or a negated one of the head)",
                )
    for item, _ in literals:
        if (
            isinstance(item, Comparison)
            and isinstance(item.left, Constant)
            and isinstance(item.right, Constant)
        ):
            diagnostics.add("E0127", "this compares two constants", item.span, severity="warning")


def _check_arithmetic(rule: ArithmeticRule, diagnostics: Diagnostics) -> None:
    atoms = [atom for term in rule.terms for atom in term.atoms]
    summed = {a.name for atom in atoms for a in atom.arguments if isinstance(a, SumVariable)}
    plain = {variable.name: variable for atom in atoms for variable in _variables(atom.arguments)}
    for name in summed & plain.keys():
        diagnostics.add(
            "E0122",
            f"{name} is summed over in one atom and not in another",
            plain[name].span or rule.span,
            "give one of them another name",
        )
    for name in sorted(summed):
        _check_one_sum(name, atoms, rule, diagnostics)
    counted = {name for term in rule.terms for name in _cardinalities(term.factor)}
    for name in counted - summed:
        diagnostics.add(
            "E0122",
            f"|{name}| counts a summation variable, and no atom has +{name}",
            rule.span,
            f"write +{name} there",
        )
    _check_filters(rule, summed, plain.keys(), diagnostics)


def _check_one_sum(
    name: str, atoms: list[Atom], rule: ArithmeticRule, diagnostics: Diagnostics
) -> None:
    places = [
        atom for atom in atoms for argument in atom.arguments if argument == SumVariable(name)
    ]
    if len(places) > 1:
        predicates = ", ".join(dict.fromkeys(atom.predicate for atom in places))
        diagnostics.add(
            "E0122",
            f"+{name} is summed over in several atoms ({predicates})",
            places[1].span or rule.span,
            "a summation variable belongs to one atom: give each its own",
        )


def _check_filters(
    rule: ArithmeticRule, summed: Set[str], plain: Set[str], diagnostics: Diagnostics
) -> None:
    """Filters are one each, on what is summed over, by conditions on what stands in atoms."""
    filtered: set[str] = set()
    for filter_ in rule.filters:
        name = filter_.variable
        if name not in summed:
            diagnostics.add(
                "E0122",
                f"the filter is on {name}, which is no summation variable of this rule",
                rule.span,
                f"write +{name} in an atom" if name in plain else None,
            )
        elif name in filtered:
            diagnostics.add(
                "E0122",
                f"{name} has two filters",
                rule.span,
                "join their conditions by & into one",
            )
        filtered.add(name)
        for variable in _variables(formula_terms(filter_.condition)):
            if variable.name not in summed and variable.name not in plain:
                diagnostics.add(
                    "E0122",
                    f"the filter uses {variable.name}, which stands in no atom of the rule",
                    variable.span or rule.span,
                )


def _variables(terms: Iterator[Term] | tuple[Term, ...]) -> Iterator[Variable]:
    for term in terms:
        yield from term_variables(term)


def _cardinalities(factor: Factor | None) -> Iterator[str]:
    if isinstance(factor, Cardinality):
        yield factor.variable
    elif isinstance(factor, Calculation):
        yield from _cardinalities(factor.left)
        yield from _cardinalities(factor.right)
