"""Soft logic that memory would not hold, by passes over rows in files, with its bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from workbench.arrays import Float
from workbench.inference.accepts import CONVEX, Accepts
from workbench.inference.convex_solution import FirstOrder, Iterates, Recorder
from workbench.inference.passes import PassingPrimalDual
from workbench.inference.row_parts import StreamedProgram, streamed_program
from workbench.mapped import ROWS_AT_ONCE
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.hinge_problem import HingeProblem
from workbench.parameters import Count


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
