"""What fits of rules to rows of one table share: bins, terms, their values by stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from workbench.arrays import Float, Int64
from workbench.progress import remaining
from workbench.structure.rule_task import RuleTask
from workbench.structure.scopes import TermScope
from workbench.structure.screening import BinnedColumns
from workbench.structure.sparse_fits import at_penalty, sigmoid
from workbench.structure.term_choices import MadeTerm, pair_terms, straight_terms, terms_of
from workbench.structure.term_columns import TermColumns
from workbench.structure.terms import Term

MOST_COLUMNS = 250
MOST_TERMS = 500


class Design:
    """What fits to rows of one design share: the bins of columns, terms and their values."""

    def __init__(self, task: RuleTask) -> None:
        self.task, self.X, self.y = task, task.X, task.y
        self.binned = BinnedColumns.of(task.X)
        self.columns = TermColumns(task.X)
        self._telling: dict[tuple[bytes, bytes], Int64] = {}

    def stages(self, held_out: Int64, among: TermScope) -> Iterator[tuple[int, list[Term], Float]]:
        """Terms that a path may choose from, and their columns times handicaps; ever more.

        Stage 0 has numbers (and which of two values, and being unknown), 1 their thresholds too, 2
        pairs of conditions.
        """
        training = np.setdiff1d(np.arange(len(self.y)), held_out)
        if among.straight:
            yield 0, *_columns(straight_terms(self.X, among.columns), len(self.X))
            return
        asked = training.tobytes(), among.columns.tobytes()
        if asked not in self._telling:
            self._telling[asked] = self.binned.telling(
                self.y, training, among.columns, discrete=True, most=MOST_COLUMNS
            )
        terms, Z = self.columns.of(self._telling[asked], MOST_TERMS, self.y, training)
        if among.counted and self.task.counted is not None:
            beside = self.task.counted.columns
            counts = self.task.counted.hiding(held_out)
            linear = range(len(beside))
            more, columns = _columns(terms_of(counts, linear, linear=linear), len(counts))
            terms = [*(term.on(beside) for term in more), *terms]
            Z = np.column_stack((columns, Z))
        if not terms:
            return
        numbers = {term.column for term in terms if not term.conditions}
        plain = [
            at
            for at, term in enumerate(terms)
            if not (numbers & set(term.columns) and _is_threshold(term))
        ]
        yield 0, [terms[at] for at in plain], Z[:, plain]
        if len(plain) < len(terms):
            yield 1, terms, Z
        if len(training) < 60 or remaining(self.task.conduct.deadline) < 5:
            return
        seen = self.y[training]
        most, deadline = self.task.most_rules, self.task.conduct.deadline
        fitted = at_penalty(Z[training], seen, 0.1, most, deadline).scores(Z[training])
        pairs = pair_terms(self.X[training], seen - sigmoid(fitted), terms)
        if pairs:
            columns = np.column_stack([term.handicap * term.values(self.X) for term in pairs])
            yield 2, [*terms, *pairs], np.column_stack((Z, columns))


def _is_threshold(term: Term) -> bool:
    return any(one.test in ("at_least", "below") for one in term.conditions)


def _columns(made: Iterable[MadeTerm], n_rows: int) -> tuple[list[Term], Float]:
    """Terms and their values times handicaps, shape (n_rows, n_terms)."""
    each = list(made)
    columns = [one.term.handicap * one.values for one in each]
    return [one.term for one in each], np.column_stack([np.empty((n_rows, 0)), *columns])
