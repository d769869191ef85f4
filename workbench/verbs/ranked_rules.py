"""What rules that a search found are worth, and which of them say something of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.progress import Conduct
from workbench.structure.background import Background
from workbench.structure.conditions import without_bound
from workbench.structure.disjunctions import Disjunction
from workbench.structure.mining import MinedRule
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.structure.ranking import Worth, held_out_worth
from workbench.structure.rules import LearnedRule

Ruled = tuple[LearnedRule, Disjunction]


def ranked(
    chosen: Sequence[Ruled],
    left: Sequence[Ruled],
    score: PseudoLikelihoodScore,
    conduct: Conduct,
    *,
    by_gain: bool,
) -> tuple[list[LearnedRule], list[LearnedRule]]:
    """The rules with what each is worth on held-out atoms, and the others worth something."""
    worth = _held_out(score, [clause for _, clause in (*chosen, *left)], conduct)
    chosen, left = (
        [(_with_worth(rule, worth.get(clause)), clause) for rule, clause in pairs]
        for pairs in (chosen, left)
    )
    if by_gain:
        chosen = _telling(score.background, chosen)
    others = _telling(score.background, left, chosen)
    return [rule for rule, _ in chosen], [rule for rule, _ in others]


def _by_gain(rule: LearnedRule) -> tuple[float, int, str]:
    """The greatest gain first, unknown ones last; of equal ones the shortest."""
    return (np.inf if np.isnan(rule.gain) else -round(rule.gain, 12), len(rule.text), rule.text)


def _telling(
    background: Background, pairs: Sequence[Ruled], known: Sequence[Ruled] = ()
) -> list[Ruled]:
    """By gain, those that gain something and say what none before them does.

    Rules of equal gain, and as many atoms for and against, say the same, as those do that differ in
    bounds of numbers alone; and one with all literals of another, and further ones, has to gain
    more.
    """
    seen = {_figures(rule) for rule, _ in known}
    shapes = {_shape(background, clause) for _, clause in known}
    kept: list[Ruled] = []
    for rule, clause in sorted(pairs, key=lambda pair: _by_gain(pair[0])):
        literals = frozenset(clause)
        shape = _shape(background, clause)
        told = (
            _figures(rule) in seen
            or shape in shapes
            or any(literals > frozenset(other) for _, other in kept)
        )
        if np.isnan(rule.gain) or (rule.gain > 0 and rule.positives and not told):
            kept.append((rule, clause))
            shapes.add(shape)
        seen.add(_figures(rule))
    return kept


def _shape(background: Background, clause: Disjunction) -> frozenset[tuple[object, ...]]:
    """The clause's literals, numbers compared with any."""
    return frozenset(
        (without_bound(background.predicates[predicate]), *rest) for predicate, *rest in clause
    )


def _figures(rule: LearnedRule) -> tuple[float, int, int]:
    return (float(f"{rule.gain:.3g}"), rule.positives, rule.negatives)


def _with_worth(rule: LearnedRule, worth: Worth | None) -> LearnedRule:
    """The rule with its held-out gain and what it covers, an atom being no reason for itself."""
    if worth is None:
        return replace(rule, gain=np.nan)
    if isinstance(rule, MinedRule):
        if [predicate for predicate, _, _ in rule.clause].count(rule.clause[0][0]) == 1:
            return replace(rule, gain=worth.gain)  # its own counts are of the whole domain
        rule = replace(rule, head_coverage=worth.coverage, pca_confidence=worth.precision)
    return replace(
        rule,
        gain=worth.gain,
        positives=worth.agreeing,
        negatives=worth.disagreeing,
        precision=worth.precision,
    )


def _held_out(
    score: PseudoLikelihoodScore, clauses: Sequence[Disjunction], conduct: Conduct
) -> dict[Disjunction, Worth]:
    """What each clause alone is worth for the predicate that it concludes, on held-out atoms."""
    worth: dict[Disjunction, Worth] = {}
    for target in score.atoms:
        number = score.background.number[target]
        own = [
            clause
            for clause in clauses
            if clause not in worth and number in _concluded(score, clause)
        ]
        if own:
            worth |= held_out_worth(score.restricted(target), own, conduct=conduct)
    return worth


def _concluded(score: PseudoLikelihoodScore, clause: Disjunction) -> set[int]:
    """The scored predicates that the clause can be read as a rule for."""
    scored = {score.background.number[name] for name in score.atoms}
    positive = {predicate for predicate, _, sign in clause if sign}
    return (positive or {predicate for predicate, _, _ in clause}) & scored
