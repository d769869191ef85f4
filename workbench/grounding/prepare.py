"""What grounding knows before the first rule: worlds, roles, domains, constants, atoms."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from math import prod

import duckdb
import numpy as np

from workbench.arrays import Int64
from workbench.database.database import Database
from workbench.database.identifiers import text_literal
from workbench.database.stored import StoredPredicate
from workbench.errors import Diagnostic, InputError, WorkbenchError
from workbench.grounding.atom_index import MOST_PLACES
from workbench.grounding.backend import Backend, DuckDB
from workbench.grounding.definitions import make_definitions, make_scopes
from workbench.grounding.fact_relations import DomainSize
from workbench.grounding.program_clauses import chosen_worlds, needed_definitions
from workbench.grounding.psl_demands import check_demands
from workbench.grounding.request import GroundRequest
from workbench.grounding.roles import (
    NO_FACTS,
    FactKinds,
    assign_roles,
    fact_kinds,
    mentioned_predicates,
)
from workbench.grounding.rule_constants import defining_constants, look_up, rule_constants
from workbench.grounding.space import MOST_ATOMS, AtomSpace, Grid
from workbench.grounding.unheard_constants import unheard_constants, written_twice
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule
from workbench.language.declarations import Predicate
from workbench.language.definitions import condition_atoms
from workbench.language.program import Definition, Program

FEW = 16
"""Domains of no more types and worlds are looked through one by one."""


def prepare(
    database: Database,
    connection: duckdb.DuckDBPyConnection,
    program: Program,
    clauses: tuple[Clause | LinearRule, ...],
    request: GroundRequest,
    backend: Backend | None = None,
) -> tuple[Vocabulary, list[Diagnostic]]:
    """The vocabulary of one grounding, and notes about predicates' roles."""
    vocabulary = _vocabulary(database, connection, program, clauses, request, backend)
    program, stored = vocabulary.program, vocabulary.stored
    facts = fact_kinds(connection, program, stored, vocabulary.worlds)
    if program.language == "mln" and request.role == "infer":
        facts |= _with_labels_known(vocabulary, facts)
    vocabulary.roles, notes = assign_roles(
        program, stored, facts, request, mentioned_predicates(clauses)
    )
    if program.language == "psl":
        check_demands(connection, program, stored, vocabulary.roles, request, clauses)
    # What has a scope may be asked about where only a tautology names it.
    scoped = {name for name, role in vocabulary.roles.items() if role.scoped}
    needed = needed_definitions(program, scoped.union(mentioned_predicates(clauses)))
    notes += _of_no_avail(program, needed, facts)
    notes += unheard_constants(connection, program, stored, vocabulary.type_tables)
    notes += written_twice(connection, vocabulary.type_tables)
    make_definitions(vocabulary, needed)
    make_scopes(vocabulary)
    vocabulary.space = _atom_space(vocabulary)
    return vocabulary, notes


def _vocabulary(
    database: Database,
    connection: duckdb.DuckDBPyConnection,
    program: Program,
    clauses: tuple[Clause | LinearRule, ...],
    request: GroundRequest,
    backend: Backend | None,
) -> Vocabulary:
    """Predicates, types and constants of program and data; roles and atoms are still to come."""
    worlds = chosen_worlds(database, request)
    stored = database.predicates()
    if any(name not in stored for name in program.predicates.keys() - program.defined):
        database.declare(program)
        stored = database.predicates()
    if program.language == "psl" and request.role == "infer":
        program = _with_unnamed(program, stored, request.query)
    chosen = ", ".join(map(str, worlds)) or "NULL"
    wanted = sorted({*rule_constants(program, clauses), *defining_constants(program)})
    type_tables = database.type_tables()
    domains = _domains(connection, worlds, type_tables)
    constants, positions = look_up(connection, type_tables, wanted, chosen)
    # Constants of clauses of one world have one position; the others' are columns of a table with a
    # row a world.
    several = [
        one
        for one in clauses
        if isinstance(one, LinearRule) or one.worlds is None or len(one.worlds) > 1
    ]
    elsewhere = sorted(set(rule_constants(program, several)))
    return Vocabulary(
        connection=connection,
        backend=backend or DuckDB(connection),
        program=program,
        stored=stored,
        type_tables=type_tables,
        roles={},
        request=request,
        worlds=worlds,
        space=AtomSpace((), {}, {}, {}, 0),
        domains=domains,
        constants=constants,
        positions=positions,
        placed={key: place for place, key in enumerate(elsewhere)},
    )


