"""Aggregates over the rows that targets reach, by prefix sums: linear in rows and targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64


@dataclass(frozen=True)
class Spans:
    """For each target the rows it reaches: positions [low, high) of a `Reached`."""

    low: Int64
    high: Int64


@dataclass(frozen=True)
class Reached:
    """Rows sorted by the anchor that reaches them, and by their time.

    Attributes
    ----------
    anchor : int64 array, shape (n_rows,)
        Codes of anchors, ascending.
    time : float64 array, shape (n_rows,), or None
        Days; ascending within an anchor, unknown ones (NaN) first.
    """

    anchor: Int64
    time: Float | None

    def spans(
        self,
        anchors: Int64,
        now: Float | None,
        window: float | None = None,
        *,
        before: bool = False,
    ) -> Spans:
        """The rows of each target's anchor (-1: none), in (now - window, now], or `before` now;
        without a time in no window.

        O((n + m) log m).
        """
        first = np.searchsorted(self.anchor, anchors, "left")
        last = np.searchsorted(self.anchor, anchors, "right")
        if self.time is None or now is None:
            return Spans(first, last)
        until = np.nextafter(now, -np.inf) if before else now
        high = self.until(until, first, last)
        low = first if window is None else np.minimum(self.until(now - window, first, last), high)
        return Spans(low, high)

    def until(self, when: Float, first: Int64, last: Int64) -> Int64:
        """The first position in [first, last) later than `when`, all targets bisected at once.

        O(m log n) of m targets.
        """
        assert self.time is not None
        low, high = first.copy(), last.copy()
        while True:
            open_ = low < high
            if not open_.any():
                return low
            middle = (low + high) // 2
            # What is dated later is said so: rows without a date, which come first, are not.
            later = self.time[np.minimum(middle, len(self.time) - 1)] > when
            early = open_ & ~later & ~np.isnan(when)
            low = np.where(early, middle + 1, low)
            high = np.where(open_ & ~early, middle, high)


@dataclass(frozen=True)
class Places:
    """Where each code of a category or flag stands, so that one is read without all rows.

    Attributes
    ----------
    order : int64 array, shape (n_reached,)
        Rows by code, those of one code in their order.
    codes : float64 array, shape (n_reached,)
        The codes in that order.
    """

    order: Int64
    codes: Float

    @classmethod
    def of(cls, codes: Float) -> Places:
        """O(n log n)."""
        order = np.argsort(codes, kind="stable")
        return cls(order, codes[order])

    def held(self, low: float, high: float, spans: Spans) -> tuple[Int64, Spans]:
        """The rows with code in [low, high), and spans as positions in these; O(n_spans log n)."""
        first, last = np.searchsorted(self.codes, [low, high])
        rows = np.sort(self.order[first:last])
        return rows, Spans(np.searchsorted(rows, spans.low), np.searchsorted(rows, spans.high))


def count(spans: Spans) -> Float:
    return (spans.high - spans.low).astype(np.float64)


def total_and_number(values: Float, spans: Spans) -> tuple[Float, Float]:
    """Sum and number of the known values of each span."""
    known = ~np.isnan(values)
    number = np.concatenate(([0.0], np.cumsum(known, dtype=np.float64)))
    # Whole numbers add up exactly; others do so better about their mean.
    whole = bool(np.all(values[known] == np.rint(values[known])))
    centre = 0.0 if whole or not known.any() else float(values[known].mean())
    total = np.concatenate(([0.0], np.cumsum(np.where(known, values - centre, 0.0))))
    n = number[spans.high] - number[spans.low]
    return total[spans.high] - total[spans.low] + n * centre, n


def mean(values: Float, spans: Spans) -> Float:
    total, number = total_and_number(values, spans)
    return np.where(number > 0, total / np.maximum(number, 1.0), np.nan)


def variance(values: Float, spans: Spans, anchor: Int64) -> Float:
    """The variance of each span's known values; `anchor` is that of each row."""
    starts = (
        np.flatnonzero(np.append(True, anchor[1:] != anchor[:-1]))
        if len(anchor)
        else np.empty(0, np.int64)
    )
    ends = np.append(starts[1:], len(anchor))
    # About the mean of all that one anchor reaches, so that little is lost where that is far from
    # others'.
    apart = values - np.repeat(mean(values, Spans(starts, ends)), ends - starts)
    square = mean(apart**2, spans) - mean(apart, spans) ** 2
    rounding = 1e-15 * np.nansum(apart**2) + 1e-24 * np.nanmax(np.abs(values), initial=0.0) ** 2
    return np.where(square <= rounding, 0.0, square)


