"""What each rule makes of an answer: its groundings,
and their total and mean distance to satisfaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.language.rewriting import rule_text
from workbench.network import distances, hard_violations

if TYPE_CHECKING:
    from workbench.verbs.results import Inferred

DECIMALS = 12

__all__ = ["RuleDistance", "rule_distances"]


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
    """A `RuleDistance` for every rule of the program, in its order. O(nonzeros)."""
    grounding, values = result.grounding, result.solution.values
    network, templates = grounding.network, grounding.templates
    if result.program.language == "mln":
        values = np.rint(values)
    by_template = distances(network, values)
    broken = hard_violations(network, values)[network.template < 0]
    found = []
    first = 0
    for count in grounding.rules:
        own = np.flatnonzero(templates.rule == count.rule)
        weights = np.unique(np.round(result.weights[own] / templates.share[own], DECIMALS))
        total = float(by_template[own].sum())
        if not own.size:
            # Rows come rule by rule, so the hard rules' rows are runs among all hard rows.
            total = float(broken[first : first + count.ground_rows].sum())
            first += count.ground_rows
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
