"""All candidates of all target rows as one matrix; columns of neighbours' labels are filled from known labels only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import SILENT, Progress, expired
from workbench.structure.candidates import (
    Candidate,
    candidates_among_some,
    candidates_of,
    candidates_of_rare_values,
    onward_columns,
)
from workbench.structure.common import candidates_in_common
from workbench.structure.relational import Path, Schema, paths
from workbench.study.columns import MOST_CELLS, MOST_PAIRS, CandidateColumns

__all__ = ["CandidateMatrix", "candidate_matrix", "columns_of", "neighbour_pairs"]

WINDOWS_IN_DAYS = (1, 7, 30, 90, 365, 1095)
WINDOWS_IN_YEARS = (1, 3, 10)
MOST_WINDOWS = 3
MOST_COLUMNS = 6000
LEAST_ROWS, LEAST_SHARE = 5, 0.01
"""Rows, and share of all rows, that have a rare value at least, where it is looked at: fewer fit by chance."""
LARGEST = 900_000_000
"""Cells of the matrix, at most (float32)."""


@dataclass(frozen=True)
class Neighbours:
    """Which target rows reach which other: by position; a tie goes both ways."""

    source: Int64
    target: Int64


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
    cut : {'', 'time', 'size'}
        Why not every path was walked, where not every one was.
    """

    candidates: tuple[Candidate, ...]
    X: Real
    neighbours: Mapping[Path, Neighbours]
    cut: Literal["", "time", "size"] = ""

    @property
    def own(self) -> Int64:
        """The candidates that are columns of the target's own table."""
        return np.array([at for at, one in enumerate(self.candidates) if not one.path.hops], np.int64)

    @property
    def labelled(self) -> frozenset[int]:
        """The columns of labels."""
        return frozenset(at for at, one in enumerate(self.candidates) if one.aggregate == "labelled")

    def without_labels(self) -> Real:
        """X with nothing known of any label."""
        return self.given(np.full(len(self.X), np.nan))

    def given(self, labels: Float) -> Real:
        """X with the columns of labels filled from `labels`, shape (n_rows,): NaN where a label is not to be seen.

        No row sees its own label, for a row is no neighbour of itself.
        """
        columns = sorted(self.labelled)
        if not columns:
            return self.X
        filled = self.X.copy()
        filled[:, columns] = self.counts(labels, columns)
        return filled

    def counts(self, labels: Float, columns: Sequence[int]) -> Real:
        """The columns of labels alone, shape (n_rows, n_columns), filled as `given` fills them."""
        found = np.empty((len(labels), len(columns)), np.float32)
        for place, column in enumerate(columns):
            candidate = self.candidates[column]
            ties = self.neighbours[candidate.path]
            hits = labels[ties.target] == candidate.label
            found[:, place] = np.bincount(ties.source[hits], minlength=len(labels))
        return found


