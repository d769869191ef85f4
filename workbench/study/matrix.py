"""All candidates of all target rows as one matrix;
columns of neighbours' labels are filled from known labels only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import SILENT, Progress, expired
from workbench.structure.candidates import (
    Candidate,
    candidates_among_some,
    candidates_of,
    candidates_of_rare_values,
    candidates_of_variety,
    candidates_of_words,
    onward_columns,
)
from workbench.structure.common import candidates_in_common
from workbench.structure.comparisons import comparisons, products, shares_of_totals
from workbench.structure.relational import Column, Path, Schema, paths
from workbench.study.around import Around
from workbench.study.columns import MOST_CELLS, CandidateColumns
from workbench.study.gathered import Gathered, Neighbours, by_path

__all__ = ["CandidateMatrix", "candidate_matrix", "columns_of"]

WINDOWS_IN_DAYS = (1, 7, 30, 90, 365, 1095)
WINDOWS_IN_YEARS = (1, 3, 10)
MOST_WINDOWS = 3
MOST_COLUMNS = 6000
LEAST_ROWS, LEAST_SHARE = 5, 0.01
"""Rows, and share of all rows, that have a rare value at least, where it is looked at:
fewer fit by chance.
"""
LARGEST = 900_000_000
"""Cells of the matrix, at most (float32)."""


@dataclass(frozen=True)
class CandidateMatrix:
    """Candidates and their values.

    Attributes
    ----------
    candidates : tuple of Candidate
    X : float32 array, shape (n_rows, n_candidates)
        NaN where unknown, and in columns of labels.
    neighbours : mapping of Path to Neighbours
        Of the candidates that count labels.
    around : mapping of Path to Around
        Of those that say what is known of other rows' target in another way.
    cut : {'', 'time', 'size'}
        Why not every path was walked, where not every one was.
    """

    candidates: tuple[Candidate, ...]
    X: Real
    neighbours: Mapping[Path, Neighbours]
    cut: Literal["", "time", "size"] = ""
    around: Mapping[Path, Around] = field(default_factory=dict)

    @property
    def own(self) -> Int64:
        """The candidates that are columns of the target's own table, but for words of its texts."""
        own = (
            at for at, one in enumerate(self.candidates) if not one.path.hops and not one.of_text
        )
        return np.array(list(own), np.int64)

    @property
    def labelled(self) -> frozenset[int]:
        """The columns that count neighbours of a label."""
        return frozenset(
            at for at, one in enumerate(self.candidates) if one.aggregate == "labelled"
        )

    @property
    def of_labels(self) -> frozenset[int]:
        """The columns that depend on labels of other rows."""
        return frozenset(at for at, one in enumerate(self.candidates) if one.label is not None)

    def without_labels(self) -> Real:
        """X with nothing known of any label."""
        return self.given(np.full(len(self.X), np.nan))

    def given(self, labels: Float) -> Real:
        """X with the columns of labels filled from `labels`, shape (n_rows,): NaN where a label is
        not to be seen.

        No row sees its own label, for a row is no neighbour of itself.
        """
        columns = sorted(self.of_labels)
        if not columns:
            return self.X
        filled = self.X.copy()
        filled[:, columns] = self.told(labels, columns)
        return filled

    def told(self, labels: Float, columns: Sequence[int]) -> Real:
        """The columns of labels alone, shape (n_rows, n_columns), filled as `given` fills them."""
        found = np.empty((len(labels), len(columns)), np.float32)
        for place, column in enumerate(columns):
            candidate = self.candidates[column]
            if candidate.path in self.around:
                found[:, place] = self.around[candidate.path].told(candidate, labels)
                continue
            ties = self.neighbours[candidate.path]
            hits = labels[ties.target] == candidate.label
            found[:, place] = np.bincount(ties.source[hits], minlength=len(labels))
        return found


