"""Scores that may not hold: rows that are asked but unlike those that were learned from,
what tells the target all by itself, and classes for which there are too few rules.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from workbench.arrays import Bool, Float, Real
from workbench.errors import Diagnostic
from workbench.structure.candidate import Candidate
from workbench.study.learners import FittedRules
from workbench.study.prepared import Prepared
from workbench.study.words import candidate_words
from workbench.tables import FEWEST_TO_PART, gives_away_from

FEWEST = 10
"""Rows asked below which they may be alike by chance."""
NEARLY_ALL = 0.95
NEARLY_ALL_RULES = 0.8
"""Of those allowed: chosen ones that say next to nothing are left out again."""
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


def telling_all(
    X: Real, ready: Prepared, candidates: Sequence[Candidate], used: Collection[int]
) -> list[Diagnostic]:
    """A warning where one condition on other tables tells a yes or no in nearly all labelled rows;
    or, by a column that is called as the target's, in those where it is known: a view of some.

    Columns of the target's own table are looked at before (E0244); known labels of other rows may
    tell as much as they do.

    Parameters
    ----------
    X : float array, shape (n_rows, n_candidates)
        NaN where unknown.
    used : collection of int
        The candidates that rules read.
    """
    rows = np.flatnonzero(~np.isnan(ready.labels))
    y = ready.labels[rows]
    if ready.kind != "yes/no" or len(rows) < FEWEST_TO_PART or y.min() == y.max():
        return []
    timed = ready.times is not None
    target = ready.target.column.name
    found = []
    for place in sorted(used):
        candidate = candidates[place]
        elsewhere = candidate.path.hops or (candidate.onward and candidate.onward.references)
        if elsewhere and candidate.label is None:
            named = candidate.onward is not None and candidate.onward.column.name == target
            said = _told(np.asarray(X[rows, place], np.float64), y, in_part=named)
            if said is not None:
                found.append(f"{candidate_words(candidate, timed=timed)} tells it in {said}")
    if not found:
        return []
    return [
        Diagnostic(
            "E0647",
            "; ".join(found[:MOST_NAMED]),
            help="is this the target once more (a copy or a view of its table), or filled in only "
            "afterwards? Then leave its table or column out",
            severity="warning",
        )
    ]


def classes_without_rules(ready: Prepared, model: FittedRules, most: int) -> list[Diagnostic]:
    """A warning where `most` rules are too few for the classes of a category: two and more, for one
    may be what is left, have none.
    """
    without = [name for name, part in zip(ready.classes, model.parts) if not len(part)]
    spent = sum(map(len, model.parts)) >= NEARLY_ALL_RULES * most
    if ready.kind != "category" or len(without) < 2 or not spent:
        return []
    named = ", ".join(without[:MOST_NAMED]) + ", ..." * (len(without) > MOST_NAMED)
    return [
        Diagnostic(
            "E0651",
            f"{len(without)} of {len(ready.classes)} values of {ready.target.column.name} have no "
            f"rule of their own ({named}): {most} rules are few for so many",
            help=f"allow more, such as --rules {2 * len(ready.classes)}",
            severity="warning",
        )
    ]


def _told(values: Float, y: Float, *, in_part: bool) -> str | None:
    """In how many labelled rows, or of those where it is known, a condition tells what holds; None
    where that is too little to give it away."""
    agreement = _agreement(values, y)
    if agreement >= gives_away_from(_commoner(y)):
        return f"{agreement:.1%} of the labelled rows"
    known = ~np.isnan(values)
    if not in_part or known.sum() < FEWEST_TO_PART or _commoner(y[known]) == 1:
        return None
    agreement = _agreement(values[known], y[known])
    if agreement < gives_away_from(_commoner(y[known])):
        return None
    return f"{agreement:.1%} of the {known.sum():,} labelled rows where it is known"


def _commoner(y: Float) -> float:
    return float(max(y.mean(), 1 - y.mean()))


def _agreement(values: Float, y: Float) -> float:
    """The share of rows that the best threshold, or being unknown, tells apart."""
    order = np.argsort(values, kind="stable")  # unknown values come last
    ranked, ordered = values[order], y[order]
    ends = np.append(ranked[1:] != ranked[:-1], True) & ~(
        np.isnan(ranked) & np.append(np.isnan(ranked[1:]), False)
    )
    yes, no = np.cumsum(ordered), np.cumsum(1 - ordered)
    right = np.maximum(yes + no[-1] - no, no + yes[-1] - yes)
    return float(right[ends].max() / len(y))
