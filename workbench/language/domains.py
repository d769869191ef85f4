"""What clauses owe to a world's domains: quantifiers expanded, or false over empty ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from workbench.language.clauses import Clause, FunctionValue
from workbench.language.formulas import formula_parts, term_variables
from workbench.language.normal_form import Item, Scoped
from workbench.language.terms import Formula, Literal, Quantified, Term, Variable

Domains = Mapping[str, Sequence[str]]
"""Constants by type. Only their number is asked for, unless a quantifier is expanded."""


def quantified_types(formula: Formula, types: Mapping[str, str]) -> tuple[str, ...]:
    """The types of a formula's quantified variables, sorted."""
    found: set[str] = set()
    pending = [formula]
    while pending:
        part = pending.pop()
        pending += formula_parts(part)
        if isinstance(part, Quantified):
            found |= {types[name] for name in part.variables if name in types}
    return tuple(sorted(found))


def empty_types(domains: Domains, types: Iterable[str]) -> frozenset[str]:
    """Those of `types` whose domain is known and has no constant."""
    return frozenset(name for name in types if name in domains and not len(domains[name]))


def by_domains(
    worlds: Mapping[int, Domains], types: Sequence[str]
) -> list[tuple[list[int], Domains]]:
    """Worlds whose domains of `types` are equal, together; in order of their first world."""
    groups: dict[tuple[tuple[str, ...] | None, ...], tuple[list[int], Domains]] = {}
    for world, domains in worlds.items():
        key = tuple(tuple(domains[name]) if name in domains else None for name in types)
        groups.setdefault(key, ([], domains))[0].append(world)
    return list(groups.values())


def by_empty_domains(
    worlds: Mapping[int, Domains], types: Sequence[str]
) -> dict[frozenset[str], list[int]]:
    """Worlds by which of `types` have an empty domain in them."""
    groups: dict[frozenset[str], list[int]] = {}
    for world, domains in worlds.items():
        groups.setdefault(empty_types(domains, types), []).append(world)
    return groups


@dataclass(frozen=True)
class ScopedClause:
    """A clause with the quantifiers that its items stand under.

    Attributes
    ----------
    parts : tuple of Scoped
        The items before function terms were taken out of them.
    flat : mapping of Item to Item
        What they became in the clause.
    """

    clause: Clause
    parts: tuple[Scoped, ...]
    flat: Mapping[Item, Item]

    def without(self, empty: Set[str]) -> Clause:
        """The clause where types are `empty`: what quantifiers over them hold is false.

        Its universal variables stay, and with them its groundings.
        """
        clause, types = self.clause, dict(self.clause.variable_types)
        kept = {
            self.flat[item]
            for item, scope in self.parts
            if not any(types[name] in empty for name in scope)
        }
        literals = tuple(one for one in clause.literals if one in kept)
        guards = tuple(one for one in clause.guards if one in kept)
        if len(literals) == len(clause.literals) and len(guards) == len(clause.guards):
            return clause
        items: tuple[Item, ...] = (*literals, *guards)
        named = {term for item in items for term in _terms(item)}
        gone = {name for name in clause.existential if Variable(name) not in named}
        values = _needed(
            clause.function_values, [*named, *(() if clause.factor is None else (clause.factor,))]
        )
        return replace(
            clause,
            literals=literals,
            guards=guards,
            variable_types=tuple(pair for pair in clause.variable_types if pair[0] not in gone),
            existential=tuple(name for name in clause.existential if name not in gone),
            function_values=values,
            general=clause,
        )


def _terms(item: Item) -> tuple[Term, ...]:
    return item.atom.arguments if isinstance(item, Literal) else (item.left, item.right)


def _needed(values: Sequence[FunctionValue], terms: Iterable[Term]) -> tuple[FunctionValue, ...]:
    """The functions' values that terms name, directly or in others: what is gone asks for none."""
    named = {name.name for term in terms for name in term_variables(term)}
    while more := {
        term.name
        for one in values
        if one.variable in named
        for term in one.arguments
        if isinstance(term, Variable) and term.name not in named
    }:
        named |= more
    return tuple(one for one in values if one.variable in named)
