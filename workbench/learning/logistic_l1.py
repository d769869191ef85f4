"""L1-penalised logistic regression: coordinate descent, then Newton steps on the support."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array

from workbench.arrays import Float, Int32, Int64
from workbench.learning.logistic_objective import (
    ITERATIONS,
    Certificate,
    LogisticFit,
    LogisticProblem,
    downhill,
    entropy,
    loss,
    sigmoid,
)
from workbench.network.compiled import allocating, compiled


class _Columns(NamedTuple):
    """A sparse matrix by columns, and each row's curvature."""

    indptr: Int32
    indices: Int32
    data: Float
    curvature: Float


class _Model(NamedTuple):
    """The penalised loss's quadratic model at `weights`: l1 |w|, a ridge a column, the gradient."""

    weights: Float
    gradient: Float
    l1: float
    l2: Float


@allocating
def _second_derivatives(X: _Columns, active: Int64, l2: Float) -> Float:
    """The diagonal of the model's Hessian at the active columns."""
    indptr, indices, data, curvature = X
    diagonal = np.empty(active.size)
    for slot in range(active.size):
        column = active[slot]
        total = l2[column] + 1e-12
        for at in range(indptr[column], indptr[column + 1]):
            total += data[at] * data[at] * curvature[indices[at]]
        diagonal[slot] = total
    return diagonal


@compiled
def _shrunk(value: float, l1: float) -> float:
    """Soft thresholding."""
    if value > l1:
        return value - l1
    return value + l1 if value < -l1 else 0.0


@allocating
def _coordinate_newton(
    X: _Columns,
    model: _Model,
    active: Int64,
    tolerance: float,
    max_passes: int,
    step: Float,
    moved: Float,
) -> int:
    """Coordinate descent on the quadratic model over the active columns;
    `step` and `moved` = X step are filled.
    """
    # An array taken from a tuple is counted as one more reference, so that is done once.
    indptr, indices, data, curvature = X
    weights, gradient, l1, l2 = model
    hessian = _second_derivatives(X, active, l2)
    order = np.arange(active.size)
    size = order.size
    passes = 0
    while passes < max_passes:
        passes += 1
        largest = 0.0
        slot_at = 0
        while slot_at < size:
            slot = order[slot_at]
            column = active[slot]
            slope = gradient[column] + l2[column] * step[column]
            for at in range(indptr[column], indptr[column + 1]):
                row = indices[at]
                slope += data[at] * curvature[row] * moved[row]
            current = weights[column] + step[column]
            # Shrink: it stays at zero in this model.
            if current == 0.0 and abs(slope) < l1 - 10 * tolerance:
                size -= 1
                order[slot_at], order[size] = order[size], order[slot_at]
                continue
            change = _shrunk(current * hessian[slot] - slope, l1) / hessian[slot] - current
            if change != 0.0:
                step[column] += change
                for at in range(indptr[column], indptr[column + 1]):
                    moved[indices[at]] += change * data[at]
                largest = max(largest, abs(change) * hessian[slot])
            slot_at += 1
        if largest <= tolerance:
            if size == order.size:
                break
            size = order.size
    return passes


_PASSES = 150
"""Sweeps of coordinate descent a round; where they do not suffice, Newton steps follow."""
_LARGEST_SUPPORT = 2000
"""Weights other than zero up to which their dense Hessian is factorised."""


@allocating
def _dense_hessian(
    indptr: Int32, indices: Int32, data: Float, curvature: Float, n_columns: int
) -> Float:
    """X^T diag(curvature) X from the rows of X; time the sum of squared row lengths."""
    hessian = np.zeros((n_columns, n_columns))
    for row in range(indptr.size - 1):
        for a in range(indptr[row], indptr[row + 1]):
            scaled = curvature[row] * data[a]
            for b in range(indptr[row], indptr[row + 1]):
                hessian[indices[a], indices[b]] += scaled * data[b]
    return hessian


def _newton_on_support(
    X: csr_array,
    target: Float,
    offset: Float,
    weights: Float,
    l1: float,
    l2: Float,
    tolerance: float,
) -> tuple[Float, Float]:
    """Newton steps on weights that keep their signs, or stop at zero; the weights and z.

    Ends when a step promises a decrease of less than `tolerance`, relative to the value, or
    decreases nothing.
    """
    from scipy.linalg import cho_factor, cho_solve

    def value_of(w: Float, z: Float) -> float:
        return loss(z, target) + l1 * float(np.abs(w).sum()) + 0.5 * float(l2 @ w**2)

    sign = np.sign(weights)
    z = X @ weights + offset
    value = value_of(weights, z)
    transposed = csr_array(X.T)
    for _ in range(10):
        free = np.flatnonzero(weights)
        probability = sigmoid(z)
        gradient = (transposed @ (probability - target) + l1 * sign + l2 * weights)[free]
        curvature = np.maximum(probability * (1 - probability), 1e-12)
        hessian = _dense_hessian(X.indptr, X.indices, X.data, curvature, len(weights))[
            np.ix_(free, free)
        ]
        hessian[np.diag_indices(len(free))] += l2[free] + 1e-9 * max(
            float(hessian.trace()) / max(len(free), 1), 1e-9
        )
        step = np.zeros(len(weights))
        step[free] = -cho_solve(cho_factor(hessian, lower=True), gradient)
        if -float(gradient @ step[free]) <= tolerance * max(abs(value), 1e-9):
            break
        crossing = step * sign < 0
        first = float(np.min(-weights[crossing] / step[crossing], initial=1.0))
        for length in (1.0, 0.5, first, 0.5 * first, 0.25 * first):
            trial = weights + length * step
            trial[trial * sign < 1e-14] = 0.0
            new_z = X @ trial + offset
            new = value_of(trial, new_z)
            if new < value:
                break
        else:
            break
        weights, z, value = trial, new_z, new
    return weights, z


