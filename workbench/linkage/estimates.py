"""How good a clustering is by the model's own account: expected precision and recall of its pairs, without labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float
from workbench.linkage.blocking import Pairs
from workbench.linkage.clustering import Clustering
from workbench.linkage.mixture import sigmoid

__all__ = ["Estimates", "estimate"]


@dataclass(frozen=True)
class Estimates:
    """Shares of pairs.

    Attributes
    ----------
    precision : float
        Of the pairs that are together, how many are the same.
    recall : float
        Of the pairs that are the same, how many are together.
    candidate_recall : float
        Of the pairs that are the same, how many some blocking statement found.
    """

    precision: float
    recall: float
    candidate_recall: float


def estimate(clustering: Clustering, candidates: Pairs, scores: Float) -> Estimates:
    """Sum up probabilities.

    Notes
    -----
    Of a pair that is together the probability is that of the pair itself or, where that is larger, of the best way
    over a third record of its cluster; of any other pair its own.
    """
    label, inside = clustering.label, clustering.pairs
    direct = sigmoid(clustering.scores)
    together = label[inside.left] == label[inside.right]
    probability = direct[together]
    through = _through_a_third(label, inside, direct, together)
    supported = np.maximum(probability, through)
    apart_inside = float(direct[~together].sum())
    apart = label[candidates.left] != label[candidates.right]
    n = np.int64(len(label))
    known = inside.left.astype(np.int64) * n + inside.right
    asked = candidates.left.astype(np.int64) * n + candidates.right
    beyond = apart & ~np.isin(asked, known[~together], kind="sort")
    missed = apart_inside + float(sigmoid(scores[beyond]).sum())
    found = float(supported.sum())
    hit = np.isin(known[together], asked, kind="sort") if together.any() else np.zeros(0, np.bool_)
    return Estimates(
        precision=found / max(1, int(together.sum())) if together.any() else 1.0,
        recall=found / max(1e-12, found + missed) if found + missed > 0 else 1.0,
        candidate_recall=float(supported[hit].sum()) / max(1e-12, found) if together.any() else 1.0,
    )


def _through_a_third(label: np.ndarray, inside: Pairs, direct: Float, together: np.ndarray) -> Float:
    """For each pair that is together, the largest p(a, c) p(c, b) over third records c of the cluster."""
    left, right, value = inside.left[together], inside.right[together], direct[together]
    order = np.argsort(label[left], kind="stable")
    found = np.zeros(len(left))
    edges = np.flatnonzero(np.diff(label[left][order])) + 1
    for rows in np.split(order, edges):
        if len(rows) < 3:
            continue
        members, inverse = np.unique(np.concatenate((left[rows], right[rows])), return_inverse=True)
        one, two = inverse[: len(rows)], inverse[len(rows) :]
        matrix = np.zeros((len(members), len(members)))
        matrix[one, two] = matrix[two, one] = value[rows]
        best = np.zeros_like(matrix)
        for third in range(len(members)):
            np.maximum(best, matrix[:, third, None] * matrix[third], out=best)
        found[rows] = best[one, two]
    return found
