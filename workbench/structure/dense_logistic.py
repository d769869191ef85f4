"""Penalised logistic regression on dense columns: under L1, and of few under a ridge."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Bool, Float
from workbench.network.compiled import allocating, compiled

LEAST_CURVATURE = 1e-12


@allocating
def _descend(
    hessian: Float, gradient: Float, weights: Float, l1: float, tolerance: float, most: int
) -> Float:
    """The quadratic model's least step under L1, by coordinate descent: O(1) where none moves."""
    k = weights.size
    slope = gradient.copy()
    step = np.zeros(k)
    for _ in range(most):
        largest = 0.0
        for j in range(k):
            current = weights[j] + step[j]
            target = current * hessian[j, j] - slope[j]
            new = 0.0
            if target > l1:
                new = (target - l1) / hessian[j, j]
            elif target < -l1:
                new = (target + l1) / hessian[j, j]
            change = new - current
            if change != 0.0:
                step[j] += change
                for i in range(k):
                    slope[i] += change * hessian[j, i]
                largest = max(largest, abs(change) * hessian[j, j])
        if largest <= tolerance:
            break
    return step


@compiled
def _judged(scores: Float, target: Float, residual: Float, curvature: Float) -> float:
    """The loss; `residual` (probability less target) and `curvature` are filled."""
    loss = 0.0
    for i in range(target.size):
        z = scores[i]
        each = np.exp(-abs(z))
        probability = 1.0 / (1.0 + each) if z >= 0 else each / (1.0 + each)
        loss += np.log1p(each) + max(z, 0.0) - target[i] * z
        residual[i] = probability - target[i]
        curvature[i] = max(probability * (1.0 - probability), LEAST_CURVATURE)
    return loss


@compiled
def _dual(residual: Float, target: Float, largest: float, l1: float) -> float:
    """The Fenchel dual at the residual, scaled until no slope exceeds `l1`."""
    scale = min(1.0, l1 / max(largest, 1e-300))
    total = 0.0
    for i in range(target.size):
        t = target[i] + scale * residual[i]
        if 0.0 < t < 1.0:
            total -= t * np.log(t) + (1.0 - t) * np.log(1.0 - t)
    return total


@allocating
def _among(
    columns: Float,
    target: Float,
    l1: float,
    weights: Float,
    tolerance: float,
    most: int,
    residual: Float,
) -> float:
    """Minimise over some columns, shape (k, n), in place; the value. Leaves the `residual`."""
    k, n = columns.shape
    scores = np.dot(weights, columns)
    curvature = np.empty(n)
    value = _judged(scores, target, residual, curvature) + l1 * float(np.abs(weights).sum())
    trial_residual, trial_curvature = np.empty(n), np.empty(n)
    for _ in range(most):
        gradient = np.dot(columns, residual)
        if value - _dual(residual, target, np.abs(gradient).max(), l1) <= tolerance * max(
            abs(value), 1e-9
        ):
            break
        violation = 0.0
        for j in range(k):
            excess = (
                abs(gradient[j]) - l1
                if weights[j] == 0.0
                else abs(gradient[j] + l1 * np.sign(weights[j]))
            )
            violation = max(violation, excess)
        hessian = np.dot(columns * curvature, columns.T)
        for j in range(k):
            hessian[j, j] += LEAST_CURVATURE
        step = _descend(hessian, gradient, weights, l1, 0.1 * violation + 1e-14, 1000)
        moved = np.dot(step, columns)
        slope = np.dot(gradient, step) + l1 * (np.abs(weights + step).sum() - np.abs(weights).sum())
        length = 1.0
        while True:
            loss = _judged(scores + length * moved, target, trial_residual, trial_curvature)
            new = loss + l1 * float(np.abs(weights + length * step).sum())
            if new <= value + 0.01 * length * slope or length < 1e-10:
                break
            length *= 0.5
        weights += length * step
        scores += length * moved
        residual[:] = trial_residual
        curvature[:] = trial_curvature
        value = new
    return value


@allocating
def fit_dense_l1(
    columns: Float, target: Float, l1: float, weights: Float, tolerance: float, most: int
) -> tuple[float, float]:
    """Minimise `sum_i log(1 + exp(z_i)) - t_i z_i + l1 |w|`, `z = w . columns`, in place.

    Proximal Newton with coordinate descent (newGLMNET: Yuan, Ho and Lin 2012) over the columns in
    play: those that have a weight, and those whose slope exceeds the penalty once the others are at
    their optimum.

    Parameters
    ----------
    columns : float64 array, shape (n_columns, n_rows)
        A row a column of the design; C order.
    target : float64 array, shape (n_rows,)
        0 or 1.
    weights : float64 array, shape (n_columns,)
        Where to start; the optimum is left there.
    tolerance : float
        Relative duality gap.
    most : int
        Newton steps over one set of columns.

    Returns
    -------
    value, bound : float
        The least value found, and what no weights go below.
    """
    n = columns.shape[1]
    tried = weights != 0.0
    tried[-1] = True
    residual = np.empty(n)
    while True:
        among = np.flatnonzero(tried)
        chosen = np.empty((among.size, n))
        for place in range(among.size):
            chosen[place] = columns[among[place]]
        moved = weights[among]
        value = _among(chosen, target, l1, moved, tolerance, most, residual)
        weights[among] = moved
        slopes = np.abs(np.dot(columns, residual))
        grown = _grown(slopes, tried, l1)
        if not grown:
            return value, _dual(residual, target, slopes.max(), l1)


@compiled
def _grown(slopes: Float, tried: Bool, l1: float) -> bool:
    """Put the columns in play whose slope exceeds the penalty; whether there are any."""
    grown = False
    for j in range(slopes.size):
        if not tried[j] and slopes[j] > l1 * (1.0 + 1e-4):
            tried[j] = True
            grown = True
    return grown


@allocating
def fit_dense_ridge(columns: Float, target: Float, penalty: Float, weights: Float) -> None:
    """Minimise `sum_i log(1 + exp(z_i)) - t_i z_i + sum_j penalty_j / 2 w_j^2`, in place.

    Newton steps, halved where they overshoot; shapes as of `fit_dense_l1`. Curvature hardly changes
    near the optimum, so it is summed again only where a step gains little of what was left.
    """
    k, n = columns.shape
    residual, curvature = np.empty(n), np.empty(n)
    value = (
        _judged(np.dot(weights, columns), target, residual, curvature)
        + 0.5 * (penalty * weights**2).sum()
    )
    hessian = np.empty((k, k))
    fresh, before = True, np.inf
    for _ in range(50):
        gradient = np.dot(columns, residual) + penalty * weights
        if fresh:
            hessian[:] = np.dot(columns * curvature, columns.T)
            for j in range(k):
                hessian[j, j] += penalty[j] + 1e-9
        step = np.linalg.solve(hessian, gradient)
        length = 1.0
        while True:
            trial = weights - length * step
            loss = _judged(np.dot(trial, columns), target, residual, curvature)
            new = loss + 0.5 * (penalty * trial**2).sum()
            if new <= value or length <= 1e-4:
                break
            length /= 2
        gained = value - new
        if gained < 1e-8 * max(abs(value), 1.0) and (fresh or gained >= 0.0):
            break
        fresh = length < 1.0 or gained > 0.05 * before
        if gained >= 0.0:
            weights[:] = trial
            value, before = new, gained
