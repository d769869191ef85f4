"""Penalised logistic regression to proven optimality, for exact conditional likelihood.

Minimises over w, with t in {0, 1} and z = X w,

    sum_i [log(1 + exp(z_i)) - t_i z_i] + sum_j l1 |w_j| + sum_j l2 / 2 w_j^2   (elastic net), or
    the same sum over examples + group sum_g sqrt(size_g) ||w_g||               (group lasso).

Every answer carries a duality gap: with r = sigmoid(z) - t, scaled until it is dual feasible, the
Fenchel dual `sum_i H(t_i + r_i) - sum_j (|x_j . r| - l1)_+^2 / (2 l2)` bounds the least value from
below (H is the entropy).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csc_array, csr_array

from workbench.arrays import Float, Int64
from workbench.learning.logistic_l1 import fit_l1
from workbench.learning.logistic_l2 import fit_groups, fit_l2
from workbench.learning.logistic_objective import LogisticFit, LogisticProblem, Penalty
from workbench.progress import PLAIN, Conduct


def fit_logistic(
    X: csc_array | csr_array,
    target: Float,
    penalty: Penalty,
    *,
    offset: Float | None = None,
    start: Float | None = None,
    tolerance: float = 1e-6,
    conduct: Conduct = PLAIN,
) -> LogisticFit:
    """Minimise the penalised negative log likelihood to a relative gap of `tolerance`.

    With l1: proximal Newton with coordinate descent on an active set (the method of newGLMNET,
    Yuan, Ho and Lin 2012) finds which weights are zero; Newton steps on the others, which descent
    is slow on when columns are correlated, finish each round. With l2 alone: Newton in the span of
    the examples when there are fewer of them than columns, otherwise L-BFGS; both reach the same
    optimum. Groups: accelerated proximal gradient with restarts. Equal columns are merged first:
    under l1 one of them carries the weight, under l2 they share it.

    Parameters
    ----------
    X : sparse array, float64, shape (n_examples, n_columns)
    target : float64 array, shape (n_examples,)
        0 or 1.
    offset : float64 array, shape (n_examples,), or None
        Added to z: what fixed weights contribute.
    start : float64 array or None
        Warm start, such as the answer for the next larger penalty.
    """
    X = csc_array(X, dtype=np.float64)
    X.sort_indices()
    shift = np.zeros(len(target)) if offset is None else np.asarray(offset, np.float64)
    problem = LogisticProblem(X, target, shift, tolerance, conduct)
    if penalty.group:
        return fit_groups(problem, penalty, start)
    first, group = equal_columns(X)
    copies = np.bincount(group, minlength=len(first)).astype(np.float64)
    merged = X if len(first) == X.shape[1] else X[:, first]
    begun: Float | None = None
    if start is not None:
        begun = np.bincount(group, start, minlength=len(first)).astype(np.float64)
    if penalty.l1 > 0:
        ridge = penalty.l2 / copies
        fit = fit_l1(replace(problem, X=merged), penalty.l1, ridge, begun)
    else:
        root = np.sqrt(copies) if penalty.l2 > 0 else np.ones(len(first))
        scaled = csc_array(merged.multiply(root[None, :]))
        begun = None if begun is None else begun / root
        fit = fit_l2(replace(problem, X=scaled), penalty, begun)
        fit = replace(fit, weights=fit.weights * root)
    if penalty.l2 > 0:
        return replace(fit, weights=(fit.weights / copies)[group])
    weights = np.zeros(X.shape[1])
    weights[first] = fit.weights
    return replace(fit, weights=weights)


def equal_columns(X: csc_array) -> tuple[Int64, Int64]:
    """The first column of each class of equal columns, and the class of every column.

    Equal columns have equal projections on random directions, summed in the same order; candidates
    are then compared.
    """
    directions = np.random.default_rng(0).standard_normal((X.shape[0], 2))
    sketch = np.asarray(X.T @ directions)
    _, first, group = np.unique(sketch, axis=0, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    if len(first) == X.shape[1] or (X - X[:, first[group]]).count_nonzero():
        return np.arange(X.shape[1]), np.arange(X.shape[1])
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[group]
