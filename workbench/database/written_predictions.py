"""Recorded predictions with their atoms and worlds in words, for people to read."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.database.database import Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.run_bases import recorded_predictions
from workbench.language.printing import BARE, ESCAPES


def types_of_run(database: Database, run: int) -> dict[str, tuple[str, ...]]:
    """The types of the arguments of each predicate that a run predicted, as they were then."""
    rows = database.execute(
        "SELECT predicate, types FROM run_predicate WHERE run = $run ORDER BY predicate",
        {"run": run},
    ).fetchall()
    return {name: tuple(types) for name, types in rows}


def written_predictions(database: Database, run: int) -> str:
    """A query for a run's predictions: place, fold, world, world_id, predicate, arguments, atom,
    value, truth.

    `place` is their order, `world` a name. Cost: one join with a dictionary for each argument.
    """
    tables, predictions = database.type_tables(), recorded_predictions(database, run)
    parts = [
        _written(name, types, tables, predictions)
        for name, types in types_of_run(database, run).items()
    ]
    if not parts:
        return (
            "SELECT rowid AS place, fold, NULL::VARCHAR AS world, world AS world_id, predicate, "
            "arguments, predicate AS atom, value, truth FROM run_prediction WHERE false"
        )
    return " UNION ALL ".join(parts)


def _written(
    predicate: str, types: tuple[str, ...], tables: Mapping[str, str], predictions: str
) -> str:
    joins = [
        f"JOIN {quoted(tables[type_name])} c{place} ON c{place}.id = p.arguments[{place}]"
        for place, type_name in enumerate(types, 1)
    ]
    name = text_literal(predicate)
    arguments = " || ', ' || ".join(
        written_constant(f"c{place}.name") for place in range(1, len(types) + 1)
    )
    atom = f"{name} || '(' || {arguments} || ')'" if types else name
    return (
        "SELECT p.place, p.fold, w.name AS world, p.world AS world_id, p.predicate, p.arguments, "
        f"{atom} AS atom, p.value, p.truth FROM ({predictions}) p LEFT JOIN world w ON w.id = "
        f"p.world {' '.join(joins)} WHERE p.predicate = {name}"
    )


def written_constant(column: str) -> str:
    """A constant as `language.printing.quote_constant` writes it, in SQL."""
    escaped = column
    for code, written in ESCAPES.items():
        escaped = f"replace({escaped}, {text_literal(chr(code))}, {text_literal(written)})"
    bare = f"regexp_full_match({column}, '{BARE.pattern}')"
    return f"""CASE WHEN {bare} THEN {column} ELSE '"' || {escaped} || '"' END"""
