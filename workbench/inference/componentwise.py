"""Convex solvers by connected component: what they iterate, and when each is done."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

import numpy as np

from workbench.arrays import Float, Int64
from workbench.inference.convex_solution import FirstOrder, Point, Recorder
from workbench.inference.partition import partition
from workbench.inference.solution import Status
from workbench.network.compiled import interpreted
from workbench.network.hinge_problem import HingeProblem


class Componentwise:
    """Iterates whose components stop one by one, each when its own energy and bound meet.

    Attributes
    ----------
    figures : float64 array, shape (n_components, at least 3)
        Energy, bound and violation of each component at the last check.
    """

    figures: Float
    x: Float

    def __init__(self, engine: FirstOrder, original: HingeProblem, recorder: Recorder) -> None:
        self.engine, self.recorder = engine, recorder
        self.partition = partition(original)
        self.program = self.partition.problem
        self.arrays = self.program.arrays()
        self.best_bound = np.full(self.partition.n_components, -np.inf)
        self.iteration = 0

    @abstractmethod
    def advance(self, active: Int64) -> tuple[float, ...]:
        """Iterate `check_every` times on some components, check them; the residuals, if known."""

    def reweigh(self, problem: HingeProblem, recorder: Recorder) -> None:
        """Take other weights of the same rows, and other costs; nothing is known of them yet."""
        self.partition = self.partition.reweighed(problem)
        self.program, self.recorder, self.iteration = self.partition.problem, recorder, 0
        self.arrays = self.arrays._replace(weight=self.program.weight, cost=self.program.cost)
        self.best_bound[:] = -np.inf

    def run(self, tolerance: float) -> Point:
        """See `Iterates.run`."""
        stopped: Status | None = None
        figures, constant = self.figures, self.program.constant
        entries = self.program.A.nnz + self.program.n
        active = np.arange(self.partition.n_components)
        while active.size and stopped is None:
            with interpreted(self.engine.check_every * entries):
                residuals = self.advance(active)
            self.iteration += self.engine.check_every
            np.maximum(self.best_bound, figures[:, 1], out=self.best_bound)
            energy = float(figures[:, 0].sum()) + constant
            bound = float(self.best_bound.sum()) + constant
            stopped = self.recorder.note(
                self.iteration, energy, bound, float(figures[:, 2].max()), *residuals
            )
            if stopped is None and self.iteration >= self.engine.max_iterations:
                stopped = Status.LIMIT
            active = self._unsolved(tolerance)
            if not active.size:
                stopped = None
        return replace(self.so_far(), stopped=stopped)

    def so_far(self) -> Point:
        """See `Iterates.so_far`."""
        bound = float(self.best_bound.sum()) + self.program.constant
        return Point(self.partition.lift(self.x), bound)

    def _unsolved(self, tolerance: float) -> Int64:
        """Components whose gap exceeds their fair part of the whole, or whose hard rows slip."""
        energy, violation = self.figures[:, 0], self.figures[:, 2]
        whole = abs(energy.sum() + self.program.constant)
        allowed = tolerance * 0.5 * (np.abs(energy) + whole * self.partition.share)
        open_ = (np.abs(energy - self.best_bound) > np.maximum(allowed, 1e-10)) | (
            violation > 0.1 * tolerance
        )
        return np.flatnonzero(open_)
