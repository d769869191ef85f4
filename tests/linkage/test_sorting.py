"""Orders and groups of large integers against NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.linkage.sorting import grouped, order_of

RANGES = ((0, 3), (-5, 5), (-(2**40), 2**40), (-(2**63), 2**63 - 1), (2**62, 2**63 - 1))


@pytest.mark.parametrize("low_high", RANGES)
@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 5000])
def test_equal_values_stay_in_their_order(n: int, low_high: tuple[int, int]) -> None:
    values = np.random.default_rng(n).integers(*low_high, n)
    values[n // 2 :] = values[: n - n // 2]
    np.testing.assert_array_equal(order_of(values), np.argsort(values, kind="stable"))


@pytest.mark.parametrize("low_high", RANGES)
def test_groups_are_numpys(low_high: tuple[int, int]) -> None:
    values = np.random.default_rng(1).integers(*low_high, 300).repeat(2)
    places, which, counts = grouped(values)
    expected = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(values[places], expected[0])
    for one, other in zip((places, which, counts), expected[1:]):
        np.testing.assert_array_equal(one, other)
