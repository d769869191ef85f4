"""A convex engine for 0/1 states: its optimum over [0, 1], rounded with its bound kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from workbench.arrays import Float
from workbench.inference.accepts import RELAXABLE, Accepts
from workbench.inference.lp import local_search
from workbench.inference.relaxation import better, is_proven
from workbench.inference.rounding import round_state
from workbench.inference.solution import Engine, Solution, Status
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.progress import Conduct

NEAR = 1e-3
"""How near 0 or 1 a value counts as integral: interior points stop short of corners."""


@dataclass(frozen=True)
class Rounded(Engine):
    """Solve the relaxation by `engine`, round by ROUNDUP, repair what breaks hard rows.

    The hinge energy over [0, 1], rows of negative weight rewritten, is the linear relaxation of the
    discrete one, so the engine's bound holds for the rounded state too.

    Parameters
    ----------
    engine : Engine
        A MAP engine over [0, 1].
    """

    engine: Engine
    task: ClassVar[Literal["map", "marginal"]] = "map"
    accepts: ClassVar[Accepts] = Accepts({Domain.BOOLEAN: RELAXABLE}, bound=True)

    @property
    def name(self) -> str:
        """The engine's."""
        return self.engine.name

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """A 0/1 state, the relaxation's bound, and an honest status."""
        unit = replace(network, domain=Domain.UNIT)
        relaxed = self.engine.infer(unit, weights, conduct, start)
        if relaxed.status is Status.INFEASIBLE:
            return relaxed
        # Auxiliary variables of negative weights follow the atoms.
        inside = relaxed.values[: network.n_atoms]
        values = better(
            network,
            weights,
            round_state(network, weights, inside, tolerance=NEAR),
            round_state(network, weights, inside, method="conditional"),
        )
        if hard_violation(network, values):
            repaired = local_search(network, weights, values, conduct)
            values = better(network, weights, repaired, values)
        energy = reported_energy(network, weights, values)
        violation = hard_violation(network, values)
        scale = network.total_weight(weights)
        proven = violation == 0.0 and is_proven(energy, relaxed.bound, scale)
        stopped = relaxed.status in (Status.LIMIT, Status.CANCELLED)
        return replace(
            relaxed,
            status=Status.OPTIMAL
            if proven
            else relaxed.status
            if stopped
            else Status.LIMIT
            if violation
            else Status.FEASIBLE,
            values=values,
            energy=energy,
            bound=energy if proven else relaxed.bound,
            hard_violation=violation,
            reason=f"rounded from the relaxation ({relaxed.reason})",
            diagnostics={**relaxed.diagnostics, "relaxed_energy": relaxed.energy},
        )


def fitted(engine: Engine, network: GroundNetwork) -> Engine:
    """The engine for a network's atoms: one over [0, 1] is rounded to 0/1 states."""
    if (
        engine.task == "map"
        and network.domain is Domain.BOOLEAN
        and Domain.BOOLEAN not in engine.accepts.takes
    ):
        return Rounded(engine)
    return engine