def candidate_matrix(
    columns: CandidateColumns,
    start: str,
    *,
    labels: Sequence[int] = (),
    depth: int = 3,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> CandidateMatrix:
    """Walk every path from the target table and fill its candidates' columns.

    Parameters
    ----------
    labels : sequence of int
        Labels that are counted among the rows of the target's own table that a path reaches; empty for none.

    Notes
    -----
    Shorter paths come first; a path that reaches more rows than fit is left out. Columns without two different values
    are dropped. Numbers of some of a path's rows come last, then rare values (the commonest first), and only while
    there are more rows than columns: among more columns some fit by chance.
    """
    blocks: list[Real] = []
    kept: list[Candidate] = []
    neighbours: dict[Path, Neighbours] = {}
    walked = list(paths(columns.schema, start, depth=depth, timed=columns.times is not None))
    cut: Literal["", "time", "size"] = ""
    width, most = 0, min(MOST_COLUMNS, LARGEST // max(len(columns.rows), 1))
    for number, path in enumerate(walked):
        progress.step("candidates", number, len(walked), f"{width:,} columns")
        if width >= most:
            cut = "size"
        elif blocks and expired(deadline):
            cut = "time"
        if cut:
            break
        chosen, block = _telling(columns, path, _offered(columns, path))
        kept += chosen
        blocks.append(block)
        width += len(chosen)
        if labels and path.hops and path.end == start:
            ties = _neighbours(columns, path)
            if ties is not None and not any(_equal(ties, other) for other in neighbours.values()):
                neighbours[path] = ties
                kept += [Candidate(path, "labelled", label=label) for label in labels]
                blocks.append(np.full((len(columns.rows), len(labels)), np.nan, np.float32))
                width += len(labels)
    in_common = candidates_in_common(columns.schema, start, timed=columns.times is not None)
    for path, found in () if cut else _by_path(in_common):
        if width >= most or expired(deadline):
            cut = "size" if width >= most else "time"
            break
        chosen, block = _telling(columns, path, [one for one in found if columns.readable(one)])
        kept += chosen
        blocks.append(block)
        width += len(chosen)
    for more, least in ((_of_some_rows, 1), (_of_rare_values, _least_rows(columns))):
        for path in () if cut else walked:
            if expired(deadline):
                cut = "time"
                break
            found = more(columns, path, min(len(columns.rows), most) - width)
            if found:
                chosen, block = _telling(columns, path, found, least=least)
                kept += chosen
                blocks.append(block)
                width += len(chosen)
    if width >= most:
        cut = cut or "size"
    columns.forget()
    X = np.concatenate(blocks, axis=1) if blocks else np.empty((len(columns.rows), 0), np.float32)
    return CandidateMatrix(tuple(kept), X, neighbours, cut)


def columns_of(columns: CandidateColumns, candidates: Sequence[Candidate]) -> Real:
    """The columns of some candidates, in their order; those of labels are left NaN."""
    out = np.full((len(columns.rows), len(candidates)), np.nan, np.float32)
    place = {candidate: index for index, candidate in enumerate(candidates)}
    for path, some in _by_path(candidate for candidate in candidates if candidate.aggregate != "labelled"):
        out[:, [place[one] for one in some]] = columns.fill(path, some)
    columns.forget()
    return out


def _by_path(candidates: Iterable[Candidate]) -> Iterable[tuple[Path, list[Candidate]]]:
    found: dict[Path, list[Candidate]] = {}
    for candidate in candidates:
        found.setdefault(candidate.path, []).append(candidate)
    return found.items()


def _offered(columns: CandidateColumns, path: Path, *, among_some: bool = False) -> list[Candidate]:
    """The candidates of a path that does not reach too many rows."""
    schema = columns.schema
    timed = columns.times is not None
    dated = _in_order_of_time(schema, path, timed)
    windows: tuple[int, ...] = ()
    if path.many:
        reached = columns.size(path)
        read = sum(1 for _ in onward_columns(schema, path)) + 3
        if not reached or reached * read > MOST_CELLS:
            return []
        if timed and dated and not among_some:
            windows = _windows(columns, path)
    if among_some:
        return list(candidates_among_some(schema, path, dated=dated))
    return list(candidates_of(schema, path, timed=timed, dated=dated, windows=windows))


def _of_some_rows(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """Numbers of those of a path's rows that are of one kind; none where not all find room."""
    found = _offered(columns, path, among_some=True)
    return found if len(found) <= room else []


def _of_rare_values(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """The rare values that find room, of rows that are not too many; only values that enough rows may have."""
    found = list(candidates_of_rare_values(columns.schema, path))
    if not found or columns.size(path) * 3 > MOST_CELLS:
        return []
    return columns.occurring(path, found, _least_rows(columns))[: max(room, 0)]


def _least_rows(columns: CandidateColumns) -> int:
    return max(LEAST_ROWS, int(LEAST_SHARE * len(columns.rows)))


def _telling(
    columns: CandidateColumns, path: Path, found: list[Candidate], *, least: int = 1
) -> tuple[list[Candidate], Real]:
    """Those of the candidates that say different things of different rows, and of `least` a number; their columns."""
    if not found:
        return [], np.empty((len(columns.rows), 0), np.float32)
    block = columns.fill(path, found)
    # A column that says the same of every row says nothing.
    with np.errstate(invalid="ignore"):
        known = ~np.isnan(block)
        low = np.where(known, block, np.inf).min(axis=0, initial=np.inf)
        high = np.where(known, block, -np.inf).max(axis=0, initial=-np.inf)
        many = (known & (block != 0)).sum(axis=0) >= least if least > 1 else True
    telling = np.flatnonzero(((high > low) | ((high == low) & ~known.all(axis=0) & known.any(axis=0))) & many)
    return [found[at] for at in telling], np.ascontiguousarray(block[:, telling])


def _in_order_of_time(schema: Schema, path: Path, timed: bool) -> bool:
    """Whether what a path reaches has times of its own, and not that of the row that reaches it."""
    walked = schema.dated_through(path.end)
    anchor = path.prefix[-1].table if path.prefix else path.start
    return walked is not None and (timed or anchor not in {reference.table for reference in walked})


def _windows(columns: CandidateColumns, path: Path) -> tuple[int, ...]:
    """The windows that hold clearly fewer rows than all time and clearly more than the next smaller one."""
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


def _neighbours(columns: CandidateColumns, path: Path) -> Neighbours | None:
    if columns.n_neighbours(path) > MOST_PAIRS:
        return None
    source, target = neighbour_pairs(columns, path)
    return Neighbours(source, target) if len(source) else None


def neighbour_pairs(columns: CandidateColumns, path: Path) -> tuple[Int64, Int64]:
    """Pairs of rows, by position, of which one reaches the other along the path: each pair both ways, once."""
    source, rowids = columns.neighbours(path)
    at = np.minimum(np.searchsorted(columns.rows, rowids), len(columns.rows) - 1)
    here = columns.rows[at] == rowids
    one, other = source[here], at[here]
    n = len(columns.rows)
    codes = np.unique(np.concatenate((one * n + other, other * n + one)))
    return codes // n, codes % n


def _equal(one: Neighbours, other: Neighbours) -> bool:
    return np.array_equal(one.source, other.source) and np.array_equal(one.target, other.target)
