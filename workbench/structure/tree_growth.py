"""Growing one regression tree over binned columns, the leaf of most gain first.

The histogram trees of LightGBM (Ke et al. 2017), as scikit-learn grows them: the same sums in the
same order, so the same trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.arrays import Bool, Float, Float32, Int64, UInt8
from workbench.network.compiled import allocating, compiled

LEAST_HESSIAN = 1e-3
"""What a child's summed curvature is at least."""


class Grown(NamedTuple):
    """A tree's nodes, root first; where its rows end, and how many column masks it used.

    Attributes
    ----------
    column, cut : int64 array, shape (n_nodes,)
        A row with a bin up to `cut` of that column goes left; -1 in leaves.
    unknown_left : bool array, shape (n_nodes,)
        Whether rows of an unknown value go left, too.
    left : int64 array, shape (n_nodes,)
        The left child; the right one is the next.
    value : float64 array, shape (n_nodes,)
    leaf : int64 array, shape (n_rows,)
        The node in which a row ends.
    """

    column: Int64
    cut: Int64
    unknown_left: Bool
    left: Int64
    value: Float
    leaf: Int64
    used: int


@compiled
def _sum(
    histogram: Float, bins: UInt8, begins: Int64, rows: Int64, gradients: Float32, hessians: Float32
) -> None:
    """Sums of gradients and of hessians, and numbers of rows, of each bin of each column."""
    histogram[:] = 0.0
    for row in rows:
        gradient, hessian = np.float64(gradients[row]), np.float64(hessians[row])
        for column in range(bins.shape[1]):
            here = histogram[np.uint64(begins[column] + bins[row, column])]
            here[0] += gradient
            here[1] += hessian
            here[2] += 1.0


@compiled
def _best_split(
    sums: Float,
    begins: Int64,
    unknown: Bool,
    asked: Bool,
    whole: Float,
    l2: float,
    least: int,
    best: Float,
) -> int:
    """The column whose cut gains most, -1 where none gains; that cut is put into `best`.

    Parameters
    ----------
    whole : float64 array, shape (4,)
        The node's sums of gradients and hessians, its number of rows, its value.
    best : float64 array, shape (6,)
        Gain, cut, whether unknown values go left, and what goes left: gradients, hessians, rows.
    """
    column = -1
    best[0] = 0.0
    for at in range(len(unknown)):
        if not asked[at]:
            continue
        n_known = begins[at + 1] - begins[at] - 1
        for onto_left in range(2 if unknown[at] else 1):
            gradient, hessian, n = 0.0, 0.0, 0.0
            # Unknown values are with what is not summed: on the right, then on the left.
            for step in range(n_known - 1 + (1 if unknown[at] and not onto_left else 0)):
                bin = n_known - 1 - step if onto_left else step
                here = sums[np.uint64(begins[at] + bin)]
                gradient += here[0]
                hessian += here[1]
                n += here[2]
                if n < least or hessian < LEAST_HESSIAN:
                    continue
                if whole[2] - n < least or whole[1] - hessian < LEAST_HESSIAN:
                    break
                other, others = whole[0] - gradient, whole[1] - hessian
                gained = gradient / (hessian + l2 + 1e-15) * gradient
                gained_there = other / (others + l2 + 1e-15) * other
                if onto_left:
                    gain = whole[0] * whole[3] + gained_there + gained
                else:
                    gain = whole[0] * whole[3] + gained + gained_there
                if gain > best[0]:
                    column = at
                    best[0], best[2] = gain, onto_left
                    if onto_left:
                        best[1], best[3], best[4], best[5] = bin - 1, other, others, whole[2] - n
                    else:
                        best[1], best[3], best[4], best[5] = bin, gradient, hessian, n
    return column


@compiled
def _parted(
    rows: Int64, beside: Int64, begin: int, end: int, here: UInt8, cut: int, unknown: int
) -> int:
    """Put the rows whose bin goes left before the others, each in their order; where these begin.

    `unknown` is the bin of unknown values where these go left, else -1.
    """
    middle, others = begin, 0
    for place in range(begin, end):
        row = rows[place]
        if here[row] <= cut or here[row] == unknown:
            rows[middle] = row
            middle += 1
        else:
            beside[others] = row
            others += 1
    for place in range(others):
        rows[middle + place] = beside[place]
    return middle


