"""Restarted PDHG by passes over parts of the rows."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from workbench.arrays import Float
from workbench.inference.pass_kernels import add_products
from workbench.inference.pdhg import PrimalDual
from workbench.inference.pdhg_kernels import Iterate, dual_pass, dual_residual, primal_pass
from workbench.inference.row_parts import RowPart, StreamedProgram

LANES = 2
"""Threads that pass over parts, each summing apart, so that the answer's bytes are one."""


class PassingPrimalDual(PrimalDual):
    """`PrimalDual` over a `StreamedProgram`: an iteration is a pass over parts, on threads."""

    stays_single = True

    def __init__(
        self, program: StreamedProgram, *, stop: Callable[[], bool], **settings: Any
    ) -> None:
        self.parts, self.passing, self.stop = program.parts, program.passing, stop
        self.slopes = np.zeros((LANES, program.n), np.float32)
        self.threads = ThreadPoolExecutor(LANES)
        super().__init__(program, **settings)

    def _steps(self, steps: int) -> float:
        """Iterations as `halpern_steps` runs them, with the parts' multipliers among them."""
        z, done, weight = self.z, self.since_anchor, self.primal_weight
        residual = 0.0
        for iteration in range(done, done + steps):
            keep = (iteration + 1.0) / (iteration + 2.0)
            last = iteration == done + steps - 1
            before = z.multiplier.copy() if last else z.multiplier[:0]
            residual = primal_pass(self.arrays, z, weight)
            dual_pass(self.arrays, z, keep, weight)
            residual += dual_residual(self.arrays, z, before, weight) if last else 0.0
            self.slopes[:] = 0.0
            residual += sum(
                self.threads.map(self._lane, range(LANES), [keep] * LANES, [last] * LANES)
            )
            z.slope[:] += self.slopes.sum(axis=0)
            z.x[:] = keep * z.reflected + (1.0 - keep) * z.anchor_x
            if self.stop():
                break
        return float(np.sqrt(max(residual, 0.0)))

    def _lane(self, lane: int, keep: float, last: bool) -> float:
        """One thread's parts; their share of the squared residual after the `last` iteration."""
        residual = 0.0
        for part in self.passing(self.parts[lane::LANES]):
            z = self._of(part, lane)
            before = part.multiplier.copy() if last else part.multiplier[:0]
            dual_pass(part.rows, z, keep, self.primal_weight)
            residual += dual_residual(part.rows, z, before, self.primal_weight) if last else 0.0
        return residual

    def _of(self, part: RowPart, lane: int) -> Iterate:
        return self.z._replace(
            dual_step=part.dual_step,
            multiplier=part.multiplier,
            anchor_multiplier=part.anchor,
            mapped_multiplier=part.mapped,
            slope=self.slopes[lane],
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
