"""Consensus ADMM for MAP in hinge-loss MRFs: each potential, hard row, simplex in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.arrays import Float, Int64
from workbench.inference.accepts import CONVEX, Accepts
from workbench.inference.admm_kernels import (
    AdmmState,
    Balance,
    advance,
    average,
    conclude,
    sweep_rows,
)
from workbench.inference.componentwise import Componentwise
from workbench.inference.convex_solution import FirstOrder, Recorder, Reweighable
from workbench.inference.lanes import LANES, MANY_ROWS, Lanes, lane_of
from workbench.network.ground_network import Domain
from workbench.network.hinge_problem import HingeProblem, RowKind
from workbench.parameters import Count, Positive


@dataclass(frozen=True)
class ADMM(FirstOrder):
    """Consensus optimisation by alternating directions (ADMM; Bach et al. 2017, section 5).

    Every row keeps copies of its atoms; an iteration updates all copies in closed form, averages
    them and projects the averages onto box and simplexes. Connected components stop one by one,
    each when its own primal and dual objectives meet.

    Parameters
    ----------
    tolerance : float
        Relative gap between energy and dual bound that counts as solved.
    penalty : float or None
        The augmented Lagrangian's penalty; None derives it from the mean weight.
    relaxation : float
        Over-relaxation, in (0, 2).
    adaptive : bool
        Balance each component's primal and dual residuals during the first checks.
    check_every : int
        Iterations between checks of energy, bound and residuals.
    finish : bool
        Let an exact solver end a small problem that is not solved within `max_iterations`; `auto`
        does.
    """

    name: ClassVar[str] = "admm"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.UNIT: CONVEX},
        bound=True,
        suits="soft logic with squared hinges; `auto`'s choice there",
    )

    tolerance: float = 1e-4
    max_iterations: int = 20_000
    penalty: Positive | None = None
    relaxation: Positive = 1.7
    adaptive: bool = True
    check_every: Count = 20
    finish: bool = False

    def iterates(
        self, problem: HingeProblem, start: Float | None, recorder: Recorder
    ) -> Reweighable:
        """O(local copies) time an iteration."""
        return _Sweeps(self, problem, start, recorder)


class _Sweeps(Componentwise):
    """The mutable state of one ADMM run."""

    def __init__(
        self,
        parameters: ADMM,
        original: HingeProblem,
        start: Float | None,
        recorder: Recorder,
    ) -> None:
        super().__init__(parameters, original, recorder)
        self.parameters, program, self.lanes = parameters, self.program, Lanes()
        norm = np.asarray(program.A.multiply(program.A).sum(axis=1)).ravel()
        self.norm = np.where(norm == 0.0, 1.0, norm)
        self.degree = np.bincount(program.A.indices, minlength=program.n).astype(np.float64)
        self._begin(start)

    def begin_again(self, problem: HingeProblem, start: Float | None, recorder: Recorder) -> None:
        """See `Reweighable.begin_again`."""
        self.reweigh(problem, recorder)
        self._begin(start)

    def _begin(self, start: Float | None) -> None:
        program, degree = self.program, self.degree
        n, n_components = program.n, self.partition.n_components
        middle = np.where(program.cost > 0.0, program.lower, program.upper)
        middle = np.where(program.cost == 0.0, 0.5 * (program.lower + program.upper), middle)
        touched = (degree > 0.0) | (self.arrays.block_of >= 0)
        begin = middle if start is None else np.where(touched, self.partition.reduce(start), middle)
        x = np.clip(np.nan_to_num(begin, nan=0.5), program.lower, program.upper)
        self.first_penalty = self._first_penalty()
        self.state = AdmmState(
            norm=self.norm,
            degree=degree,
            penalty=np.full(n_components, self.first_penalty),
            state=x[program.A.indices],
            x=x,
            total=np.zeros(n),
            before=np.zeros(n),
            multiplier=np.zeros(program.n_rows),
            scratch=np.zeros((2, program.widest_block)),
            figures=np.zeros((n_components, 5)),
        )
        self.figures, self.x = self.state.figures, self.state.x
        self.adapt = 1.5 if self.parameters.adaptive else 1.0

    def _first_penalty(self) -> float:
        if self.parameters.penalty is not None:
            return self.parameters.penalty
        soft = self.program.weight > 0.0
        mean = float(self.program.weight[soft].mean()) if np.any(soft) else 1.0
        squared = (
            float(np.mean(self.program.kind[soft] == RowKind.SQUARED)) if np.any(soft) else 0.0
        )
        return mean * (2.0 * (1.0 - squared) + 0.4 * squared)

    def advance(self, active: Int64) -> tuple[float, ...]:
        """See `Componentwise.advance`."""
        starts = self.partition.starts.row
        rows = starts[active + 1] - starts[active]
        for component in active[rows >= MANY_ROWS]:
            self._advance_by_rows(int(component))
        self._advance_by_components(active[rows < MANY_ROWS], rows[rows < MANY_ROWS])
        self.adapt = 1.0 + 0.9 * (self.adapt - 1.0)
        primal, dual = np.sqrt((self.figures[:, 3:] ** 2).sum(axis=0))
        return float(primal), float(dual)

    @property
    def _balance(self) -> Balance:
        return Balance(self.adapt, self.first_penalty / 5.0, self.first_penalty * 5.0)

    def _advance_by_components(self, active: Int64, rows: Int64) -> None:
        """The components of each lane by a thread, where they have many rows together."""
        many = int(rows.sum()) >= MANY_ROWS
        lanes = (rows.cumsum() - rows) * LANES // max(int(rows.sum()), 1) if many else 0 * rows

        def lane(number: int) -> float:
            advance(
                self.arrays,
                self.partition.starts,
                active[lanes == number],
                self.state._replace(scratch=np.empty_like(self.state.scratch)),
                self.parameters.check_every,
                self.parameters.relaxation,
                self._balance,
            )
            return 0.0

        self.lanes.sum(lane) if many else lane(0)

    def _advance_by_rows(self, c: int) -> None:
        """One component, the rows of each lane by a thread; iterations as `advance` runs them."""
        starts, run, sweeps = self.partition.starts, self.state, self.parameters.check_every
        own = slice(starts.atom[c], starts.atom[c + 1])
        totals = np.empty((LANES, self.program.n))
        primal = 0.0

        def lane(number: int) -> float:
            totals[number, own] = 0.0
            first, last = lane_of(number, starts.row[c], starts.row[c + 1])
            how = run.penalty[c], self.parameters.relaxation
            return sweep_rows(self.arrays, first, last, run, totals[number], *how)

        for sweep in range(sweeps):
            if sweep == sweeps - 1:
                run.before[own] = run.x[own]
            primal = self.lanes.sum(lane)
            run.total[own] = totals[:, own].sum(axis=0) - self.arrays.cost[own] / run.penalty[c]
            average(self.arrays, starts, c, run)
        conclude(self.arrays, starts, c, run, primal, self._balance)

    def diagnostics(self) -> dict[str, object]:
        """Iterations, components, and the last residuals."""
        primal, dual = np.sqrt((self.state.figures[:, 3:] ** 2).sum(axis=0))
        return {
            "iterations": self.iteration,
            "components": self.partition.n_components,
            "local_copies": int(self.state.state.size),
            "primal_residual": float(primal),
            "dual_residual": float(dual),
        }
