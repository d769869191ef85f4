"""The ascent that learners share."""

from __future__ import annotations

import numpy as np
import scipy.linalg  # noqa: F401  # its linear algebra is loaded before it is looked at
from threadpoolctl import threadpool_info, threadpool_limits

from workbench.learning.ascent import Objective, maximise
from workbench.progress import PLAIN


def blas_threads() -> set[int]:
    return {
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    }


def test_linear_algebra_keeps_to_one_thread_during_the_ascent_only() -> None:
    seen: set[int] = set()

    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        seen.update(blas_threads())
        return -float((weights - 2) @ (weights - 2)), -2 * (weights - 2)

    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        found = maximise(
            Objective(objective, np.zeros(3), np.array([True, False, True])),
            iterations=20,
            tolerance=1e-8,
            conduct=PLAIN,
        )
        after = blas_threads()
    assert seen == {1}
    assert 2 in before
    assert after == before
    np.testing.assert_allclose(found.weights, [2, 0, 2], atol=1e-8)


def test_a_radius_that_moves_no_weight_is_no_search() -> None:
    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        return -float((weights - 2) @ (weights - 2)), -2 * (weights - 2)

    found = maximise(
        Objective(objective, np.ones(2), np.array([True, True]), radius=1e-20),
        iterations=20,
        tolerance=1e-8,
        conduct=PLAIN,
    )
    assert (found.status, found.weights.tolist()) == ("converged", [1, 1])
