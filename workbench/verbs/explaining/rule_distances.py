"""What each rule makes of an answer: groundings, total and mean distance to satisfaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.arrays import Float
from workbench.language.rewriting import rule_text
from workbench.network import distances, hard_violations
from workbench.network.energy import units_by_template

if TYPE_CHECKING:
    from workbench.verbs.results import Inferred

DECIMALS = 12


@dataclass(frozen=True)
class RuleDistance:
    """One rule at the answer's state.

    Attributes
    ----------
    rule : str
        Its text.
    weight : float or None
        In its author's sense; None for hard rules and for rules of several weights.
    groundings : int
        Those with an open atom.
    satisfied, violated : int
        Groundings that evidence alone decides; the distances leave them out.
    distance : float
        Summed over the open groundings, neither weighted nor squared; the number of violated ones
        at a 0/1 state.
    mean : float
        Of an open grounding.
    """

    rule: str
    weight: float | None
    groundings: int
    satisfied: int
    violated: int
    distance: float
    mean: float


def rule_distances(result: Inferred) -> tuple[RuleDistance, ...]:
    """A `RuleDistance` for every rule of the program, in its order. At most O(nonzeros)."""
    grounding = result.grounding
    templates = grounding.templates
    by_template, broken = _summed(result)
    found = []
    for count in grounding.rules:
        own = np.flatnonzero(templates.rule == count.rule)
        weights = np.unique(np.round(result.weights[own] / templates.share[own], DECIMALS))
        total = float(by_template[own].sum() if own.size else broken[count.rule])
        found.append(
            RuleDistance(
                rule_text(result.program.rules[count.rule]),
                float(weights[0]) if weights.size == 1 else None,
                count.open,
                count.satisfied,
                count.violated,
                total,
                total / count.open if count.open else 0.0,
            )
        )
    return tuple(found)


def _summed(result: Inferred) -> tuple[Float, Float]:
    """Distances by template, and by rule how far its hard rows are violated."""
    network, values, sums = result.grounding.network, result.solution.values, result.sums
    if sums is not None:
        return sums.distances + units_by_template(network, values), sums.broken
    if result.program.language == "mln":
        values = np.rint(values)
    violations = hard_violations(network, values)[network.template < 0]
    broken, first = np.zeros(len(result.grounding.rules)), 0
    for count in result.grounding.rules:
        if not np.any(result.grounding.templates.rule == count.rule):
            # Rows come rule by rule, so the hard rules' rows are runs among all hard rows.
            broken[count.rule] = violations[first : first + count.ground_rows].sum()
            first += count.ground_rows
    return distances(network, values), broken
