"""Restarted primal-dual hybrid gradient with a dual certificate: for linear hinges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from workbench.arrays import Float
from workbench.inference.accepts import CONVEX, Accepts
from workbench.inference.convex_solution import FirstOrder, Recorder, Reweighable
from workbench.inference.primal_dual import PrimalDual
from workbench.network.ground_network import Domain
from workbench.network.hinge_problem import HingeProblem
from workbench.parameters import Count


@dataclass(frozen=True)
class PDHG(FirstOrder):
    """Primal-dual hybrid gradient, Halpern-anchored, reflected and restarted.

    It treats each potential's multiplier as its dual variable, in [0, w] for linear hinges, so that
    no auxiliary variables are needed and every iterate certifies a lower bound.

    Parameters
    ----------
    tolerance : float
        Relative gap between energy and dual bound that counts as solved.
    check_every : int
        Iterations between checks of energy, bound and restarts.
    finish : bool
        Let an exact solver end a small problem that is not solved within `max_iterations`; `auto`
        does.

    References
    ----------
    Applegate et al. 2021, "Practical large-scale linear programming using primal-dual hybrid
    gradient" (restarts, primal weight); Lu & Yang 2024, "Restarted Halpern PDHG for linear
    programming" (anchoring, reflection); Pock & Chambolle 2011 (diagonal steps).
    """

    name: ClassVar[str] = "pdhg"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.UNIT: CONVEX},
        bound=True,
        suits="soft logic with many linear hinges; `auto`'s choice there",
    )

    tolerance: float = 1e-4
    max_iterations: int = 100_000
    check_every: Count = 40
    finish: bool = False

    def iterates(
        self, problem: HingeProblem, start: Float | None, recorder: Recorder
    ) -> Reweighable:
        """O(nonzeros) time an iteration."""
        how: Any = {
            "max_iterations": self.max_iterations,
            "check_every": self.check_every,
            "note": recorder.note,
            "stop": lambda: recorder.conduct.over,
        }
        return PrimalDual(problem, start=start, **how)
