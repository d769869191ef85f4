"""The columns of candidates: a Select a chain of rows, and arrays for all target rows at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from workbench.arrays import Bool, Float, Int64, Real
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.reached import Places, Reached, Spans, count
from workbench.structure.relational import Column, Schema
from workbench.structure.table_paths import Path
from workbench.study.aggregates import aggregated, beside, read_by, told_apart
from workbench.study.anchors import Anchors, TargetTimes
from workbench.study.relations import Relations
from workbench.study.row_queries import RowQueries
from workbench.study.rows_read import RowsRead, arrays_of, looked_up
from workbench.study.texts import TextsReached, said_by_texts
from workbench.tables import Staging, TypedTable

MOST_CELLS = 120_000_000
"""Cells (rows reached x columns read) of one path; a path that reaches more is left out."""
MOST_PAIRS = 10_000_000
"""Pairs of rows: neighbours, or what two ends reach, where what these have in common is counted."""


@dataclass
class CandidateColumns:
    """Fills candidates' columns from typed tables.

    Attributes
    ----------
    rows : int64 array, shape (n,)
        The target rows (their `rowid`).
    times : TargetTimes or None
        When they are asked; None where time does not count.
    """

    staging: Staging
    schema: Schema
    typed: Mapping[str, TypedTable]
    rows: Int64
    times: TargetTimes | None = None
    _compared: dict[Candidate, Float] = field(default_factory=dict)
    read: RowsRead = field(init=False)
    _anchors: Anchors = field(init=False)

    def __post_init__(self) -> None:
        self.read = RowsRead(self.staging, self.queries)
        self._anchors = Anchors(
            self.staging, self.schema, self.relations, self.read, self.rows, self.times
        )

    @property
    def relations(self) -> Relations:
        """The tables as SQL reads them."""
        return Relations(self.schema, self.typed)

    @property
    def queries(self) -> RowQueries:
        """The rows that paths reach, in SQL."""
        return RowQueries(self.schema, self.relations, self.times is not None)

    def fill(
        self, path: Path, candidates: Sequence[Candidate], dtype: type[np.floating] = np.float32
    ) -> Real:
        """(n, n_candidates), NaN where nothing is known; `labelled` ones are left NaN."""
        out = np.full((len(self.rows), len(candidates)), np.nan, dtype)
        read = []
        texts: dict[Onward, list[int]] = {}
        for index, candidate in enumerate(candidates):
            if candidate.aggregate == "in_common":
                _put(out, index, self._in_common(candidate))
            elif candidate.onward and (candidate.of_text or candidate.listed):
                texts.setdefault(candidate.onward, []).append(index)
            elif candidate.compared is not None:
                compared = map(self._number_of, candidate.compared)
                _put(out, index, beside(candidate.aggregate, *compared))
            else:
                read.append(index)
        for text, places in texts.items():
            some = [candidates[index] for index in places]
            reached = self.texts(path, text)
            _put(out, places, said_by_texts(self.staging, self.typed_of(path), reached, some))
        if read:
            _put(out, read, self._read_columns(path, [candidates[index] for index in read]))
        return out

    def texts(self, path: Path, text: Onward) -> TextsReached:
        """The rows with texts that each target row reaches."""
        anchors = self._anchors.of(path.start, path.prefix)
        if path.many:
            reached, ends = self.reach(path)
            spans = reached.spans(anchors, self._anchors.now(path.end))
            return TextsReached(ends, spans, anchors >= 0, True)
        named = Onward(text.references, replace(text.column, kind="name"))
        known = ~np.isnan(self._read_columns(path, [Candidate(path, "value", named)])[:, 0])
        at = np.arange(len(anchors))
        return TextsReached(anchors, Spans(at, at + known), known, False)

    def typed_of(self, path: Path) -> TypedTable:
        """The table that a path ends at."""
        return self.typed[self.schema.stored(path.end)]

    def _number_of(self, candidate: Candidate) -> Float:
        """A column that others are compared with, shape (n,)."""
        if candidate not in self._compared:
            found = self.fill(candidate.path, [candidate], np.float64)[:, 0]
            self._compared[candidate] = np.asarray(found, np.float64)
        return self._compared[candidate]

    def _read_columns(self, path: Path, candidates: Sequence[Candidate]) -> Float:
        out = np.full((len(self.rows), len(candidates)), np.nan)
        if not path.many:
            self._fill_direct(path, candidates, out)
            return out
        reached, ends = self.reach(path)
        columns = self._said(path, candidates, ends)
        anchors = self._anchors.of(path.start, path.prefix)
        bound, now = self._anchors.are_bound(path.start, path.prefix), self._anchors.now(path.end)
        spans = {
            (window, earlier): reached.spans(
                anchors, self._until(path, window), window, before=earlier
            )
            for window, earlier in {(c.window, c.of_earlier) for c in candidates}
        }
        apart = {by for by, _ in filter(None, map(told_apart, candidates))}
        places = {by: Places.of(columns[by]) for by in apart}
        for index, candidate in enumerate(candidates):
            if candidate.aggregate != "labelled":
                among = spans[candidate.window, candidate.of_earlier]
                column = aggregated(candidate, columns, places, reached, among, now)
                out[:, index] = np.where(bound, column, np.nan)
        return out

    def _until(self, path: Path, window: int | None) -> Float | None:
        """When rows are the last that count, for each target row: where it is not asked at a time
        of its own, windows end with the latest of all.
        """
        now = self._anchors.now(path.end)
        return self._anchors.latest(path.end) if now is None and window is not None else now

    def forget(self) -> None:
        """Let go of the rows read so far."""
        self.read.forget()
        self._compared.clear()

    def neighbours(self, path: Path) -> tuple[Int64, Int64]:
        """Pairs of a target row, by position, and another that the path reaches, by rowid."""
        lows, high, ends, _ = self.ends(path)
        low = lows[None]
        sizes = high - low
        source = np.repeat(np.arange(len(self.rows)), sizes)
        offset = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        target = ends[np.repeat(low, sizes) + offset]
        other = self.rows[source] != target
        return source[other], target[other]

    def ends(
        self, path: Path, windows: tuple[int, ...] = ()
    ) -> tuple[dict[int | None, Int64], Int64, Int64, Float | None]:
        """Which rows, [low, high), each target row reaches of those (their `rowid`) that a path
        ends at; with times only earlier ones, `low` by the window too, and when these are.
        """
        anchors = self._anchors.of(path.start, path.prefix)
        if not path.many:
            at = np.arange(len(anchors))
            return {None: at}, at + (anchors >= 0), anchors, None
        reached, ends = self.reach(path)
        now = self._anchors.now(path.end)
        if now is None:
            spans = reached.spans(anchors, None)
            return {None: spans.low}, spans.high, ends, None
        found = {
            window: reached.spans(anchors, now, window, before=True) for window in (None, *windows)
        }
        lows = {window: spans.low for window, spans in found.items()}
        return lows, found[None].high, ends, reached.time

    def owned(self, path: Path) -> Bool:
        """Whether each target row has what a path's rows are reached from."""
        return self._anchors.are_bound(path.start, path.prefix)

    def readable(self, candidate: Candidate) -> bool:
        """Whether the pairs of rows that two ends reach are few enough to be counted."""
        assert candidate.with_ is not None
        one, other = (
            self.queries.sizes(path.start, path.hops)
            for path in (candidate.path, candidate.with_[0])
        )
        return (
            self._sum(f"SELECT a.n * b.n AS n FROM ({one}) a JOIN ({other}) b USING (r)")
            <= MOST_PAIRS
        )

    def n_neighbours(self, path: Path) -> int:
        """How many pairs `neighbours` has at most: what each target row reaches, together.
        One aggregation a hop.
        """
        return self._sum(self.queries.sizes(path.start, path.hops))

    def _sum(self, numbers: str) -> int:
        return int(self.staging.rows(f"SELECT coalesce(sum(n), 0) FROM ({numbers})")[0][0])

    def _in_common(self, candidate: Candidate) -> Float:
        """How much two ends have in common; NaN where there is only one, or none."""
        assert candidate.with_ is not None
        found = arrays_of(self.staging, self.relations.in_common(candidate))
        counts = looked_up(found["k"].astype(np.int64), found["n"], self.rows, 0.0)
        known = np.ones(len(counts), np.bool_)
        for path in (candidate.path, candidate.with_[0]):
            anchors = self._anchors.of(path.start, path.prefix)
            known &= self._anchors.are_bound(path.start, path.prefix)
            if path.hops and not path.many:
                ahead = self._ahead(path, anchors)
                known &= True if ahead is None else ahead <= 0
        return np.where(known, counts, np.nan)

    def size(self, path: Path) -> int:
        """How many rows the path reaches from all anchors together. One aggregation a hop."""
        if not path.many:
            return len(self.rows)
        start = path.prefix[-1].table if path.prefix else path.start
        return self._sum(self.queries.sizes(start, path.suffix))

    def typical_counts(self, path: Path, windows: Iterable[int]) -> dict[int | None, float]:
        """The mean number of rows reached in each window, None for all time."""
        reached, _ = self.reach(path)
        anchors = self._anchors.of(path.start, path.prefix)
        return {
            window: float(count(reached.spans(anchors, self._until(path, window), window)).mean())
            for window in (None, *windows)
        }

    def occurring(self, path: Path, candidates: Sequence[Candidate], least: int) -> list[Candidate]:
        """Those of candidates of single values whose value `least` of all rows reached have."""
        columns = self._said(path, candidates, self.reach(path)[1])
        often: dict[tuple[Onward, str | None], int] = {}
        for by in {by for by, _ in filter(None, map(told_apart, candidates))}:
            codes = columns[by][columns[by] >= 0].astype(np.int64)
            often |= {
                (by, value): n for value, n in zip(by.column.values, np.bincount(codes).tolist())
            }
        return [
            c for c in candidates if (told := told_apart(c)) is None or often.get(told, 0) >= least
        ]

    def reach(self, path: Path) -> tuple[Reached, Int64]:
        return self.read.reached(path.prefix[-1].table if path.prefix else path.start, path.suffix)

    def _said(
        self, path: Path, candidates: Sequence[Candidate], ends: Int64
    ) -> dict[Onward, Float]:
        onwards = (one for candidate in candidates for one in read_by(candidate))
        return self.read.said(path.end, onwards, ends)

    def _ahead(self, path: Path, anchors: Int64) -> Float | None:
        """By how much the rows that a path leads to are dated later than they are asked for;
        None where that is of no account.
        """
        table, now = self.schema[path.end], self._anchors.now(path.end)
        if now is None or table.date is None:
            return None
        when = Onward((), Column(table.date, "number" if table.dated_by_year else "date"))
        return np.asarray(self.read.said(table.name, [when], anchors)[when] - now, np.float64)

    def _fill_direct(self, path: Path, candidates: Sequence[Candidate], out: Float) -> None:
        anchors = self._anchors.of(path.start, path.hops)
        ahead = self._ahead(path, anchors) if path.hops else None
        known = np.ones(len(anchors), np.bool_) if ahead is None else ~(ahead > 0)
        columns = self._said(path, candidates, anchors)
        for index, candidate in enumerate(candidates):
            onward = candidate.onward
            assert onward is not None
            column = np.where(known, columns[onward], np.nan)
            if candidate.aggregate == "is":
                column = np.where(
                    np.isnan(column),
                    np.nan,
                    column == onward.column.values.index(candidate.value or ""),
                )
            elif onward.kind in ("date", "calendar") and self.times is not None:
                # A date later than the target's own time is not known yet.
                date = Onward((), Column(onward.column.name, "date"))
                days = self.read.said(path.end, [date], anchors)[date]
                said = self.times.days - days if onward.kind == "date" else column
                column = np.where(days <= self.times.days, said, np.nan)
            out[:, index] = column


def _put(out: Real, places: int | list[int], values: Float) -> None:
    """Numbers into columns; too large ones (products of those of 20 digits) are the largest."""
    out[:, places] = np.clip(values, np.finfo(out.dtype).min, np.finfo(out.dtype).max)
