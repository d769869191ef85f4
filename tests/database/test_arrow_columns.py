"""Columns made without `pyarrow.array` are the columns that it makes."""

from __future__ import annotations

import numpy as np
import pyarrow
import pytest

from workbench.database.arrow_columns import arrow_column, numpy_column


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


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "float", "double"])
def test_nulls_of_numbers_are_nan_in_every_part_of_a_column(kind: str) -> None:
    given = [1, None, 3, None, None, 6, 7, 8, None, 10, 11]
    whole = pyarrow.array(given, kind)
    expected = np.array([np.nan if value is None else value for value in given])
    for part in (slice(0, 11), slice(1, 4), slice(3, 11), slice(5, 6), slice(4, 4)):
        found = numpy_column(whole[part])
        np.testing.assert_array_equal(np.asarray(found, np.float64), expected[part])
    parts = pyarrow.chunked_array([whole[:5], whole[5:8], whole[8:]])
    np.testing.assert_array_equal(numpy_column(parts), expected)
