"""Rows that are asked but unlike those that were learned from:
what rules say of them was never scored.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from workbench.arrays import Bool, Real
from workbench.errors import Diagnostic
from workbench.structure.candidates import Candidate
from workbench.study.words import candidate_words

__all__ = ["unlike_learned"]

FEWEST = 10
"""Rows asked below which they may be alike by chance."""
NEARLY_ALL = 0.95
RARE = 0.15
MOST_NAMED = 3


def unlike_learned(
    X: Real, known: Bool, candidates: Sequence[Candidate], used: Collection[int], *, timed: bool
) -> list[Diagnostic]:
    """A warning where what rules read is one and the same in nearly all rows asked and rare in the
    others.

    Parameters
    ----------
    X : float array, shape (n_rows, n_candidates)
        NaN where unknown.
    known : bool array, shape (n_rows,)
        The rows learned from; the others are asked.
    used : collection of int
        The candidates that rules read.
    """
    n_asked = int(np.count_nonzero(~known))
    if n_asked < FEWEST or not known.any():
        return []
    found = []
    for place in sorted(used):
        values, counts = np.unique(X[~known, place], return_counts=True, equal_nan=True)
        common, count = values[np.argmax(counts)], int(counts.max())
        among = np.isnan(X[known, place]) if np.isnan(common) else X[known, place] == common
        if count >= NEARLY_ALL * n_asked and among.mean() <= RARE:
            found.append(_said(candidates[place], float(common), count, float(among.mean()), timed))
    if not found:
        return []
    more = f", and {len(found) - MOST_NAMED} more conditions" if len(found) > MOST_NAMED else ""
    return [
        Diagnostic(
            "E0646",
            f"the {n_asked:,} rows asked are unlike those learned from: "
            f"{'; '.join(found[:MOST_NAMED])}{more}",
            help="is this filled in only once the answer is known? Then leave its table or column "
            "out, for the scores are of rows that had it",
            severity="warning",
        )
    ]


def _said(candidate: Candidate, common: float, count: int, share: float, timed: bool) -> str:
    what = "unknown" if np.isnan(common) else f"{common:.6g}"
    return (
        f"{candidate_words(candidate, timed=timed)} is {what} in {count:,} of them, in "
        f"{share:.1%} of the others"
    )
