"""What the learners of hinge-loss MRFs share: MAP states, groundings to divide by, the projection of weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, hstack

from workbench.arrays import Float
from workbench.errors import InfeasibleError, UsageError
from workbench.inference.convex_choice import convex_engine
from workbench.inference.solution import Engine, Status
from workbench.learning.learner import Example
from workbench.learning.training import TrainingSet, TrainingWorld, condition, prepare
from workbench.network.ground_network import GroundNetwork, Templates
from workbench.progress import Progress

__all__ = [
    "MapStates",
    "grounding_counts",
    "prepare_hinges",
    "start_weights",
    "with_linear_costs",
]


def prepare_hinges(examples: Sequence[Example], templates: Templates) -> TrainingSet:
    """Check examples whose labels are truth values in [0, 1]; hard rows that labels violate are left out.

    Raises
    ------
    UsageError
        As `training.prepare`.
    """
    return prepare(examples, templates)


def start_weights(training: TrainingSet, start: float | None) -> Float:
    """The number `start` for every learned template, or the program's own weights (1 where it gives none)."""
    given = np.nan_to_num(training.templates.weight, nan=1.0)
    if start is not None:
        given = np.where(training.learned, start, given)
    if np.any(given < 0.0):
        raise UsageError.of("E0520", "a hinge-loss rule has a negative weight", help="PSL's weights are at least 0")
    return given


def grounding_counts(training: TrainingSet) -> Float:
    """Open groundings of each template over all worlds, at least 1; shape (n_templates,)."""
    total = np.zeros(training.templates.n_templates)
    for world in training.worlds:
        network = world.network
        rows = np.bincount(network.template[network.template >= 0], minlength=total.size)
        total += np.maximum(network.groundings[:, 0], rows)
    return np.maximum(total, 1.0)


@dataclass(frozen=True)
class MapStates:
    """The MAP inference inside learning: by which engine, how exactly, until when.

    Attributes
    ----------
    engine : Engine or None
        None takes the convex engine that suits the network.
    tolerance : float
        Relative gap of that one.
    seed : int
    deadline : float or None
        A `time.monotonic()` reading.
    progress : Progress
        Only its cancel event reaches the engine.
    """

    engine: Engine | None
    tolerance: float
    seed: int
    deadline: float | None
    progress: Progress

    def most_likely(self, network: GroundNetwork, weights: Float, start: Float | None = None) -> Float:
        """The MAP state, shape (n_atoms,).

        Raises
        ------
        InfeasibleError
            E0404, where the hard rows admit no state.
        """
        engine: Engine = self.engine or convex_engine(network, weights, tolerance=self.tolerance)
        quiet = Progress(cancel_event=self.progress.cancel_event)
        answer = engine.solve(network, weights, seed=self.seed, deadline=self.deadline, progress=quiet, start=start)
        if answer.status is Status.INFEASIBLE:
            raise InfeasibleError.of("E0404", "the hard rules and the evidence of a training database admit no state")
        return answer.values

    def labelled(self, world: TrainingWorld, weights: Float) -> Float:
        """The labels, hidden atoms completed by the MAP state given the labels; shape (n_atoms,)."""
        if not world.hidden.any():
            return world.labels
        return world.complete(self.most_likely(condition(world.network, world.labels), weights))


def with_linear_costs(network: GroundNetwork, cost: Float) -> GroundNetwork:
    """`network` with one more template, to be weighted 1, that costs `cost . y`, shape (n_atoms,)."""
    column = csr_array(-cost[:, None])
    sums = np.array([[np.maximum(-cost, 0.0).sum(), np.maximum(cost, 0.0).sum()]])
    return replace(
        network,
        power=np.append(network.power, np.int8(1)),
        unit=csr_array(hstack([network.unit, column], format="csr")),
        constant=np.append(network.constant, 0.0),
        groundings=np.vstack([network.groundings, np.zeros((1, 3))]),
        unit_scale=np.vstack([network.unit_scale, sums]),
        evidence_satisfied=np.vstack([network.evidence_satisfied, np.zeros((1, 2))]),
        evidence_violated=np.vstack([network.evidence_violated, np.zeros((1, 2))]),
    )
