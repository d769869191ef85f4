"""Definitions made into facts before rules are grounded: temporary tables like stored ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from workbench.database.identifiers import quoted
from workbench.database.rows import first_row
from workbench.database.stored import SQL_TYPES, StoredPredicate
from workbench.errors import InputError, UsageError
from workbench.grounding.definition_queries import conditions_select
from workbench.grounding.roles import RoleOf
from workbench.grounding.select import Select
from workbench.grounding.temporary_tables import Columns
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.definitions import condition_atoms, strata
from workbench.language.program import Definition, Scope
from workbench.language.variable_types import infer_condition_types

MOST_FACTS = 200_000_000
"""Of one definition or scope; more are refused."""


def make_definitions(vocabulary: Vocabulary, needed: Collection[str]) -> None:
    """Make the facts of defined predicates, in all worlds, for the vocabulary to read.

    Each is one query, a recursive one of recursive queries (DuckDB's where it is made of itself
    once a rule, else rounds over what the last round found: semi-naive evaluation, Ullman 1989).
    Cost: that of the joins.

    Raises E0323 where a definition reads a predicate that is open; E0324 where a defined predicate
    has facts, too; E0325 where there would be more facts than `MOST_FACTS`.
    """
    program = vocabulary.program
    for together in strata(program):
        if not set(together) & set(needed):
            continue
        definitions = [one for one in program.definitions if one.head.predicate in together]
        for definition in definitions:
            _check_closed(vocabulary, definition)
        for name in together:
            _check_empty(vocabulary, name)
        recursive = [one for one in definitions if _own_atoms(one, together)]
        if not recursive:
            make_relation(vocabulary, together[0], definitions)
        elif len(together) == 1 and all(_own_atoms(one, together) == 1 for one in recursive):
            _make_recursive(vocabulary, together[0], definitions, recursive)
        else:
            _make_in_rounds(vocabulary, together, definitions)


def _own_atoms(definition: Definition, together: Collection[str]) -> int:
    return sum(atom.predicate in together for atom in condition_atoms(definition.body))


def _check_closed(vocabulary: Vocabulary, definition: Definition | Scope) -> None:
    for atom in condition_atoms(definition.body):
        role: RoleOf | None = vocabulary.roles.get(atom.predicate)
        if role is not None and role.open:
            raise UsageError.of(
                "E0323",
                f"{definition.head.predicate} is made of {atom.predicate}, which is not known: its "
                "atoms are asked about, hidden or uncertain",
                help=f"make it of facts: name {atom.predicate} with --closed, or write a rule "
                "instead",
            )


def _check_empty(vocabulary: Vocabulary, name: str) -> None:
    stored = vocabulary.stored.get(name)
    if stored is None or vocabulary.is_made(name):
        return
    if (
        first_row(vocabulary.connection.execute(f"FROM {quoted(stored.table_name)} LIMIT 1"))
        is not None
    ):
        raise UsageError.of(
            "E0324",
            f"{name} has facts in the data and a definition in the rules",
            help="give one of them another name",
        )


def _select(
    vocabulary: Vocabulary, definition: Definition | Scope, instead: dict[str, str] | None = None
) -> Select:
    """The query of one definition; `instead` names other relations of some predicates."""
    types = infer_condition_types(definition.head, definition.body, vocabulary.program).variables

    def relation_of(predicate: str) -> str:
        return (instead or {}).get(predicate) or vocabulary.given(predicate)

    return conditions_select(vocabulary, definition.head, definition.body, types, relation_of)


def make_relation(
    vocabulary: Vocabulary, name: str, parts: Collection[Definition] | Collection[Scope]
) -> None:
    """Make a predicate's facts from definitions without recursion, joined by "or"."""
    selects = [_select(vocabulary, one) for one in parts]
    found = vocabulary.small_answer(selects[0]) if len(selects) == 1 else None
    if found is None:
        _create(vocabulary, name, _union(vocabulary, selects))
    else:
        _hold(vocabulary, name, selects[0], found)


