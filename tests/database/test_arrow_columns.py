"""Columns made without `pyarrow.array` are the columns that it makes."""

from __future__ import annotations

import numpy as np
import pyarrow
import pytest

from workbench.database.arrow_columns import arrow_column


@pytest.mark.parametrize(
    "values",
    [
        np.arange(6)[::2],
        np.array([1.5, np.nan]),
        np.array([True, False] * 9),
        [True, None],
        [1, None, 3],
        [0.5, 2, None],
        ["a", None, "", "Zoë"],
        np.array(["x", "yy"]),
        np.array(["x", None], object),
        [None, None],
        [],
    ],
)
def test_a_column_holds_what_it_was_given(values: object) -> None:
    expected = [None if value is None else value for value in pyarrow.array(values).to_pylist()]
    np.testing.assert_equal(arrow_column(values).to_pylist(), expected)  # type: ignore[arg-type]


def test_rows_become_lists_without_their_ends() -> None:
    rows = np.array([[1, 2], [3, -1], [-1, -1]], np.int32)
    assert arrow_column(rows).to_pylist() == [[1, 2], [3], []]
    assert arrow_column(rows[:0]).to_pylist() == []
