"""Sparse fits of a label by columns: L1 paths with their gaps, and the kept columns' weights under a ridge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from workbench.arrays import Float, Int64
from workbench.learning.logistic import Penalty, fit_logistic
from workbench.learning.logistic_objective import dual_bound
from workbench.progress import expired

__all__ = [
    "Fit",
    "at_penalty",
    "least_absolute",
    "log_loss",
    "path",
    "refitted",
    "ridge_logistic",
    "sigmoid",
]

PENALTIES = (0.97, 0.9, 0.8, *np.geomspace(0.7, 0.004, 16))
"""Shares of the least penalty under which no column stays."""


def sigmoid(z: Float) -> Float:
    """`1 / (1 + exp(-z))`, without overflow."""
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -700, 700))))


@dataclass(frozen=True)
class Fit:
    """Weights of some columns of the design, beside an intercept."""

    weights: Float
    intercept: float
    gap: float

    @property
    def support(self) -> Int64:
        return np.flatnonzero(self.weights)

    def scores(self, Z: Float) -> Float:
        support = self.support
        return Z[:, support] @ self.weights[support] + self.intercept


def path(Z: Float, y: Float, most: int, deadline: float | None) -> list[tuple[float, Fit]]:
    """L1 fits under falling penalties, each a share of the largest that matters, until more than `most` terms stay."""
    found: list[tuple[float, Fit]] = []
    start: Float | None = None
    design = _prepared(Z, y)
    for share in PENALTIES:
        fit = design.fit(share, start)
        start = fit.weights
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
        kept, start = fit, fit.weights
    assert kept is not None
    return kept


@dataclass(frozen=True)
class _Logistic:
    Z: Float
    y: Float
    top: float

    def fit(self, share: float, start: Float | None) -> Fit:
        """The fit to the columns that matter, found by the gradients of the others: far fewer than all."""
        l1 = max(self.top * share, 1e-9)
        weights = np.zeros(self.Z.shape[1] + 1) if start is None else np.append(start, 0.0)
        tried = weights[:-1] != 0
        while True:
            among = np.flatnonzero(tried)
            chosen = csc_array(np.column_stack((self.Z[:, among], np.full(len(self.y), INTERCEPT))))
            result = fit_logistic(
                chosen, self.y, Penalty(l1=l1), start=weights[[*among, -1]], tolerance=1e-5, max_iterations=60
            )
            weights[[*among, -1]] = result.weights
            missed = sigmoid(chosen @ result.weights) - self.y
            slopes = np.abs(missed @ self.Z)
            if not (found := (slopes > l1 * (1 + 1e-4)) & ~tried).any():
                break
            tried |= found
        each = Penalty(group=l1, groups=np.arange(len(slopes) + 1))
        slopes = np.append(slopes, abs(INTERCEPT * missed.sum()))
        bound = dual_bound(chosen @ result.weights, self.y, np.zeros(len(self.y)), slopes, each)
        gap = (result.objective - bound) / max(abs(result.objective), 1e-9)
        return Fit(weights[:-1], INTERCEPT * float(weights[-1]), gap)


INTERCEPT = 100.0
"""The column of the intercept: so large that the penalty on its weight does not count."""


def _prepared(Z: Float, y: Float) -> _Logistic:
    base = np.clip(y.mean(), 1e-6, 1 - 1e-6)
    top = float(np.abs(Z.T @ (base - y)).max(initial=0.0))
    return _Logistic(np.asfortranarray(Z), y, top if top > 0 else float(len(y)))


def refitted(Z: Float, y: Float, support: Int64, ridge: float) -> Fit:
    """The support's weights under a ridge, the intercept free of it."""
    weights = np.zeros(Z.shape[1])
    weights[support], intercept = ridge_logistic(Z[:, support], y, ridge)
    return Fit(weights, intercept, 0.0)


def least_absolute(Z: Float, y: Float, ridge: float, *, rounds: int = 15) -> tuple[Float, float]:
    """Weights and intercept of the least sum of absolute errors under a ridge, by least squares weighted again.

    Errors below a twentieth of the typical distance from the middle count as squares (Huber's function), so that
    weights stay bounded; the ridge is of the squares of weights in units of that distance.
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
    """Ridge logistic regression of a few columns by Newton steps, halved where they overshoot."""
    design = np.column_stack((Z, np.ones(len(Z))))
    penalty = np.append(np.full(Z.shape[1], ridge), 1e-6)
    base = np.clip(y.mean(), 1e-6, 1 - 1e-6)
    w = np.append(np.zeros(Z.shape[1]), np.log(base / (1 - base)))

    def value(weights: Float) -> float:
        return log_loss(design @ weights, y) * len(y) + 0.5 * float(penalty @ weights**2)

    now = value(w)
    for _ in range(25):
        p = sigmoid(design @ w)
        gradient = design.T @ (p - y) + penalty * w
        hessian = (design * (p * (1 - p))[:, None]).T @ design + np.diag(penalty + 1e-9)
        step = np.linalg.solve(hessian, gradient)
        length = 1.0
        while (new := value(w - length * step)) > now and length > 1e-4:
            length /= 2
        if now - new < 1e-8 * max(abs(now), 1.0):
            break
        w, now = w - length * step, new
    return w[:-1], float(w[-1])


def log_loss(scores: Float, y: Float) -> float:
    """Mean negative log likelihood of 0/1 labels under log odds `scores`."""
    return float(np.mean(np.logaddexp(0, scores) - y * scores))
