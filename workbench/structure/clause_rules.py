"""A clause as a rule that people read: its body implies its head."""

from __future__ import annotations

from workbench.arrays import Float
from workbench.structure.disjunctions import Disjunction, disjunction_text
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.structure.rules import LearnedRule


def clause_rule(
    score: PseudoLikelihoodScore,
    clause: Disjunction,
    counts: Float,
    gain: float,
    weight: float | None,
) -> LearnedRule:
    """A clause as a rule people read, with the scored atoms that it speaks for, and against."""
    agreement = counts * (2 * score.target - 1) * (score.weight > 0)
    positives, negatives = int((agreement > 0).sum()), int((agreement < 0).sum())
    precision = positives / max(positives + negatives, 1)
    text = disjunction_text(score.background, clause, _head(score, clause))
    return LearnedRule(text, positives, negatives, precision, gain, weight)


def _head(score: PseudoLikelihoodScore, clause: Disjunction) -> int | None:
    """The scored predicate that a clause concludes: its one positive literal's, else the first."""
    scored = [score.background.number[name] for name in score.atoms]
    positive = [predicate for predicate, _, sign in clause if sign]
    if positive:
        return positive[0] if len(positive) == 1 and positive[0] in scored else None
    return next((predicate for predicate, _, _ in clause if predicate in scored), None)
