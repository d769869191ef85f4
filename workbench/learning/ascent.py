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


@dataclass(frozen=True)
class Objective:
    """A function of the weights, less `|w|^2 / (2 prior_sd^2)`, to be maximised over those learned.

    Attributes
    ----------
    function : callable
        Value and gradient, shape (n_templates,).
    start : float64 array, shape (n_templates,)
    learned : bool array, shape (n_templates,)
    prior_sd : float
        Infinite for no prior.
    unit : float
        What a tolerance of the gradient is a share of: the number of terms, say.
    radius : float
        Every weight stays this close to its start.
    least : float
        No weight falls below it.
    """

    function: Callable[[Float], tuple[float, Float]]
    start: Float
    learned: Bool
    prior_sd: float = np.inf
    unit: float = 1.0
    radius: float = np.inf
    least: float = -np.inf

    @property
    def free(self) -> Float:
        """Where the learned weights start."""
        return self.start[self.learned]

    def value_and_gradient(self, free: Float) -> tuple[Float, float, Float]:
        """All weights with `free` for those learned, the value there, and its slope by `free`."""
        weights = self.start.copy()
        weights[self.learned] = free
        value, gradient = self.function(weights)
        precision = self.prior_sd**-2.0
        value -= precision / 2 * float(free @ free)
        return weights, value, gradient[self.learned] - precision * free

    def bounds(self) -> Any:
        """The learned weights' for SciPy, None where they are free."""
        from scipy.optimize import Bounds

        if np.isinf(self.radius) and np.isinf(self.least):
            return None
        return Bounds(np.maximum(self.free - self.radius, self.least), self.free + self.radius)

    def settled(self) -> bool:
        """Whether there is nothing to move: no weight, or none by as much as float64 tells."""
        bounds = self.bounds()
        return not self.free.size or (bounds is not None and bool((bounds.lb == bounds.ub).all()))


@dataclass
class _Course:
    """The best point seen, and the last evaluation, for the trace."""

    objective: Objective
    weights: Float
    value: float = -np.inf
    last: tuple[float, float] = (float("nan"), float("nan"))
    rows: list[tuple[float, float]] = field(default_factory=list)

    def loss(self, free: Float) -> tuple[float, Float]:
        weights, value, slope = self.objective.value_and_gradient(free)
        self.last = (value, float(np.linalg.norm(slope)))
        if value > self.value:
            self.value, self.weights = value, weights
        return -value / self.objective.unit, -slope / self.objective.unit

    def ended(self, status: str) -> Ascent:
        rows = np.array(self.rows, np.float64).reshape(-1, 2)
        trace = {
            "iteration": np.arange(1.0, len(rows) + 1),
            "objective": rows[:, 0],
            "gradient_norm": rows[:, 1],
        }
        return Ascent(self.weights, trace, status)


def maximise(
    objective: Objective,
    *,
    iterations: int,
    tolerance: float,
    conduct: Conduct,
    stage: str = "",
    of: object = None,
) -> Ascent:
    """Maximise by L-BFGS.

    Parameters
    ----------
    tolerance : float
        Converged when no gradient component, divided by the objective's unit, is above it.
    of : object
        The templates whose weights they are, where these are the best so far of the whole task.
    """
    from scipy.optimize import minimize

    course = _Course(objective, objective.start.copy())
    conduct.offer(of, lambda: course.weights)

    def after_iteration(xk: Any) -> None:
        course.rows.append(course.last)
        conduct.progress.observe({"objective": course.last[0]})
        conduct.progress.step(stage, len(course.rows), iterations)
        if conduct.expired:
            raise StopIteration

    if objective.settled():
        return course.ended("converged")
    how: Any = {"maxiter": iterations, "maxfun": 5 * iterations, "gtol": tolerance, "ftol": 1e-14}
    try:
        with one_blas_thread():
            result = minimize(
                course.loss,
                objective.free,
                jac=True,
                method="L-BFGS-B",
                bounds=objective.bounds(),
                callback=after_iteration,
                options=how,
            )
    except Cancelled:
        return course.ended("cancelled")
    if conduct.expired:
        return course.ended("limit")
    return course.ended("iterations" if result.nit >= iterations else "converged")
