"""MAP by reweighted messages between tables; branch and bound where that leaves a gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float, Int64
from workbench.errors import Cancelled
from workbench.inference.accepts import ALL, Accepts
from workbench.inference.conflict import smallest_conflict
from workbench.inference.elimination_order import joined_components, variables
from workbench.inference.lp import local_search
from workbench.inference.propagation import propagate
from workbench.inference.relaxation import is_proven
from workbench.inference.sampling import refuse
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.inference.table_search import TableSearch
from workbench.network.compiled import interpreted
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import BlockKind, Domain, GroundNetwork
from workbench.network.layout import Layout, lay_out
from workbench.progress import Conduct, remaining

TOGETHER = 2**26
"""Entries of the tables of all rows, counted one by one, that memory is taken for."""
SWEEPS = 100
"""About as many sweeps each component takes before its search."""


@dataclass(frozen=True)
class MessagePassing(Engine):
    """Branch and bound over messages between tables, component by component.

    Rows over the same atoms and blocks are one table, a block one variable of many values. Messages
    are passed there and back until the bound hardly grows; it is that of the local polytope, which
    over tables of many entries is far tighter than a relaxation of their clauses one by one. Then
    values are ruled out, and the most doubtful variable is branched on, depth first.

    Parameters
    ----------
    tolerance : float
        Sweeps end where two gain less than this share of the bound.
    max_nodes : int, optional
        Nodes of the search in each component.
    entries : int
        Most entries of a table.

    References
    ----------
    Kolmogorov 2015, "A new look at reweighted message passing".
    """

    name: ClassVar[str] = "messages"
    task: ClassVar[Literal["map", "marginal"]] = "map"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: ALL},
        bound=True,
        unless="rows over too many atoms, or too many rows",
        suits="tables over blocks and atoms, many rows to a table; any rows over few atoms",
    )

    tolerance: float = 1e-6
    max_nodes: int | None = None
    entries: int = 2**12

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """Also rows whose tables have too many entries, one or all."""
        refused = super().declines(network, weights)
        if refused is not None:
            return refused
        row, _, bits = row_variables(self._laid_out(network, weights))
        sizes = 2.0 ** np.bincount(row, bits)
        if sizes.max(initial=0.0) > self.entries:
            return f"a row's table has {sizes.max():.3g} entries, more than {self.entries}"
        if sizes.sum() > TOGETHER:
            return f"the rows' tables have {sizes.sum():.3g} entries, more than {TOGETHER}"
        return None

    def _laid_out(self, network: GroundNetwork, weights: Float) -> Layout:
        layout = lay_out(network, weights)
        return layout._replace(fixed=propagate(layout, network).fixed)

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """A state of least energy with proof, or the best found with a bound when time runs out."""
        refuse(self.declines(network, weights), self.name)
        layout = lay_out(network, weights)
        forced = propagate(layout, network)
        if forced.conflict is not None:
            return infeasible(self.name, network, forced.conflict, forced.conflict_blocks)
        layout = layout._replace(fixed=forced.fixed)
        return self._search(network, weights, layout, conduct, start)

    def _search(
        self,
        network: GroundNetwork,
        weights: Float,
        layout: Layout,
        conduct: Conduct,
        start: Float | None,
    ) -> Solution:
        """As `infer` does, on a layout whose forced atoms are fixed."""
        values = np.where(layout.fixed < 0, layout.field > 0, layout.fixed == 1).astype(np.float64)
        parts: list[TableSearch] = []

        def found() -> tuple[Float, float]:
            for part in parts:
                part.write(values)
            state = layout.lift(values)
            gap = sum(part.gap for part in parts) if len(parts) == components.size else np.inf
            return state, reported_energy(network, weights, state) - gap

        components = _undecided(layout)
        conduct.offer(network, found)
        nodes, status = 0, Status.FEASIBLE
        try:
            for component in components.tolist():
                conduct.progress.step("messages", len(parts), components.size)
                parts.append(TableSearch(layout, variables(layout, component), conduct))
                with interpreted(SWEEPS * parts[-1].entries, remaining(conduct.deadline)):
                    parts[-1].relax(self.tolerance)
            self._polish(network, weights, layout, parts, start, found()[0], conduct.within(1 / 4))
            for done, part in enumerate(parts):
                conduct.progress.step("branch and bound", done, len(parts))
                nodes += part.search(self.max_nodes)
        except Cancelled:
            status = Status(conduct.stopped)
        if any(part.is_infeasible for part in parts):
            return infeasible(self.name, network, smallest_conflict(network, conduct=conduct))
        state, bound = found()
        energy, violation = reported_energy(network, weights, state), hard_violation(network, state)
        scale = float(np.abs(layout.weight).sum() + np.abs(layout.field).sum())
        if violation == 0.0 and is_proven(energy, bound, scale):
            status = Status.OPTIMAL
        elif violation > 0.0 and status is Status.FEASIBLE:
            status = Status.LIMIT
        return Solution(
            status,
            state,
            energy,
            bound,
            violation,
            self.name,
            _reason(status, nodes),
            diagnostics={"nodes": nodes, "components": len(parts)},
        )

    def _polish(
        self,
        network: GroundNetwork,
        weights: Float,
        layout: Layout,
        parts: list[TableSearch],
        start: Float | None,
        state: Float,
        conduct: Conduct,
    ) -> None:
        """Where the bound leaves a gap, improve the state by local search, from `start` too."""
        if not any(part.gap > 0.0 for part in parts):
            return
        tried = [local_search(network, weights, state, conduct)]
        for one in tried if start is None else (*tried, start):
            for part in parts:
                part.read(layout.reduce(one))


def row_variables(layout: Layout) -> tuple[Int64, Int64, Float]:
    """The rows' variables: the row of each, the variable (an atom, or a block after all atoms), and
    the logarithm of its number of values. Time: sorting the entries.
    """
    free = layout.fixed[layout.row_atom] < 0
    row = np.repeat(np.arange(layout.n_rows), np.diff(layout.row_ptr))[free]
    atom = layout.row_atom[free].astype(np.int64)
    block = layout.block_of[atom]
    variable = np.where(block < 0, atom, layout.n_atoms + block)
    n_variables = layout.n_atoms + layout.block_ptr.size
    entry = row * n_variables + variable
    if np.any(entry[1:] <= entry[:-1]):
        entry = np.unique(entry)
    row, variable = np.divmod(entry, n_variables)
    values = np.diff(layout.block_ptr) + (layout.block_kind == BlockKind.AT_MOST_ONE)
    bits = np.concatenate((np.ones(layout.n_atoms), np.log2(np.maximum(values, 1))))
    return row, variable, bits[variable]


def _undecided(layout: Layout) -> Int64:
    """Components with rows or blocks, but for those whose atoms are all known."""
    joined = joined_components(layout)
    free = np.concatenate(([0], np.cumsum(layout.fixed < 0)))
    return joined[np.diff(free[layout.atom_start])[joined] > 0]


def _reason(status: Status, nodes: int) -> str:
    match status:
        case Status.OPTIMAL if nodes == 0:
            return "the messages' bound meets the state"
        case Status.OPTIMAL:
            return f"branch and bound, {nodes:,} nodes"
        case Status.FEASIBLE:
            return f"the search ended after {nodes:,} nodes"
    return f"stopped at node {nodes:,} of the search"
