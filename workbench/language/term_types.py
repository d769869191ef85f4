"""The types that terms have, or get from where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench.errors import Diagnostic, Span, did_you_mean
from workbench.language.builtin import DATE_OF, FITTED, FUNCTIONS, STRING_FUNCTIONS, VALUE_FUNCTIONS
from workbench.language.formulas import term_variables
from workbench.language.program import Program
from workbench.language.terms import Apply, Comparison, Constant, SumVariable, Term, Variable
from workbench.language.type_cells import ANY, Cell, TypeCells, dated
from workbench.language.values import date_as_written

DECLARING = {"predicate": "Name(type, type)", "function": "type name(type)"}


@dataclass
class FormulaTypes:
    """What `infer_types` finds.

    Attributes
    ----------
    variables : dict of variable name to type name
        In order of first occurrence. Where an inner quantifier repeats a name, the last one counts:
        rename first.
    constants : list of (Constant, type name)
        Those that stand in arguments: they belong to the type.
    compared : list of (Constant, type name)
        Those that a variable of the type is tested to equal.
    """

    variables: dict[str, str] = field(default_factory=dict)
    constants: list[tuple[Constant, str]] = field(default_factory=list)
    compared: list[tuple[Constant, str]] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)


class TermTypes:
    """What is known of the terms of a formula, gathered as its parts are met."""

    def __init__(self, program: Program, partial: bool = False) -> None:
        self.program = program
        self.partial = partial
        self.deferred: list[tuple[Term, dict[str, int], str | None, str]] = []
        self.later: list[tuple[Comparison, dict[str, int]]] = []
        self.found = FormulaTypes()
        self.cells = TypeCells(self.found.problems)
        self.compared: list[tuple[Constant, Cell]] = []

    def problem(
        self,
        code: str,
        message: str,
        span: Span | None,
        help: str | None = None,
        subject: str | None = None,
    ) -> None:
        self.found.problems.append(Diagnostic(code, message, span, help, subject=subject))

    def meet(self, term: Term, environment: dict[str, int]) -> None:
        for variable in term_variables(term):
            self.cells.variable(variable.name, variable.span, environment)

    def cell_of(self, term: Term, environment: dict[str, int]) -> Cell | None:
        """The cell of a term's type; None where any type will do."""
        match term:
            case Variable("$now", _, span):
                return Cell("$now", span, "date", "the time asked about")
            case Variable(name, _, span):
                return self.cells.variable(name, span, environment)
            case Apply(function, arguments, span) if function in self.program.functions:
                cell = Cell(
                    function,
                    span,
                    self.program.functions[function].return_type,
                    f"the value of {function}",
                )
                self.arguments(term, environment)
                return cell
            case Apply(function, arguments, span) if function in FUNCTIONS:
                self.check_arity(term, len(arguments))
                value_type = self.value_type(term, environment)
                if value_type is not None:
                    return Cell(f"`{function}`", span, value_type, f"the value of {function}")
                cells = [self.cell_of(argument, environment) for argument in arguments]
                if function in STRING_FUNCTIONS:
                    return None
                known = [cell for cell in cells if cell is not None]
                for cell in known[1:]:
                    self.cells.unify(known[0], cell, span)
                return known[0] if known else None
            case Apply(function, arguments, span):
                if function in self.program.predicates:
                    self.problem(
                        "E0104",
                        f"{function} is a predicate, and a term is expected here",
                        span,
                        "formulas are joined by => and <=>; = < <= > >= compare terms",
                    )
                else:
                    self.unknown(function, "function", [*self.program.functions, *FUNCTIONS], span)
                for argument in arguments:
                    self.visit(argument, environment)
        return None

    def value_type(self, term: Apply, environment: dict[str, int]) -> str | None:
        """The type of what numbers, dates and texts give; None where constants are meant."""
        if self.program.kind_of("number") is None:
            return None
        if term.function in VALUE_FUNCTIONS:
            cells = [self.cell_of(argument, environment) for argument in term.arguments]
            if term.function == DATE_OF:
                return "date"
            for cell in cells:
                dated(cell)
            return "number"
        kinds = [
            self.kind(argument, environment) or date_as_written(term.function, argument)
            for argument in term.arguments
        ]
        if not any(kinds) or term.function in STRING_FUNCTIONS:
            return None
        dates = sum(kind == "date" for kind in kinds)
        if "text" in kinds or (dates and term.function not in ("+", "-", "min", "max")):
            named = "text" if "text" in kinds else "date"
            self.problem(
                "E0106",
                f"`{term.function}` computes with numbers, and this is a {named}",
                term.span,
            )
        return "date" if dates == 1 or (dates == 2 and term.function != "-") else "number"

    def value_kind(self, cell: Cell | None) -> str | None:
        """The type of a cell of numbers, dates or texts; None of any other."""
        type_name = None if cell is None else cell.root().type_name
        return (
            type_name
            if type_name is not None and self.program.kind_of(type_name) is not None
            else None
        )

    def kind(self, term: Term, environment: dict[str, int]) -> str | None:
        return self.value_kind(
            None if isinstance(term, Constant) else dated(self.cell_of(term, environment))
        )

    def visit(self, term: Term, environment: dict[str, int]) -> None:
        """Meet a term's variables of unknown type, so that no second message is given."""
        match term:
            case Variable(name, _, span):
                cell = self.cells.variable(name, span, environment).root()
                cell.type_name = cell.type_name or ANY
            case Apply(_, arguments):
                for argument in arguments:
                    self.visit(argument, environment)

    def expect(self, term: Term, type_name: str, where: str, environment: dict[str, int]) -> None:
        match term:
            case Variable(name, _, span) | SumVariable(name, span):
                self.cells.assign(
                    self.cells.variable(name, span, environment), type_name, where, span
                )
            case Constant():
                self.found.constants.append((term, type_name))
            case Apply():
                self.meet(term, environment)
                self.deferred.append((term, environment, type_name, where))

    def arguments(self, term: Apply, environment: dict[str, int]) -> None:
        declared = self.program.functions[term.function].argument_types
        if len(declared) != len(term.arguments):
            self.arity(term.function, declared, len(term.arguments), term.span)
        for position, (argument, type_name) in enumerate(zip(term.arguments, declared), 1):
            self.expect(argument, type_name, f"argument {position} of {term.function}", environment)

    def check_arity(self, term: Apply, given: int) -> None:
        if FUNCTIONS[term.function] != given and not (term.function in FITTED and given == 3):
            self.arity(term.function, ("",) * FUNCTIONS[term.function], given, term.span)

    def unknown(self, name: str, what: str, known: Iterable[str], span: Span | None) -> None:
        help = did_you_mean(name[:80], known, f"declare it first: {DECLARING[what]}")
        self.problem("E0104", f"there is no {what} {name}", span, help, subject=name)

    def arity(self, name: str, declared: tuple[str, ...], given: int, span: Span | None) -> None:
        plural = "argument" if len(declared) == 1 else "arguments"
        help = f"declared as {name}({', '.join(declared)})" if all(declared) else None
        self.problem(
            "E0105", f"{name} takes {len(declared)} {plural} and is given {given}", span, help
        )
