"""What a candidate says of the rows that a path reaches: their number, a mean,
the latest of them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from workbench.arrays import Float, Int64
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.reached import (
    Places,
    Reached,
    Spans,
    count,
    different,
    different_within,
    extreme,
    latest,
    mean,
    previous,
    total_and_number,
    variance,
)

ROUNDING = 1e-12
"""Of two numbers, their difference at most where only rounding tells them apart."""


def beside(aggregate: str, first: Float, second: Float) -> Float:
    """The difference, the product or the ratio of two numbers of each row."""
    if aggregate == "difference":
        # What rounding leaves of two equal numbers is nothing that a threshold could tell.
        left = np.abs(first - second) <= ROUNDING * np.maximum(np.abs(first), np.abs(second))
        return np.where(left, 0.0, first - second)
    if aggregate == "product":
        return first * second
    return np.asarray(
        np.divide(first, second, out=np.full(len(first), np.nan), where=second != 0), np.float64
    )


def read_by(candidate: Candidate) -> tuple[Onward, ...]:
    """The columns that a candidate reads."""
    onward = () if candidate.onward is None else (candidate.onward,)
    return onward if candidate.among is None else (*onward, candidate.among[0])


def told_apart(candidate: Candidate) -> tuple[Onward, str | None] | None:
    """The category or flag, and its value, whose rows alone a candidate reads;
    None where it reads others, too.
    """
    if candidate.among is None and candidate.aggregate == "sum" and candidate.value is not None:
        assert candidate.onward is not None
        return candidate.onward, candidate.value
    return candidate.among


def aggregated(
    candidate: Candidate,
    columns: Mapping[Onward, Float],
    places: Mapping[Onward, Places],
    reached: Reached,
    spans: Spans,
    now: Float | None,
) -> Float:
    """The candidate's number of each span, NaN where nothing is known;
    `now` is when each row asks.
    """
    if candidate.aggregate == "count":
        return count(spans)
    time = reached.time
    rows: Int64 | slice = slice(None)
    if (told := told_apart(candidate)) is not None:
        by, value = told
        rows, spans = places[by].held(*_codes(by, value), spans)
        if candidate.among is None:
            return count(spans)
        time = None if time is None else time[rows]
    if candidate.onward is None:
        assert time is not None
        return _of_times(candidate, time, spans, now)
    values = columns[candidate.onward][rows]
    if candidate.value is not None:
        low, high = _codes(candidate.onward, candidate.value)
        values = np.where(np.isnan(values), np.nan, (values >= low) & (values < high))
    match candidate.aggregate:
        case "mean" | "share":
            return mean(values, spans)
        case "different":
            return (different_within if candidate.window else different)(
                values, spans, reached.anchor
            )
        case "variance":
            return variance(values, spans, reached.anchor)
        case "sum":
            return total_and_number(values, spans)[0]
        case "min" | "max":
            return extreme(values, spans, greatest=candidate.aggregate == "max")
        case "latest" | "latest_is":
            return latest(values, spans, time)
        case "previous":
            return previous(values, spans, time)
    raise AssertionError(candidate.aggregate)


def _of_times(candidate: Candidate, time: Float, spans: Spans, now: Float | None) -> Float:
    """How long ago the latest or the first row was, or how far rows are apart on average."""
    first = extreme(time, spans, greatest=False)
    if candidate.aggregate == "interval":
        number = total_and_number(time, spans)[1]
        apart = extreme(time, spans, greatest=True) - first
        return np.where(number > 1, apart / np.maximum(number - 1, 1), np.nan)
    assert now is not None
    return now - (latest(time, spans, time) if candidate.aggregate == "since" else first)


def _codes(by: Onward, value: str | None) -> tuple[float, float]:
    """The half-open interval of the codes of a category's value, of a set flag,
    or of the numbers that pass a threshold.
    """
    if by.kind in ("number", "calendar") and value is not None:
        sign, number = value.split()
        return (float(number), np.inf) if sign == ">=" else (-np.inf, float(number))
    code = 1 if value is None else by.column.values.index(value)
    return code, code + 1
