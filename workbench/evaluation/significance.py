"""Summaries over folds, and paired tests between two systems on the same folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.arrays import Float
from workbench.errors import UsageError


@dataclass(frozen=True)
class Summary:
    """Mean over folds, standard deviation (n - 1), and the t interval of the mean."""

    mean: float
    sd: float
    low: float
    high: float
    folds: int


def summary(values: npt.ArrayLike) -> Summary:
    """Summarise one metric over folds; NaN folds (not defined there) are left out of `folds`."""
    from scipy.special import stdtrit  # its module of distributions takes a second to import

    array = np.asarray(values, np.float64)
    array = array[~np.isnan(array)]
    if array.size == 0:
        return Summary(float("nan"), float("nan"), float("nan"), float("nan"), 0)
    mean = float(array.mean())
    if array.size == 1:
        return Summary(mean, float("nan"), float("nan"), float("nan"), 1)
    sd = float(array.std(ddof=1))
    half = float(stdtrit(array.size - 1, 0.975)) * sd / array.size**0.5
    return Summary(mean, sd, mean - half, mean + half, int(array.size))


@dataclass(frozen=True)
class PairedTest:
    """Two-sided paired test of `first - second` over folds."""

    name: str
    statistic: float
    p_value: float
    mean_difference: float
    folds: int


def paired_t_test(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """Student's paired t-test; p = 1 when the systems agree on every fold."""
    return corrected_resampled_t_test(first, second, test_share=0.0, name="paired t")


def corrected_resampled_t_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    test_share: float,
    name: str = "corrected resampled t",
) -> PairedTest:
    """Nadeau and Bengio's (2003) t-test for overlapping training sets.

    Parameters
    ----------
    first, second : array-like, shape (n_folds,)
    test_share : float
        Test size over training size, 1 / (k - 1) in k-fold cross-validation; 0 gives Student's
        test.
    """
    from scipy.special import stdtr

    difference = _differences(first, second)
    n, mean = difference.size, float(difference.mean())
    error = float(difference.std(ddof=1)) * (1 / n + test_share) ** 0.5
    always = 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    statistic = mean / error if error else always
    return PairedTest(name, statistic, float(2 * stdtr(n - 1, -abs(statistic))), mean, n)


def wilcoxon_test(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """Wilcoxon's signed-rank test; p = 1 when the systems agree on every fold."""
    from scipy.stats import wilcoxon

    difference = _differences(first, second)
    if not difference.any():
        return PairedTest("Wilcoxon", 0.0, 1.0, 0.0, difference.size)
    result = wilcoxon(difference)
    return PairedTest(
        "Wilcoxon",
        float(result.statistic),
        float(result.pvalue),
        float(difference.mean()),
        difference.size,
    )


def paired_tests(first: npt.ArrayLike, second: npt.ArrayLike, folds: int) -> tuple[PairedTest, ...]:
    """Student's test, Wilcoxon's, and Nadeau and Bengio's, of two systems over the same folds."""
    corrected = corrected_resampled_t_test(first, second, test_share=1 / (folds - 1))
    return paired_t_test(first, second), wilcoxon_test(first, second), corrected


def _differences(first: npt.ArrayLike, second: npt.ArrayLike) -> Float:
    """`first - second` on the folds where both are defined; at least two must be left."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if a.shape != b.shape:
        raise UsageError.of(
            "E0704", f"a paired test needs the same folds: {a.size} against {b.size} values"
        )
    difference = (a - b)[~np.isnan(a - b)]
    if difference.size < 2:
        raise UsageError.of("E0704", "a paired test needs at least two folds")
    return difference
