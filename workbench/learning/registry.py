"""The learners by name."""

from __future__ import annotations

from typing import Any, cast

from workbench.errors import UsageError, nearest
from workbench.learning.contrastive_divergence import ContrastiveDivergence
from workbench.learning.exact_likelihood import ExactLikelihood
from workbench.learning.fixed import FixedWeights
from workbench.learning.hinge_em import HingeEM
from workbench.learning.hinge_large_margin import HingeLargeMargin
from workbench.learning.hinge_perceptron import HingePerceptron
from workbench.learning.hinge_pseudolikelihood import HingePseudolikelihood
from workbench.learning.hinge_search import HingeSearch
from workbench.learning.learner import Learner
from workbench.learning.max_margin import MaxMargin
from workbench.learning.max_margin_online import OnlineMaxMargin
from workbench.learning.mc_mle import MonteCarloMaximumLikelihood
from workbench.learning.pseudo_likelihood import PseudoLikelihood
from workbench.learning.second_order import DiagonalNewton, PreconditionedConjugateGradient
from workbench.learning.voted_perceptron import VotedPerceptron
from workbench.parameters import read_parameters

__all__ = ["LEARNERS", "make_learner"]

_CLASSES: tuple[type[Learner], ...] = (
    VotedPerceptron,
    PseudoLikelihood,
    MonteCarloMaximumLikelihood,
    DiagonalNewton,
    PreconditionedConjugateGradient,
    ContrastiveDivergence,
    ExactLikelihood,
    FixedWeights,
    MaxMargin,
    OnlineMaxMargin,
    HingePerceptron,
    HingePseudolikelihood,
    HingeLargeMargin,
    HingeSearch,
    HingeEM,
)

LEARNERS: dict[str, type[Learner]] = {learner.name: learner for learner in _CLASSES}


def make_learner(name: str, **parameters: object) -> Learner:
    """A learner by name, with its parameters.

    Raises
    ------
    UsageError
        E0504 for an unknown learner, E0505 for a parameter it does not have or a value of another type.
    """
    if name not in LEARNERS:
        close = nearest(name, LEARNERS)
        known = ", ".join(LEARNERS)
        raise UsageError.of(
            "E0504", f"there is no learner {name}", help=f"did you mean {close}?" if close else f"learners: {known}"
        )
    read = read_parameters(LEARNERS[name], parameters, f"learner {name}", "E0505")
    learner: Learner = cast(Any, LEARNERS[name])(**read)  # a protocol does not say how it is made
    return learner
