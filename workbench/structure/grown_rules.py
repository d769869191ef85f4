"""A number as a sum of few weighted terms: of which kinds, how many and under which ridge,
held-out rows choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import SILENT, Progress, expired
from workbench.structure.pursuit import grow
from workbench.structure.scopes import Scope, scopes_of
from workbench.structure.screening import screened
from workbench.structure.sparse_fits import least_absolute
from workbench.structure.term_choices import bent_terms, straight_terms, terms_of
from workbench.structure.terms import Term
from workbench.structure.weighted_rules import (
    WeightedRules,
    constant_rules,
    even_sample,
    random_splits,
)

__all__ = ["fit_grown_rules", "grown_terms"]

MOST_COLUMNS = 120
MOST_BENT = 50
N_CUTS = 15
MOST_ROWS = 10_000
PATIENCE = 8
"""Terms that may bring nothing on held-out rows before growing ends."""
RIDGES = (1.0, 30.0, 200.0)


def fit_grown_rules(
    X: Real,
    y: Float,
    *,
    most_rules: int = 30,
    own: Int64 | None = None,
    held_out: Sequence[Int64] | None = None,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> WeightedRules:
    """Choose and weigh at most `most_rules` terms of a number, for the least mean absolute error.

    Parameters
    ----------
    X : float array, shape (n_rows, n_candidates)
        NaN where unknown.
    y : float64 array, shape (n_rows,)
    own, held_out
        As of `fit_weighted_rules`.

    Notes
    -----
    Terms are grown on the other rows of each held-out set, of all columns, and of the target's own
    table's alone; where the latter are few, all of them as plain numbers are tried as well. Of each
    scope plain numbers are grown first, then steps, bends and products, which fit chance, and what
    is passing, more closely: they are taken where what they gain on held-out rows exceeds its
    standard error. The number of terms, their ridge and the columns are those that do best on the
    held-out rows; then all rows grow so many. Beyond `MOST_ROWS` rows all this sees an even sample
    of them, and the terms that it chose are weighed by all.
    """
    if most_rules < 1 or len(y) < 4:
        return constant_rules(y, discrete=False)
    if len(y) > MOST_ROWS:
        rows = even_sample(y, MOST_ROWS)
        of_sample = (
            None
            if held_out is None
            else [np.flatnonzero(np.isin(rows, split)) for split in held_out]
        )
        chosen = fit_grown_rules(
            X[rows], y[rows], most_rules=most_rules, own=own, held_out=of_sample, seed=seed,
            deadline=deadline, progress=progress,
        )  # fmt: skip
        return _weighed(chosen.terms, X, y, RIDGES[0], complete=chosen.complete)
    splits = random_splits(y, False, seed) if held_out is None else held_out
    ways = [way for scope in scopes_of(X, own, most_rules) for way in _ways(scope)]
    errors: _Errors = {}
    for number, left_out in enumerate(splits):
        if number and expired(deadline):
            break
        progress.step("rules", number, len(splits) + 1)
        training = np.setdiff1d(np.arange(len(y)), left_out)
        if len(training) < 3 or not len(left_out):
            continue
        learned, asked = (X[training], y[training]), (X[left_out], y[left_out])
        for way, terms in zip(ways, _grown(ways, *learned, most_rules, deadline)):
            for choice, error in _tried(terms, learned, asked, whole=way.scope.straight):
                errors.setdefault((way, *choice), []).append(error)
    if not errors:
        return constant_rules(y, discrete=False)
    progress.step("rules", len(splits), len(splits) + 1)
    way, size, ridge = _chosen(errors, ways)
    if not size:
        return constant_rules(y, discrete=False)
    (terms,) = _grown([way], X, y, most_rules, deadline)
    return _weighed(list(islice(terms, size)), X, y, ridge, complete=not expired(deadline))


@dataclass(frozen=True, eq=False)
class _Way:
    """What terms are grown of: a scope's plain numbers alone, or steps, bends and products too."""

    scope: Scope
    plain: bool


def _ways(scope: Scope) -> list[_Way]:
    return [_Way(scope, True)] if scope.straight else [_Way(scope, True), _Way(scope, False)]