def _union(vocabulary: Vocabulary, selects: Iterable[Select]) -> str:
    return "\nUNION\n".join(map(vocabulary.text, selects))


def _hold(vocabulary: Vocabulary, name: str, select: Select, found: Columns) -> None:
    """Keep the facts of a predicate as the columns that its query finds, until a table is read."""
    kinds = vocabulary.program.predicates[name].kinds
    types = [np.int32, *(np.int32 if kind is None else np.float64 for kind in kinds)]
    columns = {key: column.astype(kind) for (key, column), kind in zip(found.items(), types)}
    table = vocabulary.tables.later(
        "made",
        name,
        lambda: _facts_of(vocabulary, name, vocabulary.text(select)) + " ORDER BY ALL",
        lambda: columns,
    )
    _take(vocabulary, name, table, len(columns["world"]))


def make_scopes(vocabulary: Vocabulary) -> None:
    """List the open atoms of each predicate that has scopes, with the facts that the data have."""
    for name, role in vocabulary.roles.items():
        if not role.scoped:
            continue
        scopes = [one for one in vocabulary.program.scopes if one.head.predicate == name]
        for scope in scopes:
            _check_closed(vocabulary, scope)
        query = _union(vocabulary, [_select(vocabulary, one) for one in scopes])
        typed = ", ".join(_typed(vocabulary, name))
        table = vocabulary.tables.keep(
            "scope", name, f"SELECT {typed} FROM (\n{query}\n) q LIMIT {MOST_FACTS + 1}"
        )
        vocabulary.scopes[name] = table
        _check_count(vocabulary, name, vocabulary.tables.size(table))


def _make_recursive(
    vocabulary: Vocabulary, name: str, definitions: list[Definition], recursive: list[Definition]
) -> None:
    columns = ", ".join(_columns(vocabulary, name))
    start = _union(
        vocabulary, [_select(vocabulary, one) for one in definitions if one not in recursive]
    )
    if not start:
        start = f"SELECT {', '.join(_typed(vocabulary, name, 'NULL'))} WHERE false"
    steps = _union(vocabulary, [_select(vocabulary, one, {name: "so_far"}) for one in recursive])
    # DuckDB feeds each step the rows that the last one added; UNION drops those already there, so
    # circles end.
    query = (
        f"WITH RECURSIVE so_far({columns}) AS (\n{start}\nUNION\n(\n{steps}\n)\n)\nSELECT * "
        "FROM so_far"
    )
    _create(vocabulary, name, query)


def _make_in_rounds(
    vocabulary: Vocabulary, together: tuple[str, ...], definitions: list[Definition]
) -> None:
    """Each definition once a round for each recursive atom, which reads the last round's facts."""
    connection = vocabulary.connection
    for name in together:
        start = [
            one
            for one in definitions
            if one.head.predicate == name and not _own_atoms(one, together)
        ]
        nothing = f"SELECT {', '.join(_typed(vocabulary, name, 'NULL'))} WHERE false"
        _create(
            vocabulary,
            name,
            _union(vocabulary, [_select(vocabulary, one) for one in start]) or nothing,
        )
        table = vocabulary.table(vocabulary.stored[name])
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {_new(name)} AS SELECT * EXCLUDE (value, partition) "
            f"FROM {table}"
        )
    while _round_adds(vocabulary, together, definitions):
        pass
    for name in together:
        connection.execute(f"DROP TABLE {_new(name)}")
        connection.execute(f"DROP TABLE {_next(name)}")


