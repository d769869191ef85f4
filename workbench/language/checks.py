"""Every check of a program that needs its declarations, all findings at once."""

from __future__ import annotations

from workbench.errors import Diagnostic
from workbench.language.program import FormulaRule, Program
from workbench.language.source import Diagnostics
from workbench.language.variable_types import infer_types

__all__ = ["check"]


def check(program: Program) -> tuple[Diagnostic, ...]:
    """Check names, arities, types, quantifiers and weights of every rule.

    Returns
    -------
    tuple of Diagnostic
        Errors and warnings in the order of the text; empty when there is nothing to say. A program read by
        `parse_mln` or `parse_psl` has no errors left. Linear in the size of the program.
    """
    diagnostics = Diagnostics(program.sources)
    declared = {
        constant: type_.name for type_ in program.types.values() if type_.constants for constant in type_.constants
    }
    members = {type_.name: frozenset(type_.constants) for type_ in program.types.values()}
    for rule in program.rules:
        if not isinstance(rule, FormulaRule):
            continue
        untyped = frozenset([rule.weight.variable]) if rule.weight.variable else frozenset()
        found = infer_types(rule.formula, program, untyped)
        for problem in found.problems:
            diagnostics.add(problem.code, problem.message, problem.span or rule.span, problem.help)
        for constant, type_name in found.constants:
            if constant.name in members[type_name]:
                continue
            if constant.name in declared and not members[type_name]:
                diagnostics.add(
                    "E0107",
                    f"{constant.name} is a constant of type {declared[constant.name]}, and a {type_name} stands here",
                    constant.span,
                )
            elif members[type_name]:
                other = declared.get(constant.name)
                if other:
                    diagnostics.add(
                        "E0107",
                        f"{constant.name} is a constant of type {other}, and a {type_name} stands here",
                        constant.span,
                    )
                else:
                    diagnostics.add(
                        "E0117",
                        f"{constant.name} is not among the constants declared for {type_name} and joins them",
                        constant.span,
                        severity="warning",
                    )
    return diagnostics.sorted()
