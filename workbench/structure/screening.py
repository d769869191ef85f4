"""Which columns tell something of a target: each alone, then of what others leave, none twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64, Real, UInt8
from workbench.network.compiled import allocating

MOST_BINS = 12
ALIKE = 0.985
"""Correlation from which on columns are near copies."""
AT_ONCE = 128
"""Columns that are sorted together."""
MOST_ROWS = 20_000
"""More are sampled evenly."""
ROUNDS = 5
"""In which columns are chosen, as many in each."""


@dataclass(frozen=True)
class BinnedColumns:
    """Columns' values in bins of equal shares, equal ones together, unknown ones apart.

    Attributes
    ----------
    X : float32 array, shape (n_rows, n_columns)
        Column after column, as are the bins.
    bins : uint8 array, shape (n_rows, n_columns)
    low, high : float64 array, shape (n_columns,)
        About the first and the last hundredth of the known values: what a straight line is drawn
        through.
    """

    X: Real
    bins: UInt8
    low: Float
    high: Float

    @staticmethod
    def of(X: Real) -> BinnedColumns:
        """The bins of all rows. O(rows log(rows)) a column."""
        X = np.asfortranarray(X, np.float32)
        bins = np.zeros(X.shape, np.uint8, order="F")
        low, high = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for first in range(0, X.shape[1] if len(X) else 0, AT_ONCE):
            block = slice(first, first + AT_ONCE)
            bins[:, block], low[block], high[block] = _binned(X[:, block])
        return BinnedColumns(X, bins, low, high)

    def gains(self, y: Float, rows: Int64, among: Int64, *, discrete: bool) -> Float:
        """How much each of some columns tells alone of some rows' target; `y` is of all rows.

        The likelihood (squares) gained by a rate a bin, smoothed. Where a straight line tells more,
        that is the gain.
        """
        if len(rows) < 5 or y[rows].min() == y[rows].max():
            return np.zeros(len(among))
        base = float(y[rows].mean())
        target = np.asarray(y, np.float64)
        n, total, sums = _summed(self.X, self.bins, self.low, self.high, target, rows, among, base)
        rate = (total + 5 * base) / (n + 5)
        if discrete:
            each = total * np.log(rate / base) + (n - total) * np.log((1 - rate) / (1 - base))
        else:
            each = n * (rate - base) ** 2 / (2 * max(float(y[rows].var()), 1e-12))
        stepped = each.sum(axis=0) - 0.5 * (np.count_nonzero(n, axis=0) - 1)
        known, x, xx, of, ofof, both = sums
        size = np.maximum(known, 1)
        scale = (xx - x**2 / size) * (ofof - of**2 / size)
        share = np.minimum(
            (both - x * of / size) ** 2 / np.where(scale > 1e-12, scale, np.inf), 1 - 1e-9
        )
        straight = -0.5 * known * np.log1p(-share) - 0.5
        several = (np.count_nonzero(n[:-1], axis=0) > 1) | (known < len(rows)) | (xx > x**2 / size)
        return np.where((known >= 5) & several, np.maximum(stepped, straight), 0.0)

    def telling(
        self,
        y: Float,
        rows: Int64,
        among: Int64,
        *,
        discrete: bool,
        most: int,
    ) -> Int64:
        """The columns that tell most of these rows' target, without near copies of others.

        In rounds: each adds those that tell most of what the ones before leave of the target, for
        hundreds of ways to say one thing would crowd out another (iterated screening: Fan and Lv
        2008). Columns are in order of plainness: of two that are nearly equal and tell nearly as
        much, the first stays.
        """
        left = np.asarray(y, np.float64)
        found = np.empty(0, np.int64)
        for number in range(1, ROUNDS + 1):
            gains = np.zeros(self.X.shape[1])
            gains[among] = self.gains(left, rows, among, discrete=discrete and number == 1)
            # Those found come first again, in their order.
            gains[found] = gains.max(initial=0.0) + np.arange(len(found), 0, -1)
            wanted = -(-most * number // ROUNDS)
            had, found = len(found), _unlike(self.X, rows, gains, wanted, most)
            if len(found) == had or len(found) == most:
                break
            left = left.copy()
            left[rows] = unexplained(self.X, rows, found, y[rows])
        return found


UNKNOWN = MOST_BINS + 1
"""The bin of unknown values; a least value filling the first bin may make one bin more."""


def _binned(X: Real) -> tuple[UInt8, Float, Float]:
    """Bins, low and high of columns that are sorted together."""
    columns = X.T
    values = np.sort(columns, axis=1)  # unknown values come last
    n_rows, each = values.shape[1], np.arange(len(values))
    known = n_rows - np.count_nonzero(np.isnan(values), axis=1)
    n_bins = int(np.clip(n_rows // 25, 2, MOST_BINS))
    wanted = np.maximum(known - 1, 0) * np.arange(1, n_bins)[:, None] // n_bins
    cuts = values[each, wanted]
    least = values[:, 0]
    # A bin begins at each cut above the least value, which has one for itself where it fills it.
    after = np.count_nonzero(values == least[:, None], axis=1)
    second = values[each, np.minimum(after, n_rows - 1)]
    begins = np.where(cuts > least, cuts, np.nan)
    filled = (cuts[0] == least) & (after < known)
    bins = np.zeros(values.shape, np.uint8)
    for begin in (np.where(filled, second, np.nan), *begins):
        bins += columns >= begin[:, None]
    bins[np.isnan(columns)] = UNKNOWN
    ends = np.stack((known // 100, known - 1 - known // 100)).clip(0)
    low, high = np.nan_to_num(values[each, ends].astype(np.float64))
    greatest = values[each, np.maximum(known - 1, 0)]
    flat = high <= low
    return (
        bins.T,
        np.where(flat, np.nan_to_num(least), low),
        np.where(flat, np.nan_to_num(greatest), high),
    )


@allocating
def _summed(
    X: Real, bins: UInt8, low: Float, high: Float, y: Float, rows: Int64, among: Int64, base: float
) -> tuple[Float, Float, Float]:
    """Of each bin of each column, shape (n_bins, n_columns), some bins empty, its rows and their
    sum of targets; of each column's known values number, sum, sum of squares, the same of targets
    less `base`, and the sum of products.
    """
    k = among.size
    n, total, sums = np.zeros((UNKNOWN + 1, k)), np.zeros((UNKNOWN + 1, k)), np.zeros((6, k))
    for j in range(k):
        column = among[j]
        least, most = low[column], high[column]
        known, x, xx, s, ss, both = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in rows:
            of, at = y[i] - base, bins[i, column]
            n[at, j] += 1.0
            total[at, j] += y[i]
            if at != UNKNOWN:
                value = min(max(X[i, column], least), most) - least
                known += 1.0
                x += value
                xx += value * value
                s += of
                ss += of * of
                both += value * of
        sums[0, j], sums[1, j], sums[2, j] = known, x, xx
        sums[3, j], sums[4, j], sums[5, j] = s, ss, both
    return n, total, sums


NEARLY_AS_TELLING = 0.97


def screened(X: Real, y: Float, *, discrete: bool, most: int) -> Int64:
    """The columns that tell most, without those nearly equal to one that tells more."""
    return screened_for([y], X, discrete=discrete, most=most)[0]


def screened_for(targets: Sequence[Float], X: Real, *, discrete: bool, most: int) -> list[Int64]:
    """For each target the columns that tell most of it; the bins of columns are made once."""
    step = max(1, len(X) // MOST_ROWS)
    binned = BinnedColumns.of(X[::step])
    rows, among = np.arange(len(binned.X)), np.arange(X.shape[1])
    return [binned.telling(y[::step], rows, among, discrete=discrete, most=most) for y in targets]


def unexplained(X: Real, rows: Int64, columns: Int64, y: Float) -> Float:
    """What a ridge regression of some rows' targets `y` on some columns leaves of them; the ridge
    halves the weight of a column that stands alone.
    """
    centred = _centred(X[np.ix_(rows, columns)])
    apart = y - y.mean()
    weights = np.linalg.solve(centred @ centred.T + np.eye(len(columns)), centred @ apart)
    return np.asarray(apart - weights @ centred)


def _unlike(X: Real, rows: Int64, gains: Float, most: int, of: int) -> Int64:
    """At most so many columns that gain most, without those that one that gains more is nearly
    equal to; `of` is how many are looked for in all.
    """
    order = np.argsort(-gains, kind="stable")
    order = order[gains[order] > 0][: 4 * of]
    sample = rows[:: max(1, len(rows) // 2000)]
    beside = np.empty((min(most, len(order)), len(sample)))
    kept: list[int] = []
    plainest: list[int] = []
    for first in range(0, len(order), AT_ONCE):
        block = order[first : first + AT_ONCE]
        centred = _centred(X[np.ix_(sample, block)])
        likeness = np.zeros((len(kept) + len(block), len(block)))
        likeness[: len(kept)] = np.abs(beside[: len(kept)] @ centred.T)
        among = np.abs(centred @ centred.T)
        for place, column in enumerate(block.tolist()):
            twin = int(np.argmax(likeness[:, place]))
            if likeness[twin, place] > ALIKE:
                nearly = gains[column] >= NEARLY_AS_TELLING * gains[kept[twin]]
                if column < plainest[twin] and nearly:
                    plainest[twin] = column
                continue
            if len(kept) == most:
                return np.array(plainest, np.int64)
            beside[len(kept)], likeness[len(kept)] = centred[place], among[place]
            kept.append(column)
            plainest.append(column)
    return np.array(plainest, np.int64)


def _centred(sample: Real) -> Float:
    """Columns as rows of mean 0 and length 1, the middle value of a column where it is unknown."""
    columns = np.ascontiguousarray(sample.T, np.float64)
    unknown = np.isnan(columns)
    for place in np.flatnonzero(unknown.any(axis=1)):
        known = columns[place][~unknown[place]]
        columns[place][unknown[place]] = np.median(known) if len(known) else 0.0
    centred = columns - columns.mean(axis=1, keepdims=True)
    norm = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    return np.asarray(centred / np.where(norm > 0, norm, 1.0))
