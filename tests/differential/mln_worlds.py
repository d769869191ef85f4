"""Facts and domains of each world as the oracle reads them from text, and which atoms are open."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from tests.differential.mln_syntax import (
    Apply,
    Atom,
    Declarations,
    Formula,
    Free,
    Name,
    Operation,
    Quantified,
    Term,
    Test,
    Var,
)

Arguments = tuple[str, ...]
UNKNOWN = math.nan
"""The value of a fact `?P(A)`."""

FACT = re.compile(r"([!?]?)\s*(?:(\d*\.?\d+)\s+)?(\w+)(?:\((.*)\))?(?:\s*=\s*(.+))?")
ARGUMENT = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,\s"]+)')


@dataclass
class World:
    """One database.

    `facts`: predicate -> arguments -> 1 true, 0 false, between: its probability, NaN: asked about.
    """

    facts: dict[str, dict[Arguments, float]] = field(default_factory=dict)
    functions: dict[str, dict[Arguments, str]] = field(default_factory=dict)
    domains: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Roles:
    """Predicates asked about, those open beside them, and those that are evidence."""

    query: frozenset[str]
    hidden: frozenset[str]
    evidence: frozenset[str]


def read_world(program: Declarations, text: str) -> World:
    """Facts of one world; a domain is what they, the declarations and the rules name."""
    world = World(
        facts={name: {} for name in program.predicates},
        functions={name: {} for name in program.functions},
    )
    for line in filter(None, map(str.strip, text.splitlines())):
        match = FACT.fullmatch(line)
        assert match is not None, line
        sign, number, name, inside, value = match.groups()
        arguments = _arguments(inside or "")
        if value is not None:
            world.functions[name][arguments] = _arguments(value)[0]
        else:
            truth = {"!": 0.0, "?": UNKNOWN}.get(sign, 1.0) if number is None else float(number)
            world.facts[name][arguments] = truth
    members: dict[str, set[str]] = {name: set(given) for name, given in program.types.items()}
    for type_name, constant in (*_named_by_facts(program, world), *named_by_rules(program)):
        members.setdefault(type_name, set()).add(constant)
    world.domains = {name: sorted(constants) for name, constants in members.items()}
    for types in (*program.predicates.values(), *program.functions.values()):
        for type_name in types:
            world.domains.setdefault(type_name, [])
    return world


def _arguments(text: str) -> Arguments:
    return tuple(
        re.sub(r"\\(.)", r"\1", match[1]) if match[1] is not None else match[2]
        for match in ARGUMENT.finditer(text)
    )


def _named_by_facts(program: Declarations, world: World) -> Iterator[tuple[str, str]]:
    numbered = _numbered(program)
    for name, facts in world.facts.items():
        for arguments in facts:
            pairs = list(zip(program.predicates[name], arguments))
            yield from pairs[:-1] if name in numbered else pairs
    for name, values in world.functions.items():
        for arguments, value in values.items():
            yield from zip(program.functions[name], (*arguments, value))


def _numbered(program: Declarations) -> set[str]:
    """Predicates whose last argument is a number: a weight variable stands there."""
    found = set()
    for rule in program.rules:
        for part in subformulas(rule.formula):
            last = part.arguments[-1] if isinstance(part, Atom) and part.arguments else None
            if (
                isinstance(part, Atom)
                and isinstance(last, Var)
                and last.name == rule.weight_variable
            ):
                found.add(part.predicate)
    return found


def named_by_rules(program: Declarations) -> Iterator[tuple[str, str]]:
    """(type, constant) of what the rules name."""
    numbered = _numbered(program)
    for rule in program.rules:
        for part in subformulas(rule.formula):
            if isinstance(part, Atom):
                types = program.predicates[part.predicate]
                yield from _named_in(
                    program, types[:-1] if part.predicate in numbered else types, part.arguments
                )
            elif isinstance(part, Test):
                for side in (part.left, part.right):
                    if isinstance(side, Apply) and side.function in program.functions:
                        yield from _named_in(
                            program, program.functions[side.function], side.arguments
                        )


def _named_in(
    program: Declarations, types: Sequence[str], terms: Sequence[Term]
) -> Iterator[tuple[str, str]]:
    for type_name, term in zip(types, terms):
        if isinstance(term, Name):
            yield type_name, term.text
        elif isinstance(term, Apply) and term.function in program.functions:
            yield from _named_in(program, program.functions[term.function], term.arguments)


def subformulas(formula: Formula) -> Iterator[Formula]:
    """The formula and all below it, the atoms of `*P(x)` among them."""
    yield formula
    match formula:
        case Free(atom):
            yield atom
        case Operation(_, parts):
            for part in parts:
                yield from subformulas(part)
        case Quantified(_, _, body):
            yield from subformulas(body)


def roles_of(
    program: Declarations,
    worlds: Sequence[World],
    query: Sequence[str] | None,
    closed: Sequence[str],
) -> Roles:
    """Docs/design.md, section 3, known and unknown."""
    named = {
        part.predicate
        for rule in program.rules
        for part in subformulas(rule.formula)
        if isinstance(part, Atom)
    }
    found: dict[str, set[str]] = {"query": set(), "hidden": set(), "evidence": set()}
    for name in program.predicates:
        if query is not None and name in query:
            role = "query"
        elif (
            name in {*closed, *program.closed, *_numbered(program)}
            or name not in named
            or any(world.facts[name] for world in worlds)
        ):
            role = "evidence"
        else:
            role = "query" if query is None else "hidden"
        found[role].add(name)
    return Roles(
        frozenset(found["query"]), frozenset(found["hidden"]), frozenset(found["evidence"])
    )


def open_atoms(program: Declarations, world: World, roles: Roles) -> list[tuple[str, Arguments]]:
    """Atoms whose truth nobody knows, soft evidence among them."""
    found = []
    for name, types in program.predicates.items():
        facts = world.facts[name]
        if name in roles.evidence:
            found += [
                (name, arguments) for arguments, value in facts.items() if value not in (0.0, 1.0)
            ]
        else:
            for arguments in product(*(world.domains[type_name] for type_name in types)):
                if facts.get(arguments, UNKNOWN) not in (0.0, 1.0):
                    found.append((name, arguments))
    return found
