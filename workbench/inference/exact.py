"""Exact marginals, MAP states and log Z of discrete networks, component by component."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.errors import Cancelled
from workbench.inference.accepts import ALL, Accepts
from workbench.inference.elimination import best_values, log_partition, marginals
from workbench.inference.elimination_order import (
    EliminationOrder,
    Variables,
    joined_components,
    plan,
    variables,
)
from workbench.inference.propagation import propagate
from workbench.inference.sampling import refuse
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import Domain, GroundNetwork, Relation
from workbench.network.layout import Layout, lay_out
from workbench.parameters import PositiveOrInfinite
from workbench.progress import Conduct


def _look(conduct: Conduct) -> None:
    """Raises where the time is up, or somebody cancelled."""
    if conduct.expired:
        raise _TimeIsUp
    if conduct.progress.cancelled:
        raise Cancelled("exact")


class _TimeIsUp(Exception):
    """The deadline has passed."""


LARGE = 200_000
"""Row entries of the largest component that elimination is planned for."""
_CHOICES = 16.0
"""Entries of tables of 0/1 variables whose best choices need no more memory than one entry."""
FEW = 20
"""Atoms of a component that is eliminated without a plan beforehand."""


@dataclass(frozen=True)
class Exact(Engine):
    """Closed form where an atom stands alone; variable elimination in the other components.

    Parameters
    ----------
    width : int
        Largest induced width, in bits: a table has at most 2^(width + 1) entries. A block is one
        variable.
    memory : int
        Most table entries held at once, of 8 bytes each: those of one component.
    together : float
        Most table entries of all components that need a plan; those beyond are declined, as far as
        the engine is asked beforehand. `auto` has other engines for them.
    sums_only : bool
        Of marginals, log Z alone: a table goes with its message, and the values are NaN.
    """

    task: Literal["marginal", "map"] = "marginal"
    width: int = 24
    memory: int = 2**27
    together: PositiveOrInfinite = np.inf
    sums_only: bool = False
    name: ClassVar[str] = "exact"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: ALL},
        bound=True,
        unless="components that are too wide",
        suits="wherever it fits: `auto` tries it first",
    )

    def narrow(self, network: GroundNetwork, weights: Float) -> Bool:
        """Whether each atom's component is narrow enough, shape (n_atoms,)."""
        layout = self._laid_out(network, weights)
        fits = np.ones(layout.n_atoms)
        for component, _ in self._refusals(layout):
            fits[layout.atom_start[component] : layout.atom_start[component + 1]] = 0.0
        return layout.lift(fits) > 0.5

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """A component too wide; finding out may take as long as planning the elimination."""
        refused = super().declines(network, weights)
        if refused is not None:
            return refused
        first = next(self._refusals(self._laid_out(network, weights)), None)
        return None if first is None else first[1]

    def _laid_out(self, network: GroundNetwork, weights: Float) -> Layout:
        layout = lay_out(network, weights)
        return layout._replace(fixed=propagate(layout, network).fixed)

    def _refusals(self, layout: Layout) -> Iterator[tuple[int, str]]:
        """Components that are too wide, and why."""
        together = 0.0
        for component in self._perhaps_wide(layout).tolist():
            planned = self._plan(layout, component)
            if isinstance(planned, str):
                yield component, planned
            elif together + planned[1].size > self.together:
                yield component, f"components need more than {self.together:.3g} table entries"
            else:
                together += planned[1].size

    def _perhaps_wide(self, layout: Layout) -> Int64:
        """Components that need a plan to tell: whatever the order, few atoms are narrow."""
        joined = joined_components(layout)
        n = np.diff(layout.atom_start)[joined]
        most = min(self.width, FEW)
        few = (n <= most) & (n * 2.0 ** np.minimum(n, most) <= self.memory)
        literals = np.diff(layout.row_ptr[layout.row_start])[joined]
        return joined[~few | (literals > LARGE)]

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Marginals with `diagnostics["log_z"]` (of `exp(-energy)`), or a least-energy state.

        Raises E0421 where a component is too wide.
        """
        layout = lay_out(network, weights)
        forced = propagate(layout, network)
        if forced.conflict is not None:
            return infeasible(self.name, network, forced.conflict, forced.conflict_blocks)
        layout = layout._replace(fixed=forced.fixed)
        joined, widest, stopped = joined_components(layout), 0.0, None
        values, log_z = self._apart(layout, joined)
        decided = layout.field[layout.fixed == 1].sum()
        log_z += float(decided - np.asarray(weights) @ network.constant)
        look = partial(_look, conduct)
        try:
            for done, component in enumerate(joined.tolist()):
                conduct.progress.step("exact", done, joined.size)
                look()
                planned = self._plan(layout, component)
                refuse(planned if isinstance(planned, str) else None, self.name)
                assert not isinstance(planned, str)
                names, order = planned
                widest = max(widest, order.width)
                part = self._eliminate(layout, names, order, look, values)
                if part == -np.inf:
                    return _clash(network, layout, component)
                log_z += part
        except _TimeIsUp:
            stopped = Status.LIMIT
        except Cancelled:
            stopped = Status.CANCELLED
        figures: dict[str, object] = {"width": widest, "components": int(joined.size)}
        if self.task == "marginal":
            figures["log_z"] = log_z if stopped is None else np.nan
        reason = "every atom stands alone: closed form"
        if joined.size:
            reason = f"variable elimination, induced width {widest:.3g}, {joined.size} components"
        solution = self._answer(network, weights, layout.lift(values), stopped, reason)
        return replace(solution, diagnostics=figures)

    def _apart(self, layout: Layout, joined: Int64) -> tuple[Float, float]:
        """The answer where each atom stands alone, and the part in `log_z` of those that do.

        Marginals of the others are unknown, the most probable state of them a first one.
        """
        fixed, field = layout.fixed, layout.field
        free = fixed < 0
        in_joined = np.repeat(
            np.isin(np.arange(layout.n_components), joined), np.diff(layout.atom_start)
        )
        log_z = float(np.logaddexp(0.0, field[free & ~in_joined]).sum())
        if self.task == "map":
            return np.where(free, field > 0, fixed == 1).astype(np.float64), log_z
        with np.errstate(over="ignore"):
            alone = np.where(in_joined, np.nan, 1.0 / (1.0 + np.exp(-field)))
        return np.where(free, alone, np.maximum(fixed, 0)), log_z

    def _eliminate(
        self,
        layout: Layout,
        names: Variables,
        order: EliminationOrder,
        look: Callable[[], None],
        values: Float,
    ) -> float:
        """Write a component's answer into `values`; its part of `log_z`."""
        if self.sums_only:
            part = log_partition(layout, names, order, look)
            values[list(names.of_atom)] = np.nan
        elif self.task == "marginal":
            probability, part = marginals(layout, names, order, look)
            values[list(probability)] = list(probability.values())
        else:
            true, part = best_values(layout, names, order, look)
            values[list(names.of_atom)] = 0.0
            values[true] = 1.0
        return part

    def _answer(
        self,
        network: GroundNetwork,
        weights: Float,
        values: Float,
        stopped: Status | None,
        reason: str,
    ) -> Solution:
        """The solution, for a reason of its own where it was stopped."""
        if stopped is not None:
            reason = "stopped before every component was solved"
        if self.task == "marginal":
            status = stopped or Status.EXACT
            return Solution(status, values, np.nan, np.nan, 0.0, self.name, reason)
        energy = reported_energy(network, weights, values)
        broken = hard_violation(network, values)
        bound = energy if stopped is None else -np.inf
        status = stopped or Status.OPTIMAL
        return Solution(status, values, energy, bound, broken, self.name, reason)

    def _plan(self, layout: Layout, component: int) -> tuple[Variables, EliminationOrder] | str:
        """Variables and order of a component, or why there is none."""
        span = (
            layout.row_ptr[layout.row_start[component + 1]]
            - layout.row_ptr[layout.row_start[component]]
        )
        if span > LARGE:
            return f"a component's rows have {span} literals, more than {LARGE}"
        names = variables(layout, component)
        order = plan(names, self.width)
        if not isinstance(order, EliminationOrder):
            size = len(names.choices)
            return (
                f"a component of {size} variables has induced width {order:.3g} or more, over "
                f"{self.width}"
            )
        held = order.held if self.sums_only else order.size
        if self.task == "map":
            held = order.held + order.size / _CHOICES
        if held > self.memory:
            return f"a component needs {held:.3g} table entries, over {self.memory}"
        return names, order


def _clash(network: GroundNetwork, layout: Layout, component: int) -> Solution:
    rows = layout.row_id[layout.row_start[component] : layout.row_start[component + 1]]
    rows = rows[rows >= 0]
    rows = np.sort(rows[network.relation[rows] != Relation.HINGE])
    return infeasible("exact", network, rows)
