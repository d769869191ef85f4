"""Block coordinate descent for squared hinges: exact steps, no step size, always feasible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.arrays import Float, Int64
from workbench.inference.accepts import CONVEX, Accepts, Trait
from workbench.inference.componentwise import Componentwise
from workbench.inference.convex_solution import FirstOrder, Iterates, Recorder
from workbench.inference.coordinate_kernels import Descent, descend
from workbench.inference.feasible_point import make_feasible
from workbench.inference.folding import fold
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.hinge_problem import HingeProblem, RowKind
from workbench.network.relax import relax
from workbench.parameters import Count


@dataclass(frozen=True)
class BlockCoordinateDescent(FirstOrder):
    """Minimise over one atom, or one simplex of atoms, at a time (squared hinges only).

    An atom's step is exact; a simplex's step minimises a separable quadratic above the energy,
    exact where its members share no row. Every iterate is feasible and the energy never rises. The
    bound comes from the potentials' own derivatives. Converges fast where atoms have strong priors
    of their own, slowly along chains.

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
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.UNIT: CONVEX - {Trait.LINEAR}},
        bound=True,
        unless="hard rows other than bounds of one atom and disjoint sums",
        suits="atoms with strong priors of their own",
    )

    tolerance: float = 1e-4
    max_iterations: int = 20_000
    check_every: Count = 6

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """Also hard rows that are neither bounds nor disjoint simplexes."""
        return super().declines(network, weights) or _declines_program(
            fold(relax(network, weights))
        )

    def iterates(self, problem: HingeProblem, start: Float | None, recorder: Recorder) -> Iterates:
        """O(nonzeros) time a sweep."""
        return _Descent(self, problem, start, recorder)


def _declines_program(program: HingeProblem) -> str | None:
    if np.any(program.kind >= RowKind.AT_MOST):
        return (
            "some hard rules are neither bounds of one atom nor disjoint sums of at most a constant"
        )
    return None


class _Descent(Componentwise):
    """The mutable state of one run."""

    def __init__(
        self,
        parameters: BlockCoordinateDescent,
        original: HingeProblem,
        start: Float | None,
        recorder: Recorder,
    ) -> None:
        super().__init__(parameters, original, recorder)
        program, self.columns = self.program, self.program.columns()
        begin = (
            np.full(program.n, 0.5)
            if start is None
            else self.partition.reduce(np.nan_to_num(start, nan=0.5))
        )
        feasible = make_feasible(program, begin)
        x = begin if feasible is None else feasible
        # A step of a simplex moves all members at once; a row over m of them feels up to m times
        # its curvature.
        shared = self._members_of_a_block_in_a_row()
        curvature = program.A.power(2).T @ (2.0 * program.weight * shared)
        # Any curvature above the true one is sound; atoms without a row get a small one of the same
        # units.
        least = 1e-3 * max(float(curvature.sum()) / max(1, curvature.size), 1e-9)
        self.state = Descent(
            curvature=np.maximum(curvature, least),
            x=x,
            slope=np.zeros(program.n),
            ell=program.b + program.A @ x,
            multiplier=np.zeros(program.n_rows),
            scratch=np.zeros((2, program.widest_block)),
            figures=np.zeros((self.partition.n_components, 4)),
        )
        self.figures, self.x = self.state.figures, x

    def _members_of_a_block_in_a_row(self) -> Float:
        """The most atoms of one block in each row, at least 1; shape (n_rows,)."""
        program = self.program
        row = np.repeat(np.arange(program.n_rows), np.diff(program.A.indptr))
        block = self.arrays.block_of[program.A.indices]
        inside = block >= 0
        pair, count = np.unique(
            row[inside] * np.int64(max(program.n_blocks, 1)) + block[inside], return_counts=True
        )
        most = np.ones(program.n_rows)
        np.maximum.at(most, pair // max(program.n_blocks, 1), count)
        return most

    def advance(self, active: Int64) -> tuple[float, ...]:
        """See `Componentwise.advance`."""
        descend(
            self.arrays,
            self.columns,
            self.partition.starts,
            active,
            self.state,
            self.engine.check_every // 2,
        )
        return ()

    def diagnostics(self) -> dict[str, object]:
        """Sweeps and components."""
        return {"sweeps": self.iteration, "components": self.partition.n_components}
