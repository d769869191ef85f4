"""Checks of Markov logic: names, types, constants, quantifiers, `+` and weight variables."""

from __future__ import annotations

from workbench.language.formulas import (
    formula_atoms,
    formula_parts,
    formula_terms,
    term_variables,
    variable_names,
)
from workbench.language.program import FormulaRule, Program
from workbench.language.source import Diagnostics
from workbench.language.terms import Constant, Formula, Quantified, Variable
from workbench.language.values import ValueKind, parse_value
from workbench.language.variable_types import infer_types


def check_formulas(program: Program, diagnostics: Diagnostics) -> None:
    """Report what is wrong with the formulas of a Markov logic program."""
    constants = _Constants(program, diagnostics)
    for rule in program.rules:
        assert isinstance(rule, FormulaRule)
        untyped = frozenset([rule.weight.variable]) if rule.weight.variable else frozenset()
        found = infer_types(rule.formula, program, untyped)
        diagnostics.add_problems(found.problems, rule.span)
        for uses, joins in ((found.constants, True), (found.compared, False)):
            for constant, type_name in uses:
                kind = program.kind_of(type_name)
                if kind is None:
                    constants.check(constant, type_name, joins=joins)
                elif parse_value(kind, constant.name) is None:
                    diagnostics.add(
                        "E0158", f"{constant.name} is no {kind}", constant.span, VALUE_HELP[kind]
                    )
        constants.check_variables(rule.formula, found.variables)
        _check_quantifiers(rule, rule.formula, frozenset(), diagnostics)
        _check_weight_variable(rule, diagnostics)
        _check_factor(rule, program, found.variables, diagnostics)
        _check_rereading(rule, program, diagnostics)


VALUE_HELP = {
    ValueKind.NUMBER: "write a number such as 30 or 0.5",
    ValueKind.DATE: 'write it as "2020-01-31", or "2020-01-31 10:20:30"',
    ValueKind.TEXT: None,
}


class _Constants:
    """Which constants are declared for which type."""

    def __init__(self, program: Program, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self.members = {type_.name: frozenset(type_.constants) for type_ in program.types.values()}
        self.type_of = {
            name: type_.name for type_ in program.types.values() for name in type_.constants
        }

    def check(self, constant: Constant, type_name: str, *, joins: bool) -> None:
        """A constant of another type is an error; an undeclared one joins it, with a warning.

        A constant that is only compared does not join (`joins` is False).
        """
        members = self.members.get(type_name, frozenset())
        if constant.name in members:
            return
        other = self.type_of.get(constant.name)
        if other is not None:
            self.diagnostics.add(
                "E0107",
                f"{constant.name} is a constant of type {other}, and one of type {type_name} is "
                "expected here",
                constant.span,
                f"add it to `{type_name} = {{...}}` if it belongs to both",
            )
        elif members and joins:
            self.diagnostics.add(
                "E0117",
                f"{constant.name} is not among the constants declared for {type_name} and joins "
                "them",
                constant.span,
                f"add it to `{type_name} = {{...}}`, or correct its spelling",
                "warning",
            )

    def check_variables(self, formula: Formula, types: dict[str, str]) -> None:
        """Warn of a variable that differs from a constant of its type in
        its first letter's case alone.
        """
        for term in formula_terms(formula):
            for variable in term_variables(term):
                capital = variable.name[:1].upper() + variable.name[1:]
                if len(capital) > 1 and capital in self.members.get(
                    types.get(variable.name, ""), frozenset()
                ):
                    self.diagnostics.add(
                        "E0128",
                        f"{variable.name} is a variable, since it starts with a small letter",
                        variable.span,
                        f"write {capital} for the constant",
                        "warning",
                    )


def _check_quantifiers(
    rule: FormulaRule, formula: Formula, bound: frozenset[str], diagnostics: Diagnostics
) -> None:
    if isinstance(formula, Quantified):
        used = variable_names(formula_terms(formula.body))
        for name in formula.variables:
            if name not in used:
                diagnostics.add(
                    "E0125",
                    f"the quantified variable {name} is not used",
                    rule.span,
                    severity="warning",
                )
        bound |= set(formula.variables)
    parts = formula_parts(formula)
    for part in parts:
        _check_quantifiers(rule, part, bound, diagnostics)
    if bound and not parts:
        for variable in (
            variable for term in formula_terms(formula) for variable in term_variables(term)
        ):
            if variable.plus and variable.name in bound:
                diagnostics.add(
                    "E0119",
                    f"{variable.name} is quantified, so it cannot have one weight per constant",
                    variable.span,
                    "drop the `+`, or the quantifier",
                )


def _check_weight_variable(rule: FormulaRule, diagnostics: Diagnostics) -> None:
    name = rule.weight.variable
    if name is None:
        return
    places = [
        (atom, position)
        for atom in formula_atoms(rule.formula)
        for position, argument in enumerate(atom.arguments)
        if any(variable.name == name for variable in term_variables(argument))
    ]
    for atom, position in places:
        if position != len(atom.arguments) - 1 or not isinstance(
            atom.arguments[position], Variable
        ):
            diagnostics.add(
                "E0118",
                f"the weight {name} must be the last argument of an atom",
                atom.span,
                f"as in `{name}: !Similar(x, y, {name}) v Same(x, y)`",
            )
    if len(places) != 1:
        times = "nowhere" if not places else f"in {len(places)} atoms"
        diagnostics.add(
            "E0118",
            f"the weight {name} stands {times} in the formula, and must stand in exactly one",
            rule.span,
            f"as in `{name}: !Similar(x, y, {name}) v Same(x, y)`",
        )


def _check_factor(
    rule: FormulaRule, program: Program, types: dict[str, str], diagnostics: Diagnostics
) -> None:
    """The number that a weight is multiplied by is of numbers, dates and texts of the formula."""
    if rule.weight.factor is None:
        return
    for variable in term_variables(rule.weight.factor):
        if variable.name not in types or program.kind_of(types[variable.name]) is None:
            diagnostics.add(
                "E0157",
                f"the weight is multiplied by {variable.name}, which is no number of the formula",
                variable.span,
                f"as in `1.2 * {variable.name}: Age(x, {variable.name}) => Old(x)`, with "
                "Age(person, number)",
            )


def _check_rereading(rule: FormulaRule, program: Program, diagnostics: Diagnostics) -> None:
    """Warn where `Smokes(person)` stands a second time, as a formula of a variable person."""
    atoms = list(formula_atoms(rule.formula))
    if rule.weight.kind != "learn" or rule.formula not in atoms or not atoms[0].arguments:
        return
    predicate = program.predicates.get(atoms[0].predicate)
    names = tuple(
        argument.name for argument in atoms[0].arguments if isinstance(argument, Variable)
    )
    if predicate is not None and names == predicate.argument_types:
        diagnostics.add(
            "E0116",
            f"{predicate.name} is declared already, so this is read as a formula without a weight",
            rule.span,
            "delete the second declaration",
            "warning",
        )
