"""The `validation` split of a PSL document: a world that judges weights while others teach them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.arrays import Float
from workbench.database import Database
from workbench.errors import InputError
from workbench.evaluation import continuous_scores
from workbench.grounding import Grounding, GroundRequest, ground
from workbench.language.program import Program
from workbench.language.psl.document import PslDocument
from workbench.language.psl.document_reading import read_psl_document
from workbench.learning.completion import MapStates
from workbench.network import Templates
from workbench.progress import PLAIN
from workbench.verbs.loading import load
from workbench.verbs.psl_documents.evaluations import Evaluation, evaluated
from workbench.verbs.results import query_predicates


@dataclass(frozen=True)
class _State:
    """The likeliest state of the validation world at some weights."""

    query: Sequence[str]
    grounding: Grounding
    values: Float


@dataclass(frozen=True)
class ValidationWorld:
    """What a document lists for validation, ground; its labels are truth."""

    document: PslDocument
    grounding: Grounding

    @cached_property
    def _likeliest(self) -> Callable[[Float], Float]:
        network, last = self.grounding.network, list[Float]()
        states = list[Callable[[Float, int, Float | None], Float]]()

        def likeliest(weights: Float) -> Float:
            if not states:
                states.append(MapStates(None, PLAIN).again_and_again(network, weights))
            last[:] = [states[0](weights, 0, last[0] if last else None)]
            return last[0]

        return likeliest

    def evaluations(self, weights: Float) -> tuple[Evaluation, ...]:
        """The document's evaluations of the likeliest state."""
        state = _State(query_predicates(self.grounding), self.grounding, self._likeliest(weights))
        return evaluated(self.document, state)

    def judge(self, weights: Float) -> float:
        """By the document's first evaluator, as in PSL; without one by mean squared error."""
        found = self.evaluations(weights)
        if found:
            merit = found[0].merit
            return merit if np.isfinite(merit) else -np.inf
        truth = self.grounding.truth
        known = np.isfinite(truth)
        return -continuous_scores(self._likeliest(weights)[known], truth[known])["MSE"]


def validation_world(
    path: str | os.PathLike[str], document: PslDocument, program: Program, templates: Templates
) -> ValidationWorld:
    """Ground what a document lists for validation, in a workspace of its own.

    Raises E0501 where it has no labels.
    """
    with Database.open() as database:
        database.declare(program)
        load(database, path, split="validation")
        request = GroundRequest(role="learn", templates=templates)
        grounding = ground(database, program, request)
    if not np.isfinite(grounding.truth).any():
        raise InputError.of(
            "E0501",
            "no atom of the validation split has a label to judge by",
            help="list truth for `validation` too, or leave the split away",
        )
    return ValidationWorld(document, grounding)


def judge_of(
    path: str | os.PathLike[str], program: Program, templates: Templates
) -> Callable[[Float], float]:
    """How good weights are on what a document lists for validation; larger is better."""
    return validation_world(path, read_psl_document(path), program, templates).judge
