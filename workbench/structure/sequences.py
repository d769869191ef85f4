"""Rows of one thing in order of time: what came right before each, and what at any time before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float, Int64


@dataclass(frozen=True)
class Moments:
    """Rows by the moments at which each thing has any, in order of thing and time.

    Attributes
    ----------
    of_row : int64 array, shape (n_rows,)
        The moment of each row; -1 where its thing or its time is unknown.
    first : int64 array, shape (n_moments,)
        The first moment of each moment's thing.
    time : float64 array, shape (n_moments,)
    """

    of_row: Int64
    first: Int64
    time: Float

    @classmethod
    def of(cls, things: Float, times: Float) -> Moments:
        """Of rows by what they are of, and when; NaN where that is unknown. O(n log n)."""
        rows = np.flatnonzero(~np.isnan(things) & ~np.isnan(times))
        rows = rows[np.lexsort((times[rows], things[rows]))]
        other = np.diff(things[rows], prepend=np.nan) != 0
        later = other | (np.diff(times[rows], prepend=np.nan) != 0)
        moments = np.cumsum(later) - 1
        of_row = np.full(len(things), -1, np.int64)
        of_row[rows] = moments
        first = np.maximum.accumulate(np.where(other, moments, 0)[later])
        return cls(of_row, first, np.asarray(times[rows][later], np.float64))

    def since(self) -> Float:
        """How long after the moment before each row comes; NaN where there is none. O(n)."""
        before = np.where(self.first < np.arange(len(self.first)), np.roll(self.time, 1), np.nan)
        return np.append(self.time - before, np.nan)[self.of_row]

    def after(self, told: Bool, *, directly: bool) -> Float:
        """1 for rows before which some row of the same thing is told, at the moment right before
        (`directly`) or at any; 0 for others. O(n).
        """
        n = len(self.first)
        at = np.zeros(n, np.bool_)
        at[self.of_row[told & (self.of_row >= 0)]] = True
        before = np.concatenate(([0], np.cumsum(at)))[:-1]
        since = np.maximum(np.arange(n) - 1, self.first) if directly else self.first
        found = np.concatenate((before > before[since], [False]))
        return found[self.of_row].astype(np.float64)
