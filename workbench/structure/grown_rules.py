"""A number as a sum of few weighted terms; held-out rows choose kinds, number and ridge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.pursuit import grow
from workbench.structure.rule_task import RuleTask
from workbench.structure.scopes import TermScope, scopes_of
from workbench.structure.sparse_fits import least_absolute
from workbench.structure.term_choices import bent_terms, straight_terms, terms_of
from workbench.structure.terms import Term
from workbench.structure.weighted_rules import WeightedRules, constant_rules

MOST_COLUMNS = 120
MOST_BENT = 50
N_CUTS = 15
MOST_ROWS = 10_000


def fit_grown_rules(task: RuleTask) -> WeightedRules:
    """Choose and weigh at most `task.most_rules` terms of a number, for least absolute error.

    Terms are grown on the other rows of each held-out set, of all columns, and of the target's own
    table's alone; where the latter are few, all of them as plain numbers are tried as well. Of each
    scope plain numbers are grown first, then steps, bends and products, which fit chance, and what
    is passing, more closely: they are taken where what they gain on held-out rows exceeds its
    standard error. The number of terms, their ridge and the columns are those that do best on the
    held-out rows; then all rows grow so many. Beyond `MOST_ROWS` rows all this sees an even sample
    of them, and the terms that it chose are weighed by all.
    """
    X, y, conduct = task.X, task.y, task.conduct
    if task.most_rules < 1 or len(y) < 4:
        return constant_rules(y, discrete=False)
    if len(y) > MOST_ROWS:
        chosen = fit_grown_rules(task.evenly(MOST_ROWS))
        return weighed(chosen.terms, X, y, RIDGES[0], complete=chosen.complete)
    splits = task.splits(discrete=False)
    ways = _ways(task)
    errors: _Errors = {}
    for number, left_out in enumerate(splits):
        if errors and conduct.over:
            break
        conduct.progress.step("rules", number, len(splits) + 1)
        training = np.setdiff1d(np.arange(len(y)), left_out)
        if len(training) < 3 or not len(left_out):
            continue
        learned, asked = (X[training], y[training]), (X[left_out], y[left_out])
        none = np.abs(asked[1] - np.median(learned[1]))
        for way, terms in zip(ways, _grown(ways, *learned, task)):
            errors.setdefault((way, 0, 0.0), []).append(none)
            best = float(none.mean())
            for choice, error in tried_sizes(terms, learned, asked, best, whole=way.whole):
                errors.setdefault((way, *choice), []).append(error)
    if not errors:
        return constant_rules(y, discrete=False)
    conduct.progress.report("rules", len(splits), len(splits) + 1, "")
    way, size, ridge = _chosen(errors, ways)
    if not size:
        return constant_rules(y, discrete=False)
    (terms,) = _grown([way], X, y, task)
    found = list(islice(terms, size))
    rules = weighed(found, X, y, ridge, complete=not conduct.over)
    return replace(rules, losses=tuple(float(one.mean()) for one in errors[way, size, ridge]))


@dataclass(frozen=True, eq=False)
class _Way:
    """What terms are grown of: a scope's plain numbers alone, or steps, bends and products too; or
    all of the plain numbers are taken, the `whole`.
    """

    scope: TermScope
    plain: bool
    whole: bool = False


def _ways(task: RuleTask) -> list[_Way]:
    scopes = scopes_of(task)
    found = [_Way(scope, plain) for scope in scopes for plain in (True, False)]
    own = np.arange(task.X.shape[1]) if task.own is None else task.own
    if 0 < len(own) <= task.most_rules:
        found.append(_Way(TermScope(own), True, whole=True))
    return found


def _grown(
    ways: Sequence[_Way], X: Real, y: Float, task: RuleTask
) -> Iterator[Iterator[Term] | list[Term]]:
    """The terms of each way; a scope's columns are screened once."""
    most, deadline = task.most_rules, task.conduct.deadline
    telling: dict[int, Int64] = {}
    for way in ways:
        if way.whole:
            yield [made.term for made in islice(straight_terms(X, way.scope.columns), most)]
            continue
        if id(way.scope) not in telling:
            telling[id(way.scope)] = way.scope.telling(X, y, discrete=False, most=MOST_COLUMNS)
        columns = telling[id(way.scope)]
        if way.plain:
            yield grow(X, y, terms_of(X, columns, n_cuts=0), most, deadline, products=False)
        else:
            yield _steps_and_bends(X, y, columns, way.scope.together(X, y, columns), task)


def _steps_and_bends(
    X: Real, y: Float, columns: Int64, together: Int64, task: RuleTask
) -> Iterator[Term]:
    every = np.append(columns, together[~np.isin(together, columns)])
    terms = chain(terms_of(X, every, n_cuts=N_CUTS), bent_terms(X, columns[:MOST_BENT]))
    return grow(X, y, terms, task.most_rules, task.conduct.deadline, gates=together)


_Choice = tuple[_Way, int, float]
_Errors = dict[_Choice, list[Float]]
"""Each held-out row's absolute error by way, number of terms and ridge; one array a set."""


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
    chosen = min(best.values(), key=means.__getitem__)
    return _fewest(errors, chosen) if tried_most == 1 else chosen


def _fewest(errors: _Errors, chosen: _Choice) -> _Choice:
    """The choice of fewest terms, of the chosen way, that errs no more than a standard error more.

    One set of rows, the latest, follows what is passing: places of Formula 1's drivers were
    foretold best there by 25 terms, and later ones by half as many.
    """
    least = np.concatenate(errors[chosen])
    for one in sorted(errors, key=lambda one: (one[1], float(np.mean(errors[one][0])))):
        if one[0] is chosen[0]:
            more = np.concatenate(errors[one]) - least
            if more.mean() <= more.std() / np.sqrt(len(more)):
                return one
    return chosen


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
