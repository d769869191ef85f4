"""Linear models under a ridge on standardised columns: what the table's own columns say by
themselves.
"""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float, Real
from workbench.structure.sparse_fits import ridge_logistic, sigmoid, softmax

__all__ = ["linear_numbers", "linear_probabilities"]

RIDGES = np.geomspace(0.1, 1000, 9)
"""Of which the one of least leave-one-out error foretells numbers."""


def linear_numbers(X: Real, y: Float, asked: Real) -> Float:
    """The numbers of the rows asked."""
    Z, others = _standardised(X, asked)
    U, sizes, V = np.linalg.svd(Z, full_matrices=False)
    share = sizes**2 / (sizes**2 + RIDGES[:, None])
    centred = y - y.mean()
    left = centred - (share * (U.T @ centred)) @ U.T
    errors = left / (1 - 1 / len(y) - share @ (U**2).T)
    ridge = RIDGES[np.argmin((errors**2).mean(axis=1))]
    weights = V.T @ (sizes / (sizes**2 + ridge) * (U.T @ centred))
    return np.asarray(y.mean() + others @ weights)


def linear_probabilities(X: Real, y: Float, asked: Real) -> Float:
    """The probabilities of the classes that occur, ascending, shape (n_asked, n_classes)."""
    Z, others = _standardised(X, asked)
    classes = np.unique(y)
    if len(classes) == 2:
        weights, intercept = ridge_logistic(Z, (y == classes[1]).astype(np.float64), 1.0)
        second = sigmoid(others @ weights + intercept)
        return np.column_stack((1 - second, second))
    return _multinomial(Z, y[:, None] == classes, others)


def _multinomial(Z: Float, held: Float, asked: Float) -> Float:
    from scipy.optimize import minimize

    shape = held.shape[1], Z.shape[1] + 1

    def loss(at: Float) -> tuple[float, Float]:
        weights = at.reshape(shape)
        scores = Z @ weights[:, :-1].T + weights[:, -1]
        p = softmax(scores)
        lost = -float(np.log(np.maximum(p[held], 1e-300)).sum())
        pull = weights * np.append(np.ones(Z.shape[1]), 0.0)
        slopes = np.column_stack(((p - held).T @ Z, (p - held).sum(axis=0))) + pull
        return lost + 0.5 * float((pull**2).sum()), slopes.ravel()

    found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B").x.reshape(shape)
    return softmax(asked @ found[:, :-1].T + found[:, -1])


def _standardised(X: Real, asked: Real) -> tuple[Float, Float]:
    """Columns of mean 0 and deviation 1 in X, unknown values at the mean and told by a column."""
    unknown = np.isnan(X)
    X, asked = np.asarray(X, np.float64), np.asarray(asked, np.float64)
    n_known = np.maximum((~unknown).sum(axis=0), 1)
    means = np.where(unknown, 0.0, X).sum(axis=0) / n_known
    told = unknown.any(axis=0)
    both = [
        np.column_stack((np.where(np.isnan(one), means, one), np.isnan(one)[:, told]))
        for one in (X, asked)
    ]
    centre, spread = both[0].mean(axis=0), both[0].std(axis=0)
    spread[spread <= 10 * np.finfo(np.float64).eps * np.abs(centre)] = 1.0
    return (both[0] - centre) / spread, (both[1] - centre) / spread
