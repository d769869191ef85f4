"""What the workspace holds, for people who look: counts, values, pages of facts, neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from workbench.database.database import Database
from workbench.database.identifiers import quoted
from workbench.database.rows import first_row, first_value
from workbench.database.stored import StoredPredicate
from workbench.database.things import has_display_names, shown_arguments
from workbench.errors import UsageError

NOTHING: Mapping[int, str] = {}


@dataclass(frozen=True)
class Count:
    """Facts of one predicate in one world and partition."""

    world: str
    partition: str
    true: int
    false: int
    unknown: int
    between: int

    @property
    def facts(self) -> int:
        return self.true + self.false + self.unknown + self.between


@dataclass(frozen=True)
class PredicateSummary:
    """A predicate with its counts."""

    predicate: StoredPredicate
    counts: tuple[Count, ...]

    @property
    def facts(self) -> int:
        return sum(count.facts for count in self.counts)


@dataclass(frozen=True)
class FactsPage:
    """A page of readable facts, and how many there are in all."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int


def catalog(database: Database) -> tuple[PredicateSummary, ...]:
    """All predicates with counts per world and partition. Cost: a grouped scan of each table."""
    cursor = database.cursor()
    found = []
    for predicate in database.predicates().values():
        table = quoted(predicate.table_name)
        counts = cursor.execute(
            "SELECT w.name, partition::VARCHAR, count(*) FILTER (value = 1), count(*) FILTER "
            "(value = 0), count(*) FILTER (value IS NULL), count(*) FILTER (value > 0 AND value < "
            f"1) FROM {table} f JOIN world w ON w.id = f.world GROUP BY w.id, w.name, partition "
            "ORDER BY w.id, partition"
        ).fetchall()
        found.append(PredicateSummary(predicate, tuple(Count(*row) for row in counts)))
    return tuple(found)


def distinct_values(database: Database, predicate: str) -> tuple[int, ...]:
    """Distinct values of each argument over all worlds. Cost: one scan of the predicate's table."""
    stored = database.predicate(predicate)
    if not stored.columns:
        return ()
    wanted = ", ".join(f"count(DISTINCT {column})" for column in stored.columns)
    return tuple(
        first_row(database.execute(f"SELECT {wanted} FROM {quoted(stored.table_name)}")) or ()
    )


def top_values(
    database: Database,
    predicate: str,
    position: int,
    *,
    having: Mapping[int, str] = NOTHING,
    limit: int = 20,
) -> tuple[tuple[str, int], ...]:
    """The commonest values of one argument with their numbers of facts, ties by name;
    of facts `having` these values at other places.
    """
    stored = database.predicate(predicate)
    _argument(stored, position)
    shown = shown_arguments(stored)[position]
    condition, values = _having(stored, having)
    rows = database.execute(
        f"SELECT {shown}, count(*) FROM facts.{quoted(stored.view_name)} WHERE {condition} "
        f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {int(limit)}",
        values,
    ).fetchall()
    return tuple((value, count) for value, count in rows)


def degrees(database: Database, predicate: str, position: int) -> tuple[tuple[int, int], ...]:
    """How many constants of an argument's domain occur in how many facts: pairs (facts, constants),
    in order.

    Constants of the world's domain without any fact count at 0.
    """
    stored = database.predicate(predicate)
    _argument(stored, position)
    column = stored.columns[position]
    rows = database.execute(
        "SELECT degree, count(*) FROM (SELECT count(f.world) AS degree FROM domain d "
        f"LEFT JOIN {quoted(stored.table_name)} f ON f.world = d.world AND f.{column} = d.constant "
        "WHERE d.type = $type GROUP BY d.world, d.constant) GROUP BY degree ORDER BY degree",
        {"type": stored.argument_types[position]},
    ).fetchall()
    return tuple((degree, count) for degree, count in rows)


def facts_page(
    database: Database,
    predicate: str,
    *,
    world: str | None = None,
    partition: str | None = None,
    search: str = "",
    having: Mapping[int, str] = NOTHING,
    offset: int = 0,
    limit: int = 50,
) -> FactsPage:
    """A page of a predicate's facts, ordered by all columns;
    `search` keeps rows with an argument that contains it, `having` those with just these values
    at some places.
    """
    stored = database.predicate(predicate)
    names = [quoted(name) for name in stored.argument_names]
    matches = (
        " OR ".join(f"contains(lower({name}::VARCHAR), lower($search))" for name in names) or "true"
    )
    just, wanted = _having(stored, having)
    condition = (
        "($world::VARCHAR IS NULL OR world = $world) AND ($partition::VARCHAR IS NULL OR "
        f"partition::VARCHAR = $partition) AND ($search = '' OR {matches}) AND {just}"
    )
    view = f"facts.{quoted(stored.view_name)}"
    values = {"world": world, "partition": partition, "search": search, **wanted}
    cursor = database.cursor()
    total = first_value(cursor.execute(f"SELECT count(*) FROM {view} WHERE {condition}", values))
    result = cursor.execute(
        f"SELECT * FROM {view} WHERE {condition} ORDER BY ALL LIMIT {int(limit)} OFFSET "
        f"{int(offset)}",
        values,
    )
    columns = tuple(item[0] for item in result.description or ())
    return FactsPage(columns, tuple(result.fetchall()), int(total))


def combinations(database: Database, predicate: str) -> int:
    """How many facts a predicate could have: combinations of constants, summed over worlds."""
    types = database.predicate(predicate).argument_types
    sizes: dict[int, dict[str, int]] = {world: {} for world in database.worlds().values()}
    counted = database.execute("SELECT world, type, count(*) FROM domain GROUP BY world, type")
    for world, type_name, size in counted.fetchall():
        sizes[world][type_name] = size
    return sum(prod(found.get(type_name, 0) for type_name in types) for found in sizes.values())


def types_by_size(database: Database) -> tuple[str, ...]:
    """The types of constants, the largest first."""
    rows = database.execute(
        "SELECT type FROM domain GROUP BY type ORDER BY count(*) DESC, type"
    ).fetchall()
    return tuple(name for (name,) in rows)


def constants(
    database: Database, type_name: str, *, search: str = "", limit: int = 50
) -> tuple[str, ...]:
    """Constants of a type that contain `search`, or whose name does; `search` itself first."""
    tables = database.type_tables()
    if type_name not in tables:
        raise UsageError.of("E0203", f"no type is called {type_name}")
    wanted, given = "contains(lower(name), lower($search))", {"search": search}
    called = ""
    if has_display_names(database):
        called = f" OR id IN (SELECT constant FROM display_name WHERE type = $type AND {wanted})"
        given["type"] = type_name
    rows = database.execute(
        f"SELECT name FROM {quoted(tables[type_name])} WHERE {wanted}{called} "
        f"ORDER BY lower(name) <> lower($search), name LIMIT {int(limit)}",
        given,
    ).fetchall()
    return tuple(name for (name,) in rows)


def _having(predicate: StoredPredicate, having: Mapping[int, str]) -> tuple[str, dict[str, str]]:
    """SQL that keeps facts with these values at these places, and its values."""
    shown = shown_arguments(predicate)
    for position in having:
        _argument(predicate, position)
    parts = [f"{shown[position]} = $at_{position}" for position in having]
    return " AND ".join(parts) or "true", {f"at_{at}": value for at, value in having.items()}


def _argument(predicate: StoredPredicate, position: int) -> str:
    if not 0 <= position < predicate.arity:
        raise UsageError.of("E0204", f"{predicate.name} has no argument {position}")
    return predicate.argument_names[position]
