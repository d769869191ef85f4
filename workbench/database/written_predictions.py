"""Recorded predictions, with their atoms and worlds in words for people to read.

An update of few facts moves few of millions of values, so a run has a base or has all its
predictions; a base has them all. The values of a run with a base are the base's, but where it has a
row of its own for the same atom.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from workbench.database.database import Database
from workbench.database.identifiers import quoted, text_literal
from workbench.language.printing import BARE, ESCAPES

_SAME = (
    "own.predicate = of_base.predicate AND own.world IS NOT DISTINCT FROM of_base.world "
    "AND own.arguments = of_base.arguments"
)


def base_of(database: Database, run: int) -> int | None:
    """The run whose predictions a run's own rows change; None where they are all."""
    found = database.execute("SELECT base FROM run_base WHERE run = $run", {"run": run}).fetchall()
    return found[0][0] if found else None


def rows_since(database: Database, run: int) -> int:
    """How many rows a run has of its own, where it has a base; else none."""
    found = database.execute(
        "SELECT count(*) FROM run_prediction p JOIN run_base b ON b.run = p.run WHERE p.run = $run",
        {"run": run},
    ).fetchall()
    return int(found[0][0])


def recorded_predictions(database: Database, run: int) -> str:
    """A query for a run's predictions: place (their order), fold, world, ..., value, truth."""
    base = base_of(database, run)
    if base is None:
        return (
            "SELECT rowid AS place, fold, world, predicate, arguments, value, truth "
            f"FROM run_prediction WHERE run = {int(run)}"
        )
    return (
        "SELECT of_base.rowid AS place, of_base.fold, of_base.world, of_base.predicate, "
        "of_base.arguments, CASE WHEN own.run IS NULL THEN of_base.value ELSE own.value END AS "
        "value, of_base.truth FROM run_prediction of_base LEFT JOIN run_prediction own ON own.run "
        f"= {int(run)} AND {_SAME} WHERE of_base.run = {base}"
    )


def build_on(connection: duckdb.DuckDBPyConnection, run: int, parent: int) -> None:
    """Say that a run's rows are all that changed since its parent, whose own it then needs, too."""
    values = {"run": run, "parent": parent}
    connection.execute(
        "INSERT INTO run_base SELECT $run, coalesce(max(base), $parent) FROM run_base "
        "WHERE run = $parent",
        values,
    )
    connection.execute(
        "INSERT INTO run_prediction SELECT of_base.* REPLACE ($run AS run) FROM run_prediction "
        "of_base SEMI JOIN run_base b ON b.run = of_base.run WHERE of_base.run = $parent AND NOT "
        f"EXISTS (FROM run_prediction own WHERE own.run = $run AND {_SAME})",
        values,
    )


def forget_predictions(connection: duckdb.DuckDBPyConnection, run: int) -> None:
    """Let the predictions of a run go; those of a base when no run needs them any more."""
    values = {"run": run}
    bases = connection.execute("SELECT base FROM run_base WHERE run = $run", values).fetchall()
    connection.execute("DELETE FROM run_base WHERE run = $run", values)
    for (number,) in [(run,), *bases]:
        connection.execute(
            "DELETE FROM run_prediction WHERE run = $number AND NOT EXISTS (FROM run_base WHERE "
            "base = $number) AND ($number = $run OR NOT EXISTS (FROM run WHERE id = $number))",
            {"number": number, "run": run},
        )


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
