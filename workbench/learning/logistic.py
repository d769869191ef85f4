"""Penalised logistic regression to proven optimality: the weights' side of exact conditional likelihood.

Minimises over w, with t in {0, 1} and z = X w,

    sum_i [log(1 + exp(z_i)) - t_i z_i] + sum_j l1 |w_j| + sum_j l2 / 2 w_j^2        (elastic net: both), or
    the same sum over examples + group sum_g sqrt(size_g) ||w_g||                    (group lasso).

Every answer carries a duality gap: with r = sigmoid(z) - t, scaled until it is dual feasible, the Fenchel dual
`sum_i H(t_i + r_i) - sum_j (|x_j . r| - l1)_+^2 / (2 l2)` bounds the least value from below (H is the entropy).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array

from workbench.network.compiled import compiled
from workbench.progress import expired

__all__ = ["LogisticFit", "Penalty", "equal_columns", "fit_logistic", "largest_l1", "objective"]

Float = npt.NDArray[np.float64]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Penalty:
    """What is added to the negative log likelihood: `l1 |w|_1 + l2 / 2 |w|^2`, or groups.

    Parameters
    ----------
    l1, l2 : float
        A Laplace prior of scale 1 / l1, a Gaussian prior of variance 1 / l2.
    group : float
        Group lasso over `groups`; excludes l1 and l2.
    groups : int array, shape (n_columns,), or None
        The group of each column, numbered from 0.
    """

    l1: float = 0.0
    l2: float = 0.0
    group: float = 0.0
    groups: npt.NDArray[np.integer] | None = None


@dataclass(frozen=True)
class LogisticFit:
    """An answer and its certificate.

    Attributes
    ----------
    weights : float64 array, shape (n_columns,)
    objective, bound : float
        The value reached, and a proven lower bound on the least value.
    iterations : int
    status : {'converged', 'iterations', 'limit'}
    trace : float64 array, shape (n_iterations, 2)
        Objective and gap by outer iteration.
    """

    weights: Float
    objective: float
    bound: float
    iterations: int
    status: str
    trace: Float

    @property
    def gap(self) -> float:
        """`(objective - bound) / max(|objective|, 1e-9)`."""
        return (self.objective - self.bound) / max(abs(self.objective), 1e-9)


def _loss(z: Float, target: Float) -> float:
    return float(np.sum(np.logaddexp(0.0, z) - target * z))


def objective(X: csc_array | csr_array, target: Float, weights: Float, penalty: Penalty) -> float:
    """The value that is minimised."""
    return _loss(X @ weights, target) + _penalty_value(weights, penalty)


def _penalty_value(weights: Float, penalty: Penalty) -> float:
    value = penalty.l1 * float(np.abs(weights).sum()) + 0.5 * penalty.l2 * float(weights @ weights)
    if penalty.group and penalty.groups is not None:
        norms = np.sqrt(np.bincount(penalty.groups, weights**2))
        value += penalty.group * float(norms @ np.sqrt(np.bincount(penalty.groups)))
    return value


def _sigmoid(z: Float) -> Float:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * z)))


def _entropy(p: Float) -> float:
    from scipy.special import entr

    return float(np.sum(entr(p) + entr(1.0 - p)))


def _dual_bound(z: Float, target: Float, offset: Float, gradient: Float, penalty: Penalty) -> float:
    """The dual value at the residual, scaled to be feasible for groups; `gradient` is X^T residual."""
    residual = _sigmoid(z) - target
    if penalty.group and penalty.groups is not None:
        norms = np.sqrt(np.bincount(penalty.groups, gradient**2))
        limits = penalty.group * np.sqrt(np.bincount(penalty.groups))
        scale = min(1.0, float(np.min(limits / np.maximum(norms, 1e-300))))
        return _entropy(target + scale * residual) + scale * float(residual @ offset)
    return _entropy(target + residual) + float(residual @ offset) - float(gradient @ gradient) / (2 * penalty.l2)


def largest_l1(X: csc_array, target: Float) -> float:
    """The least l1 at which all weights are 0."""
    return float(np.abs(X.T @ (0.5 - target)).max(initial=0.0))


def fit_logistic(
    X: csc_array | csr_array,
    target: Float,
    penalty: Penalty,
    *,
    offset: Float | None = None,
    start: Float | None = None,
    tolerance: float = 1e-6,
    max_iterations: int = 200,
    deadline: float | None = None,
) -> LogisticFit:
    """Minimise the penalised negative log likelihood until the relative duality gap is below `tolerance`.

    Parameters
    ----------
    X : sparse array, float64, shape (n_examples, n_columns)
    target : float64 array, shape (n_examples,)
        0 or 1.
    offset : float64 array, shape (n_examples,), or None
        Added to z: what fixed weights contribute.
    start : float64 array or None
        Warm start, such as the answer for the next larger penalty.

    Notes
    -----
    With l1: proximal Newton with coordinate descent on an active set (the method of newGLMNET, Yuan, Ho and Lin 2012).
    With l2 alone: Newton in the span of the examples when there are fewer of them than columns, otherwise L-BFGS; both
    reach the same optimum. Groups: accelerated proximal gradient with restarts. Equal columns are merged first: under
    l1 one of them carries the weight, under l2 they share it.
    """
    X = csc_array(X, dtype=np.float64)
    X.sort_indices()
    shift = np.zeros(len(target)) if offset is None else np.asarray(offset, np.float64)
    if penalty.group:
        return _fit_groups(X, target, shift, penalty, start, tolerance, max_iterations, deadline)
    first, group = equal_columns(X)
    copies = np.bincount(group, minlength=len(first)).astype(np.float64)
    merged = X[:, first]
    begun: Float | None = None
    if start is not None:
        begun = np.bincount(group, start, minlength=len(first)).astype(np.float64)
    if penalty.l1 > 0:
        ridge = penalty.l2 / copies
        fit = _fit_l1(merged, target, shift, penalty.l1, ridge, begun, tolerance, max_iterations, deadline)
    else:
        root = np.sqrt(copies) if penalty.l2 > 0 else np.ones(len(first))
        scaled = csc_array(merged.multiply(root[None, :]))
        begun = None if begun is None else begun / root
        fit = _fit_l2(scaled, target, shift, penalty, begun, tolerance, max_iterations, deadline)
        fit = replace(fit, weights=fit.weights * root)
    if penalty.l2 > 0:
        return replace(fit, weights=(fit.weights / copies)[group])
    weights = np.zeros(X.shape[1])
    weights[first] = fit.weights
    return replace(fit, weights=weights)


def equal_columns(X: csc_array) -> tuple[Int64, Int64]:
    """The first column of each class of equal columns, and the class of every column.

    Equal columns have equal projections on random directions, summed in the same order; candidates are then compared.
    """
    directions = np.random.default_rng(0).standard_normal((X.shape[0], 2))
    sketch = np.asarray(X.T @ directions)
    _, first, group = np.unique(sketch, axis=0, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    if (X - X[:, first[group]]).count_nonzero():
        return np.arange(X.shape[1]), np.arange(X.shape[1])
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[group]


@compiled
def _coordinate_newton(
    indptr: Int32,
    indices: Int32,
    data: Float,
    curvature: Float,
    gradient: Float,
    weights: Float,
    active: Int64,
    l1: float,
    l2: Float,
    inner_tolerance: float,
    max_passes: int,
    step: Float,
    moved: Float,
) -> int:
    """Coordinate descent on the quadratic model over the active columns; `step` and `moved` = X step are filled."""
    hessian = np.empty(active.size)
    for slot in range(active.size):
        column = active[slot]
        total = l2[column] + 1e-12
        for at in range(indptr[column], indptr[column + 1]):
            total += data[at] * data[at] * curvature[indices[at]]
        hessian[slot] = total
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
            if current == 0.0 and abs(slope) < l1 - 10 * inner_tolerance:  # shrink: it stays at zero in this model
                size -= 1
                order[slot_at], order[size] = order[size], order[slot_at]
                continue
            target = current * hessian[slot] - slope
            if target > l1:
                new = (target - l1) / hessian[slot]
            elif target < -l1:
                new = (target + l1) / hessian[slot]
            else:
                new = 0.0
            change = new - current
            if change != 0.0:
                step[column] += change
                for at in range(indptr[column], indptr[column + 1]):
                    moved[indices[at]] += change * data[at]
                largest = max(largest, abs(change) * hessian[slot])
            slot_at += 1
        if largest <= inner_tolerance:
            if size == order.size:
                break
            size = order.size
    return passes


def _dual_bound_l1(probability: Float, target: Float, offset: Float, gradient: Float, l1: float, l2: Float) -> float:
    """The dual value at the residual; where a column has no ridge the residual is scaled until it is feasible."""
    bare = l2 == 0
    scale = min(1.0, l1 / max(float(np.abs(gradient[bare]).max(initial=0.0)), 1e-300))
    excess = np.maximum(scale * np.abs(gradient[~bare]) - l1, 0.0)
    residual = scale * (probability - target)
    return _entropy(target + residual) + float(residual @ offset) - float(np.sum(excess**2 / (2 * l2[~bare])))


def _fit_l1(
    X: csc_array,
    target: Float,
    offset: Float,
    l1: float,
    l2: Float,
    start: Float | None,
    tolerance: float,
    max_iterations: int,
    deadline: float | None,
) -> LogisticFit:
    n, p = X.shape

    def added(w: Float) -> float:
        return l1 * float(np.abs(w).sum()) + 0.5 * float(l2 @ w**2)

    weights = np.zeros(p) if start is None else np.array(start, np.float64)
    z = X @ weights + offset
    best_bound = -np.inf
    trace: list[tuple[float, float]] = []
    status = "iterations"
    transposed = csr_array(X.T)
    inner = 0.1
    value = _loss(z, target) + added(weights)
    iteration = 0
    for iteration in range(1, max_iterations + 1):
        probability = _sigmoid(z)
        data_gradient = transposed @ (probability - target)
        best_bound = max(best_bound, _dual_bound_l1(probability, target, offset, data_gradient, l1, l2))
        trace.append((value, value - best_bound))
        if value - best_bound <= tolerance * max(abs(value), 1e-9):
            status = "converged"
            break
        if expired(deadline):
            status = "limit"
            break
        gradient = data_gradient + l2 * weights
        violation = np.where(
            weights == 0, np.maximum(np.abs(gradient) - l1, 0.0), np.abs(gradient + l1 * np.sign(weights))
        )
        inner = min(inner, 0.1 * float(violation.max(initial=0.0)) + 1e-14)
        active = np.flatnonzero((weights != 0) | (violation > 0))
        curvature = np.maximum(probability * (1 - probability), 1e-12)
        step, moved = np.zeros(p), np.zeros(n)
        passes = _coordinate_newton(
            X.indptr, X.indices, X.data, curvature, gradient, weights, active, l1, l2, inner, 1000, step, moved
        )
        if passes <= 2:
            inner *= 0.25
        slope = float(gradient @ step) + l1 * float(np.abs(weights + step).sum() - np.abs(weights).sum())
        length = 1.0
        while True:
            trial = weights + length * step
            new = _loss(z + length * moved, target) + added(trial)
            if new <= value + 0.01 * length * slope or length < 1e-10:
                break
            length *= 0.5
        weights, z, value = trial, z + length * moved, new
        if iteration % 20 == 0:
            z = X @ weights + offset
    return LogisticFit(weights, value, best_bound, iteration, status, np.array(trace))


def _fit_l2(
    X: csc_array,
    target: Float,
    offset: Float,
    penalty: Penalty,
    start: Float | None,
    tolerance: float,
    max_iterations: int,
    deadline: float | None,
) -> LogisticFit:
    n, p = X.shape
    if penalty.l2 > 0 and n <= min(p, 4000):
        return _fit_l2_in_span(X, target, offset, penalty, tolerance, max_iterations, deadline)
    from scipy.optimize import minimize

    trace: list[tuple[float, float]] = []
    transposed = csr_array(X.T)

    def value_and_gradient(weights: Float) -> tuple[float, Float]:
        z = X @ weights + offset
        gradient = transposed @ (_sigmoid(z) - target) + penalty.l2 * weights
        value = _loss(z, target) + _penalty_value(weights, penalty)
        trace.append((value, float(gradient @ gradient) / (2 * penalty.l2) if penalty.l2 else np.nan))
        return value, gradient

    answer = minimize(
        value_and_gradient,
        np.zeros(p) if start is None else start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iterations * 10, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-9},
    )
    weights = np.asarray(answer.x)
    z = X @ weights + offset
    value = _loss(z, target) + _penalty_value(weights, penalty)
    bound = _dual_bound(z, target, offset, transposed @ (_sigmoid(z) - target), penalty) if penalty.l2 else -np.inf
    converged = value - bound <= tolerance * max(abs(value), 1e-9) or (penalty.l2 == 0 and bool(answer.success))
    return LogisticFit(
        weights, value, bound, int(answer.nit), "converged" if converged else "iterations", np.array(trace)
    )


def _fit_l2_in_span(
    X: csc_array,
    target: Float,
    offset: Float,
    penalty: Penalty,
    tolerance: float,
    max_iterations: int,
    deadline: float | None,
) -> LogisticFit:
    """Newton on a, w = X^T a: the optimum lies in the span of the examples, so the kernel matrix is all it needs."""
    rows = csr_array(X)
    kernel = np.asarray((rows @ rows.T).todense())
    weights, value, bound, iteration, status, trace = _kernel_newton(
        kernel, target, offset, penalty.l2, tolerance, max_iterations, deadline
    )
    return LogisticFit(X.T @ weights, value, bound, iteration, status, trace)


def _kernel_newton(
    kernel: Float,
    target: Float,
    offset: Float,
    l2: float,
    tolerance: float,
    max_iterations: int,
    deadline: float | None,
) -> tuple[Float, float, float, int, str, Float]:
    """Coefficients of the examples, with objective, bound, iterations, status and trace."""
    from scipy.linalg import cho_factor, cho_solve

    n = len(target)
    dual = np.zeros(n)  # w = X^T dual; at the optimum dual = (target - sigmoid(z)) / l2
    z = offset.copy()
    value = _loss(z, target)
    bound = -np.inf
    trace: list[tuple[float, float]] = []
    status = "iterations"
    iteration = 0
    while iteration < max_iterations:
        iteration += 1
        probability = _sigmoid(z)
        residual = probability - target
        smoothed = kernel @ residual
        bound = max(bound, _entropy(probability) + float(residual @ (offset - smoothed / (2 * l2))))
        trace.append((value, value - bound))
        if value - bound <= tolerance * max(abs(value), 1e-9):
            status = "converged"
            break
        if expired(deadline):
            status = "limit"
            break
        root = np.sqrt(np.maximum(probability * (1 - probability), 1e-12))
        # Newton: (l2 + K D) delta = -(residual + l2 dual), symmetrised by D^{1/2}
        right = -(residual + l2 * dual)
        inside = l2 * np.eye(n) + root[:, None] * kernel * root[None, :]
        solved = cho_solve(cho_factor(inside, lower=True), root * (kernel @ right))
        delta = (right - root * solved) / l2
        shift = kernel @ delta
        length = 1.0
        slope = float(shift @ (residual + l2 * dual))
        while True:
            trial, new_z = dual + length * delta, z + length * shift
            new = _loss(new_z, target) + 0.5 * l2 * float(trial @ (new_z - offset))
            if new <= value + 1e-4 * length * slope or length < 1e-10:
                break
            length *= 0.5
        dual, z, value = trial, new_z, new
    return dual, value, bound, iteration, status, np.array(trace)


def _fit_groups(
    X: csc_array,
    target: Float,
    offset: Float,
    penalty: Penalty,
    start: Float | None,
    tolerance: float,
    max_iterations: int,
    deadline: float | None,
) -> LogisticFit:
    from scipy.sparse.linalg import svds

    if penalty.groups is None or len(penalty.groups) != X.shape[1]:
        raise ValueError("a group penalty needs the group of every column")
    groups = np.asarray(penalty.groups, np.int64)
    limits = penalty.group * np.sqrt(np.bincount(groups))
    largest = (
        float(svds(X, k=1, return_singular_vectors=False)[0]) if min(X.shape) > 1 else float(np.sqrt((X**2).sum()))
    )
    step = 4.0 / max(largest**2, 1e-12)
    transposed = csr_array(X.T)
    weights = np.zeros(X.shape[1]) if start is None else np.array(start, np.float64)
    ahead, momentum = weights, 1.0
    value = _loss(X @ weights + offset, target) + _penalty_value(weights, penalty)
    bound = -np.inf
    trace: list[tuple[float, float]] = []
    status = "iterations"
    iteration = 0
    for iteration in range(1, max_iterations * 100 + 1):
        z = X @ ahead + offset
        moved = ahead - step * (transposed @ (_sigmoid(z) - target))
        norms = np.sqrt(np.bincount(groups, moved**2))
        shrink = np.maximum(1.0 - step * limits / np.maximum(norms, 1e-300), 0.0)
        new = moved * shrink[groups]
        if float((ahead - new) @ (new - weights)) > 0:  # gradient restart (O'Donoghue and Candes 2015)
            momentum = 1.0
            ahead = weights
            continue
        following = 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
        ahead = new + (momentum - 1) / following * (new - weights)
        weights, momentum = new, following
        if iteration % 10 == 0:
            z = X @ weights + offset
            value = _loss(z, target) + _penalty_value(weights, penalty)
            bound = max(bound, _dual_bound(z, target, offset, transposed @ (_sigmoid(z) - target), penalty))
            trace.append((value, value - bound))
            if value - bound <= tolerance * max(abs(value), 1e-9):
                status = "converged"
                break
            if expired(deadline):
                status = "limit"
                break
    return LogisticFit(weights, value, bound, iteration, status, np.array(trace).reshape(-1, 2))
