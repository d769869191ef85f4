"""What a grounding took from the data beside facts, as fingerprints that can be kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule


@dataclass(frozen=True)
class DataShape:
    """What a grounding took from the data beside facts; two that differ here differ in more.

    Attributes
    ----------
    roles : mapping of predicate to str
    domains : mapping of type to str
        A fingerprint of the type's constants in every world.
    clauses : mapping of rule to str
        A fingerprint of the rule's clauses, some of which depend on domains.
    worlds : tuple of int
    """

    roles: Mapping[str, str]
    domains: Mapping[str, str]
    clauses: Mapping[int, str]
    worlds: tuple[int, ...]

    def changed_predicates(self, other: DataShape) -> set[str]:
        return _differ(self.roles, other.roles)

    def changed_types(self, other: DataShape) -> set[str]:
        return _differ(self.domains, other.domains)

    def changed_rules(self, other: DataShape) -> set[int]:
        return _differ(self.clauses, other.clauses)


def shape_of(vocabulary: Vocabulary, clauses: tuple[Clause | LinearRule, ...]) -> DataShape:
    """What a grounding of clauses takes from the data that the vocabulary describes."""
    domains: dict[str, str] = {}
    for (world, type_name), found in vocabulary.domains.items():
        domains[type_name] = f"{domains.get(type_name, '')}[{world}, {found.size}, {found.hashes}] "
    roles = {
        name: f"{role.role} {role.listed} {role.scoped} {role.facts}"
        for name, role in vocabulary.roles.items()
    }
    texts: dict[int, str] = {}
    for clause in clauses:
        texts[clause.rule] = sha256(f"{texts.get(clause.rule, '')}{clause!r}".encode()).hexdigest()
    return DataShape(roles, domains, texts, vocabulary.worlds)


def _differ(one: Mapping[Any, str], other: Mapping[Any, str]) -> set[Any]:
    return {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}