def _domains(
    connection: duckdb.DuckDBPyConnection, worlds: tuple[int, ...], types: Collection[str]
) -> dict[tuple[int, str], DomainSize]:
    """The domain of each type in each of some worlds that has one."""
    figures = "count(*), bit_xor(hash(constant)), bool_and(constant = position)"
    pairs = [(world, text_literal(name)) for world in worlds for name in types]
    chosen = ", ".join(map(str, worlds)) or "NULL"
    query = f"SELECT world, type, {figures} FROM domain WHERE world IN ({chosen}) GROUP BY ALL"
    if 0 < len(pairs) <= FEW:  # one by one, without a table of hashes that all rows go through
        query = " UNION ALL ".join(
            f"SELECT {world} AS world, {name} AS type, {figures} FROM domain WHERE world = {world} "
            f"AND type = {name} HAVING count(*) > 0"
            for world, name in pairs
        )
    rows = connection.execute(f"{query} ORDER BY ALL").fetchall()
    return {(world, type_name): DomainSize(*rest) for world, type_name, *rest in rows}


def _of_no_avail(
    program: Program, needed: Collection[str], facts: Mapping[str, FactKinds]
) -> list[Diagnostic]:
    """Notes on predicates that definitions read in vain: no facts, or too little true (PSL)."""
    found: dict[str, Diagnostic] = {}
    for one in program.statements:
        if isinstance(one, Definition) and one.head.predicate not in needed:
            continue
        for atom in condition_atoms(one.body):
            name, made = atom.predicate, one.head.predicate
            if name in program.defined or name in found:
                continue
            if facts[name] == NO_FACTS:
                message = f"{name} has no facts, and {made} is made of it"
                help = "is it spelt as in the data, and is its column filled?"
                found[name] = Diagnostic.note("E0333", message, atom.span, help)
            elif facts[name].uncertain and program.language == "psl":
                message = f"some facts of {name} are true in part: {made} takes them for false"
                help = "give the degree as a number, `types: [..., number]`, and compare it"
                found[name] = Diagnostic.warning("E0335", message, atom.span, help)
    return list(found.values())


def _with_labels_known(
    vocabulary: Vocabulary, facts: Mapping[str, FactKinds]
) -> dict[str, FactKinds]:
    """The kinds of facts of predicates whose labels are evidence here.

    They stand beside atoms that are asked for, or definitions are made of them, which only facts
    can be.
    """
    program = vocabulary.program
    read = {atom.predicate for one in program.statements for atom in condition_atoms(one.body)}
    read -= {*(vocabulary.request.query or ()), *vocabulary.request.hidden}
    taken = [
        name
        for name, kinds in facts.items()
        if kinds.truth and (kinds.asked or (name in read and not kinds.evidence))
    ]
    if not taken:
        return {}
    vocabulary.take_labels(taken)
    found = fact_kinds(vocabulary.connection, program, vocabulary.stored, vocabulary.worlds)
    return {name: found[name] for name in taken}


def _with_unnamed(
    program: Program, stored: Mapping[str, StoredPredicate], query: Collection[str] | None
) -> Program:
    """The program with predicates only data and query name: their targets are predicted too."""
    unnamed = {
        name: Predicate(name, one.argument_types, closed=one.closed)
        for name, one in stored.items()
        if (query is None or name in query)
        and name not in program.predicates
        and one.kind == "predicate"
        and not one.closed
        and not one.value_last
    }
    return replace(program, predicates={**program.predicates, **unnamed})


def _atom_space(vocabulary: Vocabulary) -> AtomSpace:
    offsets: dict[str, Int64] = {}
    counts: dict[str, Int64] = {}
    grids: dict[str, Grid] = {}
    names = tuple(name for name, role in vocabulary.roles.items() if role.open)
    total = 0
    for name in names:
        types = vocabulary.arguments(name)
        sizes = [[vocabulary.domain_size(world, t) for t in types] for world in vocabulary.worlds]
        places = sum(map(prod, sizes))
        if vocabulary.roles[name].listed:
            # A list is numbered from the atoms before it, so its offset must be known when the list
            # is made.
            vocabulary.space = AtomSpace((), {name: np.array([total], np.int64)}, {}, {}, total)
            found = dict(
                vocabulary.connection.execute(
                    f"SELECT world, count(atom) FROM {vocabulary.listed(name)} GROUP BY world"
                ).fetchall()
            )
            counts[name] = np.array([found.get(world, 0) for world in vocabulary.worlds], np.int64)
            if places <= MOST_PLACES:
                grids[name] = Grid.starting_at(0, sizes, len(types))
        else:
            if total + places > MOST_ATOMS:
                raise _too_many_atoms(vocabulary, name, places)
            grids[name] = Grid.starting_at(total, sizes, len(types))
            counts[name] = grids[name].count
        offsets[name] = total + np.concatenate([[0], np.cumsum(counts[name])[:-1]]).astype(np.int64)
        total += int(counts[name].sum())
    return AtomSpace(names, offsets, counts, grids, total)


def _too_many_atoms(vocabulary: Vocabulary, name: str, count: int) -> WorkbenchError:
    types = ", ".join(dict.fromkeys(vocabulary.arguments(name)))
    return InputError.of(
        "E0311",
        f"{name} has {count:,} open atoms, every combination of its arguments' constants (types: "
        f"{types}), and one network holds at most {MOST_ATOMS:,}",
        span=vocabulary.program.predicates[name].span,
        help=f"give facts of {name} and name it with --closed {name}, or split its argument types",
    )
