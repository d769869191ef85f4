"""Tables of types and predicates, the constants a program brings, and the domain of each world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal as OneOf

import duckdb

from workbench.database.identifiers import quoted, unused_name
from workbench.errors import InputError
from workbench.language.program import (
    And,
    Apply,
    ArithmeticRule,
    Atom,
    Comparison,
    Constant,
    Formula,
    FormulaRule,
    FreeSign,
    Function,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Predicate,
    Program,
    Quantified,
    Rule,
)
from workbench.resources import sql_text

__all__ = [
    "StoredPredicate",
    "declare_constants",
    "declare_function",
    "declare_predicate",
    "declare_type",
    "program_constants",
    "read_predicates",
    "refresh_domains",
]


@dataclass(frozen=True, slots=True)
class StoredPredicate:
    """A predicate (or function, with its value as the last argument) as the database holds it.

    Attributes
    ----------
    name, table_name, view_name : str
    argument_types : tuple of str
        The type of each column a0, a1, ...; a function's return type comes last.
    kind : {'predicate', 'function'}
    value_last : bool
        The last column is a DOUBLE, not a constant's id.
    closed : bool or None
    exactly_one, at_most_one : tuple of int
    """

    name: str
    table_name: str
    view_name: str
    argument_types: tuple[str, ...]
    kind: OneOf["predicate", "function"] = "predicate"
    value_last: bool = False
    closed: bool | None = None
    exactly_one: tuple[int, ...] = ()
    at_most_one: tuple[int, ...] = ()

    @property
    def arity(self) -> int:
        """Number of columns, a function's value included."""
        return len(self.argument_types)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"a{position}" for position in range(self.arity))

    @property
    def constant_columns(self) -> tuple[tuple[str, str], ...]:
        """Column and type of the arguments that are dictionary-encoded."""
        pairs = tuple(zip(self.columns, self.argument_types))
        return pairs[:-1] if self.value_last else pairs

    @property
    def argument_names(self) -> tuple[str, ...]:
        """Column names of the readable view: the types, numbered where one occurs twice."""
        names: list[str] = []
        for position, type_name in enumerate(self.argument_types):
            number = self.argument_types[:position].count(type_name) + 1
            wanted = f"{type_name}_{number}" if self.argument_types.count(type_name) > 1 else type_name
            names.append(unused_name(wanted, [*names, "world", "value", "partition"]))
        return tuple(names)


def read_predicates(connection: duckdb.DuckDBPyConnection) -> dict[str, StoredPredicate]:
    """All stored predicates by name, in order of name."""
    return {
        name: StoredPredicate(
            name, table, view, tuple(types), kind, value_last, closed, tuple(exactly_one), tuple(at_most_one)
        )
        for name, table, view, kind, value_last, closed, exactly_one, at_most_one, types in connection.execute(
            sql_text("predicates")
        ).fetchall()
    }


