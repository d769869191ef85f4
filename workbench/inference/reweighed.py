"""A convex problem solved again and again while its weights change: its layout is made once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.arrays import Float
from workbench.inference.admm import ADMM
from workbench.inference.convex_solution import Recorder, Reweighable
from workbench.inference.pdhg import PDHG
from workbench.inference.solution import Solution
from workbench.network.ground_network import GroundNetwork
from workbench.network.hinge_problem import HingeProblem
from workbench.network.relax import unit_costs
from workbench.progress import Conduct


class Reweighed:
    """A network's states of least energy, at one vector of weights after the other.

    While the same rows count, with positive weight, the problem's layout is kept; the answers are
    the engine's own.
    """

    def __init__(self, engine: ADMM | PDHG, network: GroundNetwork) -> None:
        self._engine, self._network = engine, network
        self._counted = np.empty(0, np.bool_)
        self._problem: HingeProblem | None = None
        self._run: Reweighable | None = None

    def infer(self, weights: Float, conduct: Conduct, start: Float | None = None) -> Solution:
        """See `Engine.infer`."""
        recorder = Recorder(conduct, self._engine.name)
        effective = self._network.effective_weights(weights)
        counted, convex = effective > 0.0, not np.any(effective < 0.0)
        same = self._problem is not None and convex and np.array_equal(counted, self._counted)
        if same and self._problem is not None and self._run is not None:
            self._problem = self._with(self._problem, weights, effective[counted])
            self._run.begin_again(self._problem, start, recorder)
        else:
            self._problem = self._engine.problem(self._network, weights)
            self._run = self._engine.iterates(self._problem, start, recorder)
        self._counted = counted
        answer = self._engine.settled(self._network, weights, self._problem, self._run, recorder)
        if not convex:
            self._problem = None
        return answer

    def _with(self, problem: HingeProblem, weights: Float, soft: Float) -> HingeProblem:
        """The problem of the same rows, soft ones first, at other weights."""
        cost, constant = unit_costs(self._network, weights)
        hard = np.zeros(problem.n_rows - soft.size)
        return replace(problem, weight=np.concatenate([soft, hard]), cost=cost, constant=constant)
