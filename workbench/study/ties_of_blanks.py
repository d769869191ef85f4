"""Whether blanks that are neighbours are told jointly, or each by known labels alone."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Bool, Float
from workbench.study.columns import CandidateColumns
from workbench.study.gathered import neighbour_pairs
from workbench.study.learners import FittedRules
from workbench.study.matrix import CandidateMatrix
from workbench.study.prepared import Prepared
from workbench.tables import Staging

MOST_ADDED = 1.5
"""In log odds."""


def told_alone(
    staging: Staging, ready: Prepared, model: FittedRules, matrix: CandidateMatrix
) -> bool:
    """Whether each blank is told by known labels alone: where the blanks beside one move its log
    odds by more than 1.5 on average.

    Rules over neighbours' labels are learned from known ones. A few blanks among many known rows
    help to tell each other, as members of a ring do; many hold each other to whatever they began
    with, and what they say is far too sure. O(ties).
    """
    blank = np.isnan(ready.labels)
    if ready.kind != "yes/no" or matrix.labelled.isdisjoint(model.columns) or not blank.any():
        return False
    columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
    return bool(_added(columns, model, matrix, blank)[blank].mean() > MOST_ADDED)


def _added(
    columns: CandidateColumns, model: FittedRules, matrix: CandidateMatrix, blank: Bool
) -> Float:
    """What the blanks beside each row add to its log odds, at most, shape (n_rows,)."""
    added = np.zeros(len(blank))
    (part,) = model.parts
    for term, weight in zip(part.terms, part.weights):
        candidate = matrix.candidates[term.column]
        if candidate.aggregate == "labelled":
            source, target = neighbour_pairs(columns, candidate.path)
            beside = np.bincount(source[blank[target]], minlength=len(blank))
            added += abs(float(weight)) / term.spread * beside
    return added
