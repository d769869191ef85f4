"""Penalised logistic regression on dense columns: the sparse solver's optimum,
and gradients that vanish.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array

from workbench.arrays import Float
from workbench.learning.logistic import fit_logistic
from workbench.learning.logistic_objective import Penalty
from workbench.structure.dense_logistic import fit_dense_l1
from workbench.structure.sparse_fits import path, ridge_logistic, sigmoid


def drawn(seed: int) -> tuple[Float, Float]:
    """Columns of which some are alike and some are 0 or 1, and labels that two of them tell."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(60, 600)), int(rng.integers(6, 150))
    Z = rng.normal(size=(n, p))
    Z[:, 1::3] = 0.9 * Z[:, ::3][:, : Z[:, 1::3].shape[1]] + 0.3 * Z[:, 1::3]
    Z[:, ::4] = Z[:, ::4] > 0.8
    return Z, (rng.random(n) < sigmoid(Z[:, 0] - Z[:, 3])).astype(float)


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_the_sparse_solvers_and_its_bound_holds(seed: int) -> None:
    Z, y = drawn(seed)
    columns = np.vstack((Z.T, np.full(len(y), 100.0)))
    for share in (0.6, 0.2, 0.05):
        l1 = share * float(np.abs(Z.T @ (y.mean() - y)).max())
        weights = np.zeros(len(columns))
        value, bound = fit_dense_l1(columns, y, l1, weights, 1e-6, 100)
        known = fit_logistic(csc_array(columns.T), y, Penalty(l1=l1), tolerance=1e-7)
        assert value == pytest.approx(known.objective, rel=2e-6)
        assert bound <= known.objective * (1 + 1e-9)
        assert value - bound <= 2e-6 * value
        scores = weights @ columns
        assert value == pytest.approx(
            np.logaddexp(0, scores).sum() - y @ scores + l1 * np.abs(weights).sum()
        )


def test_a_path_keeps_its_gaps_and_grows() -> None:
    Z, y = drawn(7)
    found = path(Z, y, 12, None)
    assert len(found) >= 4
    assert all(fit.gap <= 2e-5 for _, fit in found)
    assert [share for share, _ in found] == sorted((share for share, _ in found), reverse=True)
    assert len(found[0][1].support) <= len(found[-1][1].support) <= 12


@pytest.mark.parametrize("ridge", [0.3, 10.0])
def test_a_ridge_fit_has_no_slope_left(ridge: float) -> None:
    Z, y = drawn(4)
    weights, intercept = ridge_logistic(Z[:, :8], y, ridge)
    residual = sigmoid(Z[:, :8] @ weights + intercept) - y
    assert np.abs(Z[:, :8].T @ residual + ridge * weights).max() < 0.02
    assert abs(residual.sum()) < 0.02
