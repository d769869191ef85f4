"""Recorded predictions: pages, beside labels, the worst, what changed between two runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from typing import Literal as OneOf

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.database.database import Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.labelled import label_partitions
from workbench.database.rows import first_row, first_value, ids_of_columns
from workbench.database.runs import read_run
from workbench.database.things import called_so
from workbench.database.written_predictions import (
    recorded_predictions,
    types_of_run,
    written_predictions,
)

if TYPE_CHECKING:
    import pandas as pd

Unlisted = OneOf["auto", "false", "skip"]
"""What an atom without a label is: false, not scored, or told by the labels."""

_COMPARED = {
    "metric": (("fold", "metric"), "value"),
    "prediction": (("fold", "world", "atom"), "value"),
}


@dataclass(frozen=True)
class RecordedAtoms:
    """The keys of one predicate's predictions in a run.

    Attributes
    ----------
    types : tuple of str
        Of its arguments, when they were recorded.
    place : int64 array, shape (n,)
        Positions in the order in which the run's (or the fold's) predictions were recorded.
    world : int32 array, shape (n,)
        -1 where it is not known.
    constants : int32 array, shape (n, arguments)
    value : float64 array, shape (n,)
    """

    predicate: str
    types: tuple[str, ...]
    place: Int64
    world: Int32
    constants: Int32
    value: Float


def recorded_atoms(
    database: Database, run: int, fold: int | None = None
) -> tuple[RecordedAtoms, ...]:
    """The predictions of a run, or of one fold of it, by key."""
    found = []
    for predicate, types in types_of_run(database, run).items():
        cells = "".join(f", arguments[{place}] AS a{place}" for place in range(1, len(types) + 1))
        rows = database.execute(
            "SELECT place, coalesce(world, -1) AS world, coalesce(value, 'NaN'::DOUBLE) AS "
            f"value{cells} FROM (SELECT * REPLACE (row_number() OVER (ORDER BY place) - 1 AS "
            f"place) FROM ({recorded_predictions(database, run)}) WHERE $fold::INTEGER IS NULL OR "
            "fold = $fold) WHERE predicate = $predicate ORDER BY place",
            {"fold": fold, "predicate": predicate},
        ).fetchnumpy()
        world = np.asarray(rows["world"], np.int32)
        constants = ids_of_columns(rows, [f"a{place}" for place in range(1, len(types) + 1)])
        value = np.asarray(rows["value"], np.float64)
        found.append(
            RecordedAtoms(
                predicate, types, np.asarray(rows["place"], np.int64), world, constants, value
            )
        )
    return tuple(found)


def constant_ids(database: Database, type_name: str, names: Sequence[str]) -> Int32:
    """Each constant's id by its name, int32 of shape (n,), -1 where there is none. One scan."""
    table = quoted(database.type_tables()[type_name])
    known = dict(database.execute(f"SELECT name, id FROM {table}").fetchall())
    return np.array([known.get(name, -1) for name in names], np.int32)


def predictions_page(
    database: Database, run: int, *, fold: int | None = None, search: str = "", limit: int = 200
) -> tuple[pd.DataFrame, int]:
    """The likeliest predictions of a run whose text contains `search`, or of a thing that people
    call by a name that does, and how many there are.

    Columns fold, world, predicate, atom, value; at most `limit` rows, the largest value first.
    Cost: one scan of the run's predictions.
    """
    source = (
        f"FROM ({written_predictions(database, run)}) WHERE ($fold::INTEGER IS NULL OR fold = "
        "$fold) AND ($search = '' OR contains(lower(atom), lower($search)) OR "
        "regexp_matches(atom, $things))"
    )
    # A constant stands whole between its brackets, commas or quotes; `a^` is nowhere.
    things = "|".join(map(re.escape, called_so(database, search)))
    values = {"fold": fold, "search": search, "things": f'[(, "]({things or "a^"})[,)"]'}
    total = first_value(database.execute(f"SELECT count(*) {source}", values))
    frame = database.execute(
        f"SELECT fold, world, predicate, atom, value {source} ORDER BY value DESC NULLS LAST, "
        f"place LIMIT {int(limit)}",
        values,
    ).df()
    return frame, int(total)


def scored_predictions(database: Database, number: int) -> pd.DataFrame:
    """A run's predictions, with truth where labels are known: fold, world, predicate, atom, value,
    truth.

    An inference run records no truth; its predictions are set beside the labels in the workspace.
    An atom without one is false where all labels of its predicate are true, a closed-world list;
    elsewhere, and in soft logic, it is not scored.
    """
    return database.execute(
        "SELECT fold, world, predicate, atom, value, truth "
        f"FROM ({_beside_labels(database, number)}) ORDER BY place"
    ).df()


def labelled_values(database: Database, run: int) -> tuple[Float, Float, Float]:
    """Fold (-1 without folds), value and label of each prediction that has one, as arrays."""
    found = database.execute(
        "SELECT coalesce(fold, -1)::DOUBLE AS fold, coalesce(value, 'NaN'::DOUBLE) AS value, truth "
        f"FROM ({_beside_labels(database, run)}) WHERE truth IS NOT NULL ORDER BY place"
    ).fetchnumpy()
    fold, value, truth = (
        np.asarray(found[name], np.float64) for name in ("fold", "value", "truth")
    )
    return fold, value, truth


def worst_predictions(database: Database, run: int, *, limit: int = 50) -> pd.DataFrame:
    """The predictions furthest from their labels: fold, world, atom, value, truth."""
    return database.execute(
        f"SELECT fold, world, atom, value, truth FROM ({_beside_labels(database, run)}) "
        f"WHERE truth IS NOT NULL ORDER BY abs(value - truth) DESC, place LIMIT {int(limit)}"
    ).df()


