"""Consensus ADMM for MAP in hinge-loss MRFs: every potential, hard row and simplex in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float, Int64
from workbench.inference.accepts import CONVEX, Accepts
from workbench.inference.admm_kernels import Consensus, advance
from workbench.inference.convex_solution import Point, Recorder, conclude
from workbench.inference.finish import finished
from workbench.inference.folding import fold
from workbench.inference.partition import partition
from workbench.inference.solution import Engine, Solution, Status
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.hinge_problem import HingeProblem, RowKind
from workbench.network.relax import relax
from workbench.parameters import Count, Positive
from workbench.progress import Conduct

__all__ = ["ADMM"]


@dataclass(frozen=True)
class ADMM(Engine):
    """Consensus optimisation by the alternating direction method of multipliers (Bach et al. 2017, section 5).

    Every row keeps copies of its atoms; an iteration updates all copies in closed form, averages them and projects the
    averages onto box and simplexes. Connected components stop one by one, each when its own primal and dual objectives
    meet.

    Parameters
    ----------
    tolerance : float
        Relative gap between energy and dual bound that counts as solved.
    max_iterations : int
    penalty : float or None
        The augmented Lagrangian's penalty; None derives it from the mean weight.
    relaxation : float
        Over-relaxation, in (0, 2).
    adaptive : bool
        Balance each component's primal and dual residuals during the first checks.
    check_every : int
        Iterations between checks of energy, bound and residuals.
    finish : bool
        Let an exact solver end a small problem that is not solved within `max_iterations`; `auto` does.
    """

    name: ClassVar[str] = "admm"
    task: ClassVar[Literal["map", "marginal"]] = "map"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.UNIT: CONVEX},
        bound=True,
        suits="soft logic with squared hinges; `auto`'s choice there",
    )

    tolerance: float = 1e-4
    max_iterations: int = 20_000
    penalty: Positive | None = None
    relaxation: Positive = 1.7
    adaptive: bool = True
    check_every: Count = 20
    finish: bool = False

    def infer(self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None) -> Solution:
        """MAP state in [0, 1] with a dual lower bound; O(local copies) time an iteration. Deterministic."""
        problem = fold(relax(network, weights))
        recorder = Recorder(conduct, self.name)
        sweeps = _Sweeps(self, problem, start, recorder)
        answer = conclude(
            self.name,
            network,
            problem,
            sweeps.run,
            recorder,
            tolerance=self.tolerance,
            diagnostics=sweeps.diagnostics,
        )
        return finished(network, weights, answer, conduct) if self.finish else answer


class _Sweeps:
    """The mutable state of one ADMM run; `run` may be called again to continue at a tighter tolerance."""

    def __init__(self, parameters: ADMM, original: HingeProblem, start: Float | None, recorder: Recorder) -> None:
        self.parameters = parameters
        self.recorder = recorder
        self.partition = partition(original)
        program = self.program = self.partition.problem
        self.arrays = program.arrays()
        n, n_components = program.n, self.partition.n_components
        norm = np.asarray(program.A.multiply(program.A).sum(axis=1)).ravel()
        degree = np.bincount(program.A.indices, minlength=n).astype(np.float64)
        middle = np.where(program.cost > 0.0, program.lower, program.upper)
        middle = np.where(program.cost == 0.0, 0.5 * (program.lower + program.upper), middle)
        touched = (degree > 0.0) | (self.arrays.block_of >= 0)
        begin = middle if start is None else np.where(touched, start[self.partition.variables], middle)
        x = np.clip(np.nan_to_num(begin, nan=0.5), program.lower, program.upper)
        self.first_penalty = self._first_penalty()
        self.state = Consensus(
            norm=np.where(norm == 0.0, 1.0, norm),
            degree=degree,
            penalty=np.full(n_components, self.first_penalty),
            state=x[program.A.indices],
            x=x,
            total=np.zeros(n),
            before=np.zeros(n),
            multiplier=np.zeros(program.n_rows),
            scratch=np.zeros((2, program.widest_block)),
            figures=np.zeros((n_components, 5)),
        )
        self.best_bound = np.full(n_components, -np.inf)
        self.adapt = 1.5 if parameters.adaptive else 1.0
        self.iteration = 0

    def _first_penalty(self) -> float:
        if self.parameters.penalty is not None:
            return self.parameters.penalty
        soft = self.program.weight > 0.0
        mean = float(self.program.weight[soft].mean()) if np.any(soft) else 1.0
        squared = float(np.mean(self.program.kind[soft] == RowKind.SQUARED)) if np.any(soft) else 0.0
        return mean * (2.0 * (1.0 - squared) + 0.4 * squared)

    def run(self, tolerance: float) -> Point:
        """Iterate until every component's gap is at most `tolerance`, or a limit is met."""
        stopped: Status | None = None
        figures, constant = self.state.figures, self.program.constant
        active = np.arange(self.partition.n_components)
        while active.size and stopped is None:
            advance(
                self.arrays,
                self.partition.starts,
                active,
                self.state,
                self.parameters.check_every,
                self.parameters.relaxation,
                self.adapt,
                self.first_penalty / 5.0,
                self.first_penalty * 5.0,
            )
            self.adapt = 1.0 + 0.9 * (self.adapt - 1.0)
            self.iteration += self.parameters.check_every
            np.maximum(self.best_bound, figures[:, 1], out=self.best_bound)
            energy, bound = float(figures[:, 0].sum()), float(self.best_bound.sum())
            violation = float(figures[:, 2].max())
            residuals = np.sqrt((figures[:, 3:] ** 2).sum(axis=0))
            stopped = self.recorder.note(self.iteration, energy + constant, bound + constant, violation, *residuals)
            if stopped is None and self.iteration >= self.parameters.max_iterations:
                stopped = Status.LIMIT
            active = self._unsolved(tolerance)
            if active.size == 0:
                stopped = None
        return Point(
            self.partition.lift(self.state.x, self.state.x),
            float(self.best_bound.sum()) + constant,
            stopped,
        )

    def _unsolved(self, tolerance: float) -> Int64:
        """Components whose gap exceeds their fair part of the whole, or whose hard rows slip."""
        energy, violation = self.state.figures[:, 0], self.state.figures[:, 2]
        whole = abs(energy.sum() + self.program.constant)
        allowed = tolerance * 0.5 * (np.abs(energy) + whole * self.partition.share)
        open_ = (np.abs(energy - self.best_bound) > np.maximum(allowed, 1e-10)) | (violation > 0.1 * tolerance)
        return np.flatnonzero(open_)

    def diagnostics(self) -> dict[str, object]:
        """Iterations, components, and the last residuals."""
        primal, dual = np.sqrt((self.state.figures[:, 3:] ** 2).sum(axis=0))
        return {
            "iterations": self.iteration,
            "components": self.partition.n_components,
            "local_copies": int(self.state.state.size),
            "primal_residual": float(primal),
            "dual_residual": float(dual),
        }
