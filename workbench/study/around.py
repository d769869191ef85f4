"""What is known of the target of other rows of its table: of each row's, those that a path
reaches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.structure.candidates import Candidate
from workbench.structure.reached import Spans, latest
from workbench.structure.relational import Path
from workbench.study.columns import CandidateColumns

PARTS = 5


@dataclass(frozen=True)
class Around:
    """The target rows that each target row reaches: those at the places [low, high) of `ends`.

    Attributes
    ----------
    low, high : int64 array, shape (n_rows,)
    ends : int64 array, shape (n_places,)
        Target rows by position; -1 for a row that is none of those in question.
    time : float64 array, shape (n_places,), or None
        When each is asked, where only earlier ones are reached; ascending in each [low, high).
    """

    low: Int64
    high: Int64
    ends: Int64
    time: Float | None = None

    def told(self, candidate: Candidate, labels: Float) -> Float:
        """The share of a label among the known labels that each row reaches, the mean of known
        numbers, or what the latest of them is, NaN where none is known; or how many have a label.
        O(rows and places).

        Without times a row whose own label is known sees those of other parts of the rows alone
        (five, drawn once): were its own the only one missing, what is left would tell it.
        """
        seen = ~np.isnan(labels)
        of_category = candidate.onward is not None and candidate.onward.kind == "category"
        values = (labels == candidate.label).astype(np.float64) if of_category else labels
        if candidate.aggregate in ("latest", "latest_is"):
            return self._latest(seen, values)
        if candidate.aggregate == "sum":
            return self._sums(seen & (labels == candidate.label), values)[1]
        total, n = self._sums(seen, values)
        part = np.random.default_rng(0).integers(PARTS, size=len(labels))
        for one in range(PARTS) if self.time is None else ():
            within = seen & (part == one)
            less, fewer = self._sums(within, values)
            total[within] -= less[within]
            n[within] -= fewer[within]
        return np.where(n > 0, total / np.maximum(n, 1), np.nan)

    def _latest(self, seen: Bool, values: Float) -> Float:
        """What the latest of the known labels that each row reaches says."""
        assert self.time is not None
        known = np.flatnonzero((self.ends >= 0) & seen[self.ends])
        spans = Spans(np.searchsorted(known, self.low), np.searchsorted(known, self.high))
        return latest(values[self.ends[known]], spans, self.time[known])

    def _sums(self, counted: Bool, values: Float) -> tuple[Float, Float]:
        """The sum of the values that count among those that each row reaches, and their number."""
        there = (self.ends >= 0) & counted[self.ends]
        each = np.where(there, values[self.ends], 0.0)
        total, n = (np.concatenate(([0.0], np.cumsum(one))) for one in (each, there))
        return total[self.high] - total[self.low], n[self.high] - n[self.low]


def around(columns: CandidateColumns, path: Path) -> Around:
    """The target rows that a path reaches from each, along the path's direction."""
    low, high, rowids, time = columns.ends(path)
    at = np.minimum(np.searchsorted(columns.rows, rowids), len(columns.rows) - 1)
    ends = np.where(columns.rows[at] == rowids, at, -1)
    return Around(low, high, ends, time)
