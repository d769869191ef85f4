"""What held-out rows choose among fits of rules, and which fits they try no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float
from workbench.structure.condensed import share_of_all
from workbench.structure.sparse_fits import row_losses

BEHIND = 2.0
"""Standard errors by which a stage must be behind the best one, to be tried no more."""
FEW = 50
"""Held-out rows that say nothing of what is clearly behind."""

Support = frozenset[tuple[int, ...]] | None
"""The columns of each term that a fit keeps; None of one that keeps all, or none."""


DENSE = -1
"""The stage of all plain terms of a scope, under a ridge alone."""


class Tuning(NamedTuple):
    """A scope of columns, a stage of terms, a share of the largest penalty, the ridge of a
    refit.
    """

    scope: int
    stage: int
    share: float
    ridge: float | None


class Blend(NamedTuple):
    """Few terms and all plain ones; how much these count of what both say, and the mean error of
    that on each set.
    """

    few: Tuning
    every: Tuning | None
    share: float
    losses: tuple[float, ...]


class Tries:
    """What each choice errs on each row of the held-out sets, and what it keeps.

    A stage of a scope whose best choice is clearly behind the best of all is tried on no further
    set (races of models: Maron and Moore 1994).
    """

    def __init__(self) -> None:
        self._truth: list[Float] = []
        self._scores: dict[Tuning, dict[int, Float]] = {}
        self._errors: dict[Tuning, list[Float]] = {}
        self._losses: dict[Tuning, list[float]] = {}
        self._supports: dict[Tuning, list[Support]] = {}
        self._racing: set[tuple[int, int]] | None = None

    def __bool__(self) -> bool:
        return bool(self._errors)

    def begin(self, truth: Float) -> None:
        """One more set, of these labels."""
        self._truth.append(truth)

    def add(self, choice: Tuning, scores: Float, support: Support) -> None:
        """What a choice says of the rows of the last set, in log odds."""
        errors = row_losses(scores, self._truth[-1])
        self._scores.setdefault(choice, {})[len(self._truth) - 1] = scores
        self._errors.setdefault(choice, []).append(errors)
        self._losses.setdefault(choice, []).append(float(errors.mean()))
        self._supports.setdefault(choice, []).append(support)

    def best(self) -> Tuning:
        """Of the choices of few terms that most sets have tried, the one that errs least."""
        return min(self._tried_most(), key=self._mean)

    def mixed(self, counted: Collection[int]) -> Blend:
        """The best of few terms, the best of all plain ones, and how much these count.

        Only where the few are of a scope in `counted`, which read labels of other rows, all may be.
        """
        few = self.best()
        reads = few.scope in counted
        all_plain = (one for one in self._tried_most(dense=True) if (one.scope in counted) == reads)
        every = min(all_plain, key=self._mean, default=None)
        sets = (
            [] if every is None else [at for at in self._scores[few] if at in self._scores[every]]
        )
        if every is None or not sets:
            return Blend(few, None, 0.0, tuple(self._losses[few]))
        share, losses = share_of_all(
            [self._scores[few][at] for at in sets],
            [self._scores[every][at] for at in sets],
            lambda place, said: row_losses(said, self._truth[sets[place]]),
        )
        return Blend(few, every if share else None, share, losses)

    def _mean(self, choice: Tuning) -> float:
        losses = self._losses[choice]
        return sum(losses) / len(losses)

    def support(self, choice: Tuning) -> Support:
        """The columns of terms that at least half of the sets' fits kept."""
        return stable(self._supports[choice])

    def drop_behind(self) -> None:
        """Leave stages that are clearly behind out of the race."""
        first: dict[tuple[int, int], Tuning] = {}
        for choice in sorted(self._tried_most(), key=self._mean):
            first.setdefault((choice.scope, choice.stage), choice)
        least = np.concatenate(self._errors[self.best()])
        if len(least) < FEW:
            return
        self._racing = set()
        for stage, choice in first.items():
            more = np.concatenate(self._errors[choice]) - least
            if more.mean() <= BEHIND * more.std() / np.sqrt(len(more)):
                self._racing.add(stage)

    def last_racing(self, scope: int) -> int:
        """The last stage of a scope that is in the race; -1 where none is."""
        of_scope = [stage for stage in range(STAGES) if self.races(scope, stage)]
        return max(of_scope, default=-1)

    def races(self, scope: int, stage: int) -> bool:
        """Whether a stage of a scope is in the race."""
        return self._racing is None or (scope, stage) in self._racing

    def _tried_most(self, *, dense: bool = False) -> list[Tuning]:
        among = [one for one in self._errors if (one.stage == DENSE) == dense]
        most = max((len(self._errors[one]) for one in among), default=0)
        return [one for one in among if len(self._errors[one]) == most]


STAGES = 3
"""Numbers, their thresholds, pairs of conditions."""


def stable(supports: Sequence[Support]) -> Support:
    """The columns that at least half of the fits kept, of several fits to different rows; what
    fewer keep is mostly chance (stability selection: Meinshausen and Buehlmann 2010).
    """
    kept = Counter(columns for one in supports if one is not None for columns in one)
    if len(supports) < 2 or None in supports:
        return None
    return frozenset(columns for columns, n in kept.items() if 2 * n >= len(supports))
