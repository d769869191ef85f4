"""Function terms taken out of clauses: each becomes a variable that stands for its value."""

from __future__ import annotations

from dataclasses import replace

from workbench.language.clauses import FunctionValue
from workbench.language.program import Program
from workbench.language.renaming import fresh_name
from workbench.language.terms import Apply, Constant, Term, Variable


class Flattening:
    """Function terms taken out of a clause: each becomes a variable, equal ones the same."""

    def __init__(self, program: Program, taken: set[str]) -> None:
        self.program = program
        self.taken = taken
        self.found: dict[Apply, FunctionValue] = {}

    def simple(self, term: Term, place: str | None) -> Variable | Constant:
        """The term itself, or the variable for its value; `place` is the type wanted there."""
        if isinstance(term, Variable):
            return replace(term, plus=False) if term.plus else term
        if isinstance(term, Constant):
            return term
        assert isinstance(term, Apply)
        if place is not None and self.program.kind_of(place) is not None:
            place = None
        function = self.program.functions.get(term.function)
        wanted = function.argument_types if function else (None,) * len(term.arguments)
        arguments = tuple(
            [self.simple(argument, type_) for argument, type_ in zip(term.arguments, wanted)]
        )
        value_type = function.return_type if function else place
        known = self.found.get(term)
        if known is None or (known.type_name is None and value_type is not None):
            variable = known.variable if known else fresh_name("value", self.taken)
            self.found[term] = FunctionValue(variable, term.function, arguments, value_type)
        return Variable(self.found[term].variable)
