"""Correlated fields: non-matches follow a tree of fields, matches each field by itself; EM, closed at every step.

Pairs of different people that were made candidates are alike for a reason: families share a surname, a place and a
postcode at once. Counted as independent, such agreements look like a match. Among non-matches each field therefore
depends on one other (Chow & Liu 1968; Friedman, Geiger & Goldszmidt 1997, as classifier): as a log-linear model,
interactions of two fields' levels. EM starts from the mixture of independent fields, so that the first class stays the
matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from workbench.arrays import Float, Int8
from workbench.linkage.comparison import Comparison
from workbench.linkage.mixture import Patterns, sigmoid

__all__ = ["TreeModel", "fit_tree"]

PRIOR_COUNT = 0.1
EDGE_COUNT = 2.0
FEWEST_FIELDS = 3
"""Two fields alone do not tell two correlated classes apart."""


@dataclass(frozen=True)
class TreeModel:
    """Levels among matches and among the other candidates.

    Attributes
    ----------
    parent : tuple of int
        The field that each depends on among non-matches; -1 for the root.
    match : tuple of float64 arrays, shape (n_levels,)
        log P(level | match).
    other : tuple of float64 arrays, shape (n_levels of the parent or 1, n_levels)
        log P(level | level of the parent, no match).
    intercept : float
        The logarithm of the odds that a candidate is a match, before its levels are seen.
    trace : tuple of float
        The log likelihood, step by step.
    """

    parent: tuple[int, ...]
    match: tuple[Float, ...]
    other: tuple[Float, ...]
    intercept: float
    trace: tuple[float, ...] = ()

    def contributions(self, levels: Int8) -> Float:
        """What each field adds to the log odds, shape (n, n_fields)."""
        found = np.empty(levels.shape)
        for place, (match, other, parent) in enumerate(zip(self.match, self.other, self.parent)):
            above = levels[:, parent] if parent >= 0 else 0
            found[:, place] = match[levels[:, place]] - other[above, levels[:, place]]
        return found

    def scores(self, levels: Int8) -> Float:
        """Log odds of a match, shape (n,)."""
        return np.asarray(self.contributions(levels).sum(axis=1) + self.intercept)


def fit_tree(
    patterns: Patterns,
    comparisons: Sequence[Comparison],
    start: Float,
    *,
    known: tuple[Float, Float] | None = None,
    iterations: int = 60,
) -> TreeModel:
    """EM from the given log odds.

    Parameters
    ----------
    start : float64 array, shape (n_patterns,)
        Log odds of a match under a simpler model.
    known : pair of float64 arrays, shape (n_patterns,), optional
        How many pairs of each pattern are labelled as matches and as non-matches; EM leaves those as they are.
    """
    sizes = [one.n_levels for one in comparisons]
    counts = patterns.counts.astype(float)
    yes, no = known if known is not None else (np.zeros(len(counts)), np.zeros(len(counts)))
    free = np.maximum(counts - yes - no, 0.0)
    probability = sigmoid(start)
    trace: list[float] = []
    model: TreeModel | None = None
    for _ in range(iterations):
        weight = probability * free + yes
        model = _maximised(patterns.levels, weight, counts - weight, sizes)
        scores = model.scores(patterns.levels)
        likelihood = float(((np.logaddexp(0.0, scores) + _log_other(model, patterns.levels)) * counts).sum())
        probability = sigmoid(scores)
        trace.append(likelihood)
        if len(trace) > 1 and trace[-1] - trace[-2] < 1e-6 * abs(trace[-1]):
            break
    assert model is not None
    return TreeModel(model.parent, model.match, model.other, model.intercept, tuple(trace))


def _log_other(model: TreeModel, levels: Int8) -> Float:
    share = -np.logaddexp(0.0, model.intercept)
    total = np.full(len(levels), share)
    for place, (other, parent) in enumerate(zip(model.other, model.parent)):
        total += other[levels[:, parent] if parent >= 0 else 0, levels[:, place]]
    return total


def _maximised(levels: Int8, match: Float, other: Float, sizes: Sequence[int]) -> TreeModel:
    """The M-step: shares of expected counts, and the tree of largest mutual information."""
    n = len(sizes)
    of_match = []
    alone = []
    for place, size in enumerate(sizes):
        counts = np.bincount(levels[:, place], match, minlength=size) + PRIOR_COUNT
        of_match.append(np.log(counts / counts.sum()))
        alone.append(np.bincount(levels[:, place], other, minlength=size))
    joint: dict[tuple[int, int], Float] = {}
    shared = np.zeros((n, n))
    for one in range(n):
        for two in range(one + 1, n):
            code = levels[:, one].astype(np.int64) * sizes[two] + levels[:, two]
            flat = np.asarray(np.bincount(code, other, minlength=sizes[one] * sizes[two]), np.float64)
            table: Float = flat.reshape(sizes[one], sizes[two])
            joint[one, two] = table
            joint[two, one] = table.T
            shared[one, two] = _mutual_information(table)
    parent = _tree(shared)
    conditional = []
    for place in range(n):
        base = (alone[place] + PRIOR_COUNT) / (alone[place] + PRIOR_COUNT).sum()
        if parent[place] < 0:
            conditional.append(np.log(base)[None, :])
        else:
            table = joint[parent[place], place]
            smoothed = (table + EDGE_COUNT * base) / (table.sum(axis=1, keepdims=True) + EDGE_COUNT)
            conditional.append(np.log(smoothed))
    odds = (match.sum() + PRIOR_COUNT) / (other.sum() + PRIOR_COUNT)
    return TreeModel(parent, tuple(of_match), tuple(conditional), float(np.log(odds)))


def _mutual_information(table: Float) -> float:
    total = table.sum()
    if total <= 0:
        return 0.0
    share = table / total
    expected = np.outer(share.sum(axis=1), share.sum(axis=0))
    there = share > 0
    return float((share[there] * np.log(share[there] / expected[there])).sum())


def _tree(shared: Float) -> tuple[int, ...]:
    """The parents in the tree of largest sum; fields fewer than `FEWEST_FIELDS` stay independent."""
    n = len(shared)
    if n < FEWEST_FIELDS:
        return (-1,) * n
    least = minimum_spanning_tree(csr_array(-(shared + 1e-9) * (np.triu(np.ones((n, n)), 1))))
    _, parents = breadth_first_order(least + least.T, 0, directed=False)
    return tuple(int(parent) if parent >= 0 else -1 for parent in parents)
