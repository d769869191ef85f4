"""A few weighted rules from many candidates: a path of exact L1 fits, and the size that held-out rows choose."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import SILENT, Progress, expired, remaining
from workbench.structure.scopes import Scope, scopes_of
from workbench.structure.sparse_fits import at_penalty, log_loss, path, refitted, sigmoid
from workbench.structure.terms import Term, pair_terms, straight_terms, terms_of

__all__ = ["WeightedRules", "constant_rules", "fit_weighted_rules", "random_splits"]

MOST_COLUMNS = 250
MOST_TERMS = 500
MOST_ROWS = 20_000


@dataclass(frozen=True)
class WeightedRules:
    """A sum of weighted terms; of a yes-or-no target the logarithm of its odds.

    Attributes
    ----------
    terms : tuple of Term
    weights : float64 array, shape (n_terms,)
        A term's contribution is `weight * term.values(X)`.
    intercept : float
    discrete : bool
    gap : float
        The relative duality gap of the L1 fit that chose the terms; 0 where there is none.
    complete : bool
        False where time ran out.
    alone : WeightedRules or None
        Of trees with other terms beside them: the trees without these.
    """

    terms: tuple[Term, ...]
    weights: Float
    intercept: float
    discrete: bool
    gap: float = 0.0
    complete: bool = True
    alone: WeightedRules | None = None

    def scores(self, X: Real) -> Float:
        """The sum, shape (n_rows,)."""
        total = np.full(len(X), self.intercept)
        for term, weight in zip(self.terms, self.weights):
            total += weight * term.values(X)
        return total

    def predict(self, X: Real) -> Float:
        """Probabilities, or expected values."""
        return sigmoid(self.scores(X)) if self.discrete else self.scores(X)

    def __len__(self) -> int:
        return len(self.terms)


def fit_weighted_rules(
    X: Real,
    y: Float,
    *,
    most_rules: int = 30,
    linear: Collection[int] = (),
    own: Int64 | None = None,
    held_out: Sequence[Int64] | None = None,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> WeightedRules:
    """Choose and weigh at most `most_rules` terms.

    Parameters
    ----------
    X : float array, shape (n_rows, n_candidates)
        NaN where unknown.
    y : float64 array, shape (n_rows,)
        0 and 1.
    linear : collection of int
        Columns that enter as they are or not at all: no threshold, no logarithm.
    own : int64 array or None
        Columns of the target's own table. Rules over these alone are tried beside rules over all, and held-out rows
        choose: among thousands of columns of other tables some fit by chance.
    held_out : sequence of int64 arrays or None
        Sets of rows on which the penalty is chosen (the latest, where rows have a time); None draws some at random.

    Notes
    -----
    For each held-out set, on the other rows: columns are screened by what each tells alone, their terms fitted under
    falling L1 penalties (proximal Newton, with a duality gap): numbers first, then with thresholds, then with pairs of
    conditions that explain what is left. Each step of a path is tried as it is and with its support refitted under a
    ridge; beside them, where the target's own columns are few, all of these as plain numbers under a ridge. What does
    best on the held-out rows is then fitted to all rows, from the screening on. Beyond `MOST_ROWS` rows all this sees
    an even sample of them, and the terms that it chose are weighed by all.
    """
    if most_rules < 1 or len(np.unique(y)) < 2 or len(y) < 4:
        return constant_rules(y, True)
    if len(y) > MOST_ROWS:
        rows = even_sample(y, MOST_ROWS)
        of_sample = None if held_out is None else [np.flatnonzero(np.isin(rows, split)) for split in held_out]
        chosen = fit_weighted_rules(
            X[rows], y[rows], most_rules=most_rules, linear=linear, own=own,
            held_out=of_sample, seed=seed, deadline=deadline, progress=progress,
        )  # fmt: skip
        return _weighed_by(chosen, X, y)
    splits = random_splits(y, True, seed) if held_out is None else held_out
    scopes = scopes_of(X, own, most_rules)
    losses: dict[tuple[int, int, float, float | None], list[float]] = {}
    for number, left_out in enumerate(splits):
        if number and expired(deadline):
            break
        progress.step("rules", number, len(splits) + 1)
        for place, among in enumerate(scopes):
            for choice, loss in _tried(X, y, left_out, most_rules, linear, among, deadline):
                losses.setdefault((place, *choice), []).append(loss)
    if not losses:
        return constant_rules(y, True)
    tried_most = max(map(len, losses.values()))
    complete = (choice for choice in losses if len(losses[choice]) == tried_most)
    place, stage, share, ridge = min(complete, key=lambda choice: float(np.mean(losses[choice])))
    progress.step("rules", len(splits), len(splits) + 1)
    terms: list[Term] = []
    everything = np.arange(len(y))
    for number, more, columns in _stages(X, y, everything, most_rules, linear, scopes[place], deadline):
        if number > stage:
            break
        terms, Z = more, columns
    if share >= 1 or not terms:
        return constant_rules(y, True)
    if share == ALL:
        final = refitted(Z, y, np.arange(min(len(terms), most_rules)), ridge or 1.0)
    else:
        final = at_penalty(Z, y, share, most_rules, deadline)
        if ridge is not None and len(final.support):
            final = replace(refitted(Z, y, final.support, ridge), gap=final.gap)
    support = final.support
    return WeightedRules(
        tuple(terms[at] for at in support),
        final.weights[support] * [terms[at].handicap for at in support],
        final.intercept,
        True,
        final.gap,
        complete=not expired(deadline),
    )


def even_sample(y: Float, most: int) -> Int64:
    """`most` of the rows, ascending, spread evenly over the target's values."""
    places = np.linspace(0, len(y) - 1, most).astype(np.int64)
    return np.sort(np.argsort(y, kind="stable")[places])