def candidate_matrix(
    columns: CandidateColumns,
    start: str,
    *,
    labels: Sequence[int] = (),
    known: Column | None = None,
    numeric: bool = False,
    depth: int = 3,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> CandidateMatrix:
    """Walk every path from the target table and fill its candidates' columns.

    Parameters
    ----------
    labels : sequence of int
        Labels that are counted among the rows of the target's own table that a path reaches; empty
        for none.
    known : Column or None
        The target, where what is known of it is read of those rows in other ways.
    numeric : bool
        Whether a number is predicted: products are tried, too.

    Notes
    -----
    Shorter paths come first; a path that reaches more rows than fit is left out. Columns without
    two different values are dropped. Then come how various rows are, comparisons, numbers of some
    of a path's rows, rare values and words (the commonest first), and only while there are more
    rows than columns: among more columns some fit by chance.
    """
    made = Gathered(columns, min(MOST_COLUMNS, LARGEST // max(len(columns.rows), 1)))
    timed = columns.times is not None
    schema = columns.schema
    walked = list(paths(schema, start, depth=depth, timed=timed))
    for number, path in enumerate(walked):
        progress.step("candidates", number, len(walked), f"{made.width:,} columns")
        if made.width and expired(deadline):
            made.cut = "time"
        if not made.open:
            break
        made.add(path, _offered(columns, path))
        if labels and path.hops and path.end == start:
            made.add_labels(path, labels)
        if known is not None and path.hops and path.end == start:
            made.add_known(path, known)
    for path, found in by_path(candidates_in_common(schema, start, timed=timed)):
        made.stop_at(deadline)
        if made.open:
            made.add(path, [one for one in found if columns.readable(one)])
    for path in walked:
        made.stop_at(deadline)
        if made.open:
            made.add(path, _of_variety(columns, path, made.room))
    made.stop_at(deadline)
    if made.open:
        made.add_each(comparisons(made.kept, made.positive(), timed=timed))
    for path in walked:
        made.stop_at(deadline)
        if made.open:
            made.add(path, _of_some_rows(columns, path, made.room))
    made.stop_at(deadline)
    if made.open:
        made.add_each(shares_of_totals(made.kept, made.positive()))
    if made.open and numeric:
        made.add_each(products(made.kept, made.positive()))
    for path in walked:
        made.stop_at(deadline)
        if made.open:
            made.add(path, _of_rare_values(columns, path, made.room), least=_least_rows(columns))
    for path in walked:
        made.stop_at(deadline)
        if made.open:
            made.add(
                path,
                list(candidates_of_words(schema, path))[: max(made.room, 0)],
                least=_least_rows(columns),
            )
    columns.forget()
    return CandidateMatrix(
        tuple(made.kept), made.X, made.neighbours, "" if made.open else made.cut or "size",
        made.around,
    )  # fmt: skip


def columns_of(columns: CandidateColumns, candidates: Sequence[Candidate]) -> Real:
    """The columns of some candidates, in their order; those of labels are left NaN."""
    out = np.full((len(columns.rows), len(candidates)), np.nan, np.float32)
    place = {candidate: index for index, candidate in enumerate(candidates)}
    for path, some in by_path(one for one in candidates if one.label is None):
        out[:, [place[one] for one in some]] = columns.fill(path, some)
    columns.forget()
    return out


def _offered(columns: CandidateColumns, path: Path) -> list[Candidate]:
    """The candidates of a path that does not reach too many rows."""
    schema = columns.schema
    timed = columns.times is not None
    dated = _in_order_of_time(schema, path, timed)
    if not _fits(columns, path):
        return []
    windows = _windows(columns, path) if path.many and timed and dated else ()
    return list(candidates_of(schema, path, timed=timed, dated=dated, windows=windows))


def _fits(columns: CandidateColumns, path: Path) -> bool:
    """Whether a path reaches any rows, and not more than can be read."""
    if not path.many:
        return True
    reached = columns.size(path)
    read = sum(1 for _ in onward_columns(columns.schema, path)) + 3
    return 0 < reached * read <= MOST_CELLS


def _of_variety(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """How various a path's rows are; none where not all of it finds room."""
    found = list(candidates_of_variety(columns.schema, path))
    return found if 0 < len(found) <= room and _fits(columns, path) else []


def _of_some_rows(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """Numbers of those of a path's rows that are of one kind; none where not all find room."""
    dated = _in_order_of_time(columns.schema, path, columns.times is not None)
    found = list(candidates_among_some(columns.schema, path, dated=dated))
    return found if 0 < len(found) <= room and _fits(columns, path) else []


def _of_rare_values(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """The rare values that find room, of rows that are not too many;
    only values that enough rows may have.
    """
    found = list(candidates_of_rare_values(columns.schema, path))
    if not found or columns.size(path) * 3 > MOST_CELLS:
        return []
    return columns.occurring(path, found, _least_rows(columns))[: max(room, 0)]


def _least_rows(columns: CandidateColumns) -> int:
    return max(LEAST_ROWS, int(LEAST_SHARE * len(columns.rows)))


def _in_order_of_time(schema: Schema, path: Path, timed: bool) -> bool:
    """Whether what a path reaches has times of its own, and not that of the row that reaches it."""
    walked = schema.dated_through(path.end)
    anchor = path.prefix[-1].table if path.prefix else path.start
    return walked is not None and (timed or anchor not in {reference.table for reference in walked})


def _windows(columns: CandidateColumns, path: Path) -> tuple[int, ...]:
    """The windows that hold clearly fewer rows than all time and clearly
    more than the next smaller one.
    """
    table = columns.schema.dating_table(path.end)
    assert table is not None
    offered = WINDOWS_IN_YEARS if table.dated_by_year else WINDOWS_IN_DAYS
    counts = columns.typical_counts(path, offered)
    kept: list[int] = []
    above = counts[None]
    for window in reversed(offered):
        if 0.02 * counts[None] < counts[window] < 0.85 * above:
            kept.append(window)
            above = counts[window]
    return tuple(reversed(kept[:MOST_WINDOWS]))
