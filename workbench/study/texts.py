"""Words of texts: which are common in a column, and which rows have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database.arrow_columns import numpy_column
from workbench.structure.reached import Spans
from workbench.tables import Staging, TypedTable

MOST_WORDS = 300
LEAST_ROWS, LEAST_SHARE, LARGEST_SHARE = 5, 0.01, 0.9
"""Rows, and shares of a column's texts, that have a word which is looked at."""


def _words(typed: TypedTable, column: str) -> str:
    """A Select of rows with the different words of their texts, as `hasWord` tells them."""
    text = typed.columns[column]
    words = (
        f"unnest(list_distinct(regexp_extract_all(lower({text}::VARCHAR), '[\\p{{L}}\\p{{N}}]+')))"
    )
    return f"SELECT rowid AS r, {words} AS w FROM {typed.relation} WHERE {text} IS NOT NULL"


def common_words(staging: Staging, typed: TypedTable, column: str) -> tuple[str, ...]:
    """The words that are neither rare nor in nearly all texts of a column, the commonest first."""
    name = typed.columns[column]
    filled = int(str(staging.rows(f"SELECT count({name}) FROM {typed.relation}")[0][0]))
    least, most = max(LEAST_ROWS, LEAST_SHARE * filled), LARGEST_SHARE * filled
    rows = staging.rows(
        f"SELECT w FROM ({_words(typed, column)}) GROUP BY w HAVING count(*) BETWEEN {least} AND "
        f"{most} ORDER BY count(*) DESC, w LIMIT {MOST_WORDS}"
    )
    return tuple(str(word) for (word,) in rows)


def rows_with_words(
    staging: Staging, typed: TypedTable, column: str, words: Sequence[str]
) -> dict[str, Int64]:
    """The rowids of the rows whose text has each word, ascending."""
    table = staging.record_batches(
        f"SELECT w, r FROM ({_words(typed, column)}) ORDER BY w, r"
    ).read_all()
    found = np.array(table.column("w").to_pylist(), np.str_)
    rows = numpy_column(table.column("r")).astype(np.int64)
    first, last = np.searchsorted(found, words, "left"), np.searchsorted(found, words, "right")
    return {word: rows[low:high] for word, low, high in zip(words, first.tolist(), last.tolist())}


def counted(rows: Mapping[str, Int64], ends: Int64, spans: Spans) -> Float:
    """How many of the rows reached, whose rowids `ends` are, are among those of each word:
    a column a word.
    """
    order = np.argsort(ends)
    found = np.empty((len(spans.low), len(rows)))
    for place, some in enumerate(rows.values()):
        first = np.searchsorted(ends, some, "left", sorter=order)
        last = np.searchsorted(ends, some, "right", sorter=order)
        held = np.sort(order[first[first < last]])  # no row is reached twice
        found[:, place] = np.searchsorted(held, spans.high) - np.searchsorted(held, spans.low)
    return found
