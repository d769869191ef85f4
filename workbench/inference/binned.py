"""Markov logic that memory would not hold: whole components in bins, each solved by another engine;
a component that no bin holds by blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.inference.accepts import ALL, Accepts, Task, Trait, traits_of
from workbench.inference.blockwise import Blockwise, relaxation
from workbench.inference.choose import engine_for
from workbench.inference.registry import make_engine
from workbench.inference.relaxation import better, is_proven
from workbench.inference.sampling import refuse
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.network.bins import Bins, binned, release_rows
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.part import Part, Pieces
from workbench.progress import Conduct

WEAKEST = (
    Status.CANCELLED,
    Status.LIMIT,
    Status.FEASIBLE,
    Status.CONVERGED,
    Status.OPTIMAL,
    Status.EXACT,
)


@dataclass(frozen=True)
class Binned(Engine):
    """Another engine, on bins of whole components one after the other.

    No row joins two bins, so that energies and bounds are the sums of the bins'. For a most
    probable state a component that is larger than a bin is searched block by block.

    Parameters
    ----------
    engine : str
        The name of the engine of the bins, `auto` for each bin's own.
    memory : int
        Bytes that a bin may take.
    parameters : mapping
        Of that engine.
    """

    accepts: ClassVar[Accepts] = Accepts({Domain.BOOLEAN: ALL}, bound=True)

    engine: str
    memory: int
    task: Task = "map"
    parameters: Mapping[str, object] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The other engine's."""
        return "an engine for each part" if self.engine == "auto" else self.engine

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """What the other engine declines by its rows; more may come up in a bin."""
        if self.engine == "auto":
            return None
        return make_engine(self.engine, self.task).accepts.why_not(network, weights)

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Pack, solve every bin, and sum."""
        conduct.progress.step("components", 0.0)
        bins = binned(network, weights, self.memory)
        return _Course(self, network, weights, bins, conduct, start).run()


@dataclass
class _Course:
    """One run of `Binned`: what is known so far."""

    how: Binned
    network: GroundNetwork
    weights: Float
    bins: Bins
    conduct: Conduct
    start: Float | None
    engines: Counter[str] = field(default_factory=Counter)
    statuses: set[Status] = field(default_factory=set)
    n_blocks: int = 0

    def run(self) -> Solution:
        network, bins = self.network, self.bins
        large = np.flatnonzero(bins.size > self.how.memory)
        if large.size and self.how.task == "marginal":
            most = bins.atoms(int(large[0])).size
            refuse(f"{most:,} of its atoms hang together, more than --memory holds", "auto")
        self.pieces = Pieces(network, self.weights)
        concave = Trait.CONCAVE in traits_of(network, self.weights)
        self.floor = -np.inf if concave else 0.0
        self.values = np.zeros(network.n_atoms) if self.start is None else self.start.copy()
        if self.how.task == "marginal":
            self.values[:] = np.nan
        self.bound = 0.0
        self.conduct.offer(network, self._so_far)
        done, total = 0, int(bins.row_start[-1]) + network.n_atoms
        for number in np.flatnonzero(bins.size <= self.how.memory).tolist():
            inside, rows = bins.atoms(number), bins.rows(number)
            self.conduct.progress.report("bins", done, total, f"{number + 1} of {bins.n}")
            if self.conduct.over:
                self.statuses.add(Status(self.conduct.stopped))
                self.bound += self.floor
                continue
            size = rows.size + inside.size
            within = self.conduct.within(size / (total - done))
            clash = self._solve(self.pieces.piece(inside, rows, self.values), within)
            if clash is not None:
                return clash
            done += size
        clash = self._search(large.tolist()) if large.size else None
        return clash or self._answer()

    def _solve(self, part: Part[GroundNetwork], conduct: Conduct) -> Solution | None:
        """Solve a bin; the answer of the whole where it admits no state."""
        release_rows(self.network)
        weights = self.pieces.weights
        engine, _ = engine_for(
            part.problem, weights, self.how.task, self.how.engine, self.how.parameters
        )
        if self.how.engine != "auto":
            refuse(engine.declines(part.problem, weights), engine.name)
        begin = None if self.start is None else part.reduce(self.start)
        found = engine.solve(
            part.problem, weights, seed=conduct.seed, deadline=conduct.deadline,
            progress=conduct.progress, start=begin,
        )  # fmt: skip
        if found.status is Status.INFEASIBLE:
            clash = None if found.conflict is None else part.rows[found.conflict]
            return infeasible(found.engine, self.network, clash)
        self.values[part.variables] = found.values
        self.bound += max(found.bound, self.floor)
        self.engines[found.engine] += 1
        self.statuses.add(found.status)
        return None

    def _search(self, large: list[int]) -> Solution | None:
        """Search the components that no bin holds, block by block, from the relaxation of all;
        the answer where that admits no point.
        """
        how = self.how
        relaxed, bound = None, -np.inf
        if self.floor == 0.0:
            relaxed = relaxation(self.network, self.weights, how.memory, self.conduct.within(0.5))
            bound = relaxed.bound
            if relaxed.status is Status.INFEASIBLE:
                return infeasible(relaxed.engine, self.network, relaxed.conflict)
        for place, number in enumerate(large):
            atoms, rows = self.bins.atoms(number), self.bins.rows(number)
            if self.start is None and relaxed is not None:
                rounded = self.values.copy()
                rounded[atoms] = relaxed.values[atoms] >= 0.5
                self.values = better(self.network, self.weights, rounded, self.values)
            blocks = Blockwise(self.pieces, how.engine, how.parameters, self.how.memory)
            within = self.conduct.within(1 / (len(large) - place))
            self.n_blocks += blocks.improve(self.values, atoms, rows, within)
            self.bound += self.floor
        self.bound = max(self.bound, bound - self.pieces.constant)
        self.engines["streamed"] += relaxed is not None
        self.statuses.add(Status(self.conduct.stopped) if self.conduct.over else Status.FEASIBLE)
        return None

    def _so_far(self) -> tuple[Float, float]:
        """Values, and a bound: no bin that is not solved yet costs less than the floor."""
        return self.values.copy(), self.bound + self.floor + self.pieces.constant

    def _answer(self) -> Solution:
        network, weights, values = self.network, self.weights, self.values
        status = next((one for one in WEAKEST if one in self.statuses), Status.OPTIMAL)
        marginal = self.how.task == "marginal"
        energy = np.nan if marginal else reported_energy(network, weights, values)
        broken = 0.0 if marginal else hard_violation(network, values)
        bound = np.nan if marginal else self.bound + self.pieces.constant
        if not marginal and not broken:
            scale = network.total_weight(weights)
            if status is Status.FEASIBLE and is_proven(energy, bound, scale):
                status = Status.OPTIMAL
            bound = min(bound, energy)
        blocks = f" and {self.n_blocks:,} blocks of larger ones" if self.n_blocks else ""
        return Solution(
            status,
            values,
            energy,
            bound,
            broken,
            "+".join(sorted(self.engines)) or "none",
            f"{self.bins.n_components:,} components solved in {self.bins.n:,} bins{blocks}",
            diagnostics={
                "components": self.bins.n_components,
                "bins": self.bins.n,
                "blocks": self.n_blocks,
            },
        )
