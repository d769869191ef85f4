"""Single things: which there are rows of, what facts name them, what their rows say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.database.database import Database
from workbench.database.identifiers import quoted
from workbench.database.stored import StoredPredicate
from workbench.database.value_columns import text_of_value


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
