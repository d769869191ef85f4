"""The types of a formula's variables and constants, from the declarations of what they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.errors import Span, nearest
from workbench.language.builtin import DATE_OF, FITTED, FUNCTIONS, STRING_FUNCTIONS, VALUE_FUNCTIONS
from workbench.language.formulas import formula_parts, term_variables
from workbench.language.program import Aggregate, Condition, Program
from workbench.language.source import Problem
from workbench.language.terms import (
    Apply,
    Atom,
    Comparison,
    Constant,
    Formula,
    FreeSign,
    Literal,
    Quantified,
    SumVariable,
    Term,
    Variable,
)
from workbench.language.type_cells import ANY, Cell, TypeCells, dated

__all__ = ["FormulaTypes", "infer_condition_types", "infer_types"]


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
    problems: list[Problem] = field(default_factory=list)


def infer_types(
    formula: Formula, program: Program, untyped: frozenset[str] = frozenset()
) -> FormulaTypes:
    """Give every variable of `formula` the type of the arguments it stands in.

    `untyped` names variables that need no type (a weight variable). Linear in the size of the
    formula.
    """
    inference = _Inference(program)
    environment: dict[str, int] = {}
    inference.formula(formula, environment)
    return inference.finish(untyped)


def infer_condition_types(
    head: Atom | None, conditions: Sequence[Condition], program: Program, *, partial: bool = False
) -> FormulaTypes:
    """The types of the variables of a definition or scope.

    With `partial`, predicates that are not declared (yet) say nothing of their arguments, and a
    variable that nothing gives a type is left out.
    """
    inference = _Inference(program, partial)
    environment: dict[str, int] = {}
    if head is not None:
        inference.atom(head, environment)
    inference.conditions(conditions, environment)
    return inference.finish(frozenset(environment) if partial else frozenset(["$now"]))


class _Inference:
    def __init__(self, program: Program, partial: bool = False) -> None:
        self.program = program
        self.partial = partial
        self.deferred: list[tuple[Term, dict[str, int], str | None, str]] = []
        self.later: list[tuple[Comparison, dict[str, int]]] = []
        self.found = FormulaTypes()
        self.cells = TypeCells(self.found.problems)
        self.compared: list[tuple[Constant, Cell]] = []

    def finish(self, untyped: frozenset[str]) -> FormulaTypes:
        # What is computed has a type of its own once the variables in it have theirs, which atoms
        # give.
        for term, environment, type_name, where in self.deferred:
            self.computed(term, environment, type_name, where)
        for comparison, environment in self.later:
            self.compare(comparison, environment)
        for cell in self.cells.cells:
            root = cell.root()
            if root.type_name is not None:
                self.found.variables[cell.name] = root.type_name
            elif cell.name not in untyped:
                self.problem(
                    "E0110",
                    f"nothing gives the variable {cell.name} a type",
                    cell.span,
                    UNTYPED_HELP,
                )
        for constant, cell in self.compared:
            type_name = cell.root().type_name
            if type_name is not None:
                self.found.compared.append((constant, type_name))
        return self.found

    def problem(self, code: str, message: str, span: Span | None, help: str | None = None) -> None:
        self.found.problems.append(Problem(code, message, span, help))

    def formula(self, node: Formula, environment: dict[str, int]) -> None:
        match node:
            case Atom():
                self.atom(node, environment)
            case FreeSign(atom):
                self.atom(atom, environment)
            case Comparison():
                self.comparison(node, environment)
            case Quantified(_, variables, body):
                inner = {
                    name: index for name, index in environment.items() if name not in variables
                }
                self.formula(body, inner)
                environment.update(
                    {name: index for name, index in inner.items() if name not in variables}
                )
            case _:
                for part in formula_parts(node):
                    self.formula(part, environment)

    def atom(self, atom: Atom, environment: dict[str, int]) -> None:
        predicate = self.program.predicates.get(atom.predicate)
        if predicate is None:
            if not self.partial:
                self.unknown(atom.predicate, "predicate", self.program.predicates, atom.span)
            for argument in atom.arguments:
                if self.partial:
                    self.meet(argument, environment)
                else:
                    self.visit(argument, environment)
            return
        if predicate.arity != len(atom.arguments):
            self.arity(atom.predicate, predicate.argument_types, len(atom.arguments), atom.span)
        for position, (argument, type_name) in enumerate(
            zip(atom.arguments, predicate.argument_types), 1
        ):
            self.expect(
                argument, type_name, f"argument {position} of {atom.predicate}", environment
            )

    def conditions(self, conditions: Sequence[Condition], environment: dict[str, int]) -> None:
        for condition in conditions:
            match condition:
                case Literal(atom):
                    self.atom(atom, environment)
                case Comparison():
                    self.comparison(condition, environment)
                case Aggregate(variable, function, of, body, among, span):
                    self.conditions((*body, *among), environment)
                    self.cells.variable(variable, span, environment)
                    for term in of:
                        self.meet(term, environment)
                    result: Term = of[0] if function in SAME_TYPE else Constant("0")
                    if function in SAME_TYPE:
                        self.later.append(
                            (
                                Comparison("=", Variable(variable, span=span), result, span),
                                environment,
                            )
                        )
                    else:
                        self.cells.assign(
                            self.cells.variable(variable, span, environment),
                            "number",
                            f"the {function}",
                            span,
                        )

    def comparison(self, node: Comparison, environment: dict[str, int]) -> None:
        self.meet(node.left, environment)
        self.meet(node.right, environment)
        self.later.append((node, environment))

    def meet(self, term: Term, environment: dict[str, int]) -> None:
        for variable in term_variables(term):
            self.cells.variable(variable.name, variable.span, environment)

    def computed(
        self, term: Term, environment: dict[str, int], type_name: str | None, where: str
    ) -> None:
        cell = self.cell_of(term, environment)
        if cell is not None and type_name is not None:
            self.cells.assign(cell, type_name, where, getattr(term, "span", None))

    def compare(self, node: Comparison, environment: dict[str, int]) -> None:
        sides = [dated(self.cell_of(side, environment)) for side in (node.left, node.right)]
        equates = node.operator in EQUALITY
        for cell, other in zip(sides, (node.right, node.left)):
            if (
                cell is not None
                and isinstance(other, Constant)
                and (equates or self.value_kind(cell))
            ):
                self.compared.append((other, cell))
        if sides[0] is not None and sides[1] is not None:
            self.cells.unify(sides[0], sides[1], node.span)

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
        """The type of what is computed from numbers, dates and texts;
        None where constants of a domain are meant.
        """
        if self.program.kind_of("number") is None:
            return None
        if term.function in VALUE_FUNCTIONS:
            cells = [self.cell_of(argument, environment) for argument in term.arguments]
            if term.function == DATE_OF:
                return "date"
            for cell in cells:
                dated(cell)
            return "number"
        kinds = [self.kind(argument, environment) for argument in term.arguments]
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
        """Meet the variables of a term about whose type nothing is known,
        so that no second message is given.
        """
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
        close = nearest(name[:80], known)
        help = f"did you mean {close}?" if close else f"declare it first: {DECLARING[what]}"
        self.problem("E0104", f"there is no {what} {name}", span, help)

    def arity(self, name: str, declared: tuple[str, ...], given: int, span: Span | None) -> None:
        plural = "argument" if len(declared) == 1 else "arguments"
        help = f"declared as {name}({', '.join(declared)})" if all(declared) else None
        self.problem(
            "E0105", f"{name} takes {len(declared)} {plural} and is given {given}", span, help
        )


EQUALITY = ("=", "!=")
SAME_TYPE = ("min", "max", "latest")
"""Aggregates whose result is of the type of what they are taken of."""
UNTYPED_HELP = "let it stand in an argument of a declared predicate or function"
DECLARING = {"predicate": "Name(type, type)", "function": "type name(type)"}
