"""What fits of rules to rows of one table share: bins, terms, their values by stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.progress import remaining
from workbench.structure.interplay import telling_together
from workbench.structure.rule_task import RuleTask
from workbench.structure.scopes import TermScope
from workbench.structure.screening import BinnedColumns, unexplained
from workbench.structure.sparse_fits import INTERCEPT, L1Path, sigmoid
from workbench.structure.term_choices import pair_terms, terms_of
from workbench.structure.term_columns import TermColumns
from workbench.structure.terms import Term

MOST_COLUMNS = 250
MOST_TERMS = 500


@dataclass(frozen=True, eq=False)
class Stage:
    """Terms that a path may choose from, and their values times heights.

    Attributes
    ----------
    number : int
        0 has numbers (and which of two values, and being unknown), 1 their thresholds too, 2 pairs
        of conditions.
    learned : float64 array, shape (n_terms + 1, n_training)
        A row a term, that of the intercept last.
    asked : float64 array, shape (n_terms, n_held_out)
    y : float64 array, shape (n_training,)
    truth : float64 array, shape (n_held_out,)
    """

    number: int
    terms: Sequence[Term]
    learned: Float
    asked: Float
    y: Float
    truth: Float
    task: RuleTask

    @cached_property
    def path(self) -> L1Path:
        """Its fits under falling penalties."""
        return L1Path(self.learned, self.y, self.task.most_rules, self.task.conduct.deadline)

    def among(self, places: Sequence[int] | Int64, number: int | None = None) -> Stage:
        """The same with some of the terms."""
        return replace(
            self,
            number=self.number if number is None else number,
            terms=[self.terms[at] for at in places],
            learned=self.learned[[*places, -1]],
            asked=self.asked[places],
        )


class Design:
    """What fits to rows of one design share: the bins of columns, terms and their values."""

    def __init__(self, task: RuleTask) -> None:
        self.task, self.y = task, task.y
        self._binned = BinnedColumns.of(task.X)
        self._columns = TermColumns(task)
        self._places: dict[tuple[bytes, bytes], Int64] = {}
        self._told: dict[tuple[bytes, bytes], Int64] = {}

    def stages(self, held_out: Int64, among: TermScope, last: int) -> Iterator[Stage]:
        """Stages of ever more terms up to the `last`, fitted to other rows than those held out."""
        if last < 0:
            return
        training = np.setdiff1d(np.arange(len(self.y)), held_out)
        most = self._stage(1, self._telling_places(among.columns, training), training, held_out)
        if among.counted:
            most = self._with_counted(most, training, held_out)
        if not most.terms:
            return
        plain = _plain(most.terms)
        if len(plain) == len(most.terms):
            most = replace(most, number=0)
        else:
            yield most.among(plain, number=0)
            if last < 1:
                return
        yield most
        if last < 2:
            return
        if len(training) >= 60 and remaining(self.task.conduct.deadline) >= 5:
            yield from _with_pairs(most)

    def whole(self, held_out: Int64, among: TermScope) -> Stage:
        """All plain numbers of the most telling columns, and which of two values, and being
        unknown.
        """
        training = np.setdiff1d(np.arange(len(self.y)), held_out)
        stage = self._stage(
            0, self._columns.plain(self._telling(among.columns, training)), training, held_out
        )
        return self._with_counted(stage, training, held_out) if among.counted else stage

    def _stage(self, number: int, places: Int64, training: Int64, held_out: Int64) -> Stage:
        learned = np.full((len(places) + 1, len(training)), INTERCEPT)
        learned[:-1] = self._columns.values(places, training)
        asked = self._columns.values(places, held_out)
        terms = [self._columns.terms[place] for place in places]
        return Stage(number, terms, learned, asked, self.y[training], self.y[held_out], self.task)

    def _telling_places(self, columns: Int64, training: Int64) -> Int64:
        asked = training.tobytes(), columns.tobytes()
        if asked not in self._places:
            telling = self._telling(columns, training)
            self._places[asked] = self._columns.of(telling, MOST_TERMS, self.y, training)
        return self._places[asked]

    def _telling(self, columns: Int64, training: Int64) -> Int64:
        asked = training.tobytes(), columns.tobytes()
        if asked not in self._told:
            X, y = self.task.X, self.y
            found = self._binned.telling(y, training, columns, discrete=True, most=MOST_COLUMNS)
            left = unexplained(X, training, found, y[training])
            together = telling_together(X, training, left, columns)
            self._told[asked] = np.append(found, together[~np.isin(together, found)])
        return self._told[asked]

    def _with_counted(self, stage: Stage, training: Int64, held_out: Int64) -> Stage:
        """The stage with the counts of labels before its terms, those held out hidden."""
        assert self.task.counted is not None
        beside, counts = self.task.counted.columns, self.task.counted.hiding(held_out)
        linear = range(len(beside))
        made = list(terms_of(counts, linear, linear=linear))
        values = np.array([one.values for one in made]).reshape(len(made), len(self.y))
        return replace(
            stage,
            terms=[*(one.term.on(beside) for one in made), *stage.terms],
            learned=np.concatenate((values[:, training], stage.learned)),
            asked=np.concatenate((values[:, held_out], stage.asked)),
        )


def _plain(terms: Sequence[Term]) -> list[int]:
    """The places of all terms but the thresholds of numbers."""
    numbers = {term.column for term in terms if not term.conditions}
    return [
        at
        for at, term in enumerate(terms)
        if not (_is_threshold(term) and term.columns[0] in numbers)
    ]


def _is_threshold(term: Term) -> bool:
    return any(one.test in ("at_least", "below") for one in term.conditions)


def _with_pairs(stage: Stage) -> Iterator[Stage]:
    """The stage with pairs of its conditions, where some go with what is left unexplained."""
    left = stage.y - sigmoid(stage.path.at(0.1).scores(stage.learned))
    single = [at for at, term in enumerate(stage.terms) if term.conditions]
    learned, asked = stage.learned[single] != 0, stage.asked[single] != 0
    pairs = list(pair_terms([stage.terms[at] for at in single], learned, left))
    if not pairs:
        return
    terms, one, other = zip(*pairs)
    heights = np.array([stage.task.height(term) / term.spread for term in terms])[:, None]

    def both(held: Bool) -> Float:
        return heights * (held[list(one)] & held[list(other)])

    yield replace(
        stage,
        number=2,
        terms=[*stage.terms, *terms],
        learned=np.concatenate((stage.learned[:-1], both(learned), stage.learned[-1:])),
        asked=np.concatenate((stage.asked, both(asked))),
    )
