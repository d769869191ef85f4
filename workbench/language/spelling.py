"""The statements of a PSL program with each predicate in one spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from workbench.language.formulas import map_parts
from workbench.language.program import (
    Aggregate,
    ArithmeticRule,
    Condition,
    Definition,
    Filter,
    LogicalRule,
    Rule,
    Scope,
)
from workbench.language.terms import (
    Atom,
    Formula,
    Literal,
)

Spelled = TypeVar("Spelled", bound=Rule | Definition | Scope)


def respelled(statement: Spelled, spelling: Mapping[str, str]) -> Spelled:
    """The statement with each predicate in the spelling that it is known by."""

    def atom(old: Atom) -> Atom:
        name = spelling[old.predicate.casefold()]
        return old if old.predicate == name else replace(old, predicate=name)

    def items(old: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(map(item, old))

    def item(old: Condition) -> Condition:
        if isinstance(old, Aggregate):
            return replace(old, body=items(old.body), among=items(old.among))
        return replace(old, atom=atom(old.atom)) if isinstance(old, Literal) else old

    if isinstance(statement, LogicalRule):
        return replace(statement, body=items(statement.body), head=items(statement.head))
    if isinstance(statement, Definition | Scope):
        return replace(statement, head=atom(statement.head), body=items(statement.body))
    assert isinstance(statement, ArithmeticRule)
    terms = tuple(replace(term, atoms=tuple(map(atom, term.atoms))) for term in statement.terms)
    filters = tuple(Filter(f.variable, _map_atoms(f.condition, atom)) for f in statement.filters)
    return replace(statement, terms=terms, filters=filters)


def _map_atoms(formula: Formula, change: Callable[[Atom], Atom]) -> Formula:
    return (
        change(formula)
        if isinstance(formula, Atom)
        else map_parts(formula, lambda part: _map_atoms(part, change))
    )
