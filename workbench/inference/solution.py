"""What every inference engine takes and gives back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np

from workbench.arrays import Float, Int64
from workbench.errors import Cancelled
from workbench.inference.accepts import OTHER_STATES, Accepts, Task
from workbench.leaving import in_time
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.progress import SILENT, BestSoFar, Conduct, Progress
from workbench.threads import one_blas_thread

BEST_SO_FAR = "stopped with the best so far"
"""The reason of an answer that an engine had offered before it was left."""


class Status(StrEnum):
    """How an engine stopped.

    `OPTIMAL` needs proof; `FEASIBLE` is a state without one; `EXACT` and `CONVERGED` are for
    marginals.
    """

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    CONVERGED = "converged"
    EXACT = "exact"
    LIMIT = "limit"
    CANCELLED = "cancelled"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True)
class Solution:
    """An engine's answer.

    Attributes
    ----------
    values : float64 array, shape (n_atoms,)
        0/1 for an MLN's MAP state, truth values in [0, 1] for PSL, probabilities for marginals.
    energy : float
        Reported energy of `values` (see `workbench.network.energy`); NaN for marginals.
    bound : float
        A proven lower bound on the least energy; -inf when the engine has none, NaN for marginals.
    hard_violation : float
        Violated hard clauses (MLN), or the largest violation of a hard row (PSL).
    reason : str
        Why this engine, or why it stopped, in one sentence.
    trace : mapping of str to array
        Columns of equal length, such as `seconds`, `energy`, `bound`.
    diagnostics : mapping
        Engine-specific figures: flips, samples, effective sample size, R-hat, residuals, log_z.
    conflict : int array or None
        Rows of a small infeasible set, where the status is infeasible.
    """

    status: Status
    values: Float
    energy: float
    bound: float
    hard_violation: float
    engine: str
    reason: str = ""
    trace: Mapping[str, Float] = field(default_factory=dict)
    diagnostics: Mapping[str, object] = field(default_factory=dict)
    conflict: Int64 | None = None

    @property
    def gap(self) -> float:
        """`(energy - bound) / max(|energy|, 1e-9)`; infinite without a bound."""
        return (self.energy - self.bound) / max(abs(self.energy), 1e-9)


def infeasible(
    engine: str, network: GroundNetwork, rows: Int64 | None, blocks: Int64 | None = None
) -> Solution:
    """The answer where hard rows and blocks are proven to contradict each other, those known."""
    named = [f"rows {', '.join(map(str, rows.tolist()))}"] if rows is not None and rows.size else []
    named += (
        [f"blocks {', '.join(map(str, blocks.tolist()))}"]
        if blocks is not None and blocks.size
        else []
    )
    return Solution(
        Status.INFEASIBLE,
        np.full(network.n_atoms, np.nan),
        np.inf,
        np.inf,
        np.inf,
        engine,
        f"hard rules contradict each other: {' and '.join(named)}"
        if named
        else "hard rules contradict each other",
        conflict=rows,
    )


def answered(
    infer: Callable[[Conduct], Solution],
    name: str,
    task: Task,
    network: GroundNetwork,
    weights: Float,
    conduct: Conduct,
    start: Float | None = None,
) -> Solution:
    """What `infer` answers; what it has where it does not stop `in_time`.

    That is what it offered as the best so far of this network, values and a bound; else, for MAP,
    `start` or the state in which all is false.
    """
    conduct = Conduct(conduct.seed, conduct.deadline, conduct.progress, BestSoFar(network))
    try:
        with one_blas_thread():
            return in_time(conduct, infer)
    except Cancelled:
        status = Status(conduct.stopped)
    offered = conduct.best.answer
    nothing = np.full(network.n_atoms, np.nan) if task == "marginal" else np.zeros(network.n_atoms)
    values, bound = offered() if offered else (nothing if start is None else start, -np.inf)
    reason = BEST_SO_FAR if offered else "stopped before a first answer"
    if task == "marginal":
        return Solution(status, values, np.nan, np.nan, 0.0, name, reason)
    energy, violation = reported_energy(network, weights, values), hard_violation(network, values)
    bound = min(bound, energy) if violation == 0.0 else bound
    return Solution(status, values, energy, bound, violation, name, reason)


class Engine(Protocol):
    """An inference engine: a frozen dataclass of its parameters with these members."""

    @property
    def name(self) -> str:
        """By which answers say who gave them: a class attribute."""
        ...

    @property
    def task(self) -> Task:
        """What its answers are: a class attribute, or a parameter of an engine that does both."""
        ...

    @property
    def accepts(self) -> Accepts:
        """What it takes and gives, declared by the class."""
        ...

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """Why this engine cannot take the network at these weights; None when it can."""
        if self.task == "marginal" and network.domain is Domain.UNIT:
            return OTHER_STATES[Domain.UNIT]
        return self.accepts.why_not(network, weights)

    def solve(
        self,
        network: GroundNetwork,
        weights: Float,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
        start: Float | None = None,
    ) -> Solution:
        """Infer, or the best so far at `deadline` (`time.monotonic()`); `start`: (n_atoms,)."""

        def infer(conduct: Conduct) -> Solution:
            return self.infer(network, weights, conduct, start)

        conduct = Conduct(seed, deadline, progress)
        return answered(infer, self.name, self.task, network, weights, conduct, start)

    @abstractmethod
    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """What `solve` does, as each engine does it."""
        ...


@dataclass(frozen=True)
class MetaEngine(Engine):
    """An engine that has another one answer, under that one's name, what that one takes."""

    engine: Engine

    @property
    def name(self) -> str:
        """The other engine's."""
        return self.engine.name

    @property
    def accepts(self) -> Accepts:
        """The other engine's."""
        return self.engine.accepts

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """What the other engine declines."""
        return self.engine.declines(network, weights)
