"""Maximum pseudo-likelihood by L-BFGS: discriminative on ground networks, generative from counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.inference.solution import Engine
from workbench.learning.ascent import maximise
from workbench.learning.flip_counts import FlipCounts, FlipCountSource, compressed, flip_counts, joined
from workbench.learning.learner import Example, LearnedWeights
from workbench.learning.training import TrainingSet, condition, default_map_engine, prepare
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress

__all__ = ["PseudoLikelihood"]


@dataclass(frozen=True)
class PseudoLikelihood:
    """Weights that maximise the product of each atom's probability given all others (Besag 1975), with a prior.

    `fit` is discriminative: the terms are those of the open atoms. `fit_counts` takes counts of all predicates from the
    database and is generative (Richardson and Domingos 2006).

    Parameters
    ----------
    prior_sd : float
        Standard deviation of the zero-mean Gaussian prior on each weight; infinite for none.
    iterations : int
        L-BFGS iterations at most.
    tolerance : float
        Converged when the largest gradient component, relative to the number of terms, is below it.
    completions : int
        Rounds of completing hidden atoms by their most likely state and fitting again.
    engine : Engine or None
        MAP engine for the completions; MaxWalkSAT by default.
    """

    name: ClassVar[str] = "pseudo_likelihood"
    prior_sd: float = 2.0
    iterations: int = 5000
    tolerance: float = 1e-7
    completions: int = 5
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
        """Learn discriminatively. O(nnz of the networks) once, then O(nnz of the flip counts) an iteration."""
        training = prepare(examples, templates)
        states = [world.complete() for world in training.worlds]
        answer = self._fit(_counts(training, states), training, training.given_weights(), deadline, progress)
        if not any(world.hidden.any() for world in training.worlds):
            return answer
        engine = self.engine or default_map_engine()
        for round_ in range(self.completions):
            if answer.status in ("cancelled", "limit"):
                break
            completed = []
            for index, world in enumerate(training.worlds):
                clamped = condition(world.network, world.labels)
                run = seed + round_ * len(states) + index
                solution = engine.solve(clamped, answer.weights, seed=run, deadline=deadline, progress=progress)
                completed.append(world.complete(solution.values))
            settled = all(np.array_equal(old, new) for old, new in zip(states, completed))
            states = completed
            if settled:
                break
            answer = self._fit(_counts(training, states), training, answer.weights, deadline, progress)
        return answer

    def fit_counts(
        self,
        source: FlipCountSource,
        templates: Templates,
        *,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> LearnedWeights:
        """Learn generatively from the counts of all predicates' atoms."""
        counts = compressed(joined(source.flip_counts()))
        training = TrainingSet((), templates, ~np.asarray(templates.fixed, np.bool_))
        return self._fit(counts, training, training.given_weights(), deadline, progress)

    def _fit(
        self, counts: FlipCounts, training: TrainingSet, start: Float, deadline: float | None, progress: Progress
    ) -> LearnedWeights:
        terms = max(1.0, float(counts.true.sum() + counts.none.sum()))
        ascent = maximise(
            counts.log_likelihood,
            start,
            training.learned,
            prior_sd=self.prior_sd,
            iterations=self.iterations,
            tolerance=self.tolerance,
            unit=terms,
            deadline=deadline,
            progress=progress,
            stage="maximising the pseudo-likelihood",
        )
        notes = training.notes() | {"terms": terms}
        return LearnedWeights(ascent.weights, ascent.trace, ascent.status, self.name, notes)


def _counts(training: TrainingSet, states: Sequence[Float]) -> FlipCounts:
    """The flip counts of all worlds at their completed labels; hidden atoms have no term of their own."""
    parts = [
        flip_counts(world.network, state, weight=(~world.hidden).astype(np.float64))
        for world, state in zip(training.worlds, states)
    ]
    return compressed(joined(parts))
