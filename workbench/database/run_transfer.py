"""Runs taken from a copy of a workspace back into it: things are found by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from workbench.arrays import Array, Int32
from workbench.database.database import Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.runs import COLUMNS, RunRecord, read_run, record_run
from workbench.database.schema import add_constants, declare_type
from workbench.database.written_predictions import recorded_predictions, types_of_run

_AS_IT_WAS = (
    "kind status seconds program_text engine seed data_hash name parameters versions".split()
)


def take_run(database: Database, source: Database, number: int) -> int:
    """Record in `database` the run that another database of the same facts has; its number here.

    Types and constants that only the other database knows are added.

    `number`: in `source`.

    Raises E0217 when there is none of that number.
    """
    run = read_run(source, number)
    types = types_of_run(source, number)
    with database.transaction() as connection:
        for kind in sorted({kind for kinds in types.values() for kind in kinds}):
            declare_type(connection, kind)
        database.forget_catalog()
        predictions = _predictions(database, source, number, types)
        return record_run(
            database,
            RunRecord(
                **{name: getattr(run, name) for name in _AS_IT_WAS},
                atom_types=types,
                weights=_columns(source, "weight", number),
                predictions=predictions,
                metrics=_columns(source, "metric", number),
                traces=_columns(source, "trace", number),
            ),
        )


def _columns(source: Database, table: str, number: int) -> dict[str, list[Any]]:
    query = f"SELECT {', '.join(COLUMNS[table])} FROM run_{table} WHERE run = $run ORDER BY rowid"
    found = zip(*source.execute(query, {"run": number}).fetchall())
    return {name: list(column) for name, column in zip(COLUMNS[table], found)}


def _predictions(
    database: Database, source: Database, number: int, types: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The predictions with the numbers that constants and worlds have here."""
    query = f"{recorded_predictions(source, number)} ORDER BY place"
    found: Any = source.cursor().sql(query).to_arrow_table()
    if not found.num_rows:
        return {}
    columns = {
        name: found.column(name).to_numpy()
        for name in ("fold", "world", "predicate", "value", "truth")
    }
    arguments = _padded(found.column("arguments").combine_chunks())
    for predicate, kinds in types.items():
        rows = columns["predicate"] == predicate
        for place, kind in enumerate(kinds):
            arguments[rows, place] = _numbers_here(database, source, kind)[arguments[rows, place]]
    names = {at: name for name, at in source.worlds().items()}
    worlds = {at: database.world_id(names[at]) for at in np.unique(columns["world"]).tolist()}
    columns["world"] = np.array([worlds[at] for at in columns["world"].tolist()], np.int32)
    return {**columns, "arguments": arguments}


def _padded(lists: Any) -> Int32:
    """Lists of constants as a matrix, -1 where a list is shorter."""
    ends = lists.offsets.to_numpy()
    sizes = np.diff(ends)
    matrix = np.full((len(sizes), int(sizes.max(initial=0))), -1, np.int32)
    matrix[np.arange(matrix.shape[1]) < sizes[:, None]] = lists.values.to_numpy()[
        ends[0] : ends[-1]
    ]
    return matrix


def _numbers_here(database: Database, source: Database, kind: str) -> Array:
    """By the number of a constant there, its number here; one that is missing here is added."""
    there, here = source.type_tables(), database.type_tables()
    rows = source.execute(f"SELECT id, name FROM {quoted(there[kind])} ORDER BY id").fetchall()
    known = dict(
        database.connection.execute(f"SELECT name, id FROM {quoted(here[kind])}").fetchall()
    )
    missing = [name for _, name in rows if name not in known]
    if missing:
        values = ", ".join(f"({text_literal(name)})" for name in missing)
        add_constants(
            database.connection, here[kind], f"SELECT name FROM (VALUES {values}) v(name)"
        )
        known = dict(
            database.connection.execute(f"SELECT name, id FROM {quoted(here[kind])}").fetchall()
        )
    numbers = np.full(1 + max((at for at, _ in rows), default=-1), -1, np.int32)
    for at, name in rows:
        numbers[at] = known[name]
    return numbers