@allocating
def grow_tree(
    bins: UInt8,
    begins: Int64,
    unknown: Bool,
    gradients: Float32,
    hessians: Float32,
    masks: Bool,
    histograms: Float,
    least: int,
    l2: float,
) -> tuple[Int64, Int64, Bool, Int64, Float, Int64, int]:
    """A tree that follows the gradients, as `Grown` describes it.

    O(n_columns * n_rows) a level: of two children the smaller one is summed, the other is what is
    left of their parent.

    Parameters
    ----------
    bins : uint8 array, shape (n_rows, n_columns)
        Known values in order from 0; unknown ones in a bin behind them.
    begins : int64 array, shape (n_columns + 1,)
        Where each column's bins begin in a histogram.
    unknown : bool array, shape (n_columns,)
        Whether some value is unknown.
    gradients, hessians : float32 array, shape (n_rows,)
    masks : bool array, shape (2 * most_leaves, n_columns)
        The columns that may be cut, a row for each node that is looked at.
    histograms : float64 array, shape (most_leaves, n_bins, 3)
        Room to work in.
    least : int
        Rows of a leaf, at least.
    """
    most, n_rows = 2 * len(histograms) - 1, len(gradients)
    column, cut, left = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    first, end, room = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    unknown_left = np.zeros(most, np.bool_)
    wholes, cuts = np.zeros((most, 4)), np.zeros((most, 6))
    rows, beside = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    leaf = np.zeros(n_rows, np.int64)
    for row in range(n_rows):
        rows[row] = row
        wholes[0, 0] += gradients[row]
        wholes[0, 1] += hessians[row]
    wholes[0, 2], end[0] = n_rows, n_rows
    n_nodes, new, small, large, parent, used = 1, 0, 0, 0, -1, 0
    while True:
        if n_nodes < most and wholes[large, 2] >= 2 * least:
            among = rows[first[small] : end[small]]
            _sum(histograms[room[small]], bins, begins, among, gradients, hessians)
            if new:
                _subtract(histograms[room[large]], histograms[room[small]])
        for node in range(new, n_nodes):
            column[node] = -1
            if n_nodes < most and wholes[node, 2] >= 2 * least and wholes[node, 1] >= LEAST_HESSIAN:
                sums = histograms[room[node]]
                column[node] = _best_split(
                    sums, begins, unknown, masks[used], wholes[node], l2, least, cuts[node]
                )
                used += 1
        parent = -1
        for node in range(n_nodes):
            open = not left[node] and column[node] >= 0
            if open and (parent < 0 or cuts[node, 0] > cuts[parent, 0]):
                parent = node
        if n_nodes == most or parent < 0:
            break
        of, best, new = column[parent], cuts[parent], n_nodes
        cut[parent], left[parent] = int(best[1]), new
        gone = begins[of + 1] - begins[of] - 1 if best[2] > 0.0 else -1
        middle = _parted(rows, beside, first[parent], end[parent], bins[:, of], cut[parent], gone)
        first[new], end[new], first[new + 1], end[new + 1] = (
            first[parent],
            middle,
            middle,
            end[parent],
        )
        more_left = 2 * middle > first[parent] + end[parent]
        more_right = 2 * middle < first[parent] + end[parent]
        unknown_left[parent] = best[2] > 0.0 if unknown[of] else more_left
        small, large = (new, new + 1) if more_right else (new + 1, new)
        n_nodes += 2
        room[large], room[small] = room[parent], n_nodes // 2
        wholes[new, 0], wholes[new, 1], wholes[new, 2] = best[3], best[4], best[5]
        for field in range(3):
            wholes[new + 1, field] = wholes[parent, field] - wholes[new, field]
        for node in range(new, n_nodes):
            wholes[node, 3] = -wholes[node, 0] / (wholes[node, 1] + l2 + 1e-15)
    for node in range(n_nodes):
        if not left[node]:
            column[node] = -1
            for place in range(first[node], end[node]):
                leaf[rows[place]] = node
    k = n_nodes
    return column[:k], cut[:k], unknown_left[:k], left[:k], wholes[:k, 3], leaf, used


@compiled
def _subtract(histogram: Float, other: Float) -> None:
    for at in range(len(histogram)):
        histogram[at, 0] -= other[at, 0]
        histogram[at, 1] -= other[at, 1]
        histogram[at, 2] -= other[at, 2]
