"""A few weighted rules from many candidates: an L1 path; held-out rows choose the size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.rule_choice import Support, Tries, Tuning
from workbench.structure.rule_design import Design, Stage
from workbench.structure.rule_task import RuleTask
from workbench.structure.scopes import TermScope, scopes_of
from workbench.structure.sparse_fits import L1Path, refits, row_losses, sigmoid
from workbench.structure.terms import Term

MOST_ROWS = 20_000
SLIGHT = 0.02
"""Of the sum's spread over the rows: a term that moves it by less is none."""


@dataclass(frozen=True)
class WeightedRules:
    """A sum of weighted terms; of a yes-or-no target the logarithm of its odds.

    Attributes
    ----------
    weights : float64 array, shape (n_terms,)
        A term's contribution is `weight * term.values(X)`.
    gap : float
        The relative duality gap of the L1 fit that chose the terms; 0 where there is none.
    complete : bool
        False where time ran out.
    alone : WeightedRules or None
        Of trees with other terms beside them: the trees without these.
    losses : tuple of float
        The mean loss on each held-out set that chose the terms; empty where none did.
    positive : bool
        Whether the sum is the logarithm of what is expected.
    """

    terms: tuple[Term, ...]
    weights: Float
    intercept: float
    discrete: bool
    gap: float = 0.0
    complete: bool = True
    alone: WeightedRules | None = None
    losses: tuple[float, ...] = ()
    positive: bool = False

    def scores(self, X: Real) -> Float:
        """The sum, shape (n_rows,)."""
        total = np.full(len(X), self.intercept)
        for term, weight in zip(self.terms, self.weights):
            total += weight * term.values(X)
        return total

    def without_slight(self, X: Real) -> WeightedRules:
        """The same without the terms that move the sum by next to nothing: their means go to the
        intercept. A rule that says nothing is one more to read.
        """
        if not self.terms:
            return self
        moves = np.stack([w * term.values(X) for term, w in zip(self.terms, self.weights)])
        slight = moves.std(axis=1) < SLIGHT * moves.sum(axis=0).std()
        return replace(
            self,
            terms=tuple(term for term, gone in zip(self.terms, slight) if not gone),
            weights=self.weights[~slight],
            intercept=self.intercept + float(moves[slight].mean(axis=1).sum()),
        )

    def predict(self, X: Real) -> Float:
        """Probabilities, or expected values."""
        if self.positive:
            return np.asarray(np.exp(self.scores(X)))
        return sigmoid(self.scores(X)) if self.discrete else self.scores(X)

    def __len__(self) -> int:
        return len(self.terms)


def mean_of(one: WeightedRules, other: WeightedRules) -> WeightedRules:
    """The mean of two sums, each of whose terms then counts half; as one `alone`, too."""
    return replace(
        one,
        terms=(*one.terms, *other.terms),
        weights=np.concatenate((one.weights, other.weights)) / 2,
        intercept=(one.intercept + other.intercept) / 2,
        gap=max(one.gap, other.gap),
        complete=one.complete and other.complete,
        alone=None if one.alone is None else mean_of(one.alone, other),
        losses=(),
    )


def fit_weighted_rules(task: RuleTask) -> WeightedRules:
    """Choose and weigh at most `task.most_rules` terms of a target of 0 and 1.

    For each held-out set, on the other rows: columns are screened by what each tells alone, their
    terms fitted under falling L1 penalties (proximal Newton, with a duality gap): numbers first,
    then with thresholds, then with pairs of conditions that explain what is left. Each step of a
    path is tried as it is and with its support refitted under a ridge; beside them, where the
    target's own columns are few, all of these as plain numbers under a ridge. What does best on the
    held-out rows is then fitted to all rows, from the screening on, over columns that at least half
    of the held-out sets' fits kept, too. What is clearly behind after a held-out set is tried on no
    further one. Beyond `MOST_ROWS` rows all this sees an even sample of them, and the terms that it
    chose are weighed by all.
    """
    y = task.y
    if task.most_rules < 1 or len(np.unique(y)) < 2 or len(y) < 4:
        return constant_rules(y, True)
    if len(y) > MOST_ROWS:
        return _weighed_by(fit_weighted_rules(task.evenly(MOST_ROWS)), task.X, y)
    splits = task.splits(discrete=True)
    counted = () if task.counted is None else task.counted.columns
    scopes = scopes_of(task, counted)
    design = Design(task)
    tries = Tries()
    for number, left_out in enumerate(splits):
        if tries and task.conduct.over:
            break
        task.conduct.progress.step("rules", number, len(splits) + 1)
        for choice, errors, support in _tried(design, left_out, scopes, tries):
            tries.add(choice, errors, support)
        if tries and number + 1 < len(splits):
            tries.drop_behind()
    if not tries:
        return constant_rules(y, True)
    task.conduct.progress.report("rules", len(splits), len(splits) + 1, "")
    chosen = tries.best()
    found = _fitted(design, chosen, scopes[chosen.scope], tries.support(chosen))
    return replace(found, losses=tries.losses(chosen))


