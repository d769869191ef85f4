"""Aggregates by prefix sums against one row at a time."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.structure.reached import (
    Places,
    Reached,
    Spans,
    count,
    different,
    extreme,
    latest,
    mean,
    previous,
    total_and_number,
    variance,
)


@pytest.mark.parametrize("seed", range(5))
def test_aggregates_agree_with_one_row_at_a_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = 60, 40
    anchor = rng.integers(0, 6, n)
    time = rng.integers(0, 20, n).astype(float)
    order = np.lexsort((time, anchor))
    anchor, time = anchor[order], time[order]
    values = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    asked, now = rng.integers(-1, 7, m), rng.integers(0, 22, m).astype(float)
    reached = Reached(anchor, time)
    for window in (None, 4.0):
        spans = reached.spans(asked, now, window)
        found = {
            "count": count(spans),
            "mean": mean(values, spans),
            "sum": total_and_number(values, spans)[0],
            "max": extreme(values, spans, greatest=True),
            "min": extreme(values, spans, greatest=False),
            "latest": latest(values, spans, time),
            "previous": previous(values, spans, time),
            "variance": variance(1e6 + values, spans, anchor),
        }
        if window is None:
            found["different"] = different(np.round(values), spans, anchor)
        for row in range(m):
            inside = (anchor == asked[row]) & (time <= now[row])
            if window is not None:
                inside &= time > now[row] - window
            known = values[inside & ~np.isnan(values)]
            last = inside & (time == time[inside].max(initial=-1))
            at_last = values[last & ~np.isnan(values)]
            before = inside & (time < time[inside].max(initial=-1))
            before &= time == time[before].max(initial=-1)
            at_previous = values[before & ~np.isnan(values)]
            expected = {
                "count": inside.sum(),
                "mean": known.mean() if len(known) else np.nan,
                "sum": known.sum(),
                "max": known.max() if len(known) else np.nan,
                "min": known.min() if len(known) else np.nan,
                "latest": at_last.mean() if len(at_last) else np.nan,
                "previous": at_previous.mean() if len(at_previous) else np.nan,
                "variance": known.var() if len(known) else np.nan,
                "different": len(set(np.round(known).tolist())),
            }
            for name in found:
                value = expected[name]
                np.testing.assert_allclose(
                    found[name][row],
                    value,
                    atol=1e-12 if name != "variance" else 1e-8,
                    err_msg=name,
                )
        held = values > 0
        _, some = Places.of(held.astype(float)).held(1, 2, spans)
        expected_counts = [
            ((anchor == a) & (time <= t) & (time > t - (window or np.inf)) & held).sum()
            for a, t in zip(asked, now)
        ]
        assert count(some).tolist() == expected_counts


def test_shares_of_whole_numbers_are_exact() -> None:
    reached = Reached(np.repeat(np.arange(100), 7), None)
    values = np.zeros(700)
    values[::13] = 1.0
    shares = mean(values, reached.spans(np.arange(100), None))
    assert set(np.unique(shares)) <= {k / 7 for k in range(8)}


def test_places_of_a_code_are_those_found_one_row_at_a_time() -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(-1, 5, 60).astype(float)
    codes[rng.random(60) < 0.2] = np.nan
    low = rng.integers(0, 60, 40)
    spans = Spans(low, low + rng.integers(0, 61 - low))
    places = Places.of(codes)
    for code in range(5):
        rows, held = places.held(code, code + 1, spans)
        assert [rows[a:b].tolist() for a, b in zip(held.low, held.high)] == [
            [at for at in range(a, b) if codes[at] == code] for a, b in zip(spans.low, spans.high)
        ]


def test_the_variance_of_equal_numbers_is_zero_beside_others_that_vary() -> None:
    values = np.concatenate((np.full(5, 0.1), 1e5 * np.arange(9.0), np.full(7, 3e5 + 0.3)))
    anchor = np.repeat([0, 1, 2], [5, 9, 7])
    spans = Reached(anchor, None).spans(np.arange(3), None)
    assert variance(values, spans, anchor)[[0, 2]].tolist() == [0.0, 0.0]
    assert np.isnan(variance(np.full(21, np.nan), spans, anchor)).all()


def test_at_an_unknown_time_no_row_counts_and_a_row_without_one_is_in_no_window() -> None:
    reached = Reached(np.array([0, 0, 0]), np.array([np.nan, 1.0, 2.0]))
    anchors, now = np.array([0, 0]), np.array([np.nan, 2.0])
    assert count(reached.spans(anchors, now)).tolist() == [0, 3]
    assert count(reached.spans(anchors, now, 1.5)).tolist() == [0, 2]
