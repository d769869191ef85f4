"""What rules are fitted to: labelled rows, how many rules, and the rows that judge them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import PLAIN, Conduct
from workbench.structure.terms import Term


@dataclass(frozen=True)
class CountedLabels:
    """Columns that count known labels of other rows: they enter as they are, or not at all.

    `hiding`: the columns, shape (n_rows, n_columns), as they are where the labels of some rows (an
    int64 array) are hidden.
    """

    columns: tuple[int, ...]
    hiding: Callable[[Int64], Real]

    def among(self, rows: Int64) -> CountedLabels:
        """The same of some of the rows."""
        return CountedLabels(self.columns, lambda hidden: self.hiding(rows[hidden])[rows])


@dataclass(frozen=True, eq=False)
class RuleTask:
    """Labelled rows that rules are chosen and weighed on.

    Attributes
    ----------
    X : float array, shape (n_rows, n_candidates)
        NaN where unknown.
    y : float64 array, shape (n_rows,)
        0 and 1, a number, or the place of a class.
    counted : CountedLabels or None
        Tried beside the other columns, each held-out set with its own labels hidden: among few
        neighbours, what is left of a count tells a row's own label (it is the one that is missing).
    own : int64 array or None
        Columns of the target's own table. Rules over these alone are tried beside rules over all,
        and held-out rows choose: among thousands of columns of other tables some fit by chance.
    near : int64 array or None
        Columns of what is no farther than one step; they are tried likewise.
    plainness : float64 array, shape (n_candidates,), or None
        How much of each column a shrinking fit sees: of columns that tell alike the plainer is
        taken, and of many involved ones fewer by chance. All of each where it is None.
    held_out : sequence of int64 arrays or None
        Sets of rows that judge (the latest, where rows have a time); None draws some at random.
    """

    X: Real
    y: Float
    most_rules: int = 30
    counted: CountedLabels | None = None
    own: Int64 | None = None
    near: Int64 | None = None
    plainness: Float | None = None
    held_out: Sequence[Int64] | None = None
    conduct: Conduct = PLAIN

    def splits(self, *, discrete: bool) -> Sequence[Int64]:
        """The sets of rows that judge."""
        drawn = self.held_out is None
        return random_splits(self.y, discrete, self.conduct.seed) if drawn else self.held_out or ()

    def height(self, term: Term) -> float:
        """How much of a term a shrinking fit sees."""
        if self.plainness is None:
            return term.handicap
        return term.handicap * float(self.plainness[list(term.columns)].min(initial=1.0))

    def evenly(self, most: int) -> RuleTask:
        """The same on `most` of the rows, spread evenly over the target's values."""
        places = np.linspace(0, len(self.y) - 1, most).astype(np.int64)
        rows = np.sort(np.argsort(self.y, kind="stable")[places])
        return self.of_rows(rows)

    def of_rows(self, rows: Int64) -> RuleTask:
        """The same on some of the rows."""
        held_out = self.held_out and [np.flatnonzero(np.isin(rows, one)) for one in self.held_out]
        counted = self.counted and self.counted.among(rows)
        return replace(self, X=self.X[rows], y=self.y[rows], held_out=held_out, counted=counted)


def random_splits(y: Float, discrete: bool, seed: int) -> list[Int64]:
    """Fifths of the rows, drawn from each class: all five where rows are few, else one.

    Where rows are very few they are dealt twice, for one deal tells little.
    """
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(2 if len(y) < 200 else 1):
        order = rng.permutation(len(y))
        if discrete:
            order = order[np.argsort(y[order], kind="stable")]
        found += [np.sort(order[first::5]) for first in range(held_out_sets(len(y)))]
    return found


def held_out_sets(n_rows: int) -> int:
    """How many fifths of so many rows judge: all where rows are few, one where they are many."""
    return 5 if n_rows < 600 else 3 if n_rows < 3000 else 1
