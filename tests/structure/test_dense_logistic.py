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
from workbench.structure.sparse_fits import INTERCEPT, L1Path, refits, ridge_logistic, sigmoid


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
        value, bound = fit_dense_l1(columns, y, l1, weights, np.zeros(len(columns)), 1e-6, 100)
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
    columns = np.vstack((Z.T, np.full(len(y), INTERCEPT)))
    found = list(L1Path(columns, y, 12, None))
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


def test_fits_under_several_ridges_are_those_of_each_alone() -> None:
    Z, y = drawn(5)
    columns = np.vstack((Z.T, np.full(len(y), INTERCEPT)))
    support, ridges = np.array([0, 2, 5]), (0.5, 4.0, 50.0)
    for ridge, fit in zip(ridges, refits(columns, y, support, ridges)):
        weights, intercept = ridge_logistic(Z[:, support], y, ridge)
        assert fit.weights == pytest.approx(weights, abs=2e-3)
        assert fit.intercept == pytest.approx(intercept, abs=2e-3)


def test_a_path_asked_for_one_penalty_gives_the_fit_there_or_the_last_that_is_small_enough() -> (
    None
):
    Z, y = drawn(7)
    columns = np.vstack((Z.T, np.full(len(y), INTERCEPT)))
    walked = dict(L1Path(columns, y, 12, None))
    for share in list(walked)[3:6]:
        fit = L1Path(columns, y, 12, None).at(share)
        assert set(fit.support) == set(walked[share].support)
        assert fit.weights == pytest.approx(walked[share].weights, abs=1e-2)
    last = L1Path(columns, y, 12, None).at(0.004)
    assert 0 < len(last.support) <= 12


def test_columns_that_tell_as_much_come_together_but_no_more_than_are_asked_for() -> None:
    """The first penalty keeps three: a target of twelve classes has two rules for each."""
    y = (np.arange(100) < 30).astype(float)
    kinds = [(np.arange(100) // 10 == place).astype(float) for place in range(3)]
    columns = np.vstack([*kinds, np.full(100, INTERCEPT)])
    for most in (1, 2):
        path = L1Path(columns, y, most, None)
        assert 1 <= len(path.at(0.1).support) <= most
        assert all(len(each.support) <= most for _, each in path)
    assert len(L1Path(columns, y, 3, None).at(0.1).support) == 3
