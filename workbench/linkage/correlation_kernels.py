"""Kernels of correlation clustering on one component: `w[i, j] > 0` wants i and j together, less
apart.
"""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float, Int64
from workbench.network.compiled import allocating, compiled


@allocating
def greedy_joining(w: Float, average: bool) -> Int64:
    """Join the two clusters of largest sum (or mean) of weights while that is positive; the cluster
    of each element.

    Keuper et al. 2015, greedy additive edge contraction; by means it is average linkage. O(n^2) as
    a rule.
    """
    n = w.shape[0]
    total = w.copy()
    size = np.ones(n, np.int64)
    label = np.arange(n)
    alive = np.ones(n, np.bool_)
    best = np.empty(n, np.int64)
    value = np.empty(n)
    # Each cluster knows its best partner, so that a join looks at a row and not at the square.
    for i in range(n):
        best[i], value[i] = -1, -np.inf
        for j in range(n):
            if j != i and total[i, j] > value[i]:
                best[i], value[i] = j, total[i, j]
    while True:
        at, top = -1, 0.0
        for i in range(n):
            if alive[i] and value[i] > top:
                at, top = i, value[i]
        if at < 0:
            return label
        i, j = at, best[at]
        # j goes into i: what others gain by either is added up.
        for k in range(n):
            if alive[k] and k != i and k != j:
                total[i, k] += total[j, k]
                total[k, i] = total[i, k]
        alive[j] = False
        size[i] += size[j]
        for k in range(n):
            if label[k] == j:
                label[k] = i
        value[i] = -np.inf
        best[i] = -1
        for k in range(n):
            if not alive[k] or k == i:
                continue
            gain = total[i, k] / (size[i] * size[k]) if average else total[i, k]
            if gain > value[i]:
                best[i], value[i] = k, gain
            # Who had one of the two for a partner looks around anew; others look at the new one.
            if best[k] == i or best[k] == j:
                best[k], value[k] = -1, -np.inf
                for other in range(n):
                    if alive[other] and other != k:
                        one = (
                            total[k, other] / (size[k] * size[other])
                            if average
                            else total[k, other]
                        )
                        if one > value[k]:
                            best[k], value[k] = other, one
            elif gain > value[k]:
                best[k], value[k] = i, gain


@allocating
def moved_singly(w: Float, label: Int64, most: int) -> Int64:
    """Move single elements to the cluster they gain most in, or to one of their own,
    until none gains; in place.
    """
    n = w.shape[0]
    gain = np.zeros(n + 1)
    for _ in range(most):
        moved = False
        for i in range(n):
            gain[:] = 0.0
            for j in range(n):
                if j != i:
                    gain[label[j]] += w[i, j]
            here = gain[label[i]]
            best, top = label[i], here
            used = np.zeros(n + 1, np.bool_)
            for j in range(n):
                if j != i:
                    used[label[j]] = True
                    if gain[label[j]] > top + 1e-9:
                        best, top = label[j], gain[label[j]]
            if top < -1e-9:
                for k in range(n + 1):
                    if not used[k]:
                        best = k
                        break
            if best != label[i]:
                label[i] = best
                moved = True
        if not moved:
            break
    return label


@compiled
def violated(w: Float, label: Int64) -> float:
    """The energy: weights of pairs that are where they do not want to be."""
    total = 0.0
    for i in range(w.shape[0]):
        for j in range(i):
            if label[i] == label[j]:
                if w[i, j] < 0:
                    total -= w[i, j]
            elif w[i, j] > 0:
                total += w[i, j]
    return total


@allocating
def packed_triangles(w: Float) -> float:
    """A lower bound of the energy: of triangles with one pair apart and two together, one side is
    violated.

    Triangles are packed greedily, each using up the least of its three weights (Bansal, Blum &
    Chawla 2004).
    """
    n = w.shape[0]
    rest = w.copy()
    bound = 0.0
    for i in range(n):
        for k in range(i):
            if rest[i, k] >= 0.0:
                continue
            for j in range(n):
                if rest[i, j] > 0.0 and rest[j, k] > 0.0:
                    least = min(min(rest[i, j], rest[j, k]), -rest[i, k])
                    bound += least
                    rest[i, j] -= least
                    rest[j, i] = rest[i, j]
                    rest[j, k] -= least
                    rest[k, j] = rest[j, k]
                    rest[i, k] += least
                    rest[k, i] = rest[i, k]
                    if rest[i, k] >= 0.0:
                        break
    return bound