def different(codes: Float, spans: Spans, anchor: Int64) -> Float:
    """Different known codes in each span that starts where its anchor does. O(n log n)."""
    known = np.flatnonzero(~np.isnan(codes))
    order = known[np.lexsort((known, codes[known], anchor[known]))]
    first = np.ones(len(order), np.bool_)
    first[1:] = (codes[order[1:]] != codes[order[:-1]]) | (anchor[order[1:]] != anchor[order[:-1]])
    new = np.zeros(len(codes) + 1)
    new[order[first] + 1] = 1
    number = np.cumsum(new)
    return number[spans.high] - number[spans.low]


def different_within(codes: Float, spans: Spans, anchor: Int64) -> Float:
    """The same of spans that start anywhere. O(rows of all spans)."""
    known = np.flatnonzero(~np.isnan(codes))
    order = known[np.lexsort((known, codes[known], anchor[known]))]
    same = (codes[order[1:]] == codes[order[:-1]]) & (anchor[order[1:]] == anchor[order[:-1]])
    before = np.full(len(codes), len(codes))  # unknown: never new
    before[order] = np.append(-1, np.where(same, order[:-1], -1))[: len(order)]
    sizes = spans.high - spans.low
    span = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(span)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + spans.low[span]
    new = before[place] < spans.low[span]
    return np.bincount(span[new], minlength=len(sizes)).astype(np.float64)


def extreme(values: Float, spans: Spans, *, greatest: bool) -> Float:
    """Least or greatest known value of each span that starts where its anchor does."""
    sign = -1.0 if greatest else 1.0
    filled = np.append(np.where(np.isnan(values), np.inf, sign * values), np.inf)
    out = np.full(len(spans.low), np.inf)
    some = spans.high > spans.low
    if some.any():
        pairs = np.column_stack((spans.low[some], spans.high[some])).ravel()
        out[some] = np.minimum.reduceat(filled, pairs)[::2]
    return np.where(np.isinf(out), np.nan, sign * out)


def previous(values: Float, spans: Spans, time: Float | None) -> Float:
    """The same of the last row before that time."""
    if time is None or not len(values):
        return np.full(len(spans.low), np.nan)
    return latest(values, Spans(spans.low, _last_time(spans, time).low), time)


def latest(values: Float, spans: Spans, time: Float | None) -> Float:
    """The value of each span's last row; the mean of several, NaN where it is unknown."""
    if time is None or not len(values):
        return np.full(len(spans.low), np.nan)
    values = np.where(np.isnan(time), np.nan, values)
    return mean(values, _last_time(spans, time))


def latest_alone(values: Float, spans: Spans, time: Float | None) -> Float:
    """The value of each span's last row; of several that of all which have one, NaN where they
    differ.
    """
    if time is None or not len(values):
        return np.full(len(spans.low), np.nan)
    last = _last_time(spans, time)
    dated = np.where(np.isnan(time), np.nan, values)
    least, most = (extreme(dated, last, greatest=greatest) for greatest in (False, True))
    return np.where(least == most, least, np.nan)


def _last_time(spans: Spans, time: Float) -> Spans:
    """Of each span the rows of its last time."""
    starts = np.ones(len(time), np.bool_)
    starts[1:] = time[1:] != time[:-1]
    first = np.maximum.accumulate(np.where(starts, np.arange(len(time)), 0))
    some = spans.high > spans.low
    low = np.where(some, np.maximum(first[np.maximum(spans.high - 1, 0)], spans.low), spans.high)
    return Spans(low, spans.high)
