"""Words of texts: which are common in a column, and which rows have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int64
from workbench.database.arrow_columns import numpy_column
from workbench.structure.candidate import Candidate
from workbench.structure.reached import Spans
from workbench.structure.relational import Column
from workbench.study.rows_read import arrays_of
from workbench.tables import Staging, TypedTable

MOST_WORDS = 300
LEAST_ROWS, LEAST_SHARE, LARGEST_SHARE = 5, 0.01, 0.9
"""Rows, and shares of a column's texts, that have a word which is looked at alone."""
MOST_CODED = 20_000
"""Words that lists are made of, the commonest."""
MOST_READ = 20_000_000
"""Texts that target rows reach, and words of these."""


def _words(typed: TypedTable, column: str, *, whole: bool = False) -> str:
    """A Select of rows with the different words of their texts, as `hasWord` tells them; or with
    the whole cell, where `oneOf` can name it.
    """
    text = typed.columns[column]
    if whole:
        return (
            f"SELECT rowid AS r, {text}::VARCHAR AS w FROM {typed.relation} "
            f"WHERE {text} IS NOT NULL AND NOT contains({text}::VARCHAR, '|')"
        )
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
    staging: Staging, typed: TypedTable, column: Column, words: Sequence[str]
) -> dict[str, Int64]:
    """The rowids of the rows whose text has each word, or is the value, ascending."""
    every = _words(typed, column.name, whole=column.kind != "text")
    table = staging.record_batches(f"SELECT w, r FROM ({every}) ORDER BY w, r").read_all()
    found = np.array(table.column("w").to_pylist(), np.str_)
    rows = numpy_column(table.column("r")).astype(np.int64)
    first, last = np.searchsorted(found, words, "left"), np.searchsorted(found, words, "right")
    return {word: rows[low:high] for word, low, high in zip(words, first.tolist(), last.tolist())}


def coded_words(
    staging: Staging, typed: TypedTable, column: Column, least: int
) -> tuple[tuple[str, ...], Int64, Int64]:
    """The words (values) that `least` cells of a column have, the commonest first; and pairs of a
    row (`rowid`) and the place of a word that its text has, by row.
    """
    found = _words(typed, column.name, whole=column.kind != "text")
    kept = (
        f"SELECT w, row_number() OVER (ORDER BY count(*) DESC, w) - 1 AS c FROM ({found}) "
        f"GROUP BY w HAVING count(*) >= {least} QUALIFY c < {MOST_CODED}"
    )
    words = staging.rows(f"SELECT w FROM ({kept}) ORDER BY c")
    pairs = arrays_of(staging, f"SELECT r, c FROM ({found}) JOIN ({kept}) USING (w) ORDER BY r, c")
    rows, places = (pairs[name].astype(np.int64) for name in ("r", "c"))
    return tuple(str(word) for (word,) in words), rows, places


@dataclass(frozen=True)
class TextsReached:
    """The rows with texts that each target row reaches.

    Attributes
    ----------
    ends : int64 array, shape (n_places,)
        Rows, by `rowid`, negative for none.
    spans : Spans
        Which of these places each target row reaches.
    known : bool array, shape (n_rows,)
        Whether it has a text, or what many are reached from.
    many : bool
    """

    ends: Int64
    spans: Spans
    known: Bool
    many: bool

    def with_words(self, rows: Mapping[str, Int64]) -> Float:
        """How many of the texts are among the rows of each word, a column a word."""
        order = np.argsort(self.ends)
        found = np.empty((len(self.known), len(rows)))
        for place, some in enumerate(rows.values()):
            if not self.many:
                found[:, place] = np.isin(self.ends, some)
                continue
            first = np.searchsorted(self.ends, some, "left", sorter=order)
            last = np.searchsorted(self.ends, some, "right", sorter=order)
            held = np.sort(order[first[first < last]])  # no row is reached twice
            high, low = (np.searchsorted(held, end) for end in (self.spans.high, self.spans.low))
            found[:, place] = high - low
        return np.where(self.known[:, None], found, np.nan)

    def added_up(self, numbers: Float) -> Float:
        """The sum of what `numbers` has of each row (by `rowid`, nothing of the last)."""
        total = np.concatenate(([0.0], np.cumsum(numbers[self.ends])))
        return np.where(self.known, total[self.spans.high] - total[self.spans.low], np.nan)

    def counts(self, rows: Int64, places: Int64, n_words: int) -> csr_array | None:
        """How many texts of each target row have each word, shape (n_rows, n_words); None where
        that is too much to read.
        """
        sizes = self.spans.high - self.spans.low
        if sizes.sum() > MOST_READ or len(rows) > MOST_READ:
            return None
        first = np.concatenate(([0], np.cumsum(sizes)))
        offset = np.arange(first[-1]) - np.repeat(first[:-1], sizes)
        ends = self.ends[np.repeat(self.spans.low, sizes) + offset]
        n = int(max(ends.max(initial=-1), rows.max(initial=-1))) + 1
        reached = csr_array((np.ones(len(ends)), ends, first), shape=(len(sizes), n))
        return csr_array(reached @ csr_array((np.ones(len(rows)), (rows, places)), (n, n_words)))


def said_by_texts(
    staging: Staging, typed: TypedTable, reached: TextsReached, candidates: Sequence[Candidate]
) -> Float:
    """What candidates of one column's texts say of each target row, a column each: how many texts
    have a word, or how many of some words they have.
    """
    onward = candidates[0].onward
    assert onward is not None
    lists = {one: one.listed.words for one in candidates if one.listed is not None}
    words = {one: one.value or "" for one in candidates if one.listed is None}
    every = dict.fromkeys(word for some in (*lists.values(), words.values()) for word in some)
    rows = rows_with_words(staging, typed, onward.column, list(every))
    found = np.empty((len(reached.known), len(candidates)))
    alone = reached.with_words({word: rows[word] for word in words.values()})
    found[:, [one in words for one in candidates]] = alone
    for place, one in enumerate(candidates):
        if one in lists:
            numbers = np.zeros(int(reached.ends.max(initial=-1)) + 2)
            for word in lists[one]:
                held = rows[word]
                numbers[held[held < len(numbers) - 1]] += 1
            found[:, place] = reached.added_up(numbers)
    return found
