"""Maximising a smooth function of weights by L-BFGS, with a Gaussian prior, trace and status."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.arrays import Bool, Float
from workbench.errors import Cancelled
from workbench.progress import Conduct
from workbench.threads import one_blas_thread


@dataclass(frozen=True)
class Ascent:
    """Where an ascent ended: all weights, a row of the trace an iteration, and why it stopped."""

    weights: Float
    trace: Mapping[str, Float]
    status: str


@dataclass
class _Course:
    """The penalised objective: the best point seen, and the last evaluation, for the trace."""

    objective: Callable[[Float], tuple[float, Float]]
    start: Float
    learned: Bool
    precision: float
    unit: float
    weights: Float
    value: float = -np.inf
    last: tuple[float, float] = (float("nan"), float("nan"))
    rows: list[tuple[float, float]] = field(default_factory=list)

    def loss(self, free: Float) -> tuple[float, Float]:
        weights = self.start.copy()
        weights[self.learned] = free
        value, gradient = self.objective(weights)
        value -= self.precision / 2 * float(free @ free)
        slope = gradient[self.learned] - self.precision * free
        self.last = (value, float(np.linalg.norm(slope)))
        if value > self.value:
            self.value, self.weights = value, weights
        return -value / self.unit, -slope / self.unit

    def ended(self, status: str) -> Ascent:
        rows = np.array(self.rows, np.float64).reshape(-1, 2)
        trace = {
            "iteration": np.arange(1.0, len(rows) + 1),
            "objective": rows[:, 0],
            "gradient_norm": rows[:, 1],
        }
        return Ascent(self.weights, trace, status)


def maximise(
    objective: Callable[[Float], tuple[float, Float]],
    start: Float,
    learned: Bool,
    *,
    prior_sd: float,
    iterations: int,
    tolerance: float,
    unit: float = 1.0,
    radius: float = np.inf,
    least: float = -np.inf,
    conduct: Conduct,
    stage: str = "",
    of: object = None,
) -> Ascent:
    """Maximise `objective(w) - |w|^2 / (2 prior_sd^2)` over the learned weights, from `start`.

    Parameters
    ----------
    objective : callable
        Value and gradient, shape (n_templates,).
    prior_sd : float
        Infinite for no prior.
    tolerance : float
        Converged when no gradient component, divided by `unit` (the number of terms, say), is above
        it.
    radius : float
        Every weight stays this close to its start.
    least : float
        No weight falls below it.
    of : object
        The templates whose weights they are, where these are the best so far of the whole task.
    """
    from scipy.optimize import Bounds, minimize

    precision = 0.0 if np.isinf(prior_sd) else prior_sd**-2
    course = _Course(objective, start, learned, precision, unit, start.copy())
    conduct.offer(of, lambda: course.weights)

    def after_iteration(xk: Any) -> None:
        course.rows.append(course.last)
        conduct.progress.observe({"objective": course.last[0]})
        conduct.progress.step(stage, len(course.rows), iterations)
        if conduct.expired:
            raise StopIteration

    free = start[learned]
    low = np.maximum(free - radius, least)
    options: Any = {
        "maxiter": iterations,
        "maxfun": 5 * iterations,
        "gtol": tolerance,
        "ftol": 1e-14,
    }
    status = "converged"
    try:
        if free.size:
            bounds = None if np.isinf(radius) and np.isinf(least) else Bounds(low, free + radius)
            with one_blas_thread():
                result = minimize(
                    course.loss,
                    free,
                    jac=True,
                    method="L-BFGS-B",
                    bounds=bounds,
                    callback=after_iteration,
                    options=options,
                )
            if conduct.expired:
                status = "limit"
            elif result.nit >= iterations:
                status = "iterations"
    except Cancelled:
        status = "cancelled"
    return course.ended(status)
