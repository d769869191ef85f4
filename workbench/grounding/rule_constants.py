"""The constants that rules and definitions name: their types, their ids, and positions by world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import duckdb

from workbench.database.identifiers import quoted
from workbench.language.clauses import Clause, LinearRule
from workbench.language.definitions import condition_atoms
from workbench.language.formulas import leaves
from workbench.language.program import Program
from workbench.language.terms import Atom, Comparison, Constant, SumVariable, Variable
from workbench.language.variable_types import infer_condition_types


def rule_constants(
    program: Program, clauses: Iterable[Clause | LinearRule]
) -> Iterator[tuple[str, str]]:
    """(type, name) of the constants in rules."""
    for clause in clauses:
        atoms: list[Atom] = []
        if isinstance(clause, Clause):
            atoms += [literal.atom for literal in clause.literals]
            types = dict(clause.variable_types)
            for computed in clause.function_values:
                declared = program.functions.get(computed.function)
                if declared is not None:
                    for argument, type_name in zip(computed.arguments, declared.argument_types):
                        if isinstance(argument, Constant):
                            yield type_name, argument.name
                    types[computed.variable] = declared.return_type
                elif computed.type_name is not None:
                    types[computed.variable] = computed.type_name
            comparisons = clause.guards
        else:
            atoms += [atom for term in clause.terms for atom in term.atoms]
            types = dict(clause.variable_types)
            conditions = [part for one in clause.filters for part in leaves(one.condition)]
            atoms += [part for part in conditions if isinstance(part, Atom)]
            comparisons = tuple(part for part in conditions if isinstance(part, Comparison))
        for atom in atoms:
            yield from _atom_constants(program, atom)
        for comparison in comparisons:
            for one, other in (
                (comparison.left, comparison.right),
                (comparison.right, comparison.left),
            ):
                if (
                    isinstance(one, Constant)
                    and isinstance(other, Variable | SumVariable)
                    and other.name in types
                ):
                    yield types[other.name], one.name


def defining_constants(program: Program) -> Iterator[tuple[str, str]]:
    """(type, name) of the constants in definitions and scopes."""
    for one in program.statements:
        for atom in (one.head, *condition_atoms(one.body)):
            yield from _atom_constants(program, atom)
        types = infer_condition_types(one.head, one.body, program)
        yield from (
            (type_name, constant.name)
            for constant, type_name in types.compared
            if not program.kind_of(type_name)
        )


def _atom_constants(program: Program, atom: Atom) -> Iterator[tuple[str, str]]:
    declared = program.predicates[atom.predicate]
    for term, type_name, kind in zip(atom.arguments, declared.argument_types, declared.kinds):
        if isinstance(term, Constant) and kind is None:
            yield type_name, term.name


def look_up(
    connection: duckdb.DuckDBPyConnection,
    type_tables: Mapping[str, str],
    wanted: list[tuple[str, str]],
    chosen: str,
) -> tuple[dict[tuple[str, str], int], dict[tuple[int, str, str], int]]:
    """The id of each constant, and its position in each chosen world that has it."""
    constants: dict[tuple[str, str], int] = {}
    positions: dict[tuple[int, str, str], int] = {}
    by_type: dict[str, list[str]] = {}
    for type_name, name in wanted:
        by_type.setdefault(type_name, []).append(name)
    for type_name, names in by_type.items():
        if type_name not in type_tables:
            continue
        table = quoted(type_tables[type_name])
        rows = connection.execute(
            f"SELECT c.name, c.id, d.world, d.position FROM {table} c LEFT JOIN domain d ON "
            f"d.constant = c.id AND d.type = $type AND d.world IN ({chosen}) WHERE c.name IN "
            "(SELECT unnest($names)) ORDER BY ALL",
            {"type": type_name, "names": names},
        ).fetchall()
        for name, number, world, position in rows:
            constants[(type_name, name)] = number
            if world is not None:
                positions[(world, type_name, name)] = position
    return constants, positions
