"""Every check of a program that needs its declarations, all findings at once."""

from __future__ import annotations

from workbench.errors import Diagnostic
from workbench.language.definitions import check_definitions
from workbench.language.mln.checks import check_formulas
from workbench.language.program import Program
from workbench.language.psl.checks import check_soft_rules
from workbench.language.source import Diagnostics


def check(program: Program) -> tuple[Diagnostic, ...]:
    """Check names, arities, types, quantifiers, bound variables and weights of every rule.

    Errors and warnings in the order of the text; a program read by `parse_mln` or `parse_psl` has
    no errors left. Linear in the size of the program.
    """
    diagnostics = Diagnostics(program.sources)
    if program.language == "mln":
        check_formulas(program, diagnostics)
    else:
        check_soft_rules(program, diagnostics)
    check_definitions(program, diagnostics)
    return diagnostics.sorted()
