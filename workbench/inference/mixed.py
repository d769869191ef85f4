"""Marginals exactly where components are narrow, by sampling where they are wide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.inference.accepts import Task
from workbench.inference.exact import Exact
from workbench.inference.solution import MetaEngine, Solution, Status, infeasible
from workbench.network.ground_network import GroundNetwork
from workbench.network.part import Part, part
from workbench.progress import Conduct


@dataclass(frozen=True)
class Mixed(MetaEngine):
    """A sampler for components too wide for elimination, and elimination for the others.

    The answer's name, status and figures are the sampler's; `diagnostics["exact_atoms"]` says how
    many atoms it left.

    Parameters
    ----------
    engine : Engine
        A sampler of marginals.
    """

    task: ClassVar[Task] = "marginal"

    exact: Exact

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Marginal probabilities; `seed` and `start` are for the sampler."""
        narrow = self.exact.narrow(network, weights)
        inside, rest = part(network, narrow), part(network, ~narrow)
        known = self.exact.infer(inside.problem, weights, conduct)
        if known.status is Status.INFEASIBLE:
            return _clash(known, inside, network)
        begin = None if start is None else rest.reduce(start)
        sampled = self.engine.infer(rest.problem, weights, conduct, begin)
        if sampled.status is Status.INFEASIBLE:
            return _clash(sampled, rest, network)
        exact = inside.lift(known.values, np.empty(network.n_atoms))
        n_exact, n_sampled = inside.variables.size, rest.variables.size
        figures: dict[str, object] = {**sampled.diagnostics, "exact_atoms": n_exact}
        if "raw_probability" in figures:
            figures["raw_probability"] = rest.lift(np.asarray(figures["raw_probability"]), exact)
        stopped = known.status in (Status.LIMIT, Status.CANCELLED)
        return replace(
            sampled,
            status=known.status if stopped else sampled.status,
            values=rest.lift(sampled.values, exact),
            reason=f"exact on {n_exact:,} atoms in narrow components, {n_sampled:,} sampled: "
            f"{sampled.reason}",
            diagnostics=figures,
        )


def _clash(solution: Solution, inside: Part[GroundNetwork], network: GroundNetwork) -> Solution:
    """A part's contradiction as the whole network's."""
    return infeasible(
        solution.engine,
        network,
        None if solution.conflict is None else inside.rows[solution.conflict],
    )
