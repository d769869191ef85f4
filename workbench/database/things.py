"""Single things: which there are rows of, what facts name them, what their rows say;
and what people call them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.database.database import Database
from workbench.database.encoded_facts import CODED, ROWS, incoming, type_table
from workbench.database.identifiers import quoted
from workbench.database.rows import first_value
from workbench.database.stored import StoredPredicate, text_of_value
from workbench.database.workspace_format import DISPLAY_NAMES

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class Neighbour:
    """A fact that a constant takes part in, with its other constants."""

    predicate: str
    position: int
    arguments: tuple[str, ...]
    types: tuple[str, ...]


def described_types(database: Database) -> frozenset[str]:
    """The types of things of which some predicate says something, as its first argument; others (a
    breed, a colour) are values that things have.
    """
    return frozenset(
        predicate.argument_types[0]
        for predicate in database.predicates().values()
        if predicate.arity and predicate.kinds[0] is None
    )


def neighbours(
    database: Database,
    type_name: str,
    constant: str,
    *,
    limit: int = 60,
    world: str | None = None,
) -> tuple[Neighbour, ...]:
    """The true facts that a constant takes part in, of one world or of all, at most `limit`,
    ordered by predicate, position and arguments.
    """
    found: list[Neighbour] = []
    given = {"constant": constant} if world is None else {"constant": constant, "world": world}
    there = "" if world is None else "AND world = $world "
    cursor = database.cursor()
    for predicate in database.predicates().values():
        for position, argument_type in enumerate(predicate.argument_types):
            if argument_type != type_name or len(found) >= limit:
                continue
            rows = cursor.execute(
                f"SELECT DISTINCT {', '.join(shown_arguments(predicate))} FROM "
                f"facts.{quoted(predicate.view_name)} "
                f"WHERE {quoted(predicate.argument_names[position])} = $constant AND value > 0 "
                f"{there}ORDER BY ALL LIMIT {limit - len(found)}",
                given,
            ).fetchall()
            found += [
                Neighbour(predicate.name, position, tuple(row), predicate.argument_types)
                for row in rows
            ]
    return tuple(found)


def rows_of_things(
    database: Database, type_name: str, constants: Sequence[str], *, world: str, limit: int
) -> dict[str, list[Neighbour]]:
    """The true facts of a world that name each of some things first, in order of predicate and
    arguments, at most `limit` a predicate for each thing on average. A query a predicate.
    """
    found: dict[str, list[Neighbour]] = {constant: [] for constant in constants}
    cursor = database.cursor()
    for predicate in database.predicates().values():
        if predicate.argument_types[:1] != (type_name,):
            continue
        rows = cursor.execute(
            f"SELECT DISTINCT {', '.join(shown_arguments(predicate))} FROM "
            f"facts.{quoted(predicate.view_name)} WHERE {quoted(predicate.argument_names[0])} IN "
            "(SELECT unnest($constants)) AND value > 0 AND world = $world "
            f"ORDER BY ALL LIMIT {limit * len(found)}",
            {"constants": list(found), "world": world},
        ).fetchall()
        for row in rows:
            fact = Neighbour(predicate.name, 0, tuple(row), predicate.argument_types)
            found[row[0]].append(fact)
    return found


def shown_arguments(predicate: StoredPredicate) -> list[str]:
    """Each argument as rules and data write it, as an SQL expression over the view of facts."""
    cells = map(quoted, predicate.argument_names)
    return [
        text_of_value(cell, kind) if kind else f"{cell}::VARCHAR"
        for cell, kind in zip(cells, predicate.kinds)
    ]


MOST = 200
"""Things that a search for a part of a name takes."""


def has_display_names(database: Database) -> bool:
    """Whether some table gave its things names."""
    query = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'display_name'"
    return bool(database.execute(query).fetchall())


def name_things(database: Database, type_name: str, rows: pyarrow.RecordBatchReader) -> int:
    """Keep what people call the things of a type: columns `thing` and `name`; how many names.

    A later name takes the place of an earlier one. Things without facts have no name.
    """
    with database.transaction() as connection:
        connection.execute(DISPLAY_NAMES)
        with incoming(connection, rows):
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {CODED} AS SELECT c.id, any_value(n.name) AS name "
                f"FROM {ROWS} n JOIN {type_table(connection, type_name)} c ON c.name = n.thing "
                "WHERE n.name <> '' GROUP BY c.id"
            )
        connection.execute(
            f"DELETE FROM display_name WHERE type = $type AND constant IN (SELECT id FROM {CODED})",
            {"type": type_name},
        )
        connection.execute(
            f"INSERT INTO display_name SELECT $type, id, name FROM {CODED} ORDER BY id",
            {"type": type_name},
        )
        named = first_value(connection.execute(f"SELECT count(*) FROM {CODED}"))
        connection.execute(f"DROP TABLE {CODED}")
    return int(named)


def display_names(
    database: Database, among: Mapping[str, Collection[str]] | None = None
) -> dict[str, dict[str, str]]:
    """What people call things, by type and constant; empty where no table gave names."""
    if not has_display_names(database):
        return {}
    found: dict[str, dict[str, str]] = {}
    for type_name, table in database.type_tables().items():
        wanted = "" if among is None else " AND c.name IN (SELECT unnest($wanted::VARCHAR[]))"
        rows = database.execute(
            f"SELECT c.name, d.name FROM display_name d JOIN {quoted(table)} c ON c.id = "
            f"d.constant WHERE d.type = $type{wanted}",
            {"type": type_name}
            | ({} if among is None else {"wanted": list(among.get(type_name, ()))}),
        ).fetchall()
        if rows:
            found[type_name] = dict(rows)
    return found


def called_so(database: Database, search: str) -> list[str]:
    """Constants of all types whose display name contains `search`; at most 200."""
    if not search or not has_display_names(database):
        return []
    found: list[str] = []
    for type_name, table in database.type_tables().items():
        rows = database.execute(
            f"SELECT c.name FROM display_name d JOIN {quoted(table)} c ON c.id = d.constant "
            "WHERE d.type = $type AND contains(lower(d.name), lower($search)) "
            f"ORDER BY c.id LIMIT {MOST - len(found)}",
            {"type": type_name, "search": search},
        ).fetchall()
        found += [name for (name,) in rows]
    return found
