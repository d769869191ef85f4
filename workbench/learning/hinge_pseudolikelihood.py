"""Maximum pseudolikelihood for hinge-loss MRFs: one-dimensional integrals, and simplexes sampled as blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.sparse import csc_array

from workbench.arrays import Float
from workbench.errors import Cancelled, UsageError
from workbench.inference.convex_program import RowKind, convex_program
from workbench.inference.solution import Engine
from workbench.learning.hinge_integrals import expect_over_atoms, expect_over_simplexes
from workbench.learning.hinge_training import MapStates, grounding_counts, prepare_hinges, start_weights
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.training import TrainingSet, TrainingWorld
from workbench.network.ground_network import Relation, Templates
from workbench.network.relax import relax
from workbench.progress import SILENT, Progress, expired

__all__ = ["HingePseudolikelihood", "Pseudolikelihood"]


@dataclass(frozen=True)
class HingePseudolikelihood:
    """Weights under which each labelled atom is likely given all others (Bach et al. 2017, section 6.2).

    The expectations of an atom's potentials are integrals over its interval, by composite Gauss-Legendre quadrature;
    atoms that a hard rule ties into a simplex are integrated together, by importance sampling from its uniform
    distribution with samples drawn once. Atoms that other hard rules fix given the rest contribute nothing.

    Parameters
    ----------
    step, iterations, start
        As for `HingePerceptron`: projected, averaged steps divided by the groundings of each template.
    optimiser : {'steps', 'lbfgs'}
        The published averaged steps, or the maximum itself by L-BFGS-B.
    panels : int
        Panels of four quadrature nodes over each atom's interval.
    samples : int
        Samples of each simplex.
    tolerance : float
        Relative gap of the MAP states that complete hidden atoms.
    engine : Engine or None
        The MAP engine for hidden atoms.
    """

    name: ClassVar[str] = "hinge_pseudolikelihood"
    step: float = 5.0
    iterations: int = 100
    start: float | None = 1.0
    optimiser: Literal["steps", "lbfgs"] = "steps"
    panels: int = 8
    samples: int = 200
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
        """Learn. O(nonzeros x quadrature nodes) an iteration; MAP inference only where atoms are hidden."""
        if self.optimiser not in ("steps", "lbfgs"):
            raise UsageError.of("E0505", f"there is no optimiser {self.optimiser}", help="steps or lbfgs")
        training = prepare_hinges(examples, templates)
        weights = start_weights(training, self.start)
        worlds = [Pseudolikelihood(world, self.panels, self.samples, seed) for world in training.worlds]
        run = self._steps if self.optimiser == "steps" else self._maximise
        return run(training, worlds, weights, MapStates(self.engine, self.tolerance, seed, deadline, progress))

    def _gradient(
        self, training: TrainingSet, worlds: list[Pseudolikelihood], weights: Float, inference: MapStates
    ) -> tuple[float, Float]:
        """Log pseudolikelihood of all worlds, and its gradient for the learned weights."""
        value, gradient = 0.0, np.zeros_like(weights)
        for world, terms in zip(training.worlds, worlds, strict=True):
            part, slope = terms.value_and_gradient(weights, inference.labelled(world, weights))
            value += part
            gradient += slope
        return value, np.where(training.learned, gradient, 0.0)

    def _steps(
        self, training: TrainingSet, worlds: list[Pseudolikelihood], weights: Float, inference: MapStates
    ) -> LearnedWeights:
        """Steps along the gradient per grounding; the mean of the weights on the way."""
        counts = grounding_counts(training)
        total = np.zeros_like(weights)
        values: list[float] = []
        norms: list[float] = []
        status = "iterations"
        try:
            for iteration in range(self.iterations):
                inference.progress.step("learning weights", iteration, self.iterations)
                if expired(inference.deadline):
                    status = "limit"
                    break
                value, gradient = self._gradient(training, worlds, weights, inference)
                gradient = gradient / counts
                weights = np.maximum(weights + self.step * gradient, 0.0)
                total += weights
                values.append(value)
                norms.append(float(np.linalg.norm(gradient)))
        except Cancelled:
            status = "cancelled"
        return self._answer(total / len(values) if values else weights, values, norms, status, training)

    def _maximise(
        self, training: TrainingSet, worlds: list[Pseudolikelihood], weights: Float, inference: MapStates
    ) -> LearnedWeights:
        """The maximum over weights of at least 0, by L-BFGS-B."""
        from scipy.optimize import minimize

        values: list[float] = []
        norms: list[float] = []
        status = "iterations"
        latest = [weights]

        def objective(at: Float) -> tuple[float, Float]:
            inference.progress.step("learning weights", len(values), self.iterations)
            if expired(inference.deadline):
                raise Cancelled("limit")
            value, gradient = self._gradient(training, worlds, at, inference)
            values.append(value)
            norms.append(float(np.linalg.norm(gradient)))
            latest[0] = np.array(at)
            return -value, -gradient

        limits = [(0.0, None) if learned else (float(w), float(w)) for learned, w in zip(training.learned, weights)]
        try:
            answer = minimize(
                objective, weights, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": self.iterations}
            )
            latest[0] = np.asarray(answer.x)
            status = "converged" if answer.success else "iterations"
        except Cancelled as stop:
            status = "limit" if str(stop) == "limit" else "cancelled"
        return self._answer(latest[0], values, norms, status, training)

    def _answer(
        self, weights: Float, values: list[float], norms: list[float], status: str, training: TrainingSet
    ) -> LearnedWeights:
        trace = {
            "iteration": np.arange(1.0, len(values) + 1.0),
            "objective": np.array(values),
            "gradient_norm": np.array(norms),
        }
        return LearnedWeights(weights, trace, status, self.name, training.notes())


class Pseudolikelihood:
    """The log pseudolikelihood of one world, as a function of the weights.

    Parameters
    ----------
    world : TrainingWorld
    panels, samples, seed : int
        As for `HingePseudolikelihood`.
    """

    def __init__(self, world: TrainingWorld, panels: int, samples: int, seed: int) -> None:
        self.world = world
        network = self.network = world.network
        self.soft = np.flatnonzero(network.relation == Relation.HINGE)
        self.scale = np.ones(network.n_rows) if network.scale is None else network.scale
        self.template = network.template[self.soft]
        self.power = network.power[self.template] if network.n_templates else np.zeros(0, np.int8)
        self.A = network.A[self.soft].astype(np.float64)
        columns = csc_array(self.A)
        self.columns = (columns.indptr.astype(np.int32), columns.indices.astype(np.int32), columns.data)
        program = convex_program(relax(network, np.zeros(network.n_templates)))
        self.program = program
        in_block = np.zeros(network.n_atoms, np.bool_)
        in_block[program.block_member] = True
        self.lone = np.flatnonzero(~in_block & ~world.hidden)
        whole = np.array(
            [
                not world.hidden[program.block_member[start:end]].any()
                for start, end in zip(program.block_start[:-1], program.block_start[1:])
            ],
            np.bool_,
        )
        self.blocks = np.flatnonzero(whole & (program.block_right > 0.0)).astype(np.int64)
        widest = int(np.diff(program.block_start).max(initial=0))
        rng = np.random.default_rng(seed)
        self.uniform = rng.standard_exponential((program.n_blocks, samples, widest + 1))
        points, quadrature = np.polynomial.legendre.leggauss(4)
        edges = np.arange(panels) / panels
        self.nodes = np.asarray((edges[:, None] + (points + 1.0) / (2.0 * panels)).ravel())
        self.log_quadrature = np.log(np.tile(quadrature / (2.0 * panels), panels))

    def value_and_gradient(self, weights: Float, labels: Float) -> tuple[float, Float]:
        """Log pseudolikelihood at `weights` and its gradient, shape (n_templates,)."""
        network, program = self.network, self.program
        ell = network.b[self.soft] + self.A @ labels
        weight = weights[self.template] * self.scale[self.soft]
        cost = -(network.unit @ weights)
        low, high = self._intervals(labels)
        free = self.lone[high[self.lone] - low[self.lone] > 1e-6]
        difference = np.zeros(self.soft.size)
        expected = labels.copy()
        value = expect_over_atoms(
            free.astype(np.int64),
            *self.columns,
            ell,
            weight,
            self.power,
            cost,
            low,
            high,
            labels,
            self.nodes,
            self.log_quadrature,
            difference,
            expected,
        )
        value += expect_over_simplexes(
            self.blocks,
            program.block_start,
            program.block_member,
            program.block_right,
            program.block_exact,
            self.uniform,
            *self.columns,
            ell,
            weight,
            self.power,
            cost,
            labels,
            difference,
            expected,
        )
        by_template = np.bincount(self.template, difference * self.scale[self.soft], network.n_templates)
        return value, by_template - network.unit.T @ (expected - labels)

    def _intervals(self, labels: Float) -> tuple[Float, Float]:
        """Where hard rows outside the simplexes leave each atom room, all others at their labels."""
        program = self.program
        low, high = program.lower.copy(), program.upper.copy()
        hard = np.flatnonzero(program.weight == 0.0)
        if not hard.size:
            return low, high
        A = program.A[hard]
        row = np.repeat(np.arange(hard.size), np.diff(A.indptr))
        slack = -(program.b[hard] + A @ labels)[row]
        limit = labels[A.indices] + slack / A.data
        equal = program.kind[hard][row] == RowKind.EQUAL
        above, below = equal | (A.data < 0.0), equal | (A.data > 0.0)
        np.maximum.at(low, A.indices[above], limit[above])
        np.minimum.at(high, A.indices[below], limit[below])
        return low, high
