"""Block coordinate descent for squared hinges over a box and simplexes: exact steps, no step size, always feasible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.sparse import csc_array

from workbench.arrays import Float
from workbench.inference.accepts import CONVEX, Accepts, Declared, Trait
from workbench.inference.convex_program import ConvexProgram, RowKind, convex_program
from workbench.inference.convex_solution import Point, Recorder, conclude
from workbench.inference.coordinate_kernels import descend
from workbench.inference.feasible_point import make_feasible
from workbench.inference.program_layout import lay_out
from workbench.inference.solution import Solution, Status
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.relax import relax
from workbench.progress import SILENT, Progress

__all__ = ["BlockCoordinateDescent"]


@dataclass(frozen=True)
class BlockCoordinateDescent(Declared):
    """Minimise over one atom, or one simplex of atoms, at a time (squared hinges only).

    An atom's step is exact; a simplex's step minimises a separable quadratic above the energy, exact where its
    members share no row. Every iterate is feasible and the energy never rises. The bound comes from the potentials'
    own derivatives. Converges fast where atoms have strong priors of their own, slowly along chains.

    Parameters
    ----------
    tolerance : float
        Relative gap between energy and dual bound that counts as solved.
    max_iterations : int
        Sweeps over all atoms.
    check_every : int
        Sweeps between checks of energy and bound.
    """

    name: ClassVar[str] = "bcd"
    task: ClassVar[Literal["map", "marginal"]] = "map"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.UNIT: CONVEX - {Trait.LINEAR}},
        bound=True,
        unless="hard rows other than bounds of one atom and disjoint sums",
        suits="atoms with strong priors of their own",
    )

    tolerance: float = 1e-4
    max_iterations: int = 20_000
    check_every: int = 6

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """Beside what it does not take, hard rows that are neither bounds nor disjoint simplexes."""
        return super().declines(network, weights) or _declines_program(convex_program(relax(network, weights)))

    def solve(
        self,
        network: GroundNetwork,
        weights: Float,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
        start: Float | None = None,
    ) -> Solution:
        """MAP state in [0, 1] with a dual lower bound; O(nonzeros) time a sweep. Deterministic."""
        program = convex_program(relax(network, weights))
        recorder = Recorder(deadline, progress, self.name)
        sweeps = _Descent(self, program, start, recorder)
        return conclude(
            self.name,
            network,
            program,
            sweeps.run,
            recorder,
            tolerance=self.tolerance,
            diagnostics=lambda: {"sweeps": sweeps.iteration, "components": sweeps.layout.n_components},
        )


def _declines_program(program: ConvexProgram) -> str | None:
    if np.any(program.kind >= RowKind.AT_MOST):
        return "some hard rules are neither bounds of one atom nor disjoint sums of at most a constant"
    return None


class _Descent:
    """The mutable state of one run."""

    def __init__(
        self, parameters: BlockCoordinateDescent, original: ConvexProgram, start: Float | None, recorder: Recorder
    ) -> None:
        self.parameters, self.recorder = parameters, recorder
        self.layout = lay_out(original)
        program = self.program = self.layout.problem
        self.in_block = np.zeros(program.n, np.bool_)
        self.in_block[program.block_member] = True
        begin = np.full(program.n, 0.5) if start is None else np.nan_to_num(start, nan=0.5)[self.layout.atom_order]
        feasible = make_feasible(program, begin)
        self.x = begin if feasible is None else feasible
        columns = csc_array(program.A)
        self.columns = (columns.indptr.astype(np.int32), columns.indices.astype(np.int32), columns.data)
        squares = csc_array((columns.data**2, columns.indices, columns.indptr), shape=columns.shape)
        # A step of a simplex moves all members at once; a row over m of them feels up to m times its curvature.
        shared = self._members_of_a_block_in_a_row()
        curvature = squares.T @ (2.0 * program.weight * shared)
        # Any curvature above the true one is sound; atoms without a row get a small one of the same units.
        self.curvature = np.maximum(curvature, 1e-3 * max(float(curvature.sum()) / max(1, curvature.size), 1e-9))
        self.ell = program.b + program.A @ self.x
        self.multiplier, self.slope = np.zeros(program.n_rows), np.zeros(program.n)
        self.scratch = np.zeros((2, int(np.diff(program.block_start).max(initial=0))))
        self.figures = np.zeros((self.layout.n_components, 4))
        self.best_bound = np.full(self.layout.n_components, -np.inf)
        self.iteration = 0

    def _members_of_a_block_in_a_row(self) -> Float:
        """The most atoms of one block in each row, at least 1; shape (n_rows,)."""
        program = self.program
        block_of = np.full(program.n, -1)
        block_of[program.block_member] = np.repeat(np.arange(program.n_blocks), np.diff(program.block_start))
        row = np.repeat(np.arange(program.n_rows), np.diff(program.A.indptr))
        block = block_of[program.A.indices]
        inside = block >= 0
        pair, count = np.unique(row[inside] * np.int64(max(program.n_blocks, 1)) + block[inside], return_counts=True)
        most = np.ones(program.n_rows)
        np.maximum.at(most, pair // max(program.n_blocks, 1), count)
        return most

    def run(self, tolerance: float) -> Point:
        """Sweep until every component's gap is at most `tolerance`, or a limit is met."""
        program, layout = self.program, self.layout
        stopped: Status | None = None
        active = np.arange(layout.n_components)
        while active.size and stopped is None:
            descend(
                active,
                self.parameters.check_every // 2,
                layout.atom_start,
                layout.row_start,
                layout.block_start,
                program.A.indptr.astype(np.int32),
                program.A.indices.astype(np.int32),
                program.A.data,
                *self.columns,
                program.b,
                program.weight,
                program.kind,
                program.block_start,
                program.block_member,
                program.block_right,
                program.block_exact,
                program.cost,
                program.lower,
                program.upper,
                self.in_block,
                self.curvature,
                self.x,
                self.ell,
                self.multiplier,
                self.slope,
                self.scratch,
                self.figures,
            )
            self.iteration += self.parameters.check_every
            np.maximum(self.best_bound, self.figures[:, 1], out=self.best_bound)
            energy, bound = float(self.figures[:, 0].sum()), float(self.best_bound.sum())
            total = energy + program.constant
            stopped = self.recorder.note(self.iteration, total, bound + program.constant, 0.0)
            if stopped is None and self.iteration >= self.parameters.max_iterations:
                stopped = Status.LIMIT
            share = np.diff(layout.atom_start) / max(program.n, 1)
            allowed = np.maximum(tolerance * 0.5 * (np.abs(self.figures[:, 0]) + abs(total) * share), 1e-10)
            active = np.flatnonzero(self.figures[:, 0] - self.best_bound > allowed)
            if not active.size:
                stopped = None
        x = layout.original_atoms(self.x)
        return Point(x, float(self.best_bound.sum()) + program.constant, stopped)
