"""Which of many columns tell something of a target: what each tells alone, without those that say the same."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float, Int64, Real

__all__ = ["column_gains", "screened"]

MOST_BINS = 12
AT_ONCE = 128
"""Columns that are sorted together."""


def column_gains(X: Real, y: Float, *, discrete: bool, rows: int = 20_000) -> Float:
    """How much each column alone tells of the target: the likelihood (squares) gained by a rate a bin, smoothed.

    Bins hold equal shares of the known values, equal values together; unknown values have one of their own. Where a
    straight line tells more, that is the gain. Rows beyond `rows` are sampled evenly. O(rows log(rows)) a column.
    """
    step = max(1, len(y) // rows)
    X, y = X[::step], y[::step]
    if len(y) < 5 or y.min() == y.max():
        return np.zeros(X.shape[1])
    blocks = (X[:, first : first + AT_ONCE] for first in range(0, X.shape[1], AT_ONCE))
    return np.concatenate([np.zeros(0), *(_gains(block, y, discrete) for block in blocks)])


def _gains(X: Real, y: Float, discrete: bool) -> Float:
    """The gains of columns that are sorted together; 0 for one that is known of few rows or says the same of all."""
    order = np.argsort(X, axis=0)  # unknown values come last
    values = np.take_along_axis(X, order, axis=0).astype(np.float64)
    labels = y[order]
    known = np.count_nonzero(~np.isnan(values), axis=0)
    greatest = np.take_along_axis(values, np.maximum(known - 1, 0)[None], axis=0)[0]
    telling = (known >= 5) & ((values[0] < greatest) | (known < len(y)))
    n, total = _binned(values, labels, known)
    base = float(y.mean())
    rate = (total + 5 * base) / (n + 5)
    if discrete:
        each = total * np.log(rate / base) + (n - total) * np.log((1 - rate) / (1 - base))
    else:
        each = n * (rate - base) ** 2 / (2 * max(float(y.var()), 1e-12))
    gains = each.sum(axis=0) - 0.5 * (np.count_nonzero(n, axis=0) - 1)
    return np.where(telling, np.maximum(gains, _straight_gains(values, labels, known)), 0.0)


def _binned(values: Float, labels: Float, known: Int64) -> tuple[Float, Float]:
    """Rows and sum of labels of each bin of each column, shape (n_bins, n_columns), some bins empty."""
    places = np.arange(len(values))[:, None]
    begins = np.ones(values.shape, np.bool_)
    begins[1:] = values[1:] != values[:-1]
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=0)
    n_bins = int(np.clip(len(values) // 25, 2, MOST_BINS))
    wanted = np.maximum(known - 1, 0) * np.arange(1, n_bins)[:, None] // n_bins
    cuts = np.take_along_axis(first, wanted, axis=0)
    # A least value that fills the first bin has it for itself.
    above = np.where(cuts[0] == 0, np.count_nonzero(values == values[0], axis=0), known)
    ends = np.zeros_like(known), np.full_like(known, len(values))
    cuts = np.sort(np.stack([ends[0], *cuts, above, known, ends[1]]), axis=0)
    sums = np.concatenate((np.zeros((1, values.shape[1])), np.cumsum(labels, axis=0)))
    return np.diff(cuts, axis=0).astype(np.float64), np.diff(np.take_along_axis(sums, cuts, axis=0), axis=0)


def _straight_gains(values: Float, labels: Float, known: Int64) -> Float:
    """What a straight line tells: the likelihood gained by it where errors are normal, less that of one number."""
    ends = np.stack((known // 100, known - 1 - known // 100)).clip(0)
    low, high = np.take_along_axis(values, ends, axis=0)
    clipped = np.where(high > low, np.clip(values, low, high), values)
    inside = ~np.isnan(values)
    n = np.maximum(known, 1)
    x = np.where(inside, clipped, 0.0)
    x = np.where(inside, x - x.sum(axis=0) / n, 0.0)
    of = np.where(inside, labels - (labels * inside).sum(axis=0) / n, 0.0)
    scale = (x**2).sum(axis=0) * (of**2).sum(axis=0)
    share = np.minimum((x * of).sum(axis=0) ** 2 / np.where(scale > 0, scale, 1.0), 1 - 1e-9)
    return np.asarray(-0.5 * known * np.log1p(-share) - 0.5)


NEARLY_AS_TELLING = 0.97


def screened(X: Real, y: Float, *, discrete: bool, most: int, alike: float = 0.985) -> Int64:
    """The columns that tell most of the target, without those that another that tells more is nearly equal to.

    Columns are in order of plainness: of two that are nearly equal and tell nearly as much, the first stays.
    """
    gains = column_gains(X, y, discrete=discrete)
    order = np.argsort(-gains, kind="stable")
    order = order[gains[order] > 0][: 4 * most]
    step = max(1, len(y) // 2000)
    sample = np.asarray(X[::step][:, order], np.float64)
    filled = np.where(np.isnan(sample), _middles(sample), sample)
    centred = filled - filled.mean(axis=0)
    norm = np.sqrt((centred**2).sum(axis=0))
    centred = (centred / np.where(norm > 0, norm, 1.0)).T
    beside = np.empty((min(most, len(order)), len(sample)))
    kept: list[int] = []
    plainest: list[int] = []
    for place, column in enumerate(order):
        likeness = np.abs(beside[: len(kept)] @ centred[place])
        if kept and likeness.max() > alike:
            twin = int(np.argmax(likeness))
            if column < plainest[twin] and gains[column] >= NEARLY_AS_TELLING * gains[order[kept[twin]]]:
                plainest[twin] = int(column)
            continue
        if len(kept) == most:
            break
        beside[len(kept)] = centred[place]
        kept.append(place)
        plainest.append(int(column))
    return np.array(plainest, np.int64)


def _middles(sample: Float) -> Float:
    """The median of the known values of each column; 0 where none is known."""
    if not len(sample):
        return np.zeros(sample.shape[1])
    values = np.sort(sample, axis=0)  # unknown values come last
    known = np.count_nonzero(~np.isnan(values), axis=0)
    ends = np.stack(((known - 1) // 2, known // 2)).clip(0)
    return np.where(known > 0, np.take_along_axis(values, ends, axis=0).mean(axis=0), 0.0)
