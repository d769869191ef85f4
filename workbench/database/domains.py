"""The constants a program brings, and the domain of each type in each world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import duckdb
import numpy as np

from workbench.arrays import Array, Int64
from workbench.database.arrow_columns import integers
from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import FEW, filled, handed_in
from workbench.database.schema import add_constants, declare_type
from workbench.database.stored import StoredPredicate
from workbench.language.definitions import condition_atoms
from workbench.language.formulas import rule_leaves
from workbench.language.program import Program, Rule
from workbench.language.terms import Apply, Atom, Comparison, Constant, FreeSign

MOST_MARKS = 1 << 28
"""Bytes of marks, one for each constant of each world, that are held at a time."""


def program_constants(program: Program) -> set[tuple[str, str, bool]]:
    """(type, constant, declared) of constants declared for types and of those written in rules."""
    found = {
        (declared.name, constant, True)
        for declared in program.types.values()
        for constant in declared.constants
    }
    declared_names = {(type_name, constant) for type_name, constant, _ in found}
    made = (atom for one in program.statements for atom in (one.head, *condition_atoms(one.body)))
    for atoms in (made, *map(_atoms, program.rules)):
        for atom in atoms:
            found |= {
                (type_name, name, False)
                for type_name, name in _atom_constants(program, atom)
                if (type_name, name) not in declared_names
            }
    return found


def _atom_constants(program: Program, atom: Atom | Apply) -> Iterator[tuple[str, str]]:
    if isinstance(atom, Atom):
        predicate = program.predicates.get(atom.predicate)
        types: tuple[str, ...] = predicate.argument_types if predicate else ()
        kinds = predicate.kinds if predicate else ()
    else:
        function = program.functions.get(atom.function)
        types = function.argument_types if function else ()
        kinds = (None,) * len(types)
    for type_name, kind, term in zip(types, kinds, atom.arguments):
        if isinstance(term, Constant) and kind is None:
            yield type_name, term.name
    for term in atom.arguments:
        if isinstance(term, Apply):
            yield from _atom_constants(program, term)


def _atoms(rule: Rule) -> Iterator[Atom | Apply]:
    """Atoms of a rule, and function terms inside its comparisons."""
    for leaf in rule_leaves(rule):
        if isinstance(leaf, Comparison):
            yield from (term for term in (leaf.left, leaf.right) if isinstance(term, Apply))
        else:
            yield leaf.atom if isinstance(leaf, FreeSign) else leaf


def declare_constants(
    connection: duckdb.DuckDBPyConnection, constants: Iterable[tuple[str, str, bool]]
) -> bool:
    """Replace the program's constants and give ids to new ones; whether anything changed."""
    wanted = sorted(set(constants))
    stored = sorted(
        connection.execute("SELECT type, name, declared FROM program_constant").fetchall()
    )
    if wanted == stored:
        return False
    connection.execute("DELETE FROM program_constant")
    if wanted:
        types, names, declared = (list(column) for column in zip(*wanted))
        connection.execute(
            "INSERT INTO program_constant SELECT unnest($types), unnest($names), unnest($declared)",
            {"types": types, "names": names, "declared": declared},
        )
    for type_name in sorted({type_name for type_name, _, _ in wanted}):
        wanted_names = (
            f"SELECT DISTINCT name FROM program_constant WHERE type = {text_literal(type_name)}"
        )
        add_constants(connection, declare_type(connection, type_name), wanted_names)
    return True


def refresh_domains(
    connection: duckdb.DuckDBPyConnection,
    predicates: Mapping[str, StoredPredicate],
    worlds: Iterable[int],
) -> None:
    """Recompute the domains of `worlds`.

    A domain holds the constants of the world's facts and those of the program; a constant's
    position is its rank by name, so it does not depend on the order in which facts were loaded.
    Cost: one scan of each predicate's columns, and a mark for each constant of `MOST_MARKS //
    constants` worlds at a time.
    """
    wanted = sorted(worlds)
    chosen = ", ".join(map(str, wanted))
    connection.execute(f"DELETE FROM domain WHERE world IN ({chosen})")
    members: dict[str, list[str]] = {}
    with_facts = filled(connection, (one.table_name for one in predicates.values()))
    for predicate in (one for one in predicates.values() if one.table_name in with_facts):
        for column, type_name in predicate.constant_columns:
            facts = f"SELECT world, {column} AS constant FROM {quoted(predicate.table_name)}"
            members.setdefault(type_name, []).append(facts)
    tables = dict(
        connection.execute("SELECT name, table_name FROM constant_type ORDER BY name").fetchall()
    )
    for (type_name,) in connection.execute("SELECT DISTINCT type FROM program_constant").fetchall():
        members.setdefault(type_name, []).append(
            "SELECT w.id AS world, c.id AS constant FROM world w, program_constant p JOIN "
            f"{quoted(tables[type_name])} "
            f"c ON c.name = p.name WHERE p.type = {text_literal(type_name)}"
        )
    for type_name in filter(members.__contains__, tables):
        names = quoted(tables[type_name])
        ((size,),) = connection.execute(f"SELECT coalesce(max(id), -1) + 1 FROM {names}").fetchall()
        several = max(MOST_MARKS // max(size, 1), 1)
        for first in range(0, len(wanted), several):
            found = _marked(connection, members[type_name], wanted[first : first + several], size)
            with handed_in(connection, "incoming_members", found):
                connection.execute(
                    f"INSERT INTO domain SELECT m.world, {text_literal(type_name)}, m.constant, "
                    "row_number() OVER (PARTITION BY m.world ORDER BY c.name) - 1 AS position "
                    f"FROM incoming_members m JOIN {names} c ON c.id = m.constant ORDER BY "
                    "m.world, position"
                )


def _marked(
    connection: duckdb.DuckDBPyConnection, members: Sequence[str], worlds: Sequence[int], size: int
) -> dict[str, Int64]:
    """The different pairs `world`, `constant` of queries: marks take a tenth of DISTINCT's time."""
    chosen = ", ".join(map(str, worlds))
    marks = np.zeros((len(worlds), size), np.bool_)
    query = " UNION ALL ".join(
        f"SELECT world, constant FROM ({one}) WHERE world IN ({chosen})" for one in members
    )
    for of_world, constants in _batches(connection, query):
        marks[np.searchsorted(worlds, of_world), constants] = True
    place, constant = np.nonzero(marks)
    return {"world": np.asarray(worlds, np.int64)[place], "constant": constant}


def _batches(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Array, Array]]:
    """The rows of a query of two columns of whole numbers: few without Arrow, which takes longer to
    import than they to read.
    """
    few = connection.execute(f"{query} LIMIT {FEW + 1}").fetchnumpy()
    one, other = map(np.asarray, few.values())
    if one.size <= FEW:
        yield one, other
        return
    for batch in connection.sql(query).to_arrow_reader(1 << 18):
        one, other = map(integers, batch.columns)
        yield one, other