def _grown(
    ways: Sequence[_Way], X: Real, y: Float, most: int, deadline: float | None
) -> Iterator[Iterator[Term] | list[Term]]:
    """The terms of each way; a scope's columns are screened once."""
    telling: dict[int, Int64] = {}
    for way in ways:
        if way.scope.straight:
            yield straight_terms(X, way.scope.columns)[:most]
            continue
        if id(way.scope) not in telling:
            telling[id(way.scope)] = way.scope.telling(X, y, discrete=False, most=MOST_COLUMNS)
        columns = telling[id(way.scope)]
        if way.plain:
            yield grow(X, y, terms_of(X, columns, n_cuts=0), most, deadline, products=False)
        else:
            yield _steps_and_bends(X, y, columns, most, deadline)


def grown_terms(X: Real, y: Float, most: int, deadline: float | None) -> Iterator[Term]:
    """Plain numbers, steps, bends and products grown one by one on a number, of the columns that
    tell most of it.
    """
    columns = screened(X, y, discrete=False, most=MOST_COLUMNS)
    return _steps_and_bends(X, y, columns, most, deadline)


def _steps_and_bends(
    X: Real, y: Float, columns: Int64, most: int, deadline: float | None
) -> Iterator[Term]:
    terms = [*terms_of(X, columns, n_cuts=N_CUTS), *bent_terms(X, columns[:MOST_BENT])]
    return grow(X, y, terms, most, deadline)


_Choice = tuple[_Way, int, float]
_Errors = dict[_Choice, list[Float]]
"""The absolute error of each held-out row, by way, number of terms and ridge;
an array a held-out set.
"""


def _chosen(errors: _Errors, ways: Sequence[_Way]) -> _Choice:
    """The choice of the least error in the scope where it is least."""
    tried_most = max(map(len, errors.values()))
    means = {
        one: float(np.mean([*map(np.mean, each)]))
        for one, each in errors.items()
        if len(each) == tried_most
    }
    best: dict[int, _Choice] = {}
    for way in ways:
        of_way = [one for one in means if one[0] is way]
        if not of_way:
            continue
        found = min(of_way, key=means.__getitem__)
        before = best.setdefault(id(way.scope), found)
        gain = np.concatenate(errors[before]) - np.concatenate(errors[found])
        if gain.mean() > gain.std() / np.sqrt(len(gain)):
            best[id(way.scope)] = found
    return min(best.values(), key=means.__getitem__)


def _tried(
    terms: Iterable[Term], learned: tuple[Real, Float], asked: tuple[Real, Float], *, whole: bool
) -> Iterator[tuple[tuple[int, float], Float]]:
    """The absolute error of each asked row under the first terms, ever more of them, and each
    ridge.

    With `whole` all of them or none.
    """
    (X, y), (X_asked, truth) = learned, asked
    error = np.abs(truth - np.median(y))
    yield (0, 0.0), error
    best, size = float(error.mean()), 0
    values, asked_values = np.empty((len(X), 0)), np.empty((len(X_asked), 0))
    for batch in [list(terms)] if whole else ([term] for term in terms):
        values = np.column_stack((values, *(term.values(X) for term in batch)))
        asked_values = np.column_stack((asked_values, *(term.values(X_asked) for term in batch)))
        for ridge in RIDGES:
            weights, intercept = _weights(values, y, ridge)
            error = np.abs(truth - asked_values @ weights - intercept)
            yield (values.shape[1], ridge), error
            if error.mean() < 0.999 * best:
                best, size = float(error.mean()), values.shape[1]
        if values.shape[1] - size >= PATIENCE:
            return


def _weighed(
    terms: Sequence[Term], X: Real, y: Float, ridge: float, *, complete: bool = True
) -> WeightedRules:
    """The terms with the weights that these rows give them."""
    if not terms:
        return replace(constant_rules(y, discrete=False), complete=complete)
    weights, intercept = _weights(np.column_stack([term.values(X) for term in terms]), y, ridge)
    return WeightedRules(tuple(terms), weights, intercept, False, complete=complete)


def _weights(values: Float, y: Float, ridge: float) -> tuple[Float, float]:
    """Weights of the least absolute error; the ridge is of columns of one spread."""
    spread = np.maximum(values.std(axis=0), 0.05)
    weights, intercept = least_absolute(values / spread, y, ridge)
    return weights / spread, intercept
