"""What both experiments of Singla and Domingos (2005) share: a world left out, predicted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from experiments.baselines import NaiveBayes, TreeAugmentedBayes
from experiments.experiment import Reproduction
from experiments.grounded import GroundedWorld, Prediction, marginals, score_world
from experiments.relational_attributes import AttributeTable
from workbench.arrays import Float
from workbench.database import Database
from workbench.evaluation import Fold
from workbench.language.program import Program
from workbench.learning import Example, Learner
from workbench.network import Templates
from workbench.progress import SILENT, Progress

METRICS = ("AUC-PR", "CLL", "AUC-ROC", "F1", "average precision")
KB_WEIGHT = 20.0
"""Of every clause of the knowledge base alone: large enough to stand for an infinite one."""


@dataclass(frozen=True)
class Study:
    """What every system reads: the facts, the ground worlds, and what systems and folds share once
    it is made.

    Attributes
    ----------
    samples, burn_in : int
        Of the Gibbs chain that predicts.
    cache : dict
        Whatever a system keeps for the next fold, by a key that begins with its own word.
    """

    database: Database
    program: Program
    worlds: tuple[GroundedWorld, ...]
    templates: Templates
    samples: int = 500
    burn_in: int = 100
    progress: Progress = SILENT
    cache: dict[tuple[str, ...], Any] = field(default_factory=dict)

    def training(self, fold: Fold) -> list[Example]:
        return [self.worlds[index].example for index in fold.train]

    def test(self, fold: Fold) -> GroundedWorld:
        return self.worlds[int(fold.test[0])]

    def fit(self, learner: Learner, fold: Fold) -> Float:
        """Weights learned on a fold's training worlds, shape (n_templates,)."""
        return learner.fit(self.training(fold), self.templates, progress=self.progress).weights

    def predict(self, fold: Fold, weights: Float) -> Prediction:
        """Probabilities of the atoms of a fold's test world."""
        return marginals(
            self.test(fold).network, weights, samples=self.samples, burn_in=self.burn_in
        )


System = Callable[[Study, Fold], Prediction]
"""From the study and the world left out to the probabilities of that world's atoms."""


def learned_by(learner: Learner) -> System:
    """The system that takes a learner's weights."""

    def predict(study: Study, fold: Fold) -> Prediction:
        return study.predict(fold, study.fit(learner, fold))

    return predict


def propositional(
    classifier: type[NaiveBayes] | type[TreeAugmentedBayes],
    predicates: Collection[str],
    attributes: Callable[[Study, str, str], AttributeTable],
) -> System:
    """A classifier of some predicates' atoms by `attributes` of a study's world and predicate."""

    def predict(study: Study, fold: Fold) -> Prediction:
        test, training = study.test(fold), [study.worlds[index] for index in fold.train]
        probability = np.zeros(test.network.n_atoms)
        for predicate in predicates:
            tables = [attributes(study, world.name, predicate) for world in training]
            labels = np.concatenate(
                [world.example.truth[world.atoms[predicate]] == 1 for world in training]
            )
            model = classifier.fit(
                np.concatenate([one.values for one in tables]), labels, tables[0].categories
            )
            probability[test.atoms[predicate]] = model.probability(
                attributes(study, test.name, predicate).values
            )
        return Prediction(probability)

    return predict


def score_systems(
    run: Reproduction, study: Study, systems: Mapping[str, System], columns: Mapping[str, str]
) -> None:
    """Every system that is asked for, on every fold.

    Parameters
    ----------
    columns : mapping of str to str
        The predicates that are scored, and the table's columns for them.
    """
    every = np.arange(len(study.worlds))
    splits = [
        Fold(world.name, np.delete(every, held), every[held : held + 1])
        for held, world in enumerate(study.worlds[: run.folds])
    ]
    for system in run.systems:
        with run.measured.timed(system):
            for number, fold in enumerate(splits):
                study.progress.step(system, number, len(splits), f"leaving out {fold.name}")
                predicted = systems[system](study, fold)
                for predicate, column in columns.items():
                    figures = score_world(study.test(fold), predicate, predicted, METRICS)
                    run.measured.add(system, column, fold.name, figures)
