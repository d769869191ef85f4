"""The learners by name."""

from __future__ import annotations

from dataclasses import fields
from typing import cast

from workbench.errors import UsageError, nearest
from workbench.learning.learner import Learner
from workbench.learning.pseudo_likelihood import PseudoLikelihood
from workbench.learning.voted_perceptron import VotedPerceptron

__all__ = ["LEARNERS", "make_learner"]

LEARNERS: dict[str, type] = {learner.name: learner for learner in (VotedPerceptron, PseudoLikelihood)}


def make_learner(name: str, **parameters: object) -> Learner:
    """A learner by name, with its parameters.

    Raises
    ------
    UsageError
        E0504 for an unknown learner, E0505 for a parameter it does not have.
    """
    if name not in LEARNERS:
        close = nearest(name, LEARNERS)
        known = ", ".join(LEARNERS)
        raise UsageError.of(
            "E0504", f"there is no learner {name}", help=f"did you mean {close}?" if close else f"learners: {known}"
        )
    known_fields = [field.name for field in fields(LEARNERS[name])]
    for parameter in parameters:
        if parameter not in known_fields:
            raise UsageError.of(
                "E0505", f"learner {name} has no parameter {parameter}", help=f"it has: {', '.join(known_fields)}"
            )
    return cast(Learner, LEARNERS[name](**parameters))
