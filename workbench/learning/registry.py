"""The learners by name."""

from __future__ import annotations

from typing import Any, cast

from workbench.errors import UsageError, did_you_mean
from workbench.learning.contrastive_divergence import ContrastiveDivergence
from workbench.learning.exact_likelihood import ExactLikelihood
from workbench.learning.expectation_maximisation import ExpectationMaximisation
from workbench.learning.fixed import FixedWeights
from workbench.learning.hinge_pseudolikelihood import HingePseudolikelihood
from workbench.learning.learner import Learner
from workbench.learning.max_margin import HingeLargeMargin, MaxMargin
from workbench.learning.max_margin_online import OnlineMaxMargin
from workbench.learning.mc_mle import MonteCarloMaximumLikelihood
from workbench.learning.newton import DiagonalNewton, PreconditionedConjugateGradient
from workbench.learning.perceptron import HingePerceptron, VotedPerceptron
from workbench.learning.pseudo_likelihood import GenerativePseudoLikelihood, PseudoLikelihood
from workbench.learning.search import WeightSearch
from workbench.network.ground_network import Domain
from workbench.parameters import read_parameters

_CLASSES: tuple[type[Learner], ...] = (
    PseudoLikelihood,
    GenerativePseudoLikelihood,
    HingePseudolikelihood,
    VotedPerceptron,
    HingePerceptron,
    ContrastiveDivergence,
    MonteCarloMaximumLikelihood,
    DiagonalNewton,
    PreconditionedConjugateGradient,
    ExactLikelihood,
    MaxMargin,
    HingeLargeMargin,
    OnlineMaxMargin,
    WeightSearch,
    ExpectationMaximisation,
    FixedWeights,
)

LEARNERS: dict[str, type[Learner]] = {learner.name: learner for learner in _CLASSES}

FORMER = {"hinge_search": WeightSearch.name, "hinge_em": ExpectationMaximisation.name}
"""Names that learners had, and have no more."""


def default_learner(domain: Domain, *, hidden: bool) -> str:
    """The learner that `auto` means, where hidden labels tell on known ones or not, by what the
    learners declare.

    Pseudo-likelihood is convex and needs no samples; with hidden atoms it would need their most
    likely values, where the second chain of diagonal Newton sums over all. In soft logic it
    predicts as well as the perceptron or better on all four of the published data sets.
    """
    (name,) = (
        name for name, learner in LEARNERS.items() if (domain, hidden) in learner.declares.default
    )
    return name


def learners_table() -> str:
    """What the learners declare, as a table in Markdown: the one of docs/learning.md."""
    lines = [
        "| learner | for | what it maximises | an iteration | hidden labels | when to take it |",
        "|---" * 6 + "|",
    ]
    for name, learner in LEARNERS.items():
        says = learner.declares
        words = {frozenset((False,)): "`auto`", frozenset((True,)): "`auto` for hidden labels"}
        taken = words.get(
            frozenset(hidden for _, hidden in says.default), "`auto`" if says.default else ""
        )
        when = f"{taken}: {says.when}" if taken else says.when
        cells = (f"`{name}`", says.languages, says.maximises, says.iteration, says.hidden, when)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def make_learner(name: str, **parameters: object) -> Learner:
    """A learner by name, with its parameters.

    Raises E0504 for an unknown learner, E0505 for a parameter it does not have or a value of
    another type.
    """
    name = FORMER.get(name, name)
    if name not in LEARNERS:
        cure = did_you_mean(name, LEARNERS, f"learners: {', '.join(LEARNERS)}")
        raise UsageError.of("E0504", f"there is no learner {name}", help=cure)
    read = read_parameters(LEARNERS[name], parameters, f"learner {name}", "E0505")
    learner: Learner = cast(Any, LEARNERS[name])(**read)  # a protocol does not say how it is made
    return learner
