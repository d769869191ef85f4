"""What is known of the target of other rows of its table: of each row's, those that a path
reaches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.reached import Reached, Spans, latest
from workbench.structure.relational import Column
from workbench.structure.table_paths import Path
from workbench.study.columns import CandidateColumns

PARTS = 5
ADDED = 5
"""Labels that are added to a group's, yes as often as all are."""


@dataclass(frozen=True)
class Around:
    """The target rows that each target row reaches: those at the places [low, high) of `ends`.

    Attributes
    ----------
    low : mapping of int or None to int64 array, shape (n_rows,)
        By the window that a candidate reads, None for all time.
    high : int64 array, shape (n_rows,)
    ends : int64 array, shape (n_places,)
        Target rows by position; -1 for a row that is none of those in question.
    owned : bool array, shape (n_rows,)
        Whether there is what others are reached from: no blank where a row refers to it.
    time : float64 array, shape (n_places,), or None
        When each is asked, where only earlier ones are reached; ascending in each [low, high).
    turned : bool array, shape (n_places,), or None
        Of two roles, which have the thing that reaches them in the second.
    group : int64 array, shape (n_rows,), or None
        Rows of one group, by their codes, see no label of each other.
    """

    low: Mapping[int | None, Int64]
    high: Int64
    ends: Int64
    owned: Bool
    time: Float | None = None
    turned: Bool | None = None
    group: Int64 | None = None

    def before(self, when: Float) -> Around:
        """The same without rows that are asked at `when` or later, one time for each row."""
        if self.time is None or not len(self.time):
            return self
        until = np.nextafter(when, -np.inf)
        high = Reached(self.ends, self.time).until(until, self.low[None], self.high)
        low = {window: np.minimum(one, high) for window, one in self.low.items()}
        return replace(self, low=low, high=high)

    def told(self, candidate: Candidate, labels: Float) -> Float:
        """The share of a label among the known labels that each row reaches, the mean of known
        numbers, or what the latest of them is, NaN where none is known; or how many have a label,
        NaN where nothing can be reached. O(rows and places).

        Without times a row whose own label is known sees those of other parts of the rows alone
        (five, drawn once): were its own the only one missing, what is left would tell it. With
        groups it sees those of other parts of the groups.
        """
        found = self._told(candidate, labels)
        if self.group is None:
            return found
        part = parts_of(len(labels), self.group)
        for one in range(PARTS):
            within = ~np.isnan(labels) & (part == one)
            found[within] = self._told(candidate, np.where(within, np.nan, labels))[within]
        return found

    def _told(self, candidate: Candidate, labels: Float) -> Float:
        said = np.where(self.ends >= 0, labels[self.ends], np.nan)
        if candidate.turned:
            assert self.turned is not None
            said = np.where(self.turned, 1 - said, said)
        spans = Spans(self.low[candidate.window], self.high)
        if candidate.aggregate == "sum":
            return self._where_owned(_sums(said == candidate.label, spans))
        if candidate.onward is not None and candidate.onward.kind == "category":
            said = np.where(np.isnan(said), np.nan, said == candidate.label)
        known = ~np.isnan(said)
        if candidate.aggregate in ("latest", "latest_is"):
            return self._latest(known, said)
        values = np.where(known, said, 0.0)
        total, n = _sums(values, spans), _sums(known, spans)
        part = parts_of(len(labels))
        for one in range(PARTS) if self.time is None else ():
            within = ~np.isnan(labels) & (part == one)
            same = known & within[self.ends]
            total[within] -= _sums(values * same, spans)[within]
            n[within] -= _sums(same, spans)[within]
        if self.time is None and candidate.onward is not None and candidate.onward.kind == "flag":
            return self._where_owned(_among_all(total, n, labels))
        return np.where(n > 0, total / np.maximum(n, 1), np.nan)

    def _where_owned(self, values: Float) -> Float:
        return np.where(self.owned, values, np.nan)

    def _latest(self, known: Bool, said: Float) -> Float:
        """What the latest of the known labels that each row reaches says."""
        assert self.time is not None
        places = np.flatnonzero(known)
        low, high = (np.searchsorted(places, one) for one in (self.low[None], self.high))
        return latest(said[places], Spans(low, high), self.time[places])


def parts_of(n_rows: int, group: Int64 | None = None) -> Int64:
    """Which of five parts, drawn once, each row is in; rows of one group are in one."""
    draw = np.random.default_rng(0)
    if group is None:
        return draw.integers(PARTS, size=n_rows)
    return np.asarray(draw.integers(PARTS, size=int(group.max(initial=0)) + 1)[group])


def _among_all(total: Float, n: Float, labels: Float) -> Float:
    """The share of yes with a few labels more, yes as often as all that are known: one or two say
    little of a group.
    """
    every = labels[~np.isnan(labels)]
    rate = every.mean() if len(every) else np.nan
    return np.asarray((total + ADDED * rate) / (n + ADDED))


def _sums(values: Float | Bool, spans: Spans) -> Float:
    """The sum of the places that each row reaches."""
    total = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
    return total[spans.high] - total[spans.low]


def around(columns: CandidateColumns, path: Path, windows: tuple[int, ...] = ()) -> Around:
    """The target rows that a path reaches from each, along the path's direction."""
    if path.is_group and len(path.hops) == 1:
        return _in_group(columns, path, windows)
    low, high, rowids, time = columns.ends(path, windows)
    at = np.minimum(np.searchsorted(columns.rows, rowids), len(columns.rows) - 1)
    ends = np.where(columns.rows[at] == rowids, at, -1)
    return Around(low, high, ends, columns.owned(path), time, _in_other_role(columns, path))


def _in_group(columns: CandidateColumns, path: Path, windows: tuple[int, ...]) -> Around:
    """The rows of each row's group, itself among them: without their pairs, O(rows log rows).

    Of rows whose label is known it is no matter: they see other parts, or earlier rows, alone.
    """
    shared = Onward((), Column(path.hops[0].column, "name"))
    value = columns.read.said(path.start, [shared], columns.rows)[shared]
    days = None if columns.times is None else columns.times.days
    time = np.zeros(len(value)) if days is None else days
    some = np.flatnonzero(~(np.isnan(value) | np.isnan(time)))
    ends = some[np.lexsort((time[some], value[some]))]
    group = np.where(np.isnan(value), -1, value).astype(np.int64)
    reached = Reached(group[ends], None if days is None else time[ends])
    spans = {one: reached.spans(group, days, one, before=True) for one in (None, *windows)}
    lows = {window: one.low for window, one in spans.items()}
    # Counts of earlier rows are 0 where nothing is shared, as counts of any rows are.
    owned = ~np.isnan(value) if days is None else np.ones(len(value), np.bool_)
    return Around(lows, spans[None].high, ends, owned, reached.time)


def _in_other_role(columns: CandidateColumns, path: Path) -> Bool | None:
    """Of each row that a path ends at by one of two roles, whether the thing that reaches it has
    the second.
    """
    last = path.hops[-1] if path.hops else None
    if last is None or last.kind != "either":
        return None
    reached, ends = columns.reach(path)
    before = path.hops[-2].table if len(path.hops) > 1 else path.start
    key = Onward((), Column(columns.schema[before].key or "", "name"))
    first = Onward((), Column(last.column, "name"))
    thing = columns.read.said(before, [key], reached.anchor)[key]
    return np.asarray(columns.read.said(path.end, [first], ends)[first] != thing, np.bool_)
