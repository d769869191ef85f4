"""Evidence and labelled examples of some predicates as arrays of ids, for clause search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.identifiers import quoted


@dataclass(frozen=True)
class RelationArrays:
    """Evidence of some predicates, dictionary-encoded, as the database holds it.

    Attributes
    ----------
    facts : tuple of int32 array, shape (n_facts, arity)
        In the order of the table, which is that of their ids where they were loaded at once.
    constants : mapping of type to tuple of str
        Position is id.
    domains : mapping of type to int32 array
        The constants of each type in the world read.
    """

    predicates: tuple[str, ...]
    argument_types: tuple[tuple[str, ...], ...]
    facts: tuple[Int32, ...]
    constants: Mapping[str, tuple[str, ...]]
    domains: Mapping[str, Int32]


def read_relations(
    database: Database,
    predicates: Sequence[str],
    *,
    world: str = DEFAULT_WORLD,
    partitions: Sequence[str] = ("evidence",),
    value: float = 1.0,
) -> RelationArrays:
    """Facts of the predicates in one world, the true ones or those of another truth `value`.

    They are of the evidence alone unless other `partitions` are named.
    """
    stored = database.predicates()
    number = database.world_id(world)
    facts: list[Int32] = []
    for name in predicates:
        columns = stored[name].columns
        cells = ", ".join(columns) or "0 AS a0"
        rows = database.execute(
            f"SELECT {cells} FROM {quoted(stored[name].table_name)} WHERE world = $world AND value "
            "= $value AND list_contains($partitions, partition::VARCHAR) ORDER BY rowid",
            {"world": number, "value": value, "partitions": list(partitions)},
        ).fetchnumpy()
        facts.append(
            np.stack([np.asarray(rows[c], np.int32) for c in columns], axis=1)
            if columns
            else _no_columns()
        )
    types = tuple(stored[name].argument_types for name in predicates)
    return RelationArrays(
        tuple(predicates), types, tuple(facts), _constants(database), _domains(database, number)
    )


def read_numbers(database: Database, predicate: str, world: str) -> tuple[Int32, Float]:
    """True facts of a predicate whose last argument is a number: the others' ids, the numbers."""
    stored = database.predicate(predicate)
    rows = database.execute(
        f"SELECT {', '.join(stored.columns)} FROM {quoted(stored.table_name)} WHERE world = $world "
        f"AND value = 1 AND NOT isnan({stored.columns[-1]}) ORDER BY rowid",
        {"world": database.world_id(world)},
    ).fetchnumpy()
    *others, last = (np.asarray(rows[column]) for column in stored.columns)
    return np.stack(others, axis=1).astype(np.int32), last.astype(np.float64)


def read_keys(database: Database, predicate: str) -> Int32:
    """The world and the arguments' ids of each fact of a predicate without values, of all worlds;
    shape (n, 1 + arguments).
    """
    stored = database.predicate(predicate)
    columns = ("world", *stored.columns)
    rows = database.execute(
        f"SELECT {', '.join(columns)} FROM {quoted(stored.table_name)}"
    ).fetchnumpy()
    return np.column_stack([np.asarray(rows[name], np.int32) for name in columns])


def _domains(database: Database, world: int) -> dict[str, Int32]:
    rows = database.execute(
        "SELECT type, list(constant ORDER BY position) FROM domain WHERE world = $world GROUP BY "
        "type",
        {"world": world},
    ).fetchall()
    return {name: np.array(constants, np.int32) for name, constants in rows}


def _no_columns() -> Int32:
    return np.zeros((0, 0), np.int32)


def _constants(database: Database) -> dict[str, tuple[str, ...]]:
    result: dict[str, tuple[str, ...]] = {}
    for name, table in database.type_tables().items():
        rows = database.execute(f"SELECT id, name FROM {quoted(table)} ORDER BY id").fetchall()
        names = [""] * (max((number for number, _ in rows), default=-1) + 1)
        for number, text in rows:
            names[number] = text
        result[name] = tuple(names)
    return result


def read_examples(database: Database, target: str) -> tuple[Int32, Float, Int64]:
    """The target's labelled atoms as stored: arguments, label (0 or 1), fold (-1 for none)."""
    stored = database.predicate(target)
    cells = ", ".join(stored.columns)
    ids = f"[{', '.join('p.' + column for column in stored.columns)}]"
    rows = database.execute(
        f"SELECT {cells}, value, coalesce(f.fold, -1) AS fold FROM {quoted(stored.table_name)} p "
        f"LEFT JOIN folds f ON f.predicate = $target AND f.world = p.world AND f.arguments = {ids} "
        "WHERE p.world = $world AND value IS NOT NULL ORDER BY p.rowid",
        {"world": database.world_id(), "target": target},
    ).fetchnumpy()
    arguments = np.stack([np.asarray(rows[column], np.int32) for column in stored.columns], axis=1)
    return arguments, np.asarray(rows["value"], np.float64), np.asarray(rows["fold"], np.int64)