def _round_adds(
    vocabulary: Vocabulary, together: tuple[str, ...], definitions: list[Definition]
) -> bool:
    """Make one round; whether it found facts that were not there."""
    connection, grown = vocabulary.connection, False
    for name in together:
        mine = [one for one in definitions if one.head.predicate == name]
        steps = [step for one in mine for step in _steps(vocabulary, one, together)]
        table = vocabulary.table(vocabulary.stored[name])
        known = f"SELECT * EXCLUDE (value, partition) FROM {table}"
        found = "\nUNION\n".join(steps) or f"{known} WHERE false"
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {_next(name)} AS ({found}) EXCEPT ({known})"
        )
    for name in together:
        table, new = vocabulary.table(vocabulary.stored[name]), _next(name)
        added = connection.execute(
            f"INSERT INTO {table} SELECT *, 1.0, 'evidence' FROM {new}"
        ).fetchall()
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {_new(name)} AS FROM {new}")
        grown |= bool(added[0][0])
        vocabulary.made[name] = _check_count(vocabulary, name, vocabulary.made[name] + added[0][0])
    return grown


def _new(name: str) -> str:
    return quoted(f"new_{name}")


def _next(name: str) -> str:
    return quoted(f"next_{name}")


def _steps(vocabulary: Vocabulary, definition: Definition, together: tuple[str, ...]) -> list[str]:
    """The queries of a recursive definition: in each another atom reads the last round's facts."""
    found = []
    types = infer_condition_types(definition.head, definition.body, vocabulary.program).variables
    for fresh in range(_own_atoms(definition, together)):
        met = -1

        def relation_of(predicate: str, fresh: int = fresh) -> str:
            nonlocal met
            if predicate in together:
                met += 1
                if met == fresh:
                    return _new(predicate)
            return vocabulary.given(predicate)

        found.append(
            vocabulary.text(
                conditions_select(vocabulary, definition.head, definition.body, types, relation_of)
            )
        )
    return found


def _columns(vocabulary: Vocabulary, name: str) -> list[str]:
    return ["world", *(f"a{place}" for place in range(vocabulary.program.predicates[name].arity))]


def _typed(vocabulary: Vocabulary, name: str, prefix: str = "") -> list[str]:
    """`world, a0, ...` of a predicate with their SQL types; or so many NULLs."""
    kinds = vocabulary.program.predicates[name].kinds
    sql = ["INTEGER", *("INTEGER" if kind is None else SQL_TYPES[kind] for kind in kinds)]
    return [
        f"CAST({prefix or column} AS {kind}) AS {column}"
        for column, kind in zip(_columns(vocabulary, name), sql)
    ]


def _create(vocabulary: Vocabulary, name: str, query: str) -> None:
    """Keep the facts that a query `world, a0, ...` finds as the stored facts of a predicate."""
    facts = f"{_facts_of(vocabulary, name, query)} LIMIT {MOST_FACTS + 1}"
    table = vocabulary.tables.keep("made", name, facts)
    _take(vocabulary, name, table, vocabulary.tables.size(table))


def _facts_of(vocabulary: Vocabulary, name: str, query: str) -> str:
    return (
        f"SELECT {', '.join(_typed(vocabulary, name))}, 1::DOUBLE AS value, "
        f"'evidence'::fact_partition AS partition FROM (\n{query}\n) q"
    )


def _take(vocabulary: Vocabulary, name: str, table: str, count: int) -> None:
    """Let a table hold the facts of a predicate."""
    declared = vocabulary.program.predicates[name]
    made = StoredPredicate(
        name, table, name, declared.argument_types, closed=True, entities=declared.entities
    )
    vocabulary.stored = {**vocabulary.stored, name: made}
    vocabulary.made[name] = _check_count(vocabulary, name, count)


def _check_count(vocabulary: Vocabulary, name: str, count: int) -> int:
    """How many facts a predicate has, which may not be too many."""
    if count > MOST_FACTS:
        raise InputError.of(
            "E0325",
            f"{name} would have more than {MOST_FACTS:,} facts",
            span=vocabulary.program.predicates[name].span,
            help="let its conditions share more variables",
        )
    return count
