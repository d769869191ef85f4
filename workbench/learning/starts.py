"""Where learning starts, and how far a step goes."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.learning.training import TrainingSet
from workbench.network import potentials


def log_odds(training: TrainingSet) -> Float:
    """Each clause's log odds of being true in the data, groundings decided by evidence too.

    `log((true + 1/2) / (false + 1/2))`, Singla and Domingos 2005; clauses without a grounding start
    at 0, fixed templates at their weight. Groundings of negative scale count as true where the
    clause is false. Shape (n_templates,).
    """
    true, false = np.zeros((2, training.templates.n_templates))
    for world in training.worlds:
        network = world.network
        total = network.unit_scale.sum(axis=1)
        violated = potentials(network, world.complete()) + network.unit_scale[:, 1]
        soft = network.template >= 0
        scale = network.scales
        total += np.bincount(network.template[soft], np.abs(scale[soft]), network.n_templates)
        violated += np.bincount(
            network.template[soft], np.maximum(-scale[soft], 0), network.n_templates
        )
        violated += network.evidence_violated[:, 0] + network.evidence_satisfied[:, 1]
        total += network.evidence_violated.sum(axis=1) + network.evidence_satisfied.sum(axis=1)
        false += violated
        true += total - violated
    odds = np.log((true + 0.5) / (false + 0.5))
    return np.where(training.learned, odds, training.given_weights())


def initial_weights(training: TrainingSet, start: str) -> Float:
    """Where learning starts: `log_odds`, or `given` (the program's weights, else 0)."""
    if start not in ("log_odds", "given"):
        raise UsageError.of(
            "E0505",
            f"there is no start {start}",
            help="it is log_odds or given (for the voted perceptron also pseudo_likelihood)",
        )
    return training.projected(
        log_odds(training) if start == "log_odds" else training.given_weights()
    )


def start_weights(training: TrainingSet, start: float | None) -> Float:
    """The number `start` for every learned template, or the program's own weights (else 1)."""
    given = np.nan_to_num(training.templates.weight, nan=1.0)
    return given if start is None else np.where(training.learned, start, given)


def grounding_counts(training: TrainingSet) -> Float:
    """Open groundings of each template over all worlds, at least 1; shape (n_templates,)."""
    total = np.zeros(training.templates.n_templates)
    for world in training.worlds:
        network = world.network
        rows = np.bincount(network.template[network.template >= 0], minlength=total.size)
        total += np.maximum(network.groundings[:, 0], rows)
    return np.maximum(total, 1.0)


def step_sizes(training: TrainingSet, step: float, per_weight: bool) -> Float:
    """Each template's learning rate: `step`, or that over its open groundings (by scale).

    The second moves a weight by at most `step` an iteration, however often its clause occurs; after
    the per-weight rates of Lowd and Domingos (2007), who divide by the true groundings, of which
    there may be none.
    """
    if not per_weight:
        return np.full(training.templates.n_templates, step)
    groundings = np.zeros(training.templates.n_templates)
    for world in training.worlds:
        network = world.network
        soft = network.template >= 0
        scale = np.abs(network.scales)
        groundings += np.bincount(network.template[soft], scale[soft], network.n_templates)
        groundings += network.unit_scale.sum(axis=1)
    return step / np.maximum(groundings, 1.0)
