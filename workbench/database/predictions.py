"""Recorded predictions where they lie: pages of them, beside their labels, the worst, what changed between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import Literal as OneOf

import numpy as np

from workbench.database.database import Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import first_row
from workbench.database.schema import StoredPredicate
from workbench.language.printing import BARE, ESCAPES

if TYPE_CHECKING:
    import pandas as pd

    from workbench.arrays import Float

__all__ = [
    "changed_rows",
    "labelled_values",
    "predictions_page",
    "same_folds",
    "scored_predictions",
    "worst_predictions",
]

COMPARED = {
    "metric": (("fold", "metric"), "value"),
    "weight": (("fold", "template", "formula"), "weight"),
    "prediction": (("fold", "atom"), "value"),
}


def predictions_page(
    database: Database, run: int, *, fold: int | None = None, search: str = "", limit: int = 200
) -> tuple[pd.DataFrame, int]:
    """The likeliest predictions of a run whose text contains `search`, and how many there are.

    Returns
    -------
    DataFrame
        fold, predicate, atom, value; at most `limit` rows, the largest value first.
    int
        All that contain it. Cost: one scan of the run's predictions.
    """
    condition = (
        "run = $run AND ($fold::INTEGER IS NULL OR fold = $fold) "
        "AND ($search = '' OR contains(lower(atom), lower($search)))"
    )
    values = {"run": run, "fold": fold, "search": search}
    total = first_row(database.execute(f"SELECT count(*) FROM run_prediction WHERE {condition}", values))
    frame = database.execute(
        f"SELECT fold, predicate, atom, value FROM run_prediction WHERE {condition} "
        f"ORDER BY value DESC NULLS LAST, rowid LIMIT {int(limit)}",
        values,
    ).df()
    return frame, int(total[0]) if total else 0


def scored_predictions(database: Database, run: int) -> pd.DataFrame:
    """A run's predictions in the order they were recorded: fold, predicate, atom, value, truth (NaN where unknown)."""
    return database.execute(
        f"SELECT fold, predicate, atom, value, truth FROM ({_beside_labels(database, run)}) ORDER BY place"
    ).df()


def labelled_values(database: Database, run: int) -> tuple[Float, Float, Float]:
    """Fold (-1 without folds), value and label of each prediction that has one, as arrays of equal length."""
    found = database.execute(
        "SELECT coalesce(fold, -1)::DOUBLE AS fold, coalesce(value, 'NaN'::DOUBLE) AS value, truth "
        f"FROM ({_beside_labels(database, run)}) WHERE truth IS NOT NULL ORDER BY place"
    ).fetchnumpy()
    fold, value, truth = (np.asarray(found[name], np.float64) for name in ("fold", "value", "truth"))
    return fold, value, truth


def worst_predictions(database: Database, run: int, *, limit: int = 50) -> pd.DataFrame:
    """The predictions furthest from a label of 0 or 1: fold, atom, value, truth."""
    return database.execute(
        f"SELECT fold, atom, value, truth FROM ({_beside_labels(database, run)}) WHERE truth IN (0, 1) "
        f"ORDER BY abs(value - truth) DESC, place LIMIT {int(limit)}"
    ).df()


def changed_rows(
    database: Database, first: int, second: int, table: OneOf["metric", "weight", "prediction"], most: int | None = None
) -> pd.DataFrame:
    """Rows of two runs that differ, the largest change first: the keys, `..._first`, `..._second`, change.

    What only one run has comes last, without a change. Rows of equal keys (one atom in several worlds) are paired in
    the order they were recorded.
    """
    keys, value = COMPARED[table]
    shared = [name for name in keys if name != "fold"]
    by_key = ", ".join(["coalesce(fold, -1)", *shared])
    one_run = (
        f"SELECT coalesce(fold, -1) AS fold, {', '.join(shared)}, {value}, "
        f"row_number() OVER (PARTITION BY {by_key} ORDER BY rowid) AS nth FROM run_{table} WHERE run = "
    )
    cut = "" if most is None else f" LIMIT {int(most)}"
    return database.execute(
        f"SELECT nullif(fold, -1) AS fold, {', '.join(shared)}, one.{value} AS {value}_first, "
        f"two.{value} AS {value}_second, abs({value}_second - {value}_first) AS change "
        f"FROM ({one_run} $first) one FULL JOIN ({one_run} $second) two USING ({', '.join(keys)}, nth) "
        f"WHERE change IS NULL OR NOT change <= 1e-12 ORDER BY change DESC NULLS LAST, {', '.join(keys)}, nth{cut}",
        {"first": first, "second": second},
    ).df()


def same_folds(database: Database, first: int, second: int) -> bool:
    """Whether two runs predicted the same atoms in each fold, so that their folds may be paired."""
    one, two = (f"(SELECT fold, atom FROM run_prediction WHERE run = {int(run)})" for run in (first, second))
    only = f"SELECT count(*) FROM (({one} EXCEPT ALL {two}) UNION ALL ({two} EXCEPT ALL {one}))"
    return first_row(database.execute(only)) == (0,)


def _beside_labels(database: Database, run: int) -> str:
    """A query for place, fold, predicate, atom, value, truth of a run's predictions.

    A cross-validation has recorded its truth. An inference run is set beside the labels of the workspace: an unlisted
    atom of a labelled predicate is false.
    """
    recorded = f"SELECT rowid AS place, fold, predicate, atom, value, truth FROM run_prediction WHERE run = {int(run)}"
    found = database.execute(f"SELECT DISTINCT predicate, bool_or(truth IS NOT NULL) OVER () FROM ({recorded})")
    predicates = found.fetchall()
    if not predicates or predicates[0][1]:
        return recorded
    stored = database.predicates()
    labels = [_labels(stored[name]) for name, _ in sorted(predicates) if name in stored]
    if not labels:
        return recorded
    return (
        f"WITH label AS MATERIALIZED ({' UNION ALL '.join(labels)}), "
        "named AS (SELECT atom, max(value) AS value FROM label GROUP BY atom), "
        "scored AS (SELECT DISTINCT predicate FROM label) "
        "SELECT place, fold, p.predicate, p.atom, p.value, "
        "CASE WHEN s.predicate IS NULL THEN NULL WHEN n.atom IS NULL THEN 0.0 ELSE n.value END AS truth "
        f"FROM ({recorded}) p LEFT JOIN named n ON n.atom = p.atom LEFT JOIN scored s ON s.predicate = p.predicate"
    )


def _labels(predicate: StoredPredicate) -> str:
    """A query for the labels of a predicate by the atom's text, as predictions write it."""
    name = text_literal(predicate.name)
    arguments = [_argument(quoted(column)) for column in predicate.argument_names]
    listed = " || ', ' || ".join(arguments)
    text = f"{name} || '(' || {listed} || ')'" if arguments else name
    return (
        f"SELECT {name} AS predicate, {text} AS atom, value FROM facts.{quoted(predicate.view_name)} "
        "WHERE partition = 'truth'"
    )


def _argument(column: str) -> str:
    """A constant as `quote_constant` writes it."""
    text = escaped = f"{column}::VARCHAR"
    for code, written in ESCAPES.items():
        escaped = f"replace({escaped}, {text_literal(chr(code))}, {text_literal(written)})"
    return f"""CASE WHEN regexp_full_match({text}, '{BARE.pattern}') THEN {text} ELSE '"' || {escaped} || '"' END"""
