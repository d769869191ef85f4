"""Sparse fits of a label: L1 paths with their gaps, kept columns' weights under a ridge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64
from workbench.progress import expired
from workbench.structure.dense_logistic import fit_dense_l1, fit_dense_ridge

PENALTIES = (0.97, 0.9, 0.8, *np.geomspace(0.7, 0.004, 16))
"""Shares of the least penalty under which no column stays."""


def sigmoid(z: Float) -> Float:
    """`1 / (1 + exp(-z))`, without overflow."""
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -700, 700))))


def softmax(scores: Float) -> Float:
    """Probabilities from a sum a class, shape (n_rows, n_classes), without overflow."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Fit:
    """Weights of some columns of the design, beside an intercept."""

    weights: Float
    intercept: float
    gap: float

    @property
    def start(self) -> Float:
        """Where the next fit begins: the weights, and that of the intercept's column."""
        return np.append(self.weights, self.intercept / INTERCEPT)

    @property
    def support(self) -> Int64:
        return np.flatnonzero(self.weights)

    def scores(self, Z: Float) -> Float:
        support = self.support
        return Z[:, support] @ self.weights[support] + self.intercept


def path(Z: Float, y: Float, most: int, deadline: float | None) -> list[tuple[float, Fit]]:
    """L1 fits under falling shares of the largest penalty, until over `most` terms stay."""
    found: list[tuple[float, Fit]] = []
    start: Float | None = None
    design = _prepared(Z, y)
    for share in PENALTIES:
        fit = design.fit(share, start)
        start = fit.start
        if len(fit.support) > most or (found and expired(deadline)):
            break
        found.append((float(share), fit))
    return found


def at_penalty(Z: Float, y: Float, share: float, most: int, deadline: float | None) -> Fit:
    """The fit at one penalty, or at the least larger one that keeps at most `most` terms."""
    design = _prepared(Z, y)
    start: Float | None = None
    kept: Fit | None = None
    for one in (*(p for p in PENALTIES if p > share * 1.0001), share):
        fit = design.fit(one, start)
        if kept is not None and (len(fit.support) > most or expired(deadline)):
            return kept
        kept, start = fit, fit.start
    assert kept is not None
    return kept


@dataclass(frozen=True)
class _Logistic:
    """A design as a fit takes it: a row a column, that of the intercept last."""

    columns: Float
    y: Float
    top: float

    def fit(self, share: float, start: Float | None) -> Fit:
        l1 = max(self.top * share, 1e-9)
        weights = np.zeros(len(self.columns)) if start is None else start.copy()
        value, bound = fit_dense_l1(self.columns, self.y, l1, weights, 1e-5, 60)
        # Of columns that say the same the solver leaves one, and next to nothing of the others: no
        # rules for those.
        weights[:-1][np.abs(weights[:-1]) < LEAST * np.abs(weights[:-1]).max(initial=0.0)] = 0.0
        return Fit(
            weights[:-1], INTERCEPT * float(weights[-1]), (value - bound) / max(abs(value), 1e-9)
        )


LEAST = 1e-3
"""Of the largest weight: a column that weighs less is left out."""

INTERCEPT = 100.0
"""The column of the intercept: so large that the penalty on its weight does not count."""


def _prepared(Z: Float, y: Float) -> _Logistic:
    base = np.clip(y.mean(), 1e-6, 1 - 1e-6)
    top = float(np.abs(Z.T @ (base - y)).max(initial=0.0))
    columns = np.vstack((Z.T, np.full(len(y), INTERCEPT)))
    return _Logistic(columns, np.asarray(y, np.float64), top if top > 0 else float(len(y)))


def refitted(Z: Float, y: Float, support: Int64, ridge: float, start: Fit | None = None) -> Fit:
    """The support's weights under a ridge, the intercept free; faster from a near fit."""
    weights = np.zeros(Z.shape[1])
    near = None if start is None else np.append(start.weights[support], start.intercept)
    weights[support], intercept = ridge_logistic(Z[:, support], y, ridge, near)
    return Fit(weights, intercept, 0.0)


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


def ridge_logistic(
    Z: Float, y: Float, ridge: float, start: Float | None = None
) -> tuple[Float, float]:
    """Ridge logistic regression of few columns, from `start`, weights and an intercept."""
    columns = np.vstack((Z.T, np.ones(len(Z))))
    base = np.clip(y.mean(), 1e-6, 1 - 1e-6)
    weights = (
        np.append(np.zeros(Z.shape[1]), np.log(base / (1 - base)))
        if start is None
        else start.copy()
    )
    penalty = np.append(np.full(Z.shape[1], ridge), 1e-6)
    fit_dense_ridge(columns, np.asarray(y, np.float64), penalty, weights)
    return weights[:-1], float(weights[-1])


def log_loss(scores: Float, y: Float) -> float:
    """Mean negative log likelihood of 0/1 labels under log odds `scores`."""
    return float(np.mean(np.logaddexp(0, scores) - y * scores))
