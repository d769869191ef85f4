"""A few weighted rules from many candidates: an L1 path; held-out rows choose the size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.language.number_scale import NumberScale
from workbench.structure.condensed import condensed
from workbench.structure.rule_choice import DENSE, Blend, Support, Tries, Tuning
from workbench.structure.rule_design import Design, Stage
from workbench.structure.rule_task import RuleTask
from workbench.structure.scopes import TermScope, scopes_of
from workbench.structure.sparse_fits import L1Path, refits, sigmoid
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
    scale : NumberScale
        Of a number, what the sum is of what is expected.
    """

    terms: tuple[Term, ...]
    weights: Float
    intercept: float
    discrete: bool
    gap: float = 0.0
    complete: bool = True
    alone: WeightedRules | None = None
    losses: tuple[float, ...] = ()
    scale: NumberScale = NumberScale.PLAIN

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
        scores = self.scores(X)
        return sigmoid(scores) if self.discrete else self.scale.numbers(scores)

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
    path is tried as it is and with its support refitted under a ridge. What does best on the
    held-out rows is then fitted to all rows, from the screening on, over columns that at least half
    of the held-out sets' fits kept, too. What is clearly behind after a held-out set is tried on no
    further one. Beside it all plain numbers are fitted under a ridge, and few terms are chosen and
    weighed anew to say what both say together (`condensed`). Beyond `MOST_ROWS` rows all this sees
    an even sample of them, and the terms that it chose are weighed by all.
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
        tries.begin(y[left_out])
        for choice, said, support in _tried(design, left_out, scopes, tries):
            tries.add(choice, said, support)
        if tries and number + 1 < len(splits):
            tries.drop_behind()
    if not tries:
        return constant_rules(y, True)
    task.conduct.progress.report("rules", len(splits), len(splits) + 1, "")
    mixed = tries.mixed([place for place, scope in enumerate(scopes) if scope.counted])
    found = _fitted(design, mixed.few, scopes[mixed.few.scope], tries.support(mixed.few))
    if mixed.every is not None and mixed.every.ridge is not None:
        found = _with_all(found, design, mixed, scopes[mixed.every.scope], mixed.every.ridge)
    return replace(found, losses=mixed.losses)


def _with_all(
    few: WeightedRules, design: Design, mixed: Blend, scope: TermScope, ridge: float
) -> WeightedRules:
    """Few terms that say most of what those found and all plain ones of a scope say together."""
    task = design.task
    stage = design.whole(np.empty(0, np.int64), scope)
    (fit,) = refits(stage.learned, design.y, np.arange(len(stage.terms)), [ridge])
    every = WeightedRules(
        tuple(stage.terms),
        fit.weights * [task.height(term) for term in stage.terms],
        fit.intercept,
        True,
    )
    return mixture_of(few, every, mixed.share, task.X, task.most_rules)


def mixture_of(
    few: WeightedRules, every: WeightedRules, share: float, X: Real, most: int
) -> WeightedRules:
    """At most so many of the terms of both, weighed to say what both say, the latter by `share`."""
    pool = list(dict.fromkeys((*few.terms, *every.terms)))
    if not pool:
        return few
    columns = np.stack([term.values(X) for term in pool])
    said = (1 - share) * few.scores(X) + share * every.scores(X)
    kept, weights, intercept = condensed(columns, said, most)
    return replace(few, terms=tuple(pool[at] for at in kept), weights=weights, intercept=intercept)


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
    final = L1Path(stage.learned, y, most, deadline).at(share)
    if ridge is not None and len(final.support):
        (weighed,) = refits(stage.learned, y, final.support, [ridge], final)
        final = replace(weighed, gap=final.gap)
    kept = [stage.terms[at] for at in final.support]
    weights = final.weights * [design.task.height(term) for term in kept]
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


def _tried(
    design: Design, held_out: Int64, scopes: Sequence[TermScope], tries: Tries
) -> Iterator[tuple[Tuning, Float, Support]]:
    """What each choice in the race says of each held-out row, and what it keeps.

    Share 1 stands for no rule at all.
    """
    y = design.y
    training = np.setdiff1d(np.arange(len(y)), held_out)
    if len(training) < 3 or not len(held_out) or len(np.unique(y[training])) < 2:
        return
    none = np.full(len(held_out), constant_rules(y[training], True).intercept)
    for place, among in enumerate(scopes):
        if tries.races(place, 0):
            yield Tuning(place, 0, 1.0, None), none, None
        for pull, said in _whole(design.whole(held_out, among)):
            yield Tuning(place, DENSE, 0.0, pull), said, None
        for stage in design.stages(held_out, among, tries.last_racing(place)):
            if design.task.conduct.over and stage.number:
                return
            if not tries.races(place, stage.number):
                continue
            for share, ridge, said, kept in _along_path(stage):
                yield Tuning(place, stage.number, share, ridge), said, kept


_Tried = Iterator[tuple[float, float | None, Float, Support]]
"""Shares of the largest penalty, ridges of refits, what fits say of held-out rows and keep."""


def _whole(stage: Stage) -> Iterator[tuple[float, Float]]:
    """All terms, where there are any, under each ridge."""
    if not stage.terms:
        return
    support = np.arange(len(stage.terms))
    for ridge, fit in zip(DENSE_RIDGES, refits(stage.learned, stage.y, support, DENSE_RIDGES)):
        yield ridge, fit.scores(stage.asked)


def _along_path(stage: Stage) -> _Tried:
    """Each fit of the path, as it is and with its support refitted under each ridge."""
    again: dict[bytes, list[Float]] = {}  # one support often lasts for several penalties
    for share, fit in stage.path:
        kept = frozenset(stage.terms[at].columns for at in fit.support)
        yield share, None, fit.scores(stage.asked), kept
        if not len(fit.support):
            continue
        key = fit.support.tobytes()
        if key not in again:
            fits = refits(stage.learned, stage.y, fit.support, RIDGES, fit)
            again[key] = [one.scores(stage.asked) for one in fits]
        yield from ((share, ridge, said, kept) for ridge, said in zip(RIDGES, again[key]))


RIDGES = (1.0, 10.0, 100.0)
DENSE_RIDGES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0)


def constant_rules(y: Float, discrete: bool) -> WeightedRules:
    """No rule at all: the log odds of the mean, or of a number the middle value."""
    if not discrete:
        return WeightedRules((), np.empty(0), float(np.median(y)) if len(y) else 0.5, discrete)
    mean = float(y.mean()) if len(y) else 0.5
    return WeightedRules(
        (), np.empty(0), float(np.log((mean + 1e-6) / (1 - mean + 1e-6))), discrete
    )
