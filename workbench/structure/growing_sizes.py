"""How many of the terms that grow one by one: their weights, and what each number of them errs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Real
from workbench.structure.sparse_fits import least_absolute, ridge_logistic, row_losses
from workbench.structure.terms import Term
from workbench.structure.weighted_rules import WeightedRules, constant_rules

PATIENCE = 8
"""Terms that may bring nothing on held-out rows before growing ends."""


@dataclass(frozen=True)
class Weighing:
    """How grown terms are weighed and judged.

    Attributes
    ----------
    fit : callable
        Weights and intercept of columns, shape (n_rows, n_terms), for `y`, under a ridge, found
        faster from such that are near, or None.
    errors : callable
        What each row errs, from the sum of its terms and its label.
    ridges : tuple of float
        Those that are tried, of columns of one spread.
    """

    discrete: bool
    fit: Callable[[Float, Float, float, Float | None], tuple[Float, float]]
    errors: Callable[[Float, Float], Float]
    ridges: tuple[float, ...]

    def weights(
        self, values: Float, y: Float, ridge: float, near: Float | None = None
    ) -> tuple[Float, float]:
        """Weights and intercept of columns that are brought to one spread for the ridge."""
        spread = np.maximum(values.std(axis=0), 0.05)
        start = None if near is None else near * np.append(spread, 1.0)
        weights, intercept = self.fit(values / spread, y, ridge, start)
        return weights / spread, intercept

    def weighed(
        self, terms: Sequence[Term], X: Real, y: Float, ridge: float, *, complete: bool = True
    ) -> WeightedRules:
        """The terms with the weights that these rows give them."""
        if not terms:
            return replace(constant_rules(y, self.discrete), complete=complete)
        values = np.column_stack([term.values(X) for term in terms])
        weights, intercept = self.weights(values, y, ridge)
        return WeightedRules(tuple(terms), weights, intercept, self.discrete, complete=complete)


ABSOLUTE = Weighing(
    False,
    lambda Z, y, ridge, _: least_absolute(Z, y, ridge),
    lambda scores, y: np.abs(y - scores),
    ridges=(1.0, 30.0, 200.0),
)
"""Of a number, by absolute error."""
LOGISTIC = Weighing(
    True,
    ridge_logistic,
    row_losses,
    ridges=(1.0, 10.0, 100.0),
)
"""Of the log odds of a label, by its likelihood."""


def tried_sizes(
    weighing: Weighing,
    terms: Iterable[Term],
    learned: tuple[Real, Float],
    asked: tuple[Real, Float],
    best: float = np.inf,
    *,
    whole: bool = False,
) -> Iterator[tuple[tuple[int, float], Float]]:
    """What asked rows err under the first terms, ever more of them, and each ridge: the number of
    terms, the ridge, and the errors.

    Ends where `PATIENCE` terms have brought nothing below `best`, the mean error so far. With
    `whole` all of the terms or none.
    """
    (X, y), (X_asked, truth), size = learned, asked, 0
    near: Float | None = None
    values, asked_values = np.empty((len(X), 0)), np.empty((len(X_asked), 0))
    for batch in [list(terms)] if whole else ([term] for term in terms):
        values = np.column_stack((values, *(term.values(X) for term in batch)))
        asked_values = np.column_stack((asked_values, *(term.values(X_asked) for term in batch)))
        if near is not None:
            near = np.concatenate((near[:-1], np.zeros(len(batch)), near[-1:]))
        for ridge in weighing.ridges:
            weights, intercept = weighing.weights(values, y, ridge, near)
            near = np.append(weights, intercept)
            error = weighing.errors(asked_values @ weights + intercept, truth)
            yield (values.shape[1], ridge), error
            if error.mean() < 0.999 * best:
                best, size = float(error.mean()), values.shape[1]
        if values.shape[1] - size >= PATIENCE:
            return
