"""Logistic regression on dense columns under L1.

Kernels in loops: expressions of whole arrays take ten times as long to compile.
"""

from __future__ import annotations

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.network.compiled import allocating, compiled

LEAST_CURVATURE = 1e-12
BEYOND = 1.0 + 1e-4
"""Times the penalty: the slope from which on a column has a weight."""


@compiled
def _descend(
    hessian: Float, slope: Float, weights: Float, step: Float, l1: float, tolerance: float
) -> None:
    """The quadratic model's least step under L1, by coordinate descent: O(1) where none moves.

    `slope` is the gradient, and follows the step.
    """
    for _ in range(1000):
        largest = 0.0
        for j in range(weights.size):
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
                for i in range(weights.size):
                    slope[i] += change * hessian[j, i]
                largest = max(largest, abs(change) * hessian[j, j])
        if largest <= tolerance:
            return


@compiled
def judge(scores: Float, target: Float, residual: Float, curvature: Float) -> float:
    """The loss; `residual` (probability less target) and `curvature` are filled."""
    loss, product = 0.0, 1.0
    for i in range(target.size):
        z = scores[i]
        each = np.exp(-abs(z))
        share = 1.0 / (1.0 + each)
        loss += max(z, 0.0) - target[i] * z
        product *= 1.0 + each
        if product > 1e250:  # a logarithm a row would take most of the time
            loss += np.log(product)
            product = 1.0
        residual[i] = (share if z >= 0.0 else each * share) - target[i]
        curvature[i] = max(each * share * share, LEAST_CURVATURE)
    return loss + float(np.log(product))


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


@compiled
def add(total: Float, columns: Float, weights: Float, times: float) -> None:
    """Add the columns' sum, times a number, to `total`."""
    for j in range(weights.size):
        if weights[j] != 0.0:
            each = times * weights[j]
            for i in range(total.size):
                total[i] += each * columns[j, i]


@compiled
def scale(columns: Float, curvature: Float, scaled: Float) -> None:
    for j in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            scaled[j, i] = columns[j, i] * curvature[i]


@compiled
def _steepest(gradient: Float, weights: Float, l1: float) -> tuple[float, float]:
    """The largest absolute slope, and the largest distance of one from where it may be."""
    largest, violation = 0.0, 0.0
    for j in range(weights.size):
        largest = max(largest, abs(gradient[j]))
        if weights[j] == 0.0:
            violation = max(violation, abs(gradient[j]) - l1)
        else:
            pull = l1 if weights[j] > 0.0 else -l1
            violation = max(violation, abs(gradient[j] + pull))
    return largest, violation


@compiled
def _size(weights: Float, step: Float, length: float) -> float:
    """The absolute values, summed, that weights have after a step of a length."""
    total = 0.0
    for j in range(weights.size):
        total += abs(weights[j] + length * step[j])
    return total


@compiled
def _that_move(gradient: Float, weights: Float, l1: float, moving: Int64) -> int:
    """How many columns have a weight or a slope beyond the penalty; which is put into `moving`."""
    m = 0
    for j in range(weights.size):
        if weights[j] != 0.0 or abs(gradient[j]) > l1:
            moving[m] = j
            m += 1
    return m


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
    scores, trial, curvature = np.zeros(n), np.empty(n), np.empty(n)
    moving, step = np.empty(k, np.int64), np.zeros(k)
    add(scores, columns, weights, 1.0)
    size = _size(weights, step, 0.0)
    value = judge(scores, target, residual, curvature) + l1 * size
    for _ in range(most):
        gradient = np.dot(columns, residual)
        largest, violation = _steepest(gradient, weights, l1)
        bound = _dual(residual, target, largest, l1)
        if value - bound <= tolerance * max(abs(value), 1e-9):
            break
        m = _that_move(gradient, weights, l1, moving)
        among, scaled = np.empty((m, n)), np.empty((m, n))
        at, slopes, steps = np.empty(m), np.empty(m), np.zeros(m)
        for place in range(m):
            j = moving[place]
            at[place], slopes[place] = weights[j], gradient[j]
            for i in range(n):
                among[place, i] = columns[j, i]
                scaled[place, i] = columns[j, i] * curvature[i]
        hessian = np.dot(scaled, among.T)
        for place in range(m):
            hessian[place, place] += LEAST_CURVATURE
        _descend(hessian, slopes, at, steps, l1, 0.1 * violation + 1e-14)
        slope = 0.0
        for j in range(k):
            step[j] = 0.0
        for place in range(m):
            step[moving[place]] = steps[place]
            slope += gradient[moving[place]] * steps[place]
        slope += l1 * (_size(weights, step, 1.0) - size)
        length = 1.0
        while True:
            for i in range(n):
                trial[i] = scores[i]
            add(trial, columns, step, length)
            size = _size(weights, step, length)
            new = judge(trial, target, residual, curvature) + l1 * size
            if new <= value + 0.01 * length * slope or length < 1e-10:
                break
            length *= 0.5
        for j in range(k):
            weights[j] += length * step[j]
        scores, trial = trial, scores
        value = new
    return value


@allocating
def fit_dense_l1(
    columns: Float,
    target: Float,
    l1: float,
    weights: Float,
    slopes: Float,
    tolerance: float,
    most: int,
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
    slopes : float64 array, shape (n_columns,)
        The columns' absolute slopes at the start, as far as they are known: those that exceed the
        penalty are in play at once. Those at the optimum are left there.
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
    tried = np.zeros(weights.size, np.bool_)
    for j in range(weights.size):
        tried[j] = weights[j] != 0.0 or slopes[j] > l1 * BEYOND
    tried[-1] = True
    residual = np.empty(n)
    while True:
        among = np.flatnonzero(tried)
        chosen, moved = np.empty((among.size, n)), np.empty(among.size)
        for place in range(among.size):
            moved[place] = weights[among[place]]
            for i in range(n):
                chosen[place, i] = columns[among[place], i]
        value = _among(chosen, target, l1, moved, tolerance, most, residual)
        for place in range(among.size):
            weights[among[place]] = moved[place]
        steep = np.dot(columns, residual)
        largest = _grown(steep, slopes, tried, l1)
        if largest >= 0.0:
            return value, _dual(residual, target, largest, l1)


@compiled
def _grown(steep: Float, slopes: Float, tried: Bool, l1: float) -> float:
    """Put the columns in play whose slope exceeds the penalty; the largest slope, -1 where there
    are any.
    """
    largest, grown = 0.0, False
    for j in range(steep.size):
        slopes[j] = abs(steep[j])
        largest = max(largest, slopes[j])
        if not tried[j] and slopes[j] > l1 * BEYOND:
            tried[j] = True
            grown = True
    return -1.0 if grown else largest
