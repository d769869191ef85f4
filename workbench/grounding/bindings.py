"""How many groundings a clause of open literals has, by arithmetic on domain sizes instead of a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod

from workbench.grounding.unification import Equality, TermClasses, unify
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.program import Clause, Constant, Variable

__all__ = ["Bindings", "open_bindings"]

MOST_TAUTOLOGIES = 10
"""Pairs of literals that can contradict each other, beyond which a query counts: the sum is over their subsets."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """Groundings of a clause: all, and those that are no tautology."""

    total: int
    open: int


def open_bindings(vocabulary: Vocabulary, clause: Clause) -> Bindings | None:
    """The groundings of a clause each of whose bindings has an open atom or is a tautology; None where data decide.

    All bindings, less those that make some literal the negation of another: of these the number by inclusion and
    exclusion, each set of equalities having the product of its classes' domain sizes. Cost: 2^(such pairs) a world.
    """
    if clause.plus or clause.guards or clause.function_values or clause.existential or clause.weight_variable:
        return None
    if not clause.literals or not all(_wholly_open(vocabulary, literal.atom.predicate) for literal in clause.literals):
        return None
    pairs = [
        equalities
        for one, other in combinations(clause.literals, 2)
        if one.positive != other.positive and (equalities := unify(one.atom, other.atom)) is not None
    ]
    if len(pairs) > MOST_TAUTOLOGIES:
        return None
    types = dict(clause.variable_types)
    worlds = vocabulary.worlds if clause.worlds is None else set(clause.worlds) & set(vocabulary.worlds)
    total = count = 0
    for world in worlds:
        sizes = {name: vocabulary.domain_size(world, type_name) for name, type_name in types.items()}
        total += prod(sizes.values())
        for number in range(len(pairs) + 1):
            for chosen in combinations(pairs, number):
                count += (-1) ** number * _bindings(sizes, [pair for part in chosen for pair in part])
    return Bindings(total, count)


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
