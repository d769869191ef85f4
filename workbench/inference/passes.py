"""Restarted PDHG by passes over parts of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.arrays import Float, Real
from workbench.inference.lanes import LANES
from workbench.inference.pass_kernels import add_products
from workbench.inference.pdhg_kernels import Iterate
from workbench.inference.primal_dual import PrimalDual
from workbench.inference.row_parts import RowPart, StreamedProgram


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
