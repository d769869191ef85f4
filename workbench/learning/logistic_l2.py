"""L2-penalised logistic regression: Newton in the examples' span, or L-BFGS; and groups."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float
from workbench.learning.logistic_objective import (
    ITERATIONS,
    Certificate,
    LogisticFit,
    LogisticProblem,
    Penalty,
    downhill,
    dual_bound,
    entropy,
    penalty_value,
    sigmoid,
)
from workbench.threads import one_blas_thread


def fit_l2(problem: LogisticProblem, penalty: Penalty, start: Float | None) -> LogisticFit:
    """The least value under a ridge (or no) penalty.

    Newton steps cost O(n_examples^3) each, L-BFGS iterations O(nonzeros). The bound without a ridge
    is minus infinity.
    """
    X, target = problem.X, problem.target
    n, p = X.shape
    if penalty.l2 > 0 and n <= min(p, 4000):
        return _fit_l2_in_span(problem, penalty.l2)
    from scipy.optimize import minimize

    trace: list[tuple[float, float]] = []
    transposed = csr_array(X.T)

    def value_and_gradient(weights: Float) -> tuple[float, Float]:
        z = problem.log_odds(weights)
        gradient = transposed @ (sigmoid(z) - target) + penalty.l2 * weights
        value = problem.loss(z) + penalty_value(weights, penalty)
        trace.append(
            (value, float(gradient @ gradient) / (2 * penalty.l2) if penalty.l2 else np.nan)
        )
        return value, gradient

    options: Any = {"maxiter": ITERATIONS * 10, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-9}
    begin = np.zeros(p) if start is None else start
    with one_blas_thread():
        answer = minimize(value_and_gradient, begin, jac=True, method="L-BFGS-B", options=options)
    weights = np.asarray(answer.x)
    z = problem.log_odds(weights)
    value = problem.loss(z) + penalty_value(weights, penalty)
    gradient = transposed @ (sigmoid(z) - target)
    bound = dual_bound(z, target, problem.offset, gradient, penalty) if penalty.l2 else -np.inf
    converged = value - bound <= problem.tolerance * max(abs(value), 1e-9) or (
        penalty.l2 == 0 and bool(answer.success)
    )
    status = "converged" if converged else "iterations"
    return LogisticFit(weights, value, bound, int(answer.nit), status, np.array(trace))


def _fit_l2_in_span(problem: LogisticProblem, l2: float) -> LogisticFit:
    """Newton on a, w = X^T a: the optimum is in the examples' span, so their kernel suffices."""
    from scipy.linalg import cho_factor, cho_solve

    rows = csr_array(problem.X)
    kernel = np.asarray((rows @ rows.T).todense())
    target, offset = problem.target, problem.offset
    n = len(target)
    dual = np.zeros(n)  # w = X^T dual; at the optimum dual = (target - sigmoid(z)) / l2
    z = offset.copy()
    value = problem.loss(z)
    certificate = Certificate(problem)

    def value_along(dual: Float, delta: Float, z: Float, shift: Float, t: float) -> float:
        at = z + t * shift
        return problem.loss(at) + 0.5 * l2 * float((dual + t * delta) @ (at - offset))

    for _ in range(ITERATIONS):
        probability = sigmoid(z)
        residual = probability - target
        smoothed = kernel @ residual
        if certificate.ends(
            value, entropy(probability) + float(residual @ (offset - smoothed / (2 * l2)))
        ):
            break
        root = np.sqrt(np.maximum(probability * (1 - probability), 1e-12))
        # Newton: (l2 + K D) delta = -(residual + l2 dual), symmetrised by D^{1/2}
        right = -(residual + l2 * dual)
        inside = l2 * np.eye(n) + root[:, None] * kernel * root[None, :]
        solved = cho_solve(cho_factor(inside, lower=True), root * (kernel @ right))
        delta = (right - root * solved) / l2
        shift = kernel @ delta
        slope = float(shift @ (residual + l2 * dual))
        length, value = downhill(partial(value_along, dual, delta, z, shift), value, 1e-4 * slope)
        dual, z = dual + length * delta, z + length * shift
    return certificate.fit(problem.X.T @ dual, value, len(certificate.trace))


def fit_groups(problem: LogisticProblem, penalty: Penalty, start: Float | None) -> LogisticFit:
    """The least value under a group lasso.

    Accelerated proximal gradient (Beck and Teboulle 2009) at step 4 / ||X||^2, the inverse of the
    loss's Lipschitz constant, restarted where momentum points uphill. An iteration costs
    O(nonzeros).

    Raises ValueError where the groups do not number every column.
    """
    from scipy.sparse.linalg import svds

    X, target = problem.X, problem.target
    if penalty.groups is None or len(penalty.groups) != X.shape[1]:
        raise ValueError("a group penalty needs the group of every column")
    groups = np.asarray(penalty.groups, np.int64)
    limits = penalty.group * np.sqrt(np.bincount(groups))
    largest = (
        float(svds(X, k=1, return_singular_vectors=False)[0])
        if min(X.shape) > 1
        else float(np.sqrt((X**2).sum()))
    )
    step = 4.0 / max(largest**2, 1e-12)
    transposed = csr_array(X.T)
    weights = np.zeros(X.shape[1]) if start is None else np.array(start, np.float64)
    ahead, momentum = weights, 1.0
    value = problem.loss(problem.log_odds(weights)) + penalty_value(weights, penalty)
    certificate = Certificate(problem)
    iteration = 0
    for iteration in range(1, ITERATIONS * 100 + 1):
        z = problem.log_odds(ahead)
        moved = ahead - step * (transposed @ (sigmoid(z) - target))
        norms = np.sqrt(np.bincount(groups, moved**2))
        shrink = np.maximum(1.0 - step * limits / np.maximum(norms, 1e-300), 0.0)
        new = moved * shrink[groups]
        # Gradient restart (O'Donoghue and Candes 2015).
        if float((ahead - new) @ (new - weights)) > 0:
            momentum = 1.0
            ahead = weights
            continue
        following = 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
        ahead = new + (momentum - 1) / following * (new - weights)
        weights, momentum = new, following
        if iteration % 10 == 0:
            z = problem.log_odds(weights)
            value = problem.loss(z) + penalty_value(weights, penalty)
            gradient = transposed @ (sigmoid(z) - target)
            if certificate.ends(value, dual_bound(z, target, problem.offset, gradient, penalty)):
                break
    return certificate.fit(weights, value, iteration)
