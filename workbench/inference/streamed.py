"""Soft logic that memory would not hold, by passes over rows in files, with its bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from workbench.arrays import Float, Real
from workbench.inference.accepts import CONVEX, Accepts
from workbench.inference.convex_solution import FirstOrder, Iterates, Recorder
from workbench.inference.lanes import LANES
from workbench.inference.pdhg_kernels import Iterate
from workbench.inference.primal_dual import PrimalDual
from workbench.inference.row_parts import RowPart, StreamedProgram, add_products, streamed_program
from workbench.mapped import ROWS_AT_ONCE
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.hinge_problem import HingeProblem
from workbench.parameters import Count


class PassingPrimalDual(PrimalDual):
    """`PrimalDual` over a `StreamedProgram`: an iteration is a pass over parts, on threads."""

    stays_single = True
    many_rows = 0

    def __init__(self, program: StreamedProgram, **settings: Any) -> None:
        self.parts, self.passing = program.parts, program.passing
        super().__init__(program, **settings)

    def _lane(self, lane: int, slopes: Real, keep: float, last: bool) -> float:
        """The program's own rows of a lane, then every second part."""
        residual = super()._lane(lane, slopes, keep, last)
        for part in self.passing(self.parts[lane::LANES]):
            residual += self._passed(part.rows, self._of(part, slopes[lane]), keep, last)
        return residual

    def _of(self, part: RowPart, slope: Real) -> Iterate:
        return self.z._replace(
            dual_step=part.dual_step,
            multiplier=part.multiplier,
            anchor_multiplier=part.anchor,
            mapped_multiplier=part.mapped,
            slope=slope,
        )

    def _set_anchor(self) -> None:
        super()._set_anchor()
        for part in self.passing(self.parts):
            part.multiplier[:] = part.anchor[:] = part.mapped
            add_products(part.rows, part.multiplier, self.z.slope)

    def _dual_square(self, *, moved: bool) -> float:
        own = super()._dual_square(moved=moved)
        for part in self.passing(self.parts):
            length = part.mapped - part.anchor if moved else part.mapped
            own += float(np.sum(length * length / part.dual_step, dtype=np.float64))
        return own

    def _polish(self, x: Float, multiplier: Float) -> None:
        """Nothing: exact steps of one row at a time want the columns of the whole matrix."""

    def diagnostics(self) -> dict[str, object]:
        """As of `PrimalDual`, and how many parts there are."""
        return super().diagnostics() | {"parts": len(self.parts)}


@dataclass(frozen=True)
class Streamed(FirstOrder):
    """PDHG as in `pdhg`, a part of the soft rows at a time, in single precision.

    Atoms, hard rows and blocks are held in memory; each soft row's weight and multipliers lie in
    files, and its literals where the network has them. Every part adds its share to the dual bound.

    Parameters
    ----------
    tolerance : float
        Relative gap between energy and dual bound that counts as solved.
    check_every : int
        Passes between checks of energy, bound and restarts; a check costs two more.
    memory : int, optional
        Bytes of the rows' files that may stay in memory from pass to pass; None for all of them.
    rows_at_once : int
        Rows of a part.

    References
    ----------
    As `pdhg`. Srinivasan, Augustine & Getoor 2020, "Tandem Inference" (AAAI), solves such problems
    from disk without a bound.
    """

    name: ClassVar[str] = "streamed"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.UNIT: CONVEX},
        bound=True,
        suits="soft logic whose rows do not fit in memory; `auto`'s choice where `--memory` put "
        "them on disk",
    )

    tolerance: float = 1e-3
    max_iterations: int = 20_000
    check_every: Count = 20
    memory: int | None = None
    rows_at_once: Count = ROWS_AT_ONCE

    def problem(self, network: GroundNetwork, weights: Float) -> StreamedProgram:
        """Its soft rows in files, O(atoms) in memory."""
        return streamed_program(network, weights, self.memory, self.rows_at_once)

    def iterates(self, problem: HingeProblem, start: Float | None, recorder: Recorder) -> Iterates:
        """O(nonzeros) time a pass."""
        assert isinstance(problem, StreamedProgram)
        conduct = recorder.conduct
        how: Any = {
            "max_iterations": self.max_iterations,
            "check_every": self.check_every,
            "note": recorder.note,
        }
        return PassingPrimalDual(problem, start=start, stop=lambda: conduct.over, **how)