def _fitted(design: Design, chosen: Tuning, scope: TermScope, stable: Support) -> WeightedRules:
    """What was chosen on held-out rows, fitted to all; of terms those over stable columns."""
    y, most, deadline = design.y, design.task.most_rules, design.task.conduct.deadline
    _, number, share, ridge = chosen
    stages = list(design.stages(np.empty(0, np.int64), scope, number))
    if share >= 1 or not stages:
        return constant_rules(y, True)
    stage = stages[-1]
    if stable is not None:
        stage = stage.among([at for at, one in enumerate(stage.terms) if one.columns in stable])
    if not stage.terms:
        return constant_rules(y, True)
    if share == ALL:
        support = np.arange(min(len(stage.terms), most))
        (final,) = refits(stage.learned, y, support, [ridge or 1.0])
    else:
        final = L1Path(stage.learned, y, most, deadline).at(share)
        if ridge is not None and len(final.support):
            (weighed,) = refits(stage.learned, y, final.support, [ridge], final)
            final = replace(weighed, gap=final.gap)
    kept = [stage.terms[at] for at in final.support]
    weights = final.weights * [term.handicap for term in kept]
    complete = not design.task.conduct.over
    return WeightedRules(tuple(kept), weights, final.intercept, True, final.gap, complete)


def _weighed_by(rules: WeightedRules, X: Real, y: Float) -> WeightedRules:
    """The same terms with the weights that these rows give them."""
    if not rules.terms:
        return replace(constant_rules(y, True), complete=rules.complete)
    columns = np.stack([term.handicap * term.values(X) for term in rules.terms])
    (fit,) = refits(columns, y, np.arange(len(columns)), [1.0])
    weights = fit.weights * [term.handicap for term in rules.terms]
    return replace(rules, weights=weights, intercept=fit.intercept)


ALL = 0.0
"""The share of the largest penalty that stands for all terms of a scope, under a ridge alone."""


def _tried(
    design: Design, held_out: Int64, scopes: Sequence[TermScope], tries: Tries
) -> Iterator[tuple[Tuning, Float, Support]]:
    """What each choice in the race errs on each held-out row, and what it keeps.

    Share 1 stands for no rule at all.
    """
    y, most_rules = design.y, design.task.most_rules
    training = np.setdiff1d(np.arange(len(y)), held_out)
    if len(training) < 3 or not len(held_out) or len(np.unique(y[training])) < 2:
        return
    truth = y[held_out]
    none = row_losses(np.full(len(truth), constant_rules(y[training], True).intercept), truth)
    for place, among in enumerate(scopes):
        if tries.races(place, 0):
            yield Tuning(place, 0, 1.0, None), none, None
        for stage in design.stages(held_out, among, tries.last_racing(place)):
            if not tries.races(place, stage.number):
                continue
            if among.straight and len(stage.terms) > most_rules:
                continue
            if design.task.conduct.over and stage.number:
                return
            tried = _whole(stage) if among.straight else _along_path(stage)
            for share, ridge, errors, kept in tried:
                yield Tuning(place, stage.number, share, ridge), errors, kept


_Tried = Iterator[tuple[float, float | None, Float, Support]]
"""Shares of the largest penalty, ridges of refits, what fits err on held-out rows and keep."""


def _whole(stage: Stage) -> _Tried:
    """All terms, under each ridge."""
    support = np.arange(len(stage.terms))
    for ridge, fit in zip(
        STRAIGHT_RIDGES, refits(stage.learned, stage.y, support, STRAIGHT_RIDGES)
    ):
        yield ALL, ridge, stage.errors(fit), None


def _along_path(stage: Stage) -> _Tried:
    """Each fit of the path, as it is and with its support refitted under each ridge."""
    again: dict[bytes, list[Float]] = {}  # one support often lasts for several penalties
    for share, fit in stage.path:
        kept = frozenset(stage.terms[at].columns for at in fit.support)
        yield share, None, stage.errors(fit), kept
        if not len(fit.support):
            continue
        key = fit.support.tobytes()
        if key not in again:
            fits = refits(stage.learned, stage.y, fit.support, RIDGES, fit)
            again[key] = [stage.errors(one) for one in fits]
        yield from ((share, ridge, errors, kept) for ridge, errors in zip(RIDGES, again[key]))


RIDGES = (1.0, 10.0, 100.0)
STRAIGHT_RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0)


def constant_rules(y: Float, discrete: bool) -> WeightedRules:
    """No rule at all: the log odds of the mean, or of a number the middle value."""
    if not discrete:
        return WeightedRules((), np.empty(0), float(np.median(y)) if len(y) else 0.5, discrete)
    mean = float(y.mean()) if len(y) else 0.5
    return WeightedRules(
        (), np.empty(0), float(np.log((mean + 1e-6) / (1 - mean + 1e-6))), discrete
    )