def _dual_bound_l1(
    probability: Float, target: Float, offset: Float, gradient: Float, l1: float, l2: Float
) -> float:
    """The dual value at the residual; without ridge it is scaled to be feasible."""
    bare = l2 == 0
    scale = min(1.0, l1 / max(float(np.abs(gradient[bare]).max(initial=0.0)), 1e-300))
    excess = np.maximum(scale * np.abs(gradient[~bare]) - l1, 0.0)
    residual = scale * (probability - target)
    return (
        entropy(target + residual)
        + float(residual @ offset)
        - float(np.sum(excess**2 / (2 * l2[~bare])))
    )


def _violation(weights: Float, gradient: Float, l1: float) -> Float:
    """How far each weight is from its optimality condition."""
    at_zero = np.maximum(np.abs(gradient) - l1, 0.0)
    return np.where(weights == 0, at_zero, np.abs(gradient + l1 * np.sign(weights)))


def fit_l1(problem: LogisticProblem, l1: float, l2: Float, start: Float | None) -> LogisticFit:
    """The least value under `l1 |w| + sum_j l2_j / 2 w_j^2`.

    An outer iteration is a quadratic model of the loss, minimised by coordinate descent over the
    columns that are in play (newGLMNET: Yuan, Ho and Lin 2012), with a line search; a pass of
    descent costs O(nonzeros of those columns).

    Parameters
    ----------
    l2 : float64 array, shape (n_columns,)
        A ridge of its own for each column.
    """
    X, target, offset = problem.X, problem.target, problem.offset

    def added(w: Float) -> float:
        return l1 * float(np.abs(w).sum()) + 0.5 * float(l2 @ w**2)

    def value_along(w: Float, step: Float, z: Float, moved: Float, t: float) -> float:
        return problem.loss(z + t * moved) + added(w + t * step)

    weights = np.zeros(X.shape[1]) if start is None else np.array(start, np.float64)
    z = problem.log_odds(weights)
    certificate = Certificate(problem)
    transposed = csr_array(X.T)
    value = problem.loss(z) + added(weights)
    iteration = 0
    for iteration in range(1, ITERATIONS + 1):
        probability = sigmoid(z)
        data_gradient = transposed @ (probability - target)
        bound = _dual_bound_l1(probability, target, offset, data_gradient, l1, l2)
        if certificate.ends(value, bound):
            break
        model = _Model(weights, data_gradient + l2 * weights, l1, l2)
        step, moved, passes = _newton_step(X, model, probability)
        slope = float(model.gradient @ step) + l1 * float(
            np.abs(weights + step).sum() - np.abs(weights).sum()
        )
        length, value = downhill(partial(value_along, weights, step, z, moved), value, 0.01 * slope)
        weights, z = weights + length * step, z + length * moved
        support = np.flatnonzero(weights)
        if passes == _PASSES and 0 < len(support) <= _LARGEST_SUPPORT:
            chosen = csr_array(X[:, support])
            weights[support], z = _newton_on_support(
                chosen, target, offset, weights[support], l1, l2[support], 1e-6 * problem.tolerance
            )
            value = problem.loss(z) + added(weights)
        elif iteration % 20 == 0:
            z = problem.log_odds(weights)
    return certificate.fit(weights, value, iteration)


def _newton_step(X: csc_array, model: _Model, probability: Float) -> tuple[Float, Float, int]:
    """The model's least step over the columns in play, what it moves log-odds by, and the passes
    of descent that it took.
    """
    violation = _violation(model.weights, model.gradient, model.l1)
    tolerance = 0.1 * float(violation.max(initial=0.0)) + 1e-14
    active = np.flatnonzero((model.weights != 0) | (violation > 0))
    curvature = np.maximum(probability * (1 - probability), 1e-12)
    columns = _Columns(X.indptr, X.indices, X.data, curvature)
    step, moved = np.zeros(X.shape[1]), np.zeros(X.shape[0])
    passes = _coordinate_newton(columns, model, active, tolerance, _PASSES, step, moved)
    return step, moved, passes
