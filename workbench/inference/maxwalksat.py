"""MaxWalkSAT: local search for a state of least energy, component by component."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float, Int64
from workbench.errors import Cancelled
from workbench.inference.accepts import ALL, Accepts
from workbench.inference.maxwalksat_kernels import Cooling, anneal
from workbench.inference.propagation import propagate
from workbench.inference.random_numbers import stream
from workbench.inference.search_state import Search, new_search
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.inference.watched import watched
from workbench.network.compiled import interpreted
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import Domain, GroundNetwork, Relation
from workbench.network.layout import Layout, lay_out
from workbench.parameters import Count
from workbench.progress import Conduct, remaining

SLICES = 32
BATCH = 200_000
UNWATCHED = 2_000
"""Steps that are too few to be watched while they run."""


@dataclass(frozen=True)
class MaxWalkSAT(Engine):
    """Weighted local search (Kautz, Selman and Jiang 1997) with hard rows, blocks, weights of
    either sign and cooling.

    Each step repairs an unsatisfied ground clause picked at random; a clause of negative weight is
    unsatisfied while it holds, and is repaired by making one of its true literals false. Steps that
    cost are taken with probability `exp(-cost / temperature)`; the temperature falls linearly to
    none within a try, which makes a try simulated annealing over WalkSAT's moves. `temperature=inf`
    is the plain algorithm. The best state of each connected component is kept.

    Parameters
    ----------
    flips : int or None
        Steps in all; None for `flips_per_atom` times the atoms. Components share them by size.
    tries : int
        Restarts that the steps are divided among: the first from `start` or from each atom's unit
        clauses, the others from random states.
    noise : float
        Probability that a step flips a random atom of the clause instead of the best one.
    tabu : int
        An atom is not flipped again by a greedy step for so many steps, unless that gives a new
        best state.
    temperature : float
        Of the first steps, in units of the component's mean absolute weight.
    """

    name: ClassVar[str] = "maxwalksat"
    task: ClassVar[Literal["map", "marginal"]] = "map"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: ALL},
        suits="where the others decline, or as a rival",
    )

    flips: int | None = None
    flips_per_atom: int = 200
    tries: Count = 4
    noise: float = 0.05
    tabu: int = 3
    temperature: float = 0.5

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """A state of low energy: `FEASIBLE`, or `OPTIMAL` where nothing at all is unsatisfied.

        `start` (rounded at 1/2) opens the first try, and the answer is never worse than it.
        """
        layout = lay_out(network, weights)
        with interpreted(self._visits(layout), remaining(conduct.deadline)):
            return self._infer(network, weights, layout, conduct, start)

    def _infer(
        self,
        network: GroundNetwork,
        weights: Float,
        layout: Layout,
        conduct: Conduct,
        start: Float | None,
    ) -> Solution:
        """As `infer` does, on a layout."""
        began = monotonic()
        forced = propagate(layout, network)
        if forced.conflict is not None:
            return infeasible(self.name, network, forced.conflict, forced.conflict_blocks)
        layout = layout._replace(fixed=forced.fixed)
        search = new_search(layout, stream(conduct.seed))
        trace: list[tuple[float, float, float]] = []

        def note(steps: int) -> None:
            best = reported_energy(network, weights, layout.lift(search.best))
            trace.append((monotonic() - began, float(steps), best))

        status, reason = Status.FEASIBLE, "spent its steps"
        try:
            cooling = self._cooling(layout)
            self._start(layout, search, cooling, conduct)
            if start is not None:
                search.y[:] = layout.reduce(start) >= 0.5
                cooling = cooling._replace(how=2)
                self._start(layout, search, cooling, conduct)
            ended = self._search(layout, search, cooling, conduct, note)
        except Cancelled:
            ended = False
        if not ended:
            cancelled = conduct.progress.cancelled
            status = Status.CANCELLED if cancelled else Status.LIMIT
            reason = "cancelled" if cancelled else "the time limit was reached"
        values = layout.lift(search.best)
        energy = reported_energy(network, weights, values)
        broken = hard_violation(network, values)
        bound = 0.0 if _costs_nothing_at_best(network, weights) else -np.inf
        if broken and status == Status.FEASIBLE:
            status = Status.LIMIT
            reason = f"no state that keeps all hard rows was found; {broken:.0f} are broken"
        elif not broken and energy <= bound + 1e-9 * max(1.0, float(np.abs(weights).sum())):
            status, reason, bound = Status.OPTIMAL, "no ground clause is unsatisfied", energy
        figures = {"steps": int(search.clock.sum()), "visits": int(search.visits[0])}
        return Solution(
            status, values, energy, bound, broken, self.name, reason,
            trace=dict(zip(("seconds", "steps", "energy"), np.array(trace).reshape(-1, 3).T)),
            diagnostics=figures | {"components": layout.n_components},
        )  # fmt: skip

    def _steps(self, layout: Layout) -> int:
        """Steps in all."""
        return self.flips if self.flips is not None else self.flips_per_atom * layout.n_atoms

    def _visits(self, layout: Layout) -> float:
        """Entries that all steps look at, about: those of the rows of the atoms that flip."""
        entries = layout.row_atom.size
        around = entries**2 / max(1, layout.n_atoms * layout.n_rows)
        return entries + self._steps(layout) * (2.0 + around)

    def _cooling(self, layout: Layout) -> Cooling:
        """The first try, from the fields."""
        size = np.diff(layout.atom_start)
        share = self._steps(layout) * size / max(layout.n_atoms, 1) / max(1, self.tries)
        heat = self.temperature * np.maximum(_mean_weight(layout), 1e-12)
        return Cooling(np.ceil(share).astype(np.int64), heat, self.noise, self.tabu, 0, SLICES)

    @staticmethod
    def _start(layout: Layout, search: Search, cooling: Cooling, conduct: Conduct) -> None:
        """Give all components a state, and make no steps."""
        watched(search.stop, conduct, anneal, layout, search, cooling, 0, search.cost.size, 0, 0)

    def _search(
        self,
        layout: Layout,
        search: Search,
        cooling: Cooling,
        conduct: Conduct,
        note: Callable[[int], None],
    ) -> bool:
        """All tries; whether there was time for them. Raises `Cancelled`."""
        flips, total, done = cooling.flips, self._steps(layout), 0
        for attempt in range(max(1, self.tries)):
            cooling = cooling._replace(how=1) if attempt else cooling
            for first, last, part, parts in _shares(flips):
                if conduct.expired:
                    return False
                conduct.progress.step("maxwalksat", done, total)
                steps = int(flips[first:last].sum()) // parts
                slices = (part * SLICES // parts, (part + 1) * SLICES // parts)
                work = (layout, search, cooling, first, last, *slices)
                if steps > UNWATCHED:
                    watched(search.stop, conduct, anneal, *work)
                else:
                    anneal(*work)
                done += steps
                note(done)
                if search.stop[0]:
                    conduct.progress.step("maxwalksat", done, total)
                    return False
        return True


def _mean_weight(layout: Layout) -> Float:
    """Mean absolute weight of the soft rows and fields of each component, shape (n_components,)."""
    n = layout.n_components
    row_of = np.repeat(np.arange(n), np.diff(layout.row_start))
    atom_of = np.repeat(np.arange(n), np.diff(layout.atom_start))
    size = np.abs(layout.weight)
    total = np.bincount(row_of, size, n) + np.bincount(atom_of, np.abs(layout.field), n)
    count = np.bincount(row_of, size > 0, n) + np.bincount(atom_of, layout.field != 0, n)
    return np.asarray(total / np.maximum(count, 1.0))


def _shares(flips: Int64) -> Iterator[tuple[int, int, int, int]]:
    """Runs of components, first to last, in turn; of a large one each part of its steps."""
    for first, last in _batches(flips):
        alone = last == first + 1
        parts = max(1, min(SLICES, int(flips[first]) // BATCH)) if alone else 1
        for part in range(parts):
            yield first, last, part, parts


def _batches(flips: Int64) -> list[tuple[int, int]]:
    """Runs of components of about `BATCH` steps together; a larger one alone."""
    batches: list[tuple[int, int]] = []
    running = np.cumsum(flips)
    first, before = 0, 0
    while first < flips.size:
        last = max(first + 1, int(np.searchsorted(running, before + BATCH, side="right")))
        batches.append((first, last))
        first, before = last, int(running[last - 1])
    return batches


def _costs_nothing_at_best(network: GroundNetwork, weights: Float) -> bool:
    """Whether 0 bounds the reported energy: clauses of any sign, other rows of positive weight."""
    concave = (network.effective_weights(weights) < 0) & (network.relation == Relation.HINGE)
    return not concave.any() or bool(network.clausal[concave].all())