def _weighed_by(rules: WeightedRules, X: Real, y: Float) -> WeightedRules:
    """The same terms with the weights that these rows give them."""
    if not rules.terms:
        return replace(constant_rules(y, True), complete=rules.complete)
    Z = np.column_stack([term.handicap * term.values(X) for term in rules.terms])
    fit = refitted(Z, y, np.arange(len(rules.terms)), 1.0)
    weights = fit.weights * [term.handicap for term in rules.terms]
    return replace(rules, weights=weights, intercept=fit.intercept)


ALL = 0.0
"""The share of the largest penalty that stands for all terms of a scope, under a ridge alone."""


def _tried(
    X: Real,
    y: Float,
    held_out: Int64,
    most_rules: int,
    linear: Collection[int],
    among: Scope,
    deadline: float | None,
) -> Iterator[tuple[tuple[int, float, float | None], float]]:
    """The loss on the held-out rows of each stage and penalty, with and without a refit.

    Share 1 stands for no rule at all.
    """
    training = np.setdiff1d(np.arange(len(y)), held_out)
    if len(training) < 3 or not len(held_out) or len(np.unique(y[training])) < 2:
        return
    none = constant_rules(y[training], True)
    yield (0, 1.0, None), log_loss(none.scores(X[held_out]), y[held_out])
    for stage, terms, Z in _stages(X, y, training, most_rules, linear, among, deadline):
        learned, asked, seen = Z[training], Z[held_out], y[training]
        if among.straight:
            for pull in STRAIGHT_RIDGES if len(terms) <= most_rules else ():
                whole = refitted(learned, seen, np.arange(len(terms)), pull)
                yield (stage, ALL, pull), log_loss(whole.scores(asked), y[held_out])
            continue
        refits: dict[tuple[bytes, float], float] = {}  # one support often lasts for several penalties
        for share, fit in path(learned, seen, most_rules, deadline):
            yield (stage, share, None), log_loss(fit.scores(asked), y[held_out])
            for ridge in RIDGES if len(fit.support) else ():
                key = fit.support.tobytes(), ridge
                if key not in refits:
                    again = refitted(learned, seen, fit.support, ridge)
                    refits[key] = log_loss(again.scores(asked), y[held_out])
                yield (stage, share, ridge), refits[key]


RIDGES = (1.0, 10.0, 100.0)
STRAIGHT_RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0)


def constant_rules(y: Float, discrete: bool) -> WeightedRules:
    """No rule at all: the log odds of the mean, or of a number the middle value."""
    if not discrete:
        return WeightedRules((), np.empty(0), float(np.median(y)) if len(y) else 0.5, discrete)
    mean = float(y.mean()) if len(y) else 0.5
    return WeightedRules((), np.empty(0), float(np.log((mean + 1e-6) / (1 - mean + 1e-6))), discrete)


def random_splits(y: Float, discrete: bool, seed: int) -> list[Int64]:
    """Fifths of the rows, drawn at random from each class: all five where rows are few, one where they are many.

    Where rows are very few they are dealt twice, for one deal tells little.
    """
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(2 if len(y) < 200 else 1):
        order = rng.permutation(len(y))
        if discrete:
            order = order[np.argsort(y[order], kind="stable")]
        n_splits = 5 if len(y) < 600 else 3 if len(y) < 3000 else 1
        found += [np.sort(order[first::5]) for first in range(n_splits)]
    return found


def _stages(
    X: Real,
    y: Float,
    training: Int64,
    most_rules: int,
    linear: Collection[int],
    among: Scope,
    deadline: float | None,
) -> Iterator[tuple[int, list[Term], Float]]:
    """Terms that a path may choose from and their columns for all rows, times handicaps; ever more of them.

    Stage 0 has numbers (and which of two values, and being unknown), 1 their thresholds too, 2 pairs of conditions.
    """
    inner = X[training]
    if among.straight:
        terms = straight_terms(inner, [at for at in among.columns if int(at) not in linear])
        yield 0, terms, _columns(terms, X)
        return
    columns = among.telling(inner, y[training], discrete=True, most=MOST_COLUMNS)
    terms = terms_of(inner, columns, linear=linear)[:MOST_TERMS]
    if not terms:
        return
    Z = _columns(terms, X)
    numbers = {term.column for term in terms if not term.conditions}
    plain = [at for at, term in enumerate(terms) if not (numbers & set(term.columns) and _is_threshold(term))]
    yield 0, [terms[at] for at in plain], Z[:, plain]
    if len(plain) < len(terms):
        yield 1, terms, Z
    if len(training) < 60 or remaining(deadline) < 5:
        return
    fitted = at_penalty(Z[training], y[training], 0.1, most_rules, deadline).scores(Z[training])
    residual = y[training] - sigmoid(fitted)
    pairs = pair_terms(inner, residual, terms)
    if pairs:
        yield 2, [*terms, *pairs], np.column_stack((Z, _columns(pairs, X)))


def _is_threshold(term: Term) -> bool:
    return any(one.test in ("at_least", "below") for one in term.conditions)


def _columns(terms: Sequence[Term], X: Real) -> Float:
    return np.column_stack([np.empty((len(X), 0)), *(term.handicap * term.values(X) for term in terms)])
