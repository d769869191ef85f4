"""How both languages write terms, atoms, comparisons and the conditions of definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.language.program import Aggregate, Condition, Definition, Scope
from workbench.language.terms import (
    Apply,
    Atom,
    Comparison,
    Constant,
    Literal,
    SumVariable,
    Term,
    Variable,
)

TIGHTNESS = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}
"""Of arithmetic's operators."""


@dataclass(frozen=True)
class Notation:
    """What one language writes otherwise than the other.

    Attributes
    ----------
    conjunction, end : str
        What joins conditions, and what ends a statement.
    constant : callable
        A constant by its name, in quotes where it needs them.
    comparison : callable
        A comparison in a rule, by the notation.
    in_definitions : callable
        A comparison in a definition or scope.
    bare_atoms : bool
        Atoms without arguments have no brackets.
    """

    conjunction: str
    end: str
    constant: Callable[[str], str]
    comparison: Callable[[Notation, Comparison], str]
    in_definitions: Callable[[Notation, Comparison], str]
    bare_atoms: bool

    def term(self, term: Term, around: int = 0) -> str:
        """A term, in parentheses where it stands inside a tighter operator."""
        match term:
            case Variable(name, plus):
                return f"+{name}" if plus else name
            case SumVariable(name):
                return f"+{name}"
            case Constant(name):
                return self.constant(name)
            case Apply(function, (left, right)) if function in TIGHTNESS:
                tightness = TIGHTNESS[function]
                text = f"{self.term(left, tightness)} {function} {self.term(right, tightness + 1)}"
                return f"({text})" if tightness < around else text
            case Apply(function, arguments):
                return f"{function}({', '.join(map(self.term, arguments))})"

    def atom(self, atom: Atom) -> str:
        """`Name(term, term)`."""
        if self.bare_atoms and not atom.arguments:
            return atom.predicate
        return f"{atom.predicate}({', '.join(map(self.term, atom.arguments))})"

    def item(self, item: Literal | Comparison) -> str:
        """A literal or a comparison of a rule."""
        if isinstance(item, Comparison):
            return self.comparison(self, item)
        return ("" if item.positive else "!") + self.atom(item.atom)

    def definition(self, definition: Definition | Scope) -> str:
        """`Head(x) := body.`, or `Head(x) open where body.`, on one line."""
        sign = ":=" if isinstance(definition, Definition) else "open where"
        body = self.conjunction.join(map(self._condition, definition.body))
        return f"{self.atom(definition.head)} {sign} {body}{self.end}"

    def _condition(self, condition: Condition) -> str:
        if isinstance(condition, Aggregate):
            of = ", ".join(map(self.term, condition.of))
            bodies = (condition.body, condition.among) if condition.among else (condition.body,)
            written = ", ".join(
                self.conjunction.join(map(self._condition, body)) for body in bodies
            )
            return f"{condition.variable} = {condition.function}({of}: {written})"
        if isinstance(condition, Comparison):
            return self.in_definitions(self, condition)
        return self.item(condition)
