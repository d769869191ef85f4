"""Sparse fits of a label: L1 paths with their gaps, kept columns' weights under ridges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Int64
from workbench.network.compiled import allocating, compiled
from workbench.progress import expired
from workbench.structure.dense_logistic import add, fit_dense_l1, judge, scale


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


PENALTIES = (0.97, 0.9, 0.8, *np.geomspace(0.7, 0.004, 16).tolist())
"""Shares of the least penalty under which no column stays."""

LEAST = 1e-3
"""Of the largest weight: a column that weighs less is left out."""

INTERCEPT = 100.0
"""The column of the intercept: so large that the penalty on its weight does not count."""


def sigmoid(z: Float) -> Float:
    """`1 / (1 + exp(-z))`, without overflow."""
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -700, 700))))


def softmax(scores: Float) -> Float:
    """Probabilities from a sum a class, shape (n_rows, n_classes), without overflow."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Fit:
    """Weights of some columns of a design, its `support`, beside an intercept."""

    support: Int64
    weights: Float
    intercept: float
    gap: float = 0.0

    def heaviest(self, most: int) -> Fit:
        """With so many of its columns at most, the heaviest."""
        if len(self.support) <= most:
            return self
        kept = np.sort(np.argsort(-np.abs(self.weights), kind="stable")[:most])
        return replace(self, support=self.support[kept], weights=self.weights[kept], gap=np.inf)

    def scores(self, columns: Float) -> Float:
        """The sum of each row; `columns` has a row a column of the design."""
        return self.weights @ columns[self.support] + self.intercept


class L1Path:
    """L1 fits under falling shares of the largest penalty, each begun at the one before, made as
    they are asked for: shares and fits until more than `most` columns stay, or time is up.

    Parameters
    ----------
    columns : float64 array, shape (n_columns + 1, n_rows)
        A row a column of the design, C order; the last is `INTERCEPT` throughout.
    y : float64 array, shape (n_rows,)
        0 or 1.
    """

    def __init__(self, columns: Float, y: Float, most: int, deadline: float | None) -> None:
        self._columns, self._y, self._most, self._deadline = columns, y, most, deadline
        base = np.clip(y.mean(), 1e-6, 1 - 1e-6)
        self._slopes = np.abs(columns @ (base - y))
        self._slopes[-1] = 0.0
        self._top = float(self._slopes.max()) or float(len(y))
        self._weights = np.zeros(len(columns))
        self._fits: list[Fit] = []
        self._ended = False

    def __iter__(self) -> Iterator[tuple[float, Fit]]:
        for place, share in enumerate(PENALTIES):
            if not self._reaches(place):
                return
            yield share, self._fits[place]

    def at(self, share: float) -> Fit:
        """The fit at one penalty, or at the least larger one that keeps at most `most` columns."""
        larger = sum(one > share * 1.0001 for one in PENALTIES)
        if larger and not self._reaches(larger - 1) and self._fits:
            return self._fits[-1]
        weights = np.zeros(len(self._columns))
        before = self._fits[larger - 1] if larger else None
        if before is not None:
            weights[before.support], weights[-1] = before.weights, before.intercept / INTERCEPT
        fit = self._fitted(share, weights, np.zeros(len(weights)))
        return fit if before is None or len(fit.support) <= self._most else before

    def _reaches(self, place: int) -> bool:
        """Whether so few columns stay down to a penalty."""
        while not self._ended and len(self._fits) <= place:
            fit = self._fitted(PENALTIES[len(self._fits)], self._weights, self._slopes)
            if not self._fits:  # columns that say the same come together
                fit = fit.heaviest(self._most)
            late = bool(self._fits) and expired(self._deadline)
            self._ended = len(fit.support) > self._most or late
            if not self._ended:
                self._fits.append(fit)
        return len(self._fits) > place

    def _fitted(self, share: float, weights: Float, slopes: Float) -> Fit:
        """The fit at one penalty; weights and slopes are where it starts, and where it ends."""
        l1 = max(self._top * share, 1e-9)
        value, bound = fit_dense_l1(self._columns, self._y, l1, weights, slopes, 1e-5, 60)
        # Of columns that say the same the solver leaves one, and next to nothing of the others: no
        # rules for those.
        of = weights[:-1]
        of[np.abs(of) < LEAST * np.abs(of).max(initial=0.0)] = 0.0
        support = np.flatnonzero(of)
        gap = (value - bound) / max(abs(value), 1e-9)
        return Fit(support, of[support], INTERCEPT * float(weights[-1]), gap)


def refits(
    columns: Float, y: Float, support: Int64, ridges: Sequence[float], near: Fit | None = None
) -> list[Fit]:
    """The support's weights under each ridge, the intercept free; faster from a near fit."""
    chosen = _with_ones(columns[support])
    weights = _started(y, len(support)) if near is None else np.append(near.weights, near.intercept)
    found = []
    for ridge in ridges:
        fit_dense_ridge(chosen, y, _pulls(ridge, len(support)), weights)
        found.append(Fit(support, weights[:-1].copy(), float(weights[-1])))
    return found


def least_absolute(Z: Float, y: Float, ridge: float, *, rounds: int = 15) -> tuple[Float, float]:
    """Weights and intercept of least absolute error under a ridge, by reweighted squares.

    Errors below a twentieth of the typical distance from the middle count as squares (Huber's
    function), so that weights stay bounded; the ridge is of the squares of weights in units of that
    distance.
    """
    middle = float(np.median(y))
    typical = float(np.median(np.abs(y - middle))) or float(np.abs(y - middle).mean()) or 1.0
    design = np.column_stack((Z, np.ones(len(Z))))
    penalty = np.diag(np.append(np.full(Z.shape[1], ridge / typical), 1e-12))
    w = np.append(np.zeros(Z.shape[1]), middle)
    shares = np.full(len(y), 1 / typical)
    for _ in range(rounds):
        weighted = design * shares[:, None]
        before, w = w, np.linalg.solve(weighted.T @ design + penalty, weighted.T @ y)
        if np.abs(w - before).max() < 1e-4 * typical:
            break
        shares = 1 / np.maximum(np.abs(y - design @ w), 0.05 * typical)
    return w[:-1], float(w[-1])


def ridge_logistic(Z: Float, y: Float, ridge: float) -> tuple[Float, float]:
    """Weights and intercept of ridge logistic regression of few columns, (n_rows, n_columns)."""
    weights = _started(y, Z.shape[1])
    fit_dense_ridge(_with_ones(Z.T), np.asarray(y, np.float64), _pulls(ridge, Z.shape[1]), weights)
    return weights[:-1], float(weights[-1])


def _with_ones(columns: Float) -> Float:
    found = np.ones((len(columns) + 1, columns.shape[1]))
    found[:-1] = columns
    return found


def _started(y: Float, n_columns: int) -> Float:
    """No weight, and the intercept of the mean."""
    base = np.clip(y.mean(), 1e-6, 1 - 1e-6)
    return np.append(np.zeros(n_columns), np.log(base / (1 - base)))


def _pulls(ridge: float, n_columns: int) -> Float:
    """The ridge of each column, next to none of the intercept."""
    return np.append(np.full(n_columns, ridge), 1e-6)


def row_losses(scores: Float, y: Float) -> Float:
    """Negative log likelihood of each 0/1 label under log odds `scores`."""
    return np.asarray(np.logaddexp(0, scores) - y * scores)
