"""Logistic regression on few dense columns under a ridge."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float
from workbench.network.compiled import allocating, compiled
from workbench.structure.dense_logistic import add, judge, scale


@compiled
def _factor(matrix: Float) -> None:
    """Cholesky's factor of a matrix, in its lower half."""
    for j in range(matrix.shape[0]):
        for i in range(j, matrix.shape[0]):
            total = matrix[i, j]
            for m in range(j):
                total -= matrix[i, m] * matrix[j, m]
            matrix[i, j] = np.sqrt(max(total, 1e-12)) if i == j else total / matrix[j, j]


@compiled
def _substitute(factor: Float, x: Float) -> None:
    """Solve by a lower factor and its transpose, in place."""
    for i in range(x.size):
        for m in range(i):
            x[i] -= factor[i, m] * x[m]
        x[i] /= factor[i, i]
    for i in range(x.size - 1, -1, -1):
        for m in range(i + 1, x.size):
            x[i] -= factor[m, i] * x[m]
        x[i] /= factor[i, i]


@compiled
def _pulled(penalty: Float, weights: Float) -> float:
    total = 0.0
    for j in range(weights.size):
        total += 0.5 * penalty[j] * weights[j] * weights[j]
    return total


@allocating
def fit_dense_ridge(columns: Float, target: Float, penalty: Float, weights: Float) -> None:
    """Minimise `sum_i log(1 + exp(z_i)) - t_i z_i + sum_j penalty_j / 2 w_j^2`, in place.

    Newton steps, halved where they overshoot; shapes as of `fit_dense_l1`. Curvature hardly changes
    near the optimum, so it is summed again only where a step gains little of what was left.
    """
    k, n = columns.shape
    scores, residual, curvature = np.zeros(n), np.empty(n), np.empty(n)
    scaled, hessian, trial = np.empty((k, n)), np.empty((k, k)), np.empty(k)
    add(scores, columns, weights, 1.0)
    value = judge(scores, target, residual, curvature) + _pulled(penalty, weights)
    fresh, before = True, np.inf
    for _ in range(50):
        step = np.dot(columns, residual)
        for j in range(k):
            step[j] += penalty[j] * weights[j]
        if fresh:
            scale(columns, curvature, scaled)
            hessian = np.dot(scaled, columns.T)
            for j in range(k):
                hessian[j, j] += penalty[j] + 1e-9
            _factor(hessian)
        _substitute(hessian, step)
        length = 1.0
        while True:
            for j in range(k):
                trial[j] = weights[j] - length * step[j]
            for i in range(n):
                scores[i] = 0.0
            add(scores, columns, trial, 1.0)
            new = judge(scores, target, residual, curvature) + _pulled(penalty, trial)
            if new <= value or length <= 1e-4:
                break
            length /= 2
        gained = value - new
        if gained < 1e-8 * max(abs(value), 1.0) and (fresh or gained >= 0.0):
            break
        fresh = length < 1.0 or gained > 0.05 * before
        if gained >= 0.0:
            for j in range(k):
                weights[j] = trial[j]
            value, before = new, gained