def changed_rows(
    database: Database,
    first: int,
    second: int,
    table: OneOf["metric", "prediction"],
    most: int | None = None,
) -> pd.DataFrame:
    """Rows of two runs that differ, the largest change first: the keys, `..._first`, `..._second`,
    change.

    What only one run has comes last, without a change.
    """
    keys, value = _COMPARED[table]
    same = " AND ".join(f"one.{key} IS NOT DISTINCT FROM two.{key}" for key in keys)
    shown = ", ".join(f"coalesce(one.{key}, two.{key}) AS {key}" for key in keys)
    cut = "" if most is None else f" LIMIT {int(most)}"
    return database.execute(
        f"SELECT {shown}, one.{value} AS {value}_first, two.{value} AS {value}_second, "
        f"abs({value}_second - {value}_first) AS change FROM ({_rows(database, first, table)}) one "
        f"FULL JOIN ({_rows(database, second, table)}) two ON {same} WHERE change IS NULL OR NOT "
        f"change <= 1e-12 ORDER BY change DESC NULLS LAST, {', '.join(keys)}{cut}"
    ).df()


def _rows(database: Database, run: int, table: str) -> str:
    if table == "prediction":
        return written_predictions(database, run)
    return f"SELECT * FROM run_{table} WHERE run = {int(run)}"


def same_folds(database: Database, first: int, second: int) -> bool:
    """Whether two runs predicted the same atoms in each fold, so that their folds may be paired."""
    one, two = (
        f"(SELECT fold, world_id, atom FROM ({written_predictions(database, run)}))"
        for run in (first, second)
    )
    only = f"SELECT count(*) FROM (({one} EXCEPT ALL {two}) UNION ALL ({two} EXCEPT ALL {one}))"
    return first_row(database.execute(only)) == (0,)


def _beside_labels(database: Database, run: int) -> str:
    """A query for place, fold, world, predicate, atom, value, truth of a run's predictions.

    A cross-validation has recorded its truth. An inference run is set beside the labels of the
    workspace, joined by key. An atom that they do not list is false where all labels of its
    predicate are true, a closed-world list; elsewhere, and in soft logic, it has no label.
    """
    written = written_predictions(database, run)
    if first_row(
        database.execute(
            "SELECT 1 FROM run_prediction WHERE run = $run AND truth IS NOT NULL LIMIT 1",
            {"run": run},
        )
    ):
        return written
    recorded = read_run(database, run)
    partitions = label_partitions(recorded.parameters.get("labels") == "withheld")
    psl = recorded.language == "psl"
    labels, absent = [], []
    for predicate, types in types_of_run(database, run).items():
        query = _labels(database, predicate, types, partitions)
        if query is None:
            continue
        labels.append(query)
        if not psl and _all_true(database, predicate, partitions):
            absent.append(text_literal(predicate))
    if not labels:
        return written
    otherwise = f"WHEN p.predicate IN ({', '.join(absent)}) THEN 0.0" if absent else ""
    return (
        "SELECT p.place, p.fold, p.world, p.predicate, p.atom, p.value, CASE WHEN l.predicate IS "
        f"NOT NULL THEN l.value WHEN p.world_id IS NULL THEN NULL {otherwise} END AS truth FROM "
        f"({written}) p LEFT JOIN ({' UNION ALL '.join(labels)}) l ON l.predicate = p.predicate "
        "AND l.world = p.world_id AND l.arguments = p.arguments"
    )


def _all_true(database: Database, predicate: str, partitions: str) -> bool:
    """Whether no label of a predicate says less than true."""
    table = quoted(database.predicate(predicate).table_name)
    return (
        first_row(
            database.execute(
                f"SELECT 1 FROM {table} WHERE partition IN ({partitions}) AND value < 1 LIMIT 1"
            )
        )
        is None
    )


def _labels(
    database: Database, predicate: str, types: tuple[str, ...], partitions: str
) -> str | None:
    """A query for predicate, world, arguments, value of a predicate's labels; None where it has
    none.

    Arguments have the ids of the types that were recorded: by name, where the predicate has been
    declared otherwise.
    """
    stored = database.predicates().get(predicate)
    if stored is None or len(stored.constant_columns) != len(types):
        return None
    table = quoted(stored.table_name)
    there = f"SELECT 1 FROM {table} WHERE partition IN ({partitions}) LIMIT 1"
    if first_row(database.execute(there)) is None:
        return None
    key = ", ".join(["t.world", *(f"t.{column}" for column, _ in stored.constant_columns)])
    tables, joins, ids = database.type_tables(), [], []
    for (column, now), then in zip(stored.constant_columns, types):
        if now == then:
            ids.append(f"t.{column}")
            continue
        joins.append(f"JOIN {quoted(tables[now])} n_{column} ON n_{column}.id = t.{column}")
        joins.append(f"JOIN {quoted(tables[then])} o_{column} ON o_{column}.name = n_{column}.name")
        ids.append(f"o_{column}.id")
    return (
        f"SELECT {text_literal(predicate)} AS predicate, t.world, [{', '.join(ids)}]::INTEGER[] AS "
        f"arguments, t.value FROM {table} t {' '.join(joins)} WHERE t.partition IN ({partitions}) "
        f"QUALIFY row_number() OVER (PARTITION BY {key} ORDER BY t.partition DESC) = 1"
    )
