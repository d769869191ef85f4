"""Components of atoms: found at once, and joined by rows that come later."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from workbench.arrays import Int32
from workbench.network.components import connected, with_joins

ATOMS = 30


def some_rows(random: np.random.Generator, count: int) -> csr_array:
    matrix = np.zeros((count, ATOMS), np.int8)
    for row in matrix:
        row[random.choice(ATOMS, random.integers(0, 4), replace=False)] = 1
    return csr_array(matrix)


def together(label: Int32) -> np.ndarray:
    return label[:, None] == label


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_come_later_join_as_if_they_had_been_there(seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second, third = (some_rows(random, count) for count in (8, 5, 0))
    label = connected(ATOMS, first) * 7 + 3
    later = with_joins(label, second, third)
    assert np.array_equal(together(later), together(connected(ATOMS, first, second)))
