"""The penalised negative log likelihood of logistic regression, its dual, and certificates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csc_array, csr_array

from workbench.arrays import Float, Integer
from workbench.progress import Conduct

ITERATIONS = 200
"""Rounds of Newton at most; of cheaper methods a multiple."""


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
    groups: Integer | None = None


@dataclass(frozen=True)
class LogisticProblem:
    """What is fitted, until when.

    Attributes
    ----------
    X : csc_array, float64, shape (n_examples, n_columns)
    target, offset : float64 arrays, shape (n_examples,)
        0 or 1; and what is added to `X w`.
    tolerance : float
        Relative duality gap at which an answer counts as optimal.
    """

    X: csc_array
    target: Float
    offset: Float
    tolerance: float
    conduct: Conduct

    def log_odds(self, weights: Float) -> Float:
        return np.asarray(self.X @ weights + self.offset)

    def loss(self, z: Float) -> float:
        """Negative log likelihood of the targets at log-odds `z`, shape (n_examples,)."""
        return loss(z, self.target)


def downhill(value_at: Callable[[float], float], value: float, slope: float) -> tuple[float, float]:
    """The first of 1, 1/2, 1/4, ... at which the value falls by the slope, and the value there."""
    length = 1.0
    while True:
        new = value_at(length)
        if new <= value + length * slope or length < 1e-10:
            return length, new
        length *= 0.5


@dataclass
class Certificate:
    """The best bound and the trace of a fit on its way, and whether it has ended."""

    problem: LogisticProblem
    bound: float = -np.inf
    trace: list[tuple[float, float]] = field(default_factory=list)
    status: str = "iterations"

    def ends(self, value: float, bound: float) -> bool:
        """Note a value and a bound; whether their gap is small enough, or time is up."""
        self.bound = max(self.bound, bound)
        self.trace.append((value, value - self.bound))
        if value - self.bound <= self.problem.tolerance * max(abs(value), 1e-9):
            self.status = "converged"
        elif self.problem.conduct.over:
            self.status = self.problem.conduct.stopped
        return self.status != "iterations"

    def fit(self, weights: Float, value: float, iterations: int) -> LogisticFit:
        """The answer with this certificate."""
        return LogisticFit(
            weights, value, self.bound, iterations, self.status, np.array(self.trace).reshape(-1, 2)
        )


@dataclass(frozen=True)
class LogisticFit:
    """An answer and its certificate.

    Attributes
    ----------
    weights : float64 array, shape (n_columns,)
    objective, bound : float
        The value reached, and a proven lower bound on the least value.
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
        """`(objective - bound) / max(|objective|, 1e-9)`, not below 0 by rounding."""
        return max(self.objective - self.bound, 0.0) / max(abs(self.objective), 1e-9)


def loss(z: Float, target: Float) -> float:
    """Negative log likelihood of 0/1 `target` at log-odds `z`, both of shape (n_examples,)."""
    return float(np.sum(np.logaddexp(0.0, z) - target * z))


def objective(X: csc_array | csr_array, target: Float, weights: Float, penalty: Penalty) -> float:
    """The value that is minimised."""
    return loss(X @ weights, target) + penalty_value(weights, penalty)


def penalty_value(weights: Float, penalty: Penalty) -> float:
    """What the penalty adds to the loss."""
    value = penalty.l1 * float(np.abs(weights).sum()) + 0.5 * penalty.l2 * float(weights @ weights)
    if penalty.group and penalty.groups is not None:
        norms = np.sqrt(np.bincount(penalty.groups, weights**2))
        value += penalty.group * float(norms @ np.sqrt(np.bincount(penalty.groups)))
    return value


def sigmoid(z: Float) -> Float:
    """`1 / (1 + exp(-z))`, without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * z)))


def entropy(p: Float) -> float:
    """Summed entropy of independent coins of probabilities `p`, in nats; -inf outside [0, 1]."""
    from scipy.special import entr

    return float(np.sum(entr(p) + entr(1.0 - p)))


def dual_bound(z: Float, target: Float, offset: Float, gradient: Float, penalty: Penalty) -> float:
    """The dual value at the residual, made feasible for groups; `gradient` is X^T residual."""
    residual = sigmoid(z) - target
    if penalty.group and penalty.groups is not None:
        norms = np.sqrt(np.bincount(penalty.groups, gradient**2))
        limits = penalty.group * np.sqrt(np.bincount(penalty.groups))
        scale = min(1.0, float(np.min(limits / np.maximum(norms, 1e-300))))
        return entropy(target + scale * residual) + scale * float(residual @ offset)
    return (
        entropy(target + residual)
        + float(residual @ offset)
        - float(gradient @ gradient) / (2 * penalty.l2)
    )
