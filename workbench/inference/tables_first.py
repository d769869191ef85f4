"""Messages between tables where these hold many rows, and another engine where they leave a gap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.inference.accepts import Task
from workbench.inference.lp import LinearRelaxation
from workbench.inference.message_passing import MessagePassing, row_variables
from workbench.inference.relaxation import rank
from workbench.inference.roof_duality import has_roof_dual
from workbench.inference.solution import MetaEngine, Solution, Status
from workbench.network.ground_network import GroundNetwork
from workbench.network.layout import lay_out
from workbench.network.relax import priced, relax
from workbench.progress import Conduct

_NODES = 1_000
"""Nodes of branch and bound a component: by time, answers would depend on the machine."""
_ROWS = 1.5
"""Rows a table, on average, from which on their bound is tighter together than one by one."""
_PAIRS = 2.5
"""The same where all rows are pairs of positive weight."""
_ENTRIES = 200_000
"""Entries of the rows of the largest network that is looked at so."""


@dataclass(frozen=True)
class TablesFirst(MetaEngine):
    """MAP by messages, and by another engine from the state found where that is not proven.

    The answer's bound is the better of both; its name, figures and status are those of the engine
    that ended.

    Parameters
    ----------
    engine : Engine
        Of most probable states.
    """

    task: ClassVar[Task] = "map"

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Pass messages first, and go on from their state."""
        messages = MessagePassing(max_nodes=_NODES)
        found = messages.infer(network, weights, conduct.within(1 / 2), start)
        proven = found.status in (Status.OPTIMAL, Status.INFEASIBLE)
        if proven or conduct.over:
            return found
        rest = self.engine.infer(network, weights, conduct, found.values)
        if rest.status is Status.INFEASIBLE:
            return rest
        best = min(rest, found, key=lambda one: rank(network, weights, one.values))
        bound = max(rest.bound, found.bound)
        return replace(
            rest,
            values=best.values,
            energy=best.energy,
            hard_violation=best.hard_violation,
            bound=min(bound, best.energy) if best.hard_violation == 0.0 else bound,
        )


def is_tabular(network: GroundNetwork, weights: Float) -> bool:
    """Whether rows share their atoms and blocks, some together, so that tables hold several.

    Where rows are pairs of positive weight, a maximum flow has the same bound for two of them (an
    equivalence), and sooner.
    """
    if network.A.nnz > _ENTRIES or MessagePassing().declines(network, weights) is not None:
        return False
    held = _rows_a_table(network, weights)
    if held < _ROWS or held >= _PAIRS:
        return held >= _ROWS
    return LinearRelaxation().declines(network, weights) is not None or not has_roof_dual(
        relax(*priced(network, weights))
    )


def _rows_a_table(network: GroundNetwork, weights: Float) -> float:
    """Rows of several variables to a table, on average."""
    layout = lay_out(network, weights)
    row, variable, _ = row_variables(layout)
    # Rows over the same variables have the same sum of random numbers, others nearly never.
    of_variable = np.random.default_rng(0).random(layout.n_atoms + layout.block_ptr.size)
    sums = np.bincount(row, of_variable[variable], layout.n_rows)
    several = np.bincount(row, minlength=layout.n_rows) > 1
    tables = np.unique(sums[several].round(9)).size
    return float(np.count_nonzero(several) / max(tables, 1))
