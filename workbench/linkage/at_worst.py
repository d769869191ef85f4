"""How many of the pairs that a class takes may be wrong at worst: where a field in which things
differ may tell them apart.

What `workbench.linkage.doubts` expects is the likeliest reading. A field may also tell things apart
though its odds are against it, and though its pairs are no random ones: fathers and their sons are
born a generation apart, and never by chance.
"""

from __future__ import annotations

import numpy as np

from workbench.linkage.doubts import SOME, Doubt, doubt_of, telling_fields, wrong_within
from workbench.linkage.field_tree import FAR
from workbench.linkage.mixture import sigmoid
from workbench.linkage.problem import LinkProblem
from workbench.linkage.tree import TreeModel

AT_WORST = 5.0
"""What the odds that a field tells things apart may be too low by."""


def wrong_at_worst(model: TreeModel, problem: LinkProblem) -> float:
    """The largest share of the pairs that a class takes which some field may tell apart."""
    doubts = [_at_worst(model, place, problem) for place in telling_fields(problem)]
    # Where no more pairs agree than random ones do, the field is of an occasion.
    odds = np.array([one.odds for one in doubts if one.beyond > 0])
    shares = np.array([one.share for one in doubts if one.beyond > 0])
    return float((shares * sigmoid(odds + AT_WORST)).max(initial=0.0))


def _at_worst(model: TreeModel, place: int, problem: LinkProblem) -> Doubt:
    """The doubt of a field that all pairs speak for which are far in it, random ones or not."""
    scores = model.scores(problem.levels)
    one = doubt_of(model, place, scores, problem, taken=True)
    level, wider = problem.levels[:, place], scores > 0
    there = problem.across * (wider & (level > 0))
    far = float(there[level == FAR].sum()) / max(float(there.sum()), 1e-9)
    share = min(far, wrong_within(scores, problem))
    if share <= max(one.share, SOME):
        return one
    joining = problem.joining(wider & (level > FAR), wider & (level > 0))
    return one._replace(share=share, joining=joining)
