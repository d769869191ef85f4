"""One run of restarted primal-dual hybrid gradient on a convex program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import numpy as np

from workbench.arrays import Float, Real
from workbench.inference.convex_solution import Point, Recorder
from workbench.inference.feasible_point import make_feasible
from workbench.inference.lanes import LANES, MANY_ROWS, Lanes, lane_of
from workbench.inference.pdhg_kernels import (
    Iterate,
    dual_pass,
    dual_residual,
    halpern_steps,
    primal_pass,
)
from workbench.inference.polish import Polish
from workbench.inference.solution import Status
from workbench.network.hinge_problem import HingeArrays, HingeProblem

Note = Callable[[int, float, float, float, float], Status | None]

_NEARLY = 2.0
"""A gap of at most this many times the tolerance is worth polishing."""

_SINGLE_TOLERANCE = 1e-5
"""Gaps below this are sought in double precision from the start."""

_SINGLE_RESIDUAL = 2e-6
"""Of the iterate's length: thirty times a residual's rounding in single precision."""


class PrimalDual:
    """One run of restarted PDHG on a convex program; `run` again goes on at another tolerance.

    Iterations run in single precision, which halves the memory they stream through, until the
    fixed-point residual nears its rounding; energies and bounds are always computed in double
    precision.

    A restart sets the anchor to the current T(z) when the fixed-point residual fell to 0.4 of the
    anchor's, or to 0.8 of it and rises again, or when the epoch is a fifth of the run; the primal
    weight then moves halfway (in logarithms) to the ratio of the dual and primal distances
    travelled, within a factor of 3 of its first value.

    Parameters
    ----------
    start : float64 array, shape (n,), or None
        A warm start.
    note : callable, optional
        `note(iteration, energy, bound, violation, residual)` after each check; a status to stop
        with, or None.
    stop : callable, optional
        Asked after each iteration over many rows, which then ends a check's early.
    """

    stays_single: ClassVar[bool] = False
    """Whether double precision is never turned to."""
    many_rows: ClassVar[int] = MANY_ROWS
    """From so many rows on iterations pass over them in lanes."""

    def __init__(
        self,
        program: HingeProblem,
        *,
        start: Float | None = None,
        max_iterations: int = 100_000,
        check_every: int = 40,
        note: Note | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.stop, self.lanes = stop, Lanes()
        self.max_iterations = max_iterations
        self.check_every = check_every
        row_sum, column_sum = program.absolute_sums()
        self.dual_step = 1.0 / np.where(row_sum > 0.0, row_sum, 1.0)
        self.primal_step = 1.0 / np.where(column_sum > 0.0, column_sum, 1.0)
        self._begin(program, start, note)

    def begin_again(self, problem: HingeProblem, start: Float | None, recorder: Recorder) -> None:
        """See `Reweighable.begin_again`."""
        self.stop = lambda: recorder.conduct.over
        self._begin(problem, start, recorder.note)

    def _begin(self, program: HingeProblem, start: Float | None, note: Note | None) -> None:
        self.program, self.note = program, note
        middle = np.full(program.n, 0.5) if start is None else np.nan_to_num(start, nan=0.5)
        feasible = make_feasible(program, middle)
        self.best_x: Float = (
            np.clip(middle, program.lower, program.upper) if feasible is None else feasible
        )
        scale = float(np.sqrt(program.size() / max(program.n, 1)))
        self.primal_weight = self.first_weight = scale if scale > 0.0 else 1.0
        self.best_energy, self.best_bound = np.inf, -np.inf
        self.iteration = self.restarts = 0
        self.residual = np.inf
        self.polish = Polish(program)
        self._work_in(np.float32, self.best_x, np.zeros(program.n_rows))

    def _work_in(self, precision: type[np.floating], x: Real, multiplier: Real) -> None:
        """Arrays of the given precision for the kernel, and the state at `x` and `multiplier`."""
        self.precision = precision
        self.arrays = self.program.arrays(precision)
        primal, dual, x, multiplier = (
            array.astype(precision) for array in (self.primal_step, self.dual_step, x, multiplier)
        )
        widest = self.program.widest_block
        self.z = Iterate(
            primal,
            dual,
            x=np.empty_like(x),
            multiplier=np.empty_like(multiplier),
            anchor_x=np.empty_like(x),
            anchor_multiplier=np.empty_like(multiplier),
            mapped_x=x,
            mapped_multiplier=multiplier,
            slope=np.empty_like(x),
            reflected=np.empty_like(x),
            scratch=np.zeros((2, widest)) if widest else None,
        )
        self._set_anchor()

    def run(self, tolerance: float) -> Point:
        """Iterate until the relative gap is at most `tolerance`, hard rows to a tenth of it."""
        program = self.program
        stopped: Status | None = None
        if tolerance < _SINGLE_TOLERANCE and self.precision is np.float32 and not self.stays_single:
            self._work_in(np.float64, self.z.mapped_x, self.z.mapped_multiplier)
        while stopped is None:
            self._epoch_part()
            x = self.z.mapped_x.astype(np.float64)
            multiplier = self.z.mapped_multiplier.astype(np.float64)
            energy, violation = program.energy(x), program.violation(x)
            self.best_bound = max(self.best_bound, program.dual_bound(multiplier))
            feasible = violation <= 0.1 * tolerance
            if feasible and energy < self.best_energy:
                self.best_energy = energy
                self.best_x = x
            allowed = max(tolerance * abs(self.best_energy), 1e-10)
            if feasible and allowed < self.best_energy - self.best_bound <= _NEARLY * allowed:
                self._polish(x, multiplier)
                energy = min(energy, self.best_energy)
            if self.note is not None:
                stopped = self.note(
                    self.iteration, energy, self.best_bound, violation, self.residual
                )
            if feasible and abs(self.best_energy - self.best_bound) <= allowed:
                return self.so_far()
            if stopped is None and self.iteration >= self.max_iterations:
                stopped = Status.LIMIT
            self._restart_if_due()
        return Point(self.best_x if np.isfinite(self.best_energy) else x, self.best_bound, stopped)

    def so_far(self) -> Point:
        """The best point and bound, also while it iterates."""
        return Point(self.best_x, self.best_bound)

    def _polish(self, x: Float, multiplier: Float) -> None:
        polished = self.polish.point(x)
        energy = self.program.energy(polished)
        if energy < self.best_energy:
            self.best_energy, self.best_x = energy, polished
        self.best_bound = max(self.best_bound, self.polish.bound(multiplier))

    def _epoch_part(self) -> None:
        # The first step after a restart runs alone: its residual is the anchor's own.
        for part in (self.check_every,) if self.since_anchor else (1, self.check_every):
            self.residual = self._steps(part)
            if not self.since_anchor:
                self.anchor_residual = self.residual
            self.since_anchor += part
            self.iteration += part

    def _steps(self, steps: int) -> float:
        if self.program.n_rows < self.many_rows:
            room = np.empty_like(self.z.multiplier)
            since, weight = self.since_anchor, self.primal_weight
            return halpern_steps(self.arrays, self.z, room, steps, since, weight)
        return self._steps_in_lanes(steps)

    def _steps_in_lanes(self, steps: int) -> float:
        """Iterations as `halpern_steps` runs them, the rows of each lane by a thread."""
        z, done = self.z, self.since_anchor
        slopes = np.empty((LANES, self.program.n), self.precision)
        residual = 0.0
        for iteration in range(done, done + steps):
            keep = (iteration + 1.0) / (iteration + 2.0)
            last = iteration == done + steps - 1
            residual = primal_pass(self.arrays, z, z.scratch, self.primal_weight)
            slopes[:] = 0.0
            residual += self.lanes.sum(partial(self._lane, slopes=slopes, keep=keep, last=last))
            z.slope[:] = slopes.sum(axis=0)
            z.x[:] = keep * z.reflected + (1.0 - keep) * z.anchor_x
            if self.stop():
                break
        return float(np.sqrt(max(residual, 0.0)))

    def _lane(self, lane: int, slopes: Real, keep: float, last: bool) -> float:
        """Pass over the rows of a lane; their share of the squared residual if it is the last."""
        arrays, z = self.arrays, self.z
        rows = slice(*lane_of(lane, 0, self.program.n_rows))
        part = arrays._replace(
            indptr=arrays.indptr[rows.start : rows.stop + 1],
            b=arrays.b[rows],
            weight=arrays.weight[rows],
            kind=arrays.kind[rows],
        )
        return self._passed(
            part,
            z._replace(
                dual_step=z.dual_step[rows],
                multiplier=z.multiplier[rows],
                anchor_multiplier=z.anchor_multiplier[rows],
                mapped_multiplier=z.mapped_multiplier[rows],
                slope=slopes[lane],
            ),
            keep,
            last,
        )

    def _passed(self, rows: HingeArrays, z: Iterate, keep: float, last: bool) -> float:
        before = z.multiplier.copy() if last else z.multiplier[:0]
        dual_pass(rows, z, keep, self.primal_weight)
        return dual_residual(rows, z, before, self.primal_weight) if last else 0.0

    def _set_anchor(self) -> None:
        z = self.z
        z.x[:] = z.anchor_x[:] = z.mapped_x
        z.multiplier[:] = z.anchor_multiplier[:] = z.mapped_multiplier
        z.slope[:] = self.program.A.T @ z.multiplier
        self.since_anchor = 0
        self.anchor_residual = self.last_residual = np.inf

    def _restart_if_due(self) -> None:
        fell = self.residual <= 0.4 * self.anchor_residual
        stalled = self.residual <= 0.8 * self.anchor_residual and self.residual > self.last_residual
        self.last_residual = self.residual
        if not (fell or stalled or self.since_anchor >= 0.2 * self.iteration):
            return
        moved_x = np.linalg.norm((self.z.mapped_x - self.z.anchor_x) / np.sqrt(self.primal_step))
        moved_dual = np.sqrt(self._dual_square(moved=True))
        if moved_x > 1e-12 and moved_dual > 1e-12:
            balanced = float(np.sqrt(self.primal_weight * moved_dual / moved_x))
            # Where the primal has settled the ratio runs away and the dual, hence the bound, would
            # crawl.
            self.primal_weight = min(
                max(balanced, self.first_weight / 3.0), self.first_weight * 3.0
            )
        self.restarts += 1
        if self._nears_rounding():
            self._work_in(np.float64, self.z.mapped_x, self.z.mapped_multiplier)
        else:
            self._set_anchor()

    def _nears_rounding(self) -> bool:
        single = self.precision is np.float32 and not self.stays_single
        return single and self.residual <= _SINGLE_RESIDUAL * self._norm()

    def _dual_square(self, *, moved: bool) -> float:
        """The squared length of T(z)'s multipliers, or from the anchor, by the dual steps."""
        z = self.z
        length = z.mapped_multiplier - z.anchor_multiplier if moved else z.mapped_multiplier
        return float(np.sum(length**2 / self.dual_step))

    def _norm(self) -> float:
        """The length of T(z) in the residual's norm."""
        atoms = self.primal_weight * float(np.sum(self.z.mapped_x**2 / self.primal_step))
        return float(np.sqrt(atoms + self._dual_square(moved=False) / self.primal_weight))

    def diagnostics(self) -> dict[str, object]:
        """Iterations, restarts, the last fixed-point residual and primal weight."""
        return {
            "iterations": self.iteration,
            "restarts": self.restarts,
            "fixed_point_residual": self.residual,
            "primal_weight": self.primal_weight,
        }
