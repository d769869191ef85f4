"""Choosing a learner's parameters on a held-out training world."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, cast

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.learning.chain import GibbsChain
from workbench.learning.learner import Example, Learner
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress, expired

__all__ = ["Validation", "conditional_log_likelihood", "validate"]

CLIP = 1e-6


@dataclass(frozen=True)
class Validation:
    """What was tried and what was best.

    Attributes
    ----------
    learner : Learner
        With the best parameters.
    parameters : tuple of mapping
        Each combination tried, in order.
    score : float64 array, shape (n_tried,)
        Its score on the held-out world; larger is better.
    """

    learner: Learner
    parameters: tuple[Mapping[str, object], ...]
    score: Float

    @property
    def best(self) -> Mapping[str, object]:
        return self.parameters[int(np.argmax(self.score))]


def conditional_log_likelihood(probability: Float, truth: Float) -> float:
    """Mean log probability of the labels, clipped away from 0 and 1."""
    clipped = np.clip(probability, CLIP, 1 - CLIP)
    return float(np.mean(np.log(np.where(truth == 1, clipped, 1 - clipped))))


def validate(
    learner: Learner,
    grid: Mapping[str, Sequence[object]],
    examples: Sequence[Example],
    templates: Templates,
    *,
    held_out: int = -1,
    criterion: Callable[[Float, Float], float] = conditional_log_likelihood,
    sweeps: int = 200,
    burn_in: int = 50,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> Validation:
    """Fit every combination of parameters without one example, and score its marginals there.

    Parameters
    ----------
    learner : Learner
        A frozen dataclass; the grid's names are its fields.
    grid : mapping of parameter to values
    held_out : int
        Which example is held out of training.
    criterion : callable
        `criterion(probability, truth)` over the held-out example's scored and labelled atoms; larger is better.
    sweeps, burn_in : int
        Of the Gibbs chain that gives the marginals, started at all false.

    Raises
    ------
    UsageError
        E0507 with fewer than two examples, or where no combination was scored in time.
    """
    if len(examples) < 2:
        raise UsageError.of(
            "E0507",
            "choosing parameters needs a training database to hold out, and there is only one",
            help="give two or more training databases, or the parameters themselves",
        )
    held = examples[held_out]
    training = [example for example in examples if example is not held]
    scored = ~np.isnan(held.truth)
    if held.scored is not None:
        scored &= held.scored
    chain = GibbsChain(held.network)
    combinations = [dict(zip(grid, values)) for values in product(*grid.values())]
    scores: list[float] = []
    for number, parameters in enumerate(combinations):
        progress.step("choosing parameters", number, len(combinations))
        if expired(deadline):
            break
        candidate = cast(Learner, replace(cast(Any, learner), **parameters))
        weights = candidate.fit(training, templates, seed=seed, deadline=deadline, progress=progress).weights
        start = np.zeros(held.network.n_atoms)
        seen = chain.run(weights, start, sweeps=sweeps, burn_in=burn_in, seed=seed).probability
        scores.append(criterion(seen[scored], held.truth[scored]))
    if not scores:
        raise UsageError.of("E0507", "the time was over before any parameters were tried")
    best = combinations[int(np.argmax(scores))]
    chosen = cast(Learner, replace(cast(Any, learner), **best))
    return Validation(chosen, tuple(combinations[: len(scores)]), np.array(scores))
