"""Which columns a learner of few rules takes: all, near ones, or the target's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.interplay import telling_together
from workbench.structure.rule_task import RuleTask
from workbench.structure.screening import screened, unexplained


@dataclass(frozen=True, eq=False)
class TermScope:
    """Which columns terms may be made of.

    Attributes
    ----------
    columns : int64 array
        Ascending.
    counted : bool
        Whether columns that count labels of other rows are taken beside.
    """

    columns: Int64
    counted: bool = False

    def telling(self, X: Real, y: Float, *, discrete: bool, most: int) -> Int64:
        """The columns of the scope that tell most of the target."""
        if len(self.columns) == X.shape[1]:
            return screened(X, y, discrete=discrete, most=most)
        return self.columns[screened(X[:, self.columns], y, discrete=discrete, most=most)]

    def together(self, X: Real, y: Float, telling: Int64) -> Int64:
        """The columns of the scope that tell only with another what those `telling` leave of the
        target.
        """
        rows = np.arange(len(y))
        return telling_together(X, rows, unexplained(X, rows, telling, y), self.columns)


def scopes_of(task: RuleTask, counted: Sequence[int] = ()) -> list[TermScope]:
    """All columns; near ones; the target's own table's.

    Columns in `counted`, which count labels, are in none of them; all others come with these beside
    first.
    """
    width = task.X.shape[1]
    everything = np.setdiff1d(np.arange(width), np.asarray(counted, np.int64))
    own, near = (
        None if among is None else np.setdiff1d(among, counted) for among in (task.own, task.near)
    )
    wide = [everything]
    if near is not None and (0 if own is None else len(own)) < len(near) < len(everything):
        wide.append(near)
    found = [TermScope(among, counted=True) for among in wide] if len(counted) else []
    found += [TermScope(among) for among in wide]
    if own is not None and 0 < len(own) < width:
        found.append(TermScope(own))
    return found
