"""Maximum pseudolikelihood for hinge-loss MRFs: integrals of one dimension, simplexes sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.folding import fold
from workbench.inference.solution import Engine
from workbench.learning.ascent import Objective, maximise
from workbench.learning.completion import MapStates
from workbench.learning.expectation import Measured
from workbench.learning.hinge_integrals import (
    Simplexes,
    WorldIntegrals,
    expect_over_atoms,
    expect_over_simplexes,
)
from workbench.learning.learner import SOFT, Declaration, LearnedWeights, Learner
from workbench.learning.loop import Averaged, train
from workbench.learning.starts import grounding_counts, start_weights
from workbench.learning.training import TrainingSet, TrainingWorld
from workbench.network.ground_network import Domain, Relation
from workbench.network.hinge_problem import Columns, RowKind
from workbench.network.relax import relax
from workbench.parameters import Count
from workbench.progress import Conduct


@dataclass(frozen=True)
class HingePseudolikelihood(Learner):
    """Weights that make each labelled atom likely given the others (Bach et al. 2017, 6.2).

    The expectations of an atom's potentials are integrals over its interval, by composite
    Gauss-Legendre quadrature; atoms that a hard rule ties into a simplex are integrated together,
    by importance sampling from its uniform distribution with samples drawn once. Atoms that other
    hard rules fix given the rest contribute nothing.

    Parameters
    ----------
    step, iterations, start
        As for `HingePerceptron`: projected, averaged steps divided by the groundings of each
        template.
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
    declares: ClassVar[Declaration] = Declaration(
        maximises="each labelled atom's density given the others, by quadrature; "
        "`optimiser=lbfgs` for its maximum",
        iteration="one pass over the rows; MAP only for hidden atoms",
        when="on Citeseer, Cora, Epinions and Jester as good as the perceptron or better in "
        "nearly every figure of docs/experiments.md (linear potentials on Epinions are .005 "
        "below), and no inference inside",
        domains=SOFT,
        hidden="completed",
        objective=True,
        default=((Domain.UNIT, False), (Domain.UNIT, True)),
    )
    step: float = 5.0
    iterations: int = 100
    start: float | None = 1.0
    optimiser: Literal["steps", "lbfgs"] = "steps"
    panels: Count = 8
    samples: Count = 200
    tolerance: float = 1e-3
    engine: Engine | None = None

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn. O(nonzeros x quadrature nodes) an iteration; MAP only where atoms are hidden."""
        if self.optimiser not in ("steps", "lbfgs"):
            raise UsageError.of(
                "E0505", f"there is no optimiser {self.optimiser}", help="steps or lbfgs"
            )
        start = start_weights(training, self.start)
        terms = [
            Pseudolikelihood(world, self.panels, self.samples, conduct.seed)
            for world in training.worlds
        ]
        density = _Density(
            training, terms, MapStates(self.engine, conduct, self.tolerance), conduct.seed
        )
        if self.optimiser == "lbfgs":
            ascent = maximise(
                Objective(density.value_and_gradient, start, training.learned, least=0.0),
                iterations=self.iterations, tolerance=1e-5, conduct=conduct,
                stage="learning weights", of=training.templates,
            )  # fmt: skip
            return LearnedWeights(
                ascent.weights, ascent.trace, ascent.status, self.name, training.notes()
            )
        return train(
            training,
            density,
            Averaged(training, start, self.step / grounding_counts(training)),
            start,
            name=self.name,
            iterations=self.iterations,
            conduct=conduct,
        )


@dataclass(frozen=True)
class _Density:
    """The log pseudolikelihood of all worlds, hidden atoms completed: an `Expectation`."""

    training: TrainingSet
    terms: Sequence[Pseudolikelihood]
    states: MapStates
    seed: int

    def measure(self, weights: Float, iteration: int) -> Measured:
        """Value and gradient at `weights`."""
        value, gradient = self.value_and_gradient(weights)
        return Measured(gradient, {"objective": value})

    def value_and_gradient(self, weights: Float) -> tuple[float, Float]:
        value, gradient = 0.0, np.zeros_like(weights)
        for world, terms in zip(self.training.worlds, self.terms, strict=True):
            part, slope = terms.value_and_gradient(
                weights, self.states.completed(world, weights, self.seed)
            )
            value += part
            gradient += slope
        return value, gradient


class Pseudolikelihood:
    """The log pseudolikelihood of one world, as a function of the weights.

    Parameters
    ----------
    panels, samples, seed : int
        As for `HingePseudolikelihood`.
    """

    def __init__(self, world: TrainingWorld, panels: int, samples: int, seed: int) -> None:
        self.world = world
        network = self.network = world.network
        self.soft = np.flatnonzero(network.relation == Relation.HINGE)
        self.scale = network.scales
        self.template = network.template[self.soft]
        self.power = network.power[self.template] if network.n_templates else np.zeros(0, np.int8)
        self.A = network.A[self.soft].astype(np.float64)
        self.columns = Columns.of(self.A)
        program = fold(relax(network, np.zeros(network.n_templates)))
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
        uniform = rng.standard_exponential((program.n_blocks, samples, widest + 1))
        blocks = program.block_start, program.block_member, program.block_right, program.block_exact
        self.simplexes = Simplexes(*blocks, uniform)
        points, quadrature = np.polynomial.legendre.leggauss(4)
        edges = np.arange(panels) / panels
        self.nodes = np.asarray((edges[:, None] + (points + 1.0) / (2.0 * panels)).ravel())
        self.log_quadrature = np.log(np.tile(quadrature / (2.0 * panels), panels))

    def value_and_gradient(self, weights: Float, labels: Float) -> tuple[float, Float]:
        """Log pseudolikelihood at `weights` and its gradient, shape (n_templates,)."""
        network = self.network
        ell = network.b[self.soft] + self.A @ labels
        weight = weights[self.template] * self.scale[self.soft]
        cost = -(network.unit @ weights)
        low, high = self._intervals(labels)
        free = self.lone[high[self.lone] - low[self.lone] > 1e-6]
        difference, expected = np.zeros(self.soft.size), labels.copy()
        field = WorldIntegrals(
            self.columns, ell, weight, self.power, cost, labels, difference, expected
        )
        value = expect_over_atoms(
            free.astype(np.int64), field, low, high, self.nodes, self.log_quadrature
        )
        value += expect_over_simplexes(self.blocks, field, self.simplexes)
        by_template = np.bincount(
            self.template, difference * self.scale[self.soft], network.n_templates
        )
        return value, by_template - network.unit.T @ (expected - labels)

    def _intervals(self, labels: Float) -> tuple[Float, Float]:
        """Each atom's room under hard rows outside the simplexes, all others at their labels."""
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
