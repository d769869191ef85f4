"""A network growing by violated rows: solved where these reach, best state and bound of all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.inference.relaxation import is_proven, rank
from workbench.inference.solution import Engine, Solution, Status
from workbench.network.components import connected
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import GroundNetwork, Rows
from workbench.network.growth import extend
from workbench.network.part import part
from workbench.progress import Conduct


@dataclass
class Growing:
    """The network so far, and what is known of its least energy.

    Each answer is solved again only over the components that rows have joined since; the others
    keep their state. `open_gaps` are the atoms of a solved part and what its proof lacks: a part
    that rows touch is solved again as a whole, so that no gap counts twice.
    """

    engine: Engine
    weights: Float
    partial: GroundNetwork
    bound: float = -np.inf
    best: Float | None = None
    rounds: int = 0
    fresh: Bool | None = None
    open_gaps: list[tuple[Int64, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.began, self.first_rows = monotonic(), self.partial.n_rows
        self.relaxed: Float | None = None
        self.trace: dict[str, list[float]] = {"seconds": [], "rows": [], "energy": [], "bound": []}
        self.scale = self.partial.total_weight(self.weights)

    def solve(self, conduct: Conduct, start: Float | None) -> Solution:
        """The answer of the network so far, `start` being the last one."""
        self.rounds += 1
        fresh = None if self.rounds == 1 else self.fresh
        reached = None if fresh is None else self._reached(fresh)
        if start is None or reached is None or reached.all():
            found = self.engine.infer(self.partial, self.weights, conduct, start)
            self.open_gaps = self._lacking(np.arange(self.partial.n_atoms), found)
            self._keep_relaxed(found.diagnostics.get("relaxed"))
            return found
        piece = part(self.partial, reached)
        found = self.engine.infer(piece.problem, self.weights, conduct, start[piece.variables])
        if found.status is Status.INFEASIBLE:
            among = None if found.conflict is None else piece.rows[found.conflict]
            return replace(found, values=start, conflict=among)
        relaxed = found.diagnostics.get("relaxed")
        if relaxed is not None and self.relaxed is not None:
            self._keep_relaxed(piece.lift(np.asarray(relaxed), self.relaxed))
        self.open_gaps += self._lacking(piece.variables, found)
        return self._joined(found, piece.lift(found.values, start))

    def _reached(self, fresh: Bool) -> Bool:
        """The atoms of the components that fresh rows are in, and of the parts solved there."""
        of_atom = connected(self.partial.n_atoms, self.partial.A, self.partial.blocks.members)
        touched = np.zeros(self.partial.n_atoms, np.bool_)
        touched[of_atom[fresh]] = True
        reached: Bool = touched[of_atom]
        for atoms, _ in self.open_gaps:
            if reached[atoms].any():
                reached[atoms] = True
        self.open_gaps = [one for one in self.open_gaps if not reached[one[0]].any()]
        return reached

    def _lacking(self, atoms: Int64, found: Solution) -> list[tuple[Int64, float]]:
        if is_proven(found.energy, found.bound, self.scale):
            return []
        return [(atoms, found.energy - found.bound)]

    def _keep_relaxed(self, relaxed: object) -> None:
        self.relaxed = None if relaxed is None else np.asarray(relaxed, np.float64)

    def _joined(self, found: Solution, values: Float) -> Solution:
        """The answer of the whole from that of the part solved last."""
        energy = reported_energy(self.partial, self.weights, values)
        violation = hard_violation(self.partial, values)
        lacking = sum(gap for _, gap in self.open_gaps)
        bound = energy - lacking if violation == 0.0 and np.isfinite(lacking) else -np.inf
        status = found.status
        if status is Status.OPTIMAL and lacking:
            status = Status.FEASIBLE
        return replace(
            found,
            status=status,
            values=values,
            energy=energy,
            bound=bound,
            hard_violation=violation,
        )

    def add(self, rows: Rows, solution: Solution) -> None:
        """Take the rows that an answer violates."""
        if np.isfinite(solution.bound):
            self.bound = max(self.bound, solution.bound)
        self.extend(rows)
        state = solution.values
        if self.best is None or self._rank(state) <= self._rank(self.best):
            self.best = state
        now = monotonic() - self.began, self.partial.n_rows, self._rank(self.best)[1], self.bound
        for column, value in zip(self.trace.values(), now):
            column.append(float(value))

    def extend(self, rows: Rows) -> None:
        """Take rows into the network; the next answer is solved where they are."""
        self.partial = extend(self.partial, rows)
        self.fresh = np.zeros(self.partial.n_atoms, np.bool_)
        self.fresh[rows.A.indices] = True

    def turn_to(self, engine: Engine) -> bool:
        """Let another engine solve what is not proven; whether there is such, and it is another."""
        if engine is self.engine or not self.open_gaps:
            return False
        self.engine = engine
        self.fresh = np.zeros(self.partial.n_atoms, np.bool_)
        for atoms, _ in self.open_gaps:
            self.fresh[atoms] = True
        return True

    def _rank(self, state: Float) -> tuple[float, float]:
        return rank(self.partial, self.weights, state)

    def answer(self, name: str, status: Status, reason: str) -> Solution:
        """The best state of the course, as the answer of the engine of that name."""
        assert self.best is not None
        energy = violation = np.inf
        if status != Status.INFEASIBLE:
            energy = reported_energy(self.partial, self.weights, self.best)
            violation = hard_violation(self.partial, self.best)
        diagnostics: dict[str, object] = {
            "rounds": self.rounds,
            "rows_added": self.partial.n_rows - self.first_rows,
            "rows": self.partial.n_rows,
            "network": self.partial,
            "inner": self.engine.name,
        }
        if self.relaxed is not None:
            diagnostics["relaxed"] = self.relaxed
        return Solution(
            status,
            self.best,
            energy,
            min(self.bound, energy) if violation == 0.0 else self.bound,
            violation,
            name,
            reason,
            {column: np.array(values) for column, values in self.trace.items()},
            diagnostics,
        )
