"""The types of a formula's variables and constants, from the declarations of what they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.errors import Span, nearest
from workbench.language.asked_dates import ASKED_DATE
from workbench.language.builtin import DATE_OF, FITTED, FUNCTIONS, STRING_FUNCTIONS, VALUE_FUNCTIONS
from workbench.language.formulas import term_variables
from workbench.language.program import (
    Aggregate,
    And,
    Apply,
    Atom,
    Comparison,
    Condition,
    Constant,
    Formula,
    FreeSign,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Program,
    Quantified,
    SumVariable,
    Term,
    Variable,
)
from workbench.language.source import Problem

__all__ = ["FormulaTypes", "infer_condition_types", "infer_types"]


@dataclass
class FormulaTypes:
    """What `infer_types` finds.

    Attributes
    ----------
    variables : dict of variable name to type name
        In order of first occurrence. Where an inner quantifier repeats a name, the last one counts: rename first.
    constants : list of (Constant, type name)
        Those that stand in arguments: they belong to the type.
    compared : list of (Constant, type name)
        Those that a variable of the type is tested to equal.
    problems : list of Problem
    """

    variables: dict[str, str] = field(default_factory=dict)
    constants: list[tuple[Constant, str]] = field(default_factory=list)
    compared: list[tuple[Constant, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def infer_types(formula: Formula, program: Program, untyped: frozenset[str] = frozenset()) -> FormulaTypes:
    """Give every variable of `formula` the type of the arguments it stands in.

    `untyped` names variables that need no type (a weight variable). Linear in the size of the formula.
    """
    inference = _Inference(program)
    environment: dict[str, int] = {}
    inference.formula(formula, environment)
    return inference.finish(untyped)


def infer_condition_types(
    head: Atom | None, conditions: Sequence[Condition], program: Program, *, partial: bool = False
) -> FormulaTypes:
    """The types of the variables of a definition or scope.

    With `partial`, predicates that are not declared (yet) say nothing of their arguments, and a variable that nothing
    gives a type is left out.
    """
    inference = _Inference(program, partial)
    environment: dict[str, int] = {}
    if head is not None:
        inference.atom(head, environment)
    inference.conditions(conditions, environment)
    return inference.finish(frozenset(environment) if partial else frozenset(["$now"]))


@dataclass
class _Cell:
    """A set of variables known to share a type."""

    name: str
    span: Span | None
    type_name: str | None = None
    where: str = ""
    parent: _Cell | None = None

    def root(self) -> _Cell:
        cell = self
        while cell.parent is not None:
            cell = cell.parent
        return cell


class _Inference:
    def __init__(self, program: Program, partial: bool = False) -> None:
        self.program = program
        self.partial = partial
        self.deferred: list[tuple[Term, dict[str, int], str | None, str]] = []
        self.later: list[tuple[Comparison, dict[str, int]]] = []
        self.found = FormulaTypes()
        self.cells: list[_Cell] = []
        self.compared: list[tuple[Constant, _Cell]] = []

    def finish(self, untyped: frozenset[str]) -> FormulaTypes:
        # What is computed has a type of its own once the variables in it have theirs, which atoms give.
        for term, environment, type_name, where in self.deferred:
            self.computed(term, environment, type_name, where)
        for comparison, environment in self.later:
            self.compare(comparison, environment)
        for cell in self.cells:
            root = cell.root()
            if root.type_name is not None:
                self.found.variables[cell.name] = root.type_name
            elif cell.name not in untyped:
                self.problem("E0110", f"nothing gives the variable {cell.name} a type", cell.span, UNTYPED_HELP)
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
            case Not(body):
                self.formula(body, environment)
            case And(items) | Or(items):
                for item in items:
                    self.formula(item, environment)
            case Implies(left, right) | Iff(left, right):
                self.formula(left, environment)
                self.formula(right, environment)
            case Quantified(_, variables, body):
                inner = {name: index for name, index in environment.items() if name not in variables}
                self.formula(body, inner)
                environment.update({name: index for name, index in inner.items() if name not in variables})

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
        for position, (argument, type_name) in enumerate(zip(atom.arguments, predicate.argument_types), 1):
            self.expect(argument, type_name, f"argument {position} of {atom.predicate}", environment)

    def conditions(self, conditions: Sequence[Condition], environment: dict[str, int]) -> None:
        for condition in conditions:
            match condition:
                case Literal(atom):
                    self.atom(atom, environment)
                case Comparison():
                    self.comparison(condition, environment)
                case Aggregate(variable, function, of, body, among, span):
                    self.conditions((*body, *among), environment)
                    self.variable(variable, span, environment)
                    for term in of:
                        self.meet(term, environment)
                    result: Term = of[0] if function in SAME_TYPE else Constant("0")
                    if function in SAME_TYPE:
                        self.later.append((Comparison("=", Variable(variable, span=span), result, span), environment))
                    else:
                        self.assign(self.variable(variable, span, environment), "number", f"the {function}", span)

    def comparison(self, node: Comparison, environment: dict[str, int]) -> None:
        self.meet(node.left, environment)
        self.meet(node.right, environment)
        self.later.append((node, environment))

    def meet(self, term: Term, environment: dict[str, int]) -> None:
        for variable in term_variables(term):
            self.variable(variable.name, variable.span, environment)

    def computed(self, term: Term, environment: dict[str, int], type_name: str | None, where: str) -> None:
        cell = self.cell_of(term, environment)
        if cell is not None and type_name is not None:
            self.assign(cell, type_name, where, getattr(term, "span", None))

    def compare(self, node: Comparison, environment: dict[str, int]) -> None:
        sides = [self.dated(self.cell_of(side, environment)) for side in (node.left, node.right)]
        for cell, other in zip(sides, (node.right, node.left)):
            if cell is not None and isinstance(other, Constant) and (node.operator in EQUALITY or self.is_value(cell)):
                self.compared.append((other, cell))
        if sides[0] is not None and sides[1] is not None:
            self.unify(sides[0], sides[1], node.span)

    def cell_of(self, term: Term, environment: dict[str, int]) -> _Cell | None:
        """The cell of a term's type; None where any type will do."""
        match term:
            case Variable("$now", _, span):
                return _Cell("$now", span, "date", "the time asked about")
            case Variable(name, _, span):
                return self.variable(name, span, environment)
            case Apply(function, arguments, span) if function in self.program.functions:
                cell = _Cell(function, span, self.program.functions[function].return_type, f"the value of {function}")
                self.arguments(term, environment)
                return cell
            case Apply(function, arguments, span) if function in FUNCTIONS:
                self.check_arity(term, len(arguments))
                value_type = self.value_type(term, environment)
                if value_type is not None:
                    return _Cell(f"`{function}`", span, value_type, f"the value of {function}")
                cells = [self.cell_of(argument, environment) for argument in arguments]
                if function in STRING_FUNCTIONS:
                    return None
                known = [cell for cell in cells if cell is not None]
                for cell in known[1:]:
                    self.unify(known[0], cell, span)
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
        """The type of what is computed from numbers, dates and texts; None where constants of a domain are meant."""
        if self.program.kind_of("number") is None:
            return None
        if term.function in VALUE_FUNCTIONS:
            cells = [self.cell_of(argument, environment) for argument in term.arguments]
            if term.function == DATE_OF:
                return "date"
            for cell in cells:
                self.dated(cell)
            return "number"
        kinds = [self.kind(argument, environment) for argument in term.arguments]
        if not any(kinds) or term.function in STRING_FUNCTIONS:
            return None
        dates = sum(kind == "date" for kind in kinds)
        if "text" in kinds or (dates and term.function not in ("+", "-", "min", "max")):
            named = "text" if "text" in kinds else "date"
            self.problem("E0106", f"`{term.function}` computes with numbers, and this is a {named}", term.span)
        return "date" if dates == 1 or (dates == 2 and term.function != "-") else "number"

    def dated(self, cell: _Cell | None) -> _Cell | None:
        """The cell; that of an asked date, which is compared or computed with here, is of a date."""
        if cell is not None and cell.root().type_name == ASKED_DATE:
            cell.root().type_name = "date"
        return cell

    def is_value(self, cell: _Cell) -> bool:
        type_name = cell.root().type_name
        return type_name is not None and self.program.kind_of(type_name) is not None

    def kind(self, term: Term, environment: dict[str, int]) -> str | None:
        cell = self.dated(self.cell_of(term, environment)) if not isinstance(term, Constant) else None
        type_name = cell.root().type_name if cell is not None else None
        return type_name if type_name is not None and self.program.kind_of(type_name) is not None else None

    def visit(self, term: Term, environment: dict[str, int]) -> None:
        """Meet the variables of a term about whose type nothing is known, so that no second message is given."""
        match term:
            case Variable(name, _, span):
                cell = self.variable(name, span, environment).root()
                cell.type_name = cell.type_name or ANY
            case Apply(_, arguments):
                for argument in arguments:
                    self.visit(argument, environment)

    def expect(self, term: Term, type_name: str, where: str, environment: dict[str, int]) -> None:
        match term:
            case Variable(name, _, span) | SumVariable(name, span):
                self.assign(self.variable(name, span, environment), type_name, where, span)
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

    def variable(self, name: str, span: Span | None, environment: dict[str, int]) -> _Cell:
        if name not in environment:
            environment[name] = len(self.cells)
            self.cells.append(_Cell(name, span))
        return self.cells[environment[name]]

    def assign(self, cell: _Cell, type_name: str, where: str, span: Span | None) -> None:
        root = cell.root()
        if root.type_name is None or root.type_name == ANY:
            root.type_name, root.where = type_name, where
        elif {root.type_name, type_name} == ASKED:
            root.type_name = "date"
        elif root.type_name != type_name:
            self.clash(cell, root, type_name, where, span)

    def unify(self, left: _Cell, right: _Cell, span: Span | None) -> None:
        one, other = left.root(), right.root()
        if one is other:
            return
        names = {one.type_name, other.type_name} - {None, ANY}
        if names == ASKED:
            one.type_name = other.type_name = "date"
        elif len(names) == 2:
            self.clash(left, one, str(other.type_name), other.where, span)
            return
        if one.type_name is None or one.type_name == ANY:
            one, other = other, one
        other.parent = one

    def clash(self, cell: _Cell, root: _Cell, type_name: str, where: str, span: Span | None) -> None:
        self.problem(
            "E0106",
            f"{cell.name} is used with two types: {root.type_name} ({root.where}) and {type_name} ({where})",
            span,
            "use two variables, or give both arguments one type in their declarations",
        )

    def unknown(self, name: str, what: str, known: Iterable[str], span: Span | None) -> None:
        close = nearest(name[:80], known)
        help = f"did you mean {close}?" if close else f"declare it first: {DECLARING[what]}"
        self.problem("E0104", f"there is no {what} {name}", span, help)

    def arity(self, name: str, declared: tuple[str, ...], given: int, span: Span | None) -> None:
        plural = "argument" if len(declared) == 1 else "arguments"
        help = f"declared as {name}({', '.join(declared)})" if all(declared) else None
        self.problem("E0105", f"{name} takes {len(declared)} {plural} and is given {given}", span, help)


ANY = "?"
ASKED = {ASKED_DATE, "date"}
"""What an asked atom's date is: a date where the rule does more with it than ask."""
EQUALITY = ("=", "!=")
SAME_TYPE = ("min", "max", "latest")
"""Aggregates whose result is of the type of what they are taken of."""
UNTYPED_HELP = "let it stand in an argument of a declared predicate or function"
DECLARING = {"predicate": "Name(type, type)", "function": "type name(type)"}
