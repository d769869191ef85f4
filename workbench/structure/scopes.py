"""Which columns a learner of few rules takes: all, the target's own, or those as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.screening import screened


@dataclass(frozen=True)
class TermScope:
    """Which columns terms may be made of.

    Attributes
    ----------
    columns : int64 array
        Ascending.
    straight : bool
        Whether all their plain numbers are taken together, none left out.
    counted : bool
        Whether columns that count labels of other rows are taken beside.
    """

    columns: Int64
    straight: bool = False
    counted: bool = False

    def telling(self, X: Real, y: Float, *, discrete: bool, most: int) -> Int64:
        """The columns of the scope that tell most of the target."""
        if len(self.columns) == X.shape[1]:
            return screened(X, y, discrete=discrete, most=most)
        return self.columns[screened(X[:, self.columns], y, discrete=discrete, most=most)]


def scopes_of(
    X: Real, own: Int64 | None, most_rules: int, counted: Sequence[int] = ()
) -> list[TermScope]:
    """All columns; the target's own table's; and these as they are, where they are few.

    Columns in `counted`, which count labels, are in none of them; all others come with these beside
    first.
    """
    everything = np.setdiff1d(np.arange(X.shape[1]), np.asarray(counted, np.int64))
    found = [
        *([TermScope(everything, counted=True)] if len(counted) else []),
        TermScope(everything),
    ]
    if own is not None and 0 < len(own) < X.shape[1]:
        found.append(TermScope(own))
    plain = everything if own is None else own
    if 0 < len(plain) <= most_rules:
        found.append(TermScope(plain, straight=True))
    return found
