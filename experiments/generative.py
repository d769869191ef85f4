"""Generative pseudo-likelihood over an experiment's worlds, its prior's width chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from experiments.grounded import GroundedWorld, marginals
from workbench.arrays import Float
from workbench.database import Database
from workbench.evaluation import conditional_log_likelihood
from workbench.language.program import Program
from workbench.learning.choice import choose, held_out_worlds
from workbench.learning.flip_counts import FlipCounts
from workbench.learning.pseudo_likelihood import GenerativePseudoLikelihood
from workbench.network import Templates
from workbench.progress import SILENT, Progress
from workbench.verbs.generative import DatabaseFlipCounts


@dataclass(frozen=True)
class GenerativeWeights:
    """Weights learned generatively on any of the worlds; each world is counted once, each fit made
    once.

    Attributes
    ----------
    query : str
        The predicate that held-out worlds are scored on.
    """

    database: Database
    program: Program
    worlds: Sequence[GroundedWorld]
    templates: Templates
    query: str
    progress: Progress = SILENT
    _counts: dict[int, FlipCounts] = field(default_factory=dict)
    _fits: dict[tuple[float, tuple[int, ...]], Float] = field(default_factory=dict)

    def chosen(self, train: Sequence[int], prior_sds: Sequence[float]) -> Float:
        """Weights of the prior that predicts training worlds best, each held out in turn, shape
        (n_templates,).

        A held-out world is predicted as a test world is, from a searched state: where the joint
        model prefers a world in which nearly all pairs hold, a chain from a tame state may never
        come upon it.
        """

        def fits(worlds: Sequence[int]) -> list[Float]:
            return [self.weights(prior_sd, worlds) for prior_sd in prior_sds]

        return self.weights(
            choose(prior_sds, held_out_worlds(train), fits, self._score).best, train
        )

    def weights(self, prior_sd: float, train: Sequence[int]) -> Float:
        """Weights of greatest pseudo-likelihood on some worlds, shape (n_templates,)."""
        key = prior_sd, tuple(train)
        if key not in self._fits:
            source = _Counted([self._count(world) for world in train])
            learner = GenerativePseudoLikelihood(prior_sd=prior_sd)
            example = replace(self.worlds[train[0]].example, counts=source)
            self._fits[key] = learner.fit([example], self.templates, progress=self.progress).weights
        return self._fits[key]

    def _score(self, weights: Float, held: Sequence[int]) -> float:
        """CLL of a training world under weights learned on the others."""
        (index,) = held
        world = self.worlds[index]
        atoms = world.atoms[self.query]
        probability = marginals(world.network, weights, samples=200).probability
        return conditional_log_likelihood(probability[atoms], world.example.truth[atoms])

    def _count(self, world: int) -> FlipCounts:
        if world not in self._counts:
            names = (self.worlds[world].name,)
            source = DatabaseFlipCounts(
                self.database, self.program, self.templates, names, self.progress
            )
            self._counts[world] = source.total()
        return self._counts[world]


@dataclass(frozen=True)
class _Counted:
    """Counts that are there already, as a `FlipCountSource`."""

    parts: Sequence[FlipCounts]

    def flip_counts(self) -> Sequence[FlipCounts]:
        return self.parts
