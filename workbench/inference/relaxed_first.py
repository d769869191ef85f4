"""The relaxation of a network of pairs, and another engine for the components that it leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np

from workbench.arrays import Float
from workbench.inference.accepts import Task
from workbench.inference.lp import LinearRelaxation
from workbench.inference.roof_duality import has_roof_dual
from workbench.inference.solution import MetaEngine, Solution, Status
from workbench.network.components import components
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import GroundNetwork
from workbench.network.part import Part, part
from workbench.network.relax import priced, relax
from workbench.progress import Conduct

SHARE = 1 / 4
"""Of the time left, what the relaxation may take."""


@dataclass(frozen=True)
class RelaxedFirst(MetaEngine):
    """MAP by one maximum flow, where rows are pairs; and by another engine where that is no proof.

    The relaxation's values are 0, 1/2 and 1, and some state of least energy agrees with it wherever
    they are not 1/2 (persistency). A component without any 1/2 is done; the others are `engine`'s,
    if the state rounded from the relaxation is not proven by its bound anyway. The answer's name,
    figures and status are those of the engine that gave it.

    Parameters
    ----------
    engine : Engine
        Of most probable states.

    References
    ----------
    Hammer, Hansen & Simeone 1984, Roof duality, complementation and persistency in quadratic 0-1
    optimization.
    """

    task: ClassVar[Task] = "map"

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Relax the whole, and give what is left to the other engine."""
        relaxation = LinearRelaxation()
        if relaxation.declines(network, weights) is not None:
            return self.engine.infer(network, weights, conduct, start)
        if not has_roof_dual(relax(*priced(network, weights))):
            return self.engine.infer(network, weights, conduct, start)
        within = replace(conduct, deadline=conduct.share(SHARE))
        relaxed = relaxation.infer(network, weights, within, start)
        if relaxed.status is Status.LIMIT and not conduct.over:
            return self.engine.infer(network, weights, conduct, relaxed.values)
        if relaxed.status is not Status.FEASIBLE:
            return replace(relaxed, reason=f"the whole was relaxed first; {relaxed.reason}")
        left, begin = _left(network, relaxed)
        found = self.engine.infer(left.problem, weights, conduct, left.reduce(begin))
        if found.status is Status.INFEASIBLE:
            return self.engine.infer(network, weights, conduct, start)
        return _joined(network, weights, relaxed, found, left, begin)


def _left(network: GroundNetwork, relaxed: Solution) -> tuple[Part[GroundNetwork], Float]:
    """The components that the relaxation leaves, and the state that it found of all atoms."""
    values = cast(Float, relaxed.diagnostics["relaxed"])
    of_atom = components(network).of_atom
    open_ = np.bincount(of_atom, values == 0.5)[of_atom] > 0
    return part(network, open_), np.where(open_, relaxed.values, values)


def _joined(
    network: GroundNetwork,
    weights: Float,
    relaxed: Solution,
    found: Solution,
    left: Part[GroundNetwork],
    begin: Float,
) -> Solution:
    """The answer of the whole: what is settled costs the same in every state of least energy."""
    values = left.lift(np.where(np.isnan(found.values), left.reduce(begin), found.values), begin)
    energy, violation = reported_energy(network, weights, values), hard_violation(network, values)
    bound = relaxed.bound
    if violation == 0.0:
        gap = found.energy - found.bound
        bound = min(energy, max(bound, energy - gap if np.isfinite(gap) else bound))
    settled = network.n_atoms - left.variables.size
    return replace(
        found,
        values=values,
        energy=energy,
        bound=bound,
        hard_violation=violation,
        reason=f"the relaxation settled {settled:,} atoms; {found.reason}",
    )
