"""Penalised logistic regression against scikit-learn, and its certificates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array

from workbench.arrays import Float
from workbench.learning.exact_likelihood import choose_penalty
from workbench.learning.logistic import equal_columns, fit_logistic
from workbench.learning.logistic_objective import Penalty, objective


def counts_problem(
    seed: int, n: int = 120, p: int = 80, copies: int = 30
) -> tuple[csc_array, Float]:
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.4, (n, p)).astype(float)
    X = np.concatenate([X, X[:, rng.integers(0, p, copies)]], axis=1)
    truth = rng.normal(size=X.shape[1]) * (rng.random(X.shape[1]) < 0.2)
    target = (rng.random(n) < 1 / (1 + np.exp(-X @ truth))).astype(float)
    return csc_array(X), target


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("l1", [5.0, 1.0, 0.2])
def test_l1_reaches_the_oracles_optimum(seed: int, l1: float) -> None:
    from sklearn.linear_model import LogisticRegression

    X, target = counts_problem(seed)
    fit = fit_logistic(X, target, Penalty(l1=l1), tolerance=1e-8)
    oracle = LogisticRegression(
        l1_ratio=1.0, C=1 / l1, solver="liblinear", fit_intercept=False, tol=1e-7, max_iter=100_000
    ).fit(X, target)
    theirs = objective(X, target, oracle.coef_[0], Penalty(l1=l1))
    assert fit.status == "converged"
    assert fit.bound <= theirs + 1e-9
    assert fit.objective == pytest.approx(theirs, rel=1e-6)
    assert fit.objective == pytest.approx(
        objective(X, target, fit.weights, Penalty(l1=l1)), rel=1e-12
    )


@pytest.mark.parametrize(("n", "p"), [(120, 80), (40, 90)])
@pytest.mark.parametrize("l2", [30.0, 1.0, 0.01])
def test_l2_reaches_the_oracles_optimum(n: int, p: int, l2: float) -> None:
    from sklearn.linear_model import LogisticRegression

    X, target = counts_problem(7, n, p)
    fit = fit_logistic(X, target, Penalty(l2=l2), tolerance=1e-9)
    oracle = LogisticRegression(C=1 / l2, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(
        X, target
    )
    assert fit.status == "converged"
    assert fit.gap <= 1e-8
    np.testing.assert_allclose(fit.weights, oracle.coef_[0], atol=2e-4)


def test_elastic_net_and_groups_are_certified_and_beat_perturbations() -> None:
    X, target = counts_problem(3)
    rng = np.random.default_rng(0)
    groups = np.arange(X.shape[1]) // 5
    for penalty in (Penalty(l1=0.7, l2=0.5), Penalty(group=0.8, groups=groups)):
        fit = fit_logistic(X, target, penalty, tolerance=1e-7)
        assert fit.status == "converged"
        assert -1e-12 <= fit.gap <= 1e-7
        for _ in range(20):
            near = fit.weights + rng.normal(scale=1e-3, size=fit.weights.size)
            assert objective(X, target, near, penalty) >= fit.objective - 1e-6


def test_equal_columns_are_found_and_ridge_shares_the_weight_among_them() -> None:
    X, target = counts_problem(5)
    first, group = equal_columns(X)
    dense = X.toarray()
    assert np.array_equal(dense, dense[:, first[group]])
    assert len(first) == np.unique(dense, axis=1).shape[1]
    weights = fit_logistic(X, target, Penalty(l2=1.0), tolerance=1e-10).weights
    np.testing.assert_allclose(weights, weights[first[group]], atol=1e-7)


def test_weights_start_at_zero_above_the_largest_penalty() -> None:
    X, target = counts_problem(1)
    largest = float(np.abs(X.T @ (0.5 - target)).max())
    assert not fit_logistic(X, target, Penalty(l1=largest * 1.0001)).weights.any()
    assert fit_logistic(X, target, Penalty(l1=largest * 0.95)).weights.any()


def test_offset_is_what_fixed_columns_contribute() -> None:
    X, target = counts_problem(2)
    whole = fit_logistic(X, target, Penalty(l2=1.0), tolerance=1e-10)
    fixed = np.arange(10)
    free = np.arange(10, X.shape[1])
    part = fit_logistic(
        X[:, free],
        target,
        Penalty(l2=1.0),
        offset=X[:, fixed] @ whole.weights[fixed],
        tolerance=1e-10,
    )
    np.testing.assert_allclose(part.weights, whole.weights[free], atol=1e-4)
    assert part.bound <= part.objective + 1e-9


def test_cross_validation_takes_the_penalty_that_predicts_best() -> None:
    X, target = counts_problem(4)
    candidates = [(factor, Penalty(l1=factor)) for factor in (8.0, 2.0, 0.1)]
    choice = choose_penalty(X, target, candidates, folds=4)
    assert choice.table.shape == (4, 3)
    assert choice.best == candidates[int(choice.table.sum(axis=0).argmax())]
