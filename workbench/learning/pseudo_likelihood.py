"""Maximum pseudo-likelihood by L-BFGS: discriminative on networks, generative from counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.solution import Engine
from workbench.learning.ascent import Objective, maximise
from workbench.learning.completion import MapStates
from workbench.learning.flip_counts import FlipCounts, compressed, flip_counts, together
from workbench.learning.learner import LOGIC, Declaration, LearnedWeights, Learner
from workbench.learning.training import Example, TrainingSet, hidden_among_labelled
from workbench.network.ground_network import Domain, Templates
from workbench.parameters import Count, PositiveOrInfinite
from workbench.progress import Conduct


@dataclass(frozen=True)
class PseudoLikelihood(Learner):
    """Weights that maximise each atom's probability given all others (Besag 1975), with a prior.

    Discriminative: the terms are those of the open atoms.

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
    declares: ClassVar[Declaration] = Declaration(
        maximises="the product of each open atom's probability given the labels of the rest, with "
        "a Gaussian prior, by L-BFGS",
        iteration="one sparse product over the flip counts",
        when="every open atom has a label: fast, convex, no sampling",
        domains=LOGIC,
        hidden="completed",
        objective=True,
        passes=True,
        default=((Domain.BOOLEAN, False),),
    )
    prior_sd: PositiveOrInfinite = 2.0
    iterations: int = 5000
    tolerance: float = 1e-7
    completions: Count = 5
    engine: Engine | None = None

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn discriminatively. O(nnz) once, then O(nnz of the flip counts) an iteration."""
        completed = [world.complete() for world in training.worlds]
        answer = self._fit(
            _counts(training, completed), training, training.given_weights(), conduct
        )
        worlds = training.worlds
        if not any(hidden_among_labelled(world.network, world.labels) for world in worlds):
            return answer
        states = MapStates(self.engine, conduct)
        for round_ in range(self.completions):
            if answer.status in ("cancelled", "limit"):
                break
            before = completed
            first = conduct.seed + round_ * len(before)
            completed = [
                states.completed(world, answer.weights, first + index)
                for index, world in enumerate(training.worlds)
            ]
            if all(np.array_equal(old, new) for old, new in zip(before, completed)):
                break
            answer = self._fit(_counts(training, completed), training, answer.weights, conduct)
        else:
            # The last completion has not been looked at with the weights that were fitted to it.
            return replace(answer, status="iterations") if answer.status == "converged" else answer
        return answer

    def _fit(
        self, counts: FlipCounts, training: TrainingSet, start: Float, conduct: Conduct
    ) -> LearnedWeights:
        terms = max(1.0, float(counts.true.sum() + counts.none.sum()))
        ascent = maximise(
            Objective(counts.log_likelihood, start, training.learned, self.prior_sd, terms),
            iterations=self.iterations,
            tolerance=self.tolerance,
            conduct=conduct,
            stage="maximising the pseudo-likelihood",
            of=training.templates,
        )
        notes = training.notes() | {"terms": terms}
        return LearnedWeights(ascent.weights, ascent.trace, ascent.status, self.name, notes)


@dataclass(frozen=True)
class GenerativePseudoLikelihood(PseudoLikelihood):
    """The same product over all predicates' atoms, evidence too, by counts of the database.

    Parameters
    ----------
    As `PseudoLikelihood`; what concerns hidden atoms has no effect, for they count as false.
    """

    name: ClassVar[str] = "generative_pseudo_likelihood"
    declares: ClassVar[Declaration] = Declaration(
        maximises="the same over all predicates, evidence included (but for what definitions "
        "and scopes read), from counts made in the database",
        iteration="as above, after one grounding a predicate",
        when="any predicate may be asked about later",
        domains=LOGIC,
        hidden="left out",
        objective=True,
        counts=True,
    )

    def prepared(self, examples: Sequence[Example], templates: Templates) -> TrainingSet:
        """No network is looked at."""
        return TrainingSet(examples, (), templates)

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """Learn from `Example.counts` alone. E0523 where an example has none."""
        sources = [example.counts for example in training.examples]
        if not sources or None in sources:
            raise UsageError.of(
                "E0523",
                f"{self.name} learns from counts of all predicates, which these examples do not "
                "have",
                help="learn from a database (`workbench learn`), or take pseudo_likelihood",
            )
        counts = [part for source in sources if source is not None for part in source.flip_counts()]
        return self._fit(compressed(together(counts)), training, training.given_weights(), conduct)


def _counts(training: TrainingSet, states: Sequence[Float]) -> FlipCounts:
    """The flip counts of all worlds at their completed labels; hidden atoms have no term."""
    parts = [
        flip_counts(world.network, state, weight=(~world.hidden).astype(np.float64))
        for world, state in zip(training.worlds, states)
    ]
    return compressed(together(parts))
