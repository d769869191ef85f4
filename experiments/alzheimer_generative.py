"""Counterparts of Alchemy's structure learner and of BUSL on the Alzheimer sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import monotonic

import numpy as np

from experiments.alzheimer_data import DrugData
from workbench.arrays import Bool, Float
from workbench.progress import Conduct
from workbench.structure.background import Background, Examples
from workbench.structure.beam import BeamSearch
from workbench.structure.growth import GrownTheory
from workbench.structure.paths import PathLearner
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore

GENERATIVE: Mapping[str, BeamSearch | PathLearner] = {
    "ALCHEMY": BeamSearch(
        max_length=4,
        max_variables=4,
        beam=5,
        max_clauses=10,
        max_candidates=1500,
        literal_cost=1e-4,
        recursive=False,
        implications=False,
    ),
    "BUSL": PathLearner(
        max_path=2, max_clauses=10, literal_cost=0.0, recursive=False, implications=False
    ),
}
"""The rows' learners. Clauses hold one target atom, since target atoms are no evidence at test; the
collective rows add transitivity as for the other systems."""


def learn_without_modes(
    data: DrugData, system: str, train: Bool, *, time_limit: float | None
) -> tuple[Float, GrownTheory]:
    """Learn clauses on the training examples.

    Parameters
    ----------
    train : bool array, shape (n_examples,)
    time_limit : float or None
        Seconds; the clauses found until then are used.

    Returns
    -------
    log_odds : float64 array, shape (n_examples,)
    learned : GrownTheory
    """
    examples, background = data.examples, data.background
    true = train & (examples.label == 1)
    known = Background(
        (*background.predicates, examples.predicate),
        (*background.argument_types, examples.types),
        (*background.facts, np.ascontiguousarray(examples.arguments[true])),
        background.constants,
    )
    labelled: Examples = replace(examples, label=np.where(train, examples.label, 0.0))
    score = PseudoLikelihoodScore(known, {examples.predicate: (labelled, train.astype(np.float64))})
    deadline = None if time_limit is None else monotonic() + time_limit
    learned = GENERATIVE[system].learn(score, conduct=Conduct(deadline=deadline))
    log_odds = learned.weights @ score.flip_counts(learned.clauses)
    return np.asarray(log_odds), learned
