"""The types of a formula's variables and constants, from the declarations of what they stand in."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.language.formulas import formula_parts
from workbench.language.program import Aggregate, Condition, Program
from workbench.language.term_types import FormulaTypes, TermTypes
from workbench.language.terms import (
    Atom,
    Comparison,
    Constant,
    Formula,
    FreeSign,
    Literal,
    Quantified,
    Term,
    Variable,
)
from workbench.language.type_cells import dated


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


class _Inference(TermTypes):
    """The types of one formula, or of the conditions of a definition or scope."""

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


EQUALITY = ("=", "!=")
SAME_TYPE = ("min", "max", "latest")
"""Aggregates whose result is of the type of what they are taken of."""
UNTYPED_HELP = "let it stand in an argument of a declared predicate or function"
