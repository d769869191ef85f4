"""Constants that are nearly the same: named by rules and by no fact, or read the same and two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import duckdb

from workbench.database.domains import program_constants
from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import first_value
from workbench.database.stored import StoredPredicate
from workbench.errors import Diagnostic, Span
from workbench.language.definitions import condition_atoms
from workbench.language.formulas import rule_leaves
from workbench.language.program import Program
from workbench.language.terms import Atom, Constant, FreeSign

MOST = 100
"""Programs that name more constants were learned: they name what was there then."""
SHOWN = 5
MOST_COMPARED = 300_000
"""Pairs of names whose letters are compared, a tenth of a CPU-second; of more, cases alone are."""
FEWEST_LETTERS, MORE_LETTERS = 5, 9
"""Names of so many letters may be misspelt in one, and in two."""


def unheard_constants(
    connection: duckdb.DuckDBPyConnection,
    program: Program,
    stored: Mapping[str, StoredPredicate],
    type_tables: Mapping[str, str],
) -> list[Diagnostic]:
    """E0336 for each that is a name of the facts in another case, or with a letter wrong.

    One look at a column for each argument of such a type.
    """
    named: dict[str, list[str]] = {}
    for type_name, name, declared in program_constants(program):
        if not declared and type_name in type_tables:
            named.setdefault(type_name, []).append(name)
    if sum(map(len, named.values())) > MOST:
        return []
    found = [
        (type_name, *pair)
        for type_name, names in sorted(named.items())
        for pair in _misspelt(
            connection, type_tables[type_name], names, _columns(stored, type_name)
        )
    ]
    return [
        Diagnostic.warning(
            "E0336",
            f"rules name {name}, and no fact does",
            _place(program, type_name, name),
            f"did you mean {close}?",
        )
        for type_name, name, close in found[:SHOWN]
    ]


def _columns(stored: Mapping[str, StoredPredicate], type_name: str) -> list[tuple[str, str]]:
    """The tables of facts with constants of a type, and their columns."""
    return [
        (predicate.table_name, column)
        for predicate in stored.values()
        for column, of_type in predicate.constant_columns
        if of_type == type_name
    ]


def _misspelt(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    names: Sequence[str],
    columns: Sequence[tuple[str, str]],
) -> list[tuple[str, str]]:
    """Those of some names that no fact has, each with the nearest that one has."""
    listed = ", ".join(map(text_literal, sorted(names)))
    ids: list[tuple[int, str]] = connection.execute(
        f"SELECT id, name FROM {quoted(table)} WHERE name IN ({listed}) ORDER BY name"
    ).fetchall()
    heard = _heard(connection, [one for one, _ in ids], columns)
    unheard = [name for one, name in ids if one not in heard]
    if not unheard:
        return []
    ((size,),) = connection.execute(f"SELECT count(*) FROM {quoted(table)}").fetchall()
    few = size * len(unheard) <= MOST_COMPARED
    near = connection.execute(_near(table, unheard, letters=few)).fetchall()
    heard = _heard(connection, [one for _, one, _ in near], columns)
    # The nearest of each comes last, and stays.
    return sorted({name: close for name, one, close in near if one in heard}.items())


def _heard(
    connection: duckdb.DuckDBPyConnection, ids: Sequence[int], columns: Sequence[tuple[str, str]]
) -> set[int]:
    """Which constants stand in facts: lists of ids are looked for as columns are scanned, where a
    join would make a table of hashes of all facts.
    """
    if not ids or not columns:
        return set()
    chosen = ", ".join(map(str, sorted(set(ids))))
    query = " UNION ".join(
        f"SELECT {column} FROM {quoted(facts)} WHERE {column} IN ({chosen})"
        for facts, column in columns
    )
    return {one for (one,) in connection.execute(query).fetchall()}


def _near(table: str, names: Sequence[str], *, letters: bool) -> str:
    """A query of names with constants called nearly so, the nearest last: in another case, or with
    wrong `letters`.
    """
    apart = "damerau_levenshtein(c.name, n.name)"
    wrong = (
        f"length(n.name) >= {FEWEST_LETTERS} AND abs(length(c.name) - length(n.name)) <= 2 AND "
        f"{apart} <= CASE WHEN length(n.name) >= {MORE_LETTERS} THEN 2 ELSE 1 END"
    )
    digits = (f"regexp_replace({one}.name, '[^0-9]', '', 'g')" for one in "cn")
    listed = ", ".join(f"({text_literal(name)})" for name in names)
    alike = "lower(c.name) = lower(n.name)"
    if letters:
        alike += f" OR ({wrong} AND {' = '.join(digits)})"
    return (
        f"SELECT n.name, c.id, c.name FROM (VALUES {listed}) n(name) JOIN {quoted(table)} c "
        f"ON {alike} WHERE c.name <> n.name ORDER BY n.name, {apart} DESC, c.name"
    )


def _place(program: Program, type_name: str, name: str) -> Span | None:
    naming = (atom.span for atom in _atoms(program) if _names(program, atom, type_name, name))
    return next(naming, None)


def _atoms(program: Program) -> Iterator[Atom]:
    for one in program.statements:
        yield from condition_atoms(one.body)
    for leaf in (leaf for rule in program.rules for leaf in rule_leaves(rule)):
        atom = leaf.atom if isinstance(leaf, FreeSign) else leaf
        if isinstance(atom, Atom):
            yield atom


def _names(program: Program, atom: Atom, type_name: str, name: str) -> bool:
    predicate = program.predicates.get(atom.predicate)
    types = predicate.argument_types if predicate else ()
    return any(
        of_type == type_name and isinstance(term, Constant) and term.name == name
        for of_type, term in zip(types, atom.arguments)
    )


SHOWN_OF_A_TYPE = 3


def written_twice(
    connection: duckdb.DuckDBPyConnection, type_tables: Mapping[str, str]
) -> list[Diagnostic]:
    """E0337 for each type that has such constants. Where all names are ASCII, which the table's
    statistics say, none is read.
    """
    found = []
    for type_name, table in sorted(type_tables.items()):
        beyond = f"SELECT coalesce(stats(name).has_unicode, true) FROM {quoted(table)} LIMIT 1"
        if not first_value(connection.execute(beyond)):
            continue
        rows = connection.execute(
            "WITH apart AS (SELECT nfc_normalize(name) AS one FROM "
            f"{quoted(table)} WHERE name <> nfc_normalize(name)) "
            f"SELECT DISTINCT name FROM {quoted(table)} SEMI JOIN apart ON name = one ORDER BY name"
        ).fetchall()
        if rows:
            named = ", ".join(name for (name,) in rows[:SHOWN_OF_A_TYPE])
            found.append(
                Diagnostic.warning(
                    "E0337",
                    f"{len(rows):,} constants of {type_name} are written in two ways that read the "
                    f"same, with an accent as a sign of its own and without: {named}",
                    help="each way is a thing of its own: write facts and rules in one, such as "
                    "Unicode's NFC",
                )
            )
    return found
