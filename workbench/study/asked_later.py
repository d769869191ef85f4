"""Blanks that all come after what is known, in a study that was not told of time."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Bool, Float
from workbench.errors import Diagnostic
from workbench.study.prepared import Prepared, times_of
from workbench.tables import Staging

FEWEST = 10
"""Blanks below which they may be the latest by chance."""
NEARLY_ALL = 0.99


def asked_later(staging: Staging, ready: Prepared) -> list[Diagnostic]:
    """A warning where a date of the target's own table parts all rows asked from nearly all rows
    known, and the study has no time: what came after a row may tell of it, and scores are of rows
    that had known ones after them.
    """
    if ready.times is not None:
        return []
    typed = ready.typed[ready.target.table.name]
    known = ~np.isnan(ready.labels)
    for column in typed.mapping.columns:
        if column.kind != "date" or column.name not in typed.columns:
            continue
        begin = _asked_from(times_of(staging, typed, column.name).days, known)
        if begin is not None:
            return [_said(ready, f"{typed.mapping.name}.{column.name}", begin)]
    return []


def _asked_from(days: Float, known: Bool) -> float | None:
    """The first day that is asked about, where known ones are earlier."""
    asked = days[~known]
    if len(asked) < FEWEST or np.isnan(asked).any() or not known.any():
        return None
    begin = float(asked.min())
    return begin if np.mean(days[known] < begin) >= NEARLY_ALL else None


def _said(ready: Prepared, column: str, begin: float) -> Diagnostic:
    day = np.datetime64(0, "D") + int(np.floor(begin))
    n_asked = int(np.count_nonzero(np.isnan(ready.labels)))
    return Diagnostic(
        "E0652",
        f"all {n_asked:,} blanks of {ready.target.name} come later than what is known, by {column} "
        f"from {day} on: scores are of rows drawn at random, and what came after a row may "
        "have told of it",
        help=f"give --time {column}: each row then sees what is dated earlier, and stretches of "
        "time are held out",
        severity="warning",
    )
