"""The names that the variables of a clause have in PSL."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.language.terms import Atom, Constant, Literal, Term, Variable


class PslNames:
    """PSL's names for a clause's variables: a capital first, no primes, all different."""

    def __init__(self, names: Sequence[str]) -> None:
        self.of: dict[str, str] = {}
        for name in names:
            self.of[name] = self._fresh(name[0].upper() + name[1:].replace("'", "_"))

    def _fresh(self, base: str) -> str:
        fresh, number = base, 2
        while fresh in self.of.values():
            fresh, number = f"{base}{number}", number + 1
        return fresh

    def another(self, name: str) -> str:
        """A new name after one given before."""
        fresh = self._fresh(name)
        self.of[fresh] = fresh
        return fresh

    def term(self, term: Term) -> Term:
        if isinstance(term, Variable):
            return Variable(self.of[term.name])
        assert isinstance(term, Constant)
        return Constant(term.name)

    def literal(self, literal: Literal) -> Literal:
        arguments = tuple(self.term(term) for term in literal.atom.arguments)
        return Literal(Atom(literal.atom.predicate, arguments), literal.positive)
