"""How many of the terms that grow one by one: their weights, and what each number of them errs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from workbench.arrays import Float, Real
from workbench.structure.sparse_fits import least_absolute
from workbench.structure.terms import Term
from workbench.structure.weighted_rules import WeightedRules, constant_rules

PATIENCE = 8
"""Terms that may bring nothing on held-out rows before growing ends."""


RIDGES = (1.0, 30.0, 200.0)
"""Those that are tried, of columns of one spread."""


def weighed(
    terms: Sequence[Term], X: Real, y: Float, ridge: float, *, complete: bool = True
) -> WeightedRules:
    """The terms with the weights of least absolute error of these rows."""
    if not terms:
        return replace(constant_rules(y, discrete=False), complete=complete)
    weights, intercept = _weights(np.column_stack([term.values(X) for term in terms]), y, ridge)
    return WeightedRules(tuple(terms), weights, intercept, False, complete=complete)


def _weights(values: Float, y: Float, ridge: float) -> tuple[Float, float]:
    """Weights and intercept of columns that are brought to one spread for the ridge."""
    spread = np.maximum(values.std(axis=0), 0.05)
    weights, intercept = least_absolute(values / spread, y, ridge)
    return weights / spread, intercept


def tried_sizes(
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
    values, asked_values = np.empty((len(X), 0)), np.empty((len(X_asked), 0))
    for batch in [list(terms)] if whole else ([term] for term in terms):
        values = np.column_stack((values, *(term.values(X) for term in batch)))
        asked_values = np.column_stack((asked_values, *(term.values(X_asked) for term in batch)))
        for ridge in RIDGES:
            weights, intercept = _weights(values, y, ridge)
            error = np.abs(truth - (asked_values @ weights + intercept))
            yield (values.shape[1], ridge), error
            if error.mean() < 0.999 * best:
                best, size = float(error.mean()), values.shape[1]
        if values.shape[1] - size >= PATIENCE:
            return