def declare_type(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """The table of constants of type `name`, made when missing."""
    tables = dict(connection.execute("SELECT name, table_name FROM constant_type").fetchall())
    if name not in tables:
        tables[name] = unused_name(f"c_{name}", tables.values())
        connection.execute("INSERT INTO constant_type VALUES (?, ?)", [name, tables[name]])
        connection.execute(f"CREATE TABLE {quoted(tables[name])} (id INTEGER NOT NULL, name VARCHAR NOT NULL)")
    return str(tables[name])


def declare_predicate(connection: duckdb.DuckDBPyConnection, predicate: Predicate) -> None:
    """Make the table and view of a predicate, or bring the stored declaration up to date."""
    _declare(
        connection,
        StoredPredicate(
            predicate.name,
            f"p_{predicate.name}",
            predicate.name,
            predicate.argument_types,
            "predicate",
            predicate.value_last,
            predicate.closed,
            predicate.exactly_one,
            predicate.at_most_one,
        ),
    )


def declare_function(connection: duckdb.DuckDBPyConnection, function: Function) -> None:
    """Make the table of a function: its arguments, then its value."""
    _declare(
        connection,
        StoredPredicate(
            function.name,
            f"p_{function.name}",
            function.name,
            (*function.argument_types, function.return_type),
            "function",
            closed=True,
        ),
    )


def _declare(connection: duckdb.DuckDBPyConnection, wanted: StoredPredicate) -> None:
    stored = read_predicates(connection)
    present = stored.pop(wanted.name, None)
    if present is not None:
        same_columns = (present.argument_types, present.kind, present.value_last) == (
            wanted.argument_types,
            wanted.kind,
            wanted.value_last,
        )
        if not same_columns and connection.execute(f"FROM {quoted(present.table_name)} LIMIT 1").fetchone():
            raise InputError.of(
                "E0202",
                f"{wanted.name} is declared as {_signature(wanted)}, but the workspace holds facts of "
                f"{_signature(present)}",
                help="change the declaration, or remove the facts of the old one first",
            )
        if same_columns:
            connection.execute(
                "UPDATE predicate SET closed = $closed, exactly_one = $exactly, at_most_one = $most WHERE name = $name",
                {
                    "closed": wanted.closed,
                    "exactly": list(wanted.exactly_one),
                    "most": list(wanted.at_most_one),
                    "name": wanted.name,
                },
            )
            return
        connection.execute(f"DROP VIEW IF EXISTS facts.{quoted(present.view_name)}")
        connection.execute(f"DROP TABLE {quoted(present.table_name)}")
        connection.execute("DELETE FROM predicate WHERE name = ?", [wanted.name])
        connection.execute("DELETE FROM predicate_argument WHERE predicate = ?", [wanted.name])
    table = unused_name(wanted.table_name, (other.table_name for other in stored.values()))
    view = unused_name(wanted.view_name, (other.view_name for other in stored.values()))
    connection.execute(
        "INSERT INTO predicate VALUES ($name, $table, $view, $arity, $kind, $value_last, $closed, $exactly, $most)",
        {
            "name": wanted.name,
            "table": table,
            "view": view,
            "arity": wanted.arity,
            "kind": wanted.kind,
            "value_last": wanted.value_last,
            "closed": wanted.closed,
            "exactly": list(wanted.exactly_one),
            "most": list(wanted.at_most_one),
        },
    )
    for position, type_name in enumerate(wanted.argument_types):
        connection.execute("INSERT INTO predicate_argument VALUES (?, ?, ?)", [wanted.name, position, type_name])
    type_tables = {type_name: declare_type(connection, type_name) for _, type_name in wanted.constant_columns}
    kinds = ["DOUBLE" if wanted.value_last and column == wanted.columns[-1] else "INTEGER" for column in wanted.columns]
    typed = zip(("world", *wanted.columns), ("INTEGER", *kinds))
    columns = ", ".join(f"{column} {kind} NOT NULL" for column, kind in typed)
    connection.execute(f"CREATE TABLE {quoted(table)} ({columns}, value DOUBLE, partition fact_partition NOT NULL)")
    _make_view(connection, wanted, table, view, type_tables)


def _make_view(
    connection: duckdb.DuckDBPyConnection,
    wanted: StoredPredicate,
    table: str,
    view: str,
    type_tables: Mapping[str, str],
) -> None:
    """The facts with names in place of ids."""
    shown = ["w.name AS world"]
    joins = ["JOIN world w ON w.id = f.world"]
    encoded = dict(wanted.constant_columns)
    for column, name in zip(wanted.columns, wanted.argument_names):
        if column in encoded:
            joins.append(f"JOIN {quoted(type_tables[encoded[column]])} c_{column} ON c_{column}.id = f.{column}")
            shown.append(f"c_{column}.name AS {quoted(name)}")
        else:
            shown.append(f"f.{column} AS {quoted(name)}")
    connection.execute(
        f"CREATE VIEW facts.{quoted(view)} AS SELECT {', '.join(shown)}, f.value, f.partition "
        f"FROM {quoted(table)} f {' '.join(joins)}"
    )


def _signature(predicate: StoredPredicate) -> str:
    types = predicate.argument_types
    if predicate.kind == "function":
        return f"{types[-1]} {predicate.name}({', '.join(types[:-1])})"
    return f"{predicate.name}({', '.join(types)})"


def program_constants(program: Program) -> set[tuple[str, str, bool]]:
    """(type, constant, declared) of the constants declared for types and of those written in rules."""
    found = {(declared.name, constant, True) for declared in program.types.values() for constant in declared.constants}
    declared_names = {(type_name, constant) for type_name, constant, _ in found}
    for rule in program.rules:
        for atom in _atoms(rule):
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
        if predicate and predicate.value_last:
            types = types[:-1]
    else:
        function = program.functions.get(atom.function)
        types = function.argument_types if function else ()
    for type_name, term in zip(types, atom.arguments):
        if isinstance(term, Constant):
            yield type_name, term.name
    for term in atom.arguments:
        if isinstance(term, Apply):
            yield from _atom_constants(program, term)


def _atoms(rule: Rule) -> Iterator[Atom | Apply]:
    """Atoms of a rule, and function terms inside its comparisons."""
    if isinstance(rule, FormulaRule):
        yield from _formula_atoms(rule.formula)
    elif isinstance(rule, ArithmeticRule):
        for term in rule.terms:
            yield from term.atoms
        for condition in rule.filters:
            yield from _formula_atoms(condition.condition)
    else:
        for part in (*rule.body, *rule.head):
            if isinstance(part, Literal):
                yield part.atom
            else:
                yield from _formula_atoms(part)


def _formula_atoms(formula: Formula) -> Iterator[Atom | Apply]:
    match formula:
        case Atom():
            yield formula
        case FreeSign(atom):
            yield atom
        case Comparison(_, left, right):
            yield from (term for term in (left, right) if isinstance(term, Apply))
        case Not(body) | Quantified(body=body):
            yield from _formula_atoms(body)
        case And(items) | Or(items):
            for item in items:
                yield from _formula_atoms(item)
        case Implies(left, right) | Iff(left, right):
            yield from _formula_atoms(left)
            yield from _formula_atoms(right)


def declare_constants(connection: duckdb.DuckDBPyConnection, constants: Iterable[tuple[str, str, bool]]) -> bool:
    """Replace the program's constants and give ids to new ones; whether anything changed."""
    wanted = sorted(set(constants))
    stored = sorted(connection.execute("SELECT type, name, declared FROM program_constant").fetchall())
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
        table = quoted(declare_type(connection, type_name))
        connection.execute(
            f"INSERT INTO {table} SELECT (SELECT coalesce(max(id) + 1, 0) FROM {table}) "
            "+ row_number() OVER (ORDER BY name) - 1, name "
            f"FROM program_constant p WHERE p.type = $type AND NOT EXISTS (FROM {table} c WHERE c.name = p.name)",
            {"type": type_name},
        )
    return True


def refresh_domains(
    connection: duckdb.DuckDBPyConnection, predicates: Mapping[str, StoredPredicate], *, worlds: Iterable[int] | None
) -> None:
    """Recompute the domains of `worlds`, or of all.

    A domain holds the constants of the world's facts and those of the program; a constant's position is its rank by
    name, so it does not depend on the order in which facts were loaded. Cost: one scan of each predicate's columns.
    """
    chosen = None if worlds is None else sorted(set(worlds))
    in_world = "" if chosen is None else f" WHERE world IN ({', '.join(map(str, chosen)) or 'NULL'})"
    connection.execute(f"DELETE FROM domain{in_world}")
    sources: dict[str, list[str]] = {}
    for predicate in predicates.values():
        for column, type_name in predicate.constant_columns:
            sources.setdefault(type_name, []).append(
                f"SELECT DISTINCT world, {column} AS constant FROM {quoted(predicate.table_name)}{in_world}"
            )
    only = "" if chosen is None else f" AND w.id IN ({', '.join(map(str, chosen)) or 'NULL'})"
    for type_name, table in connection.execute("SELECT name, table_name FROM constant_type ORDER BY name").fetchall():
        program = (
            f"SELECT w.id AS world, c.id AS constant FROM world w, program_constant p JOIN {quoted(table)} c "
            f"ON c.name = p.name WHERE p.type = $type{only}"
        )
        members = " UNION ".join([*sources.get(type_name, []), program])
        connection.execute(
            "INSERT INTO domain SELECT m.world, $type, m.constant, "
            "row_number() OVER (PARTITION BY m.world ORDER BY c.name) - 1 AS position "
            f"FROM ({members}) m JOIN {quoted(table)} c ON c.id = m.constant ORDER BY m.world, position",
            {"type": type_name},
        )
