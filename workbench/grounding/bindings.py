"""How many groundings a clause of open literals has, from domain sizes instead of a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod

from workbench.grounding.select import Select
from workbench.grounding.unification import Equality, TermClasses, unify
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule
from workbench.language.terms import Constant, Variable

MOST_TAUTOLOGIES = 10
"""Pairs of literals that can clash, beyond which a query counts: the sum is over subsets."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """Groundings of a clause: all, and those that are no tautology."""

    total: int
    open: int


def all_bindings(vocabulary: Vocabulary, clause: Clause | LinearRule, total: Select) -> int | None:
    """All groundings of a clause whose query would join nothing; None where data decide."""
    if (
        isinstance(clause, LinearRule)
        or clause.plus
        or clause.weight_variable is not None
        or clause.factor is not None
    ):
        return None
    if (
        total.sources
        if vocabulary.one_world
        else any(one.relation != vocabulary.geometry() for one in total.sources)
    ):
        return None
    types = [
        type_name for name, type_name in clause.variable_types if name not in clause.existential
    ]
    return sum(
        prod(vocabulary.domain_size(world, one) for one in types)
        for world in _worlds(vocabulary, clause)
    )


def open_bindings(vocabulary: Vocabulary, clause: Clause | LinearRule) -> Bindings | None:
    """Groundings of a clause whose bindings all have an open atom; None where data decide.

    All bindings, less those that make some literal the negation of another: of these the number by
    inclusion and exclusion, each set of equalities having the product of its classes' domain sizes.
    Cost: 2^(such pairs) a world.
    """
    if isinstance(clause, LinearRule) or clause.multiset or clause.plus or clause.guards:
        return None
    if clause.function_values or clause.existential or clause.weight_variable:
        return None
    if not clause.literals or not all(
        _wholly_open(vocabulary, literal.atom.predicate) for literal in clause.literals
    ):
        return None
    pairs = [
        equalities
        for one, other in combinations(clause.literals, 2)
        if one.positive != other.positive
        and (equalities := unify(one.atom, other.atom)) is not None
    ]
    if len(pairs) > MOST_TAUTOLOGIES:
        return None
    types = dict(clause.variable_types)
    total = count = 0
    for world in _worlds(vocabulary, clause):
        sizes = {
            name: vocabulary.domain_size(world, type_name) for name, type_name in types.items()
        }
        total += prod(sizes.values())
        for number in range(len(pairs) + 1):
            for chosen in combinations(pairs, number):
                count += (-1) ** number * _bindings(
                    sizes, [pair for part in chosen for pair in part]
                )
    return Bindings(total, count)


def _worlds(vocabulary: Vocabulary, clause: Clause) -> Iterable[int]:
    return (
        vocabulary.worlds if clause.worlds is None else set(clause.worlds) & set(vocabulary.worlds)
    )


def _wholly_open(vocabulary: Vocabulary, predicate: str) -> bool:
    role = vocabulary.roles[predicate]
    return role.open and not role.listed and not vocabulary.has_known(predicate)


def _bindings(sizes: Mapping[str, int], equalities: Iterable[Equality]) -> int:
    """Bindings of variables that make terms equal."""
    classes = TermClasses(equalities)
    if not classes.consistent:
        return 0
    roots = {classes.find(Variable(name)): size for name, size in sizes.items()}
    return prod(1 if isinstance(root, Constant) else size for root, size in roots.items())
