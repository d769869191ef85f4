"""Few rows taken out of many and few put in: the same as all put together anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import Generator
from scipy.sparse import csr_array, random_array

from workbench.grounding.carried_rows import CarriedRows, stacked, with_added
from workbench.grounding.edited_rows import inserted

COLUMNS = ("b", "rule", "template", "scale", "relation")


def drawn(random: Generator, n: int) -> CarriedRows:
    A = csr_array(random_array((n, 9), density=0.3, rng=random))
    template = np.sort(random.integers(-1, 5, n)).astype(np.int32)
    numbers = random.integers(0, 50, (3, n))
    return CarriedRows(
        A,
        numbers[0].astype(np.float64),
        np.sort(numbers[1]).astype(np.int32),
        template,
        numbers[2].astype(np.float64),
        np.zeros(n, np.int8),
    )


@pytest.mark.parametrize("seed", range(12))
def test_inserted_rows_stand_as_stacked_ones(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, coming = drawn(random, int(random.integers(0, 40))), drawn(random, int(seed % 5))
    mixed = random.permutation(coming.b.size)
    coming = replace(
        coming,
        A=csr_array(coming.A[mixed]),
        **{name: getattr(coming, name)[mixed] for name in COLUMNS},
    )
    gone = random.random(rows.b.size) < (0.0 if seed == 0 else 0.3)
    kept = replace(
        rows,
        A=csr_array(rows.A[np.flatnonzero(~gone)]),
        **{name: getattr(rows, name)[~gone] for name in COLUMNS},
    )
    expected, found = stacked(kept, coming), inserted(rows, gone, coming)
    assert (expected.A != found.A).nnz == 0
    assert expected.A.shape == found.A.shape
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(expected, name), getattr(found, name))


@pytest.mark.parametrize("seed", range(8))
def test_few_rows_of_a_matrix_changed_are_its_sum(seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = csr_array(random_array((30, 4), density=0.4, rng=random))
    change = np.zeros((30, 4))
    rows = random.choice(30, 6, replace=False)
    change[rows] = random.integers(-1, 2, (6, 4))
    if seed % 2:  # no entry comes or goes: values alone are others
        change = np.where(matrix.toarray() != 0, 1.5 * np.abs(change), 0.0)
    change[rows[0]] = -matrix.toarray()[rows[0]] if seed % 2 == 0 else 0.0
    found = with_added(matrix, csr_array(change))
    np.testing.assert_allclose(found.toarray(), matrix.toarray() + change, atol=1e-12)
    assert found.has_sorted_indices
    assert not np.any(np.abs(found.data) <= 1e-12)
