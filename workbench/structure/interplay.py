"""Which columns tell something of a target only together with another one."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float, Int64, Real

BEYOND_CHANCE = 5.5
"""Standard deviations that a sum over rows is from nothing where that is no chance, even among a
hundred thousand pairs.
"""
MOST_ROWS, MOST_PAIRED = 5_000, 400
MOST_FOUND = 20


def telling_together(X: Real, rows: Int64, left: Float, among: Int64) -> Int64:
    """Columns of which another one turns what they tell, as in an exclusive or, what turns most
    first.

    Each column parts the rows in two, at their median or by which of two values; of each pair it is
    summed what is left of the target where both are on like sides less where they are not.

    Parameters
    ----------
    X : float array, shape (n_rows, n_columns)
    rows : int64 array, shape (n_looked_at,)
        Those looked at; of more than 5,000 about so many, evenly.
    left : float64 array, shape (n_looked_at,)
        What is left of their target.
    among : int64 array
        The columns: the first 400 are looked at, in order of plainness.

    Notes
    -----
    One product of matrices, O(400^2 * 5000).
    """
    step, among = max(1, len(rows) // MOST_ROWS), among[:MOST_PAIRED]
    rows, left = rows[::step], left[::step]
    if len(among) < 2 or len(rows) < 2:
        return np.empty(0, np.int64)
    sides = _sides(X[np.ix_(rows, among)])
    apart = (left - left.mean()).astype(np.float32)
    turned = np.abs((sides * apart[:, None]).T @ sides)
    square = sides * sides
    expected = np.sqrt((square * (apart**2)[:, None]).T @ square)
    told = np.divide(turned, expected, out=np.zeros_like(turned), where=expected > 0)
    np.fill_diagonal(told, 0)
    most = told.max(axis=1)
    order = np.argsort(-most, kind="stable")[:MOST_FOUND]
    return np.asarray(among[order[most[order] > BEYOND_CHANCE]], np.int64)


def _sides(cells: Real) -> Real:
    """On which side of its column's middle each cell is, less the mean of its column's; 0 where it
    is unknown.
    """
    known = ~np.isnan(cells)
    number = np.count_nonzero(known, axis=0)
    ordered = np.sort(cells, axis=0)  # unknown ones come last
    middle = np.take_along_axis(ordered, np.maximum(number - 1, 0)[None] // 2, axis=0)
    above, below = cells > middle, cells < middle
    high = np.where(above.sum(axis=0) >= below.sum(axis=0), above, known & ~below)
    share = high.sum(axis=0) / np.maximum(number, 1)
    return np.asarray(np.where(known, high - share, 0.0), np.float32)
