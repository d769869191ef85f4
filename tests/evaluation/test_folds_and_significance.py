"""Folds partition, tests agree with SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from workbench.errors import UsageError
from workbench.evaluation import (
    Fold,
    corrected_resampled_t_test,
    k_fold,
    paired_t_test,
    summary,
    wilcoxon_test,
)


def check_partition(folds: tuple[Fold, ...], n: int) -> None:
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(n))
    for fold in folds:
        assert sorted(np.r_[fold.train, fold.test]) == list(range(n))


@given(st.integers(2, 8), st.integers(0, 50), st.integers(0, 3))
def test_k_fold_partitions(k: int, extra: int, seed: int) -> None:
    folds = k_fold(k + extra, k, seed=seed)
    check_partition(folds, k + extra)
    sizes = [fold.test.size for fold in folds]
    assert max(sizes) - min(sizes) <= 1


def test_impossible_folds_are_refused() -> None:
    with pytest.raises(UsageError, match="E0705"):
        k_fold(3, 4)


def test_paired_tests_agree_with_scipy() -> None:
    rng = np.random.default_rng(3)
    first = rng.normal(size=10)
    second = first + rng.normal(0.3, 0.5, size=10)
    expected = stats.ttest_rel(first, second)
    ours = paired_t_test(first, second)
    assert ours.statistic == pytest.approx(expected.statistic)
    assert ours.p_value == pytest.approx(expected.pvalue)
    assert wilcoxon_test(first, second).p_value == pytest.approx(
        stats.wilcoxon(first, second).pvalue
    )
    corrected = corrected_resampled_t_test(first, second, test_share=1 / 9)
    assert corrected.statistic == pytest.approx(expected.statistic / np.sqrt(10 * (1 / 10 + 1 / 9)))
    assert corrected.p_value > ours.p_value


def test_equal_systems_do_not_differ() -> None:
    assert paired_t_test([0.3, 0.4], [0.3, 0.4]).p_value == 1
    assert wilcoxon_test([0.3, 0.4], [0.3, 0.4]).p_value == 1
    with pytest.raises(UsageError, match="E0704"):
        paired_t_test([0.3], [0.3])


def test_summary() -> None:
    ours = summary([1.0, 2.0, 3.0, np.nan])
    assert (ours.mean, ours.sd, ours.folds) == (2.0, 1.0, 3)
    low, high = stats.t.interval(0.95, 2, 2.0, 1 / np.sqrt(3))
    assert (ours.low, ours.high) == (pytest.approx(low), pytest.approx(high))
    assert summary([]).folds == 0
