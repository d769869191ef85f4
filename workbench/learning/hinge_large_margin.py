"""Large-margin learning for hinge-loss MRFs: one slack, cutting planes, loss-augmented inference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled
from workbench.inference.solution import Engine
from workbench.learning.hinge_training import (
    MapStates,
    grounding_counts,
    prepare_hinges,
    start_weights,
    with_linear_costs,
)
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.training import TrainingSet, TrainingWorld
from workbench.network.energy import potentials
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["HingeLargeMargin"]


@dataclass(frozen=True)
class HingeLargeMargin:
    """Weights whose energy at the labels lies below every other state's by that state's L1 loss.

    `min 1/2 |w|^2 + C xi` subject to `w . (Phi(y) - Phi(labels)) >= |y - labels|_1 - xi` for all states y and w >= 0
    (Bach et al. 2017, section 6.3; one slack: Joachims et al. 2009). The most violated state is the MAP state of the
    network with the loss subtracted. A loss at a label inside (0, 1) is concave: difference-of-convex steps replace it
    by the line on the side that the state took, starting from the side away from the rounded label.

    Parameters
    ----------
    C : float
        Penalty of the slack.
    precision : float
        Stop when the worst violation exceeds the slack by at most this share of the labelled atoms.
    max_planes : int
    scale_by_groundings : bool
        Measure weights per grounding in the norm, so that frequent rules are not favoured.
    tolerance : float
        Relative gap of the MAP states.
    engine : Engine or None
    """

    name: ClassVar[str] = "hinge_large_margin"
    C: float = 0.1
    precision: float = 1e-3
    max_planes: int = 100
    scale_by_groundings: bool = False
    tolerance: float = 1e-3
    engine: Engine | None = None

    def fit(
        self,
        examples: Sequence[Example],
        templates: Templates,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> LearnedWeights:
        """Learn. One or a few MAP inferences per example and cutting plane."""
        training = prepare_hinges(examples, templates)
        weights = start_weights(training, 0.0)
        unit = 1.0 / grounding_counts(training) if self.scale_by_groundings else np.ones_like(weights)
        inference = MapStates(self.engine, self.tolerance, seed, deadline, progress)
        planes: list[Float] = []
        losses: list[float] = []
        objectives: list[float] = []
        violations: list[float] = []
        states: list[Float | None] = [None] * len(training.worlds)
        labelled_atoms = sum(int((~world.hidden).sum()) for world in training.worlds)
        slack, status = 0.0, "iterations"
        try:
            for plane in range(self.max_planes):
                progress.step("cutting planes", plane, self.max_planes)
                if expired(deadline):
                    status = "limit"
                    break
                gap, loss = np.zeros_like(weights), 0.0
                for index, world in enumerate(training.worlds):
                    state, labelled = self._most_violated(world, weights, states[index], inference)
                    states[index] = state
                    gap += potentials(world.network, state) - potentials(world.network, labelled)
                    loss += float(np.abs(state - labelled)[~world.hidden].sum())
                violation = loss - float(weights @ gap)
                objectives.append(0.5 * float(np.sum((weights / unit)[training.learned] ** 2)) + self.C * slack)
                violations.append(violation - slack)
                if violation <= slack + self.precision * max(labelled_atoms, 1):
                    status = "converged"
                    break
                planes.append(gap)
                losses.append(loss)
                weights, slack = self._solve_program(training, planes, losses, weights, unit)
        except Cancelled:
            status = "cancelled"
        trace = {
            "iteration": np.arange(1.0, len(objectives) + 1.0),
            "objective": np.array(objectives),
            "violation": np.array(violations),
        }
        return LearnedWeights(weights, trace, status, self.name, training.notes() | {"planes": len(planes)})

    def _most_violated(
        self, world: TrainingWorld, weights: Float, start: Float | None, inference: MapStates
    ) -> tuple[Float, Float]:
        """The state that minimises energy minus loss (to a local optimum where labels are interior), and the labels."""
        labelled = inference.labelled(world, weights)
        side = np.where(labelled > 0.5, -1.0, 1.0)
        side[world.hidden] = 0.0
        interior = (labelled > 0.0) & (labelled < 1.0) & ~world.hidden
        augmented, state = np.append(weights, 1.0), start
        for _ in range(10):
            state = inference.most_likely(with_linear_costs(world.network, -side), augmented, state)
            turned = interior & (side * (state - labelled) < -1e-6)
            if not turned.any():
                break
            side[turned] *= -1.0
        assert state is not None
        return state, labelled

    def _solve_program(
        self, training: TrainingSet, planes: list[Float], losses: list[float], weights: Float, unit: Float
    ) -> tuple[Float, float]:
        """The quadratic program over all planes so far; fixed templates keep their weight."""
        import cvxpy as cp

        learned = np.flatnonzero(training.learned)
        fixed = np.where(training.learned, 0.0, weights)
        G = np.array(planes)
        # Scaled variables v = w / unit keep the program well conditioned.
        rows = G[:, learned] * unit[learned]
        size = max(float(np.abs(rows).max(initial=0.0)), 1e-12)
        right = np.array(losses) - G @ fixed
        v, slack = cp.Variable(learned.size, nonneg=True), cp.Variable(nonneg=True)
        constraints = [(rows / size) @ v + slack / size >= right / size]
        model = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(v) + self.C * slack), constraints)
        solvers = [name for name in ("ECOS", "CLARABEL") if name in cp.installed_solvers()]
        for solver in solvers:
            try:
                model.solve(solver=solver)
            except cp.error.SolverError:
                continue
            if v.value is not None:
                break
        if v.value is None:
            return weights, float(np.max(right - rows @ (weights / unit)[learned], initial=0.0))
        answer = fixed.copy()
        answer[learned] = np.maximum(v.value, 0.0) * unit[learned]
        return answer, float(np.max(right - rows @ np.maximum(v.value, 0.0), initial=0.0))
