"""A few weighted rules from many candidates: an L1 path; held-out rows choose the size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.rule_design import Design
from workbench.structure.rule_task import RuleTask
from workbench.structure.scopes import TermScope, scopes_of
from workbench.structure.sparse_fits import Fit, at_penalty, log_loss, path, refitted, sigmoid
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

    Notes
    -----
    For each held-out set, on the other rows: columns are screened by what each tells alone, their
    terms fitted under falling L1 penalties (proximal Newton, with a duality gap): numbers first,
    then with thresholds, then with pairs of conditions that explain what is left. Each step of a
    path is tried as it is and with its support refitted under a ridge; beside them, where the
    target's own columns are few, all of these as plain numbers under a ridge. What does best on the
    held-out rows is then fitted to all rows, from the screening on, over columns that at least half
    of the held-out sets' fits kept, too. Beyond `MOST_ROWS` rows all
    this sees an even sample of them, and the terms that it chose are weighed by all.
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
    losses: dict[_Choice, list[float]] = {}
    supports: dict[_Choice, list[_Support]] = {}
    for number, left_out in enumerate(splits):
        if losses and task.conduct.over:
            break
        task.conduct.progress.step("rules", number, len(splits) + 1)
        for choice, loss, support in _tried(design, left_out, scopes):
            losses.setdefault(choice, []).append(loss)
            supports.setdefault(choice, []).append(support)
    if not losses:
        return constant_rules(y, True)
    task.conduct.progress.report("rules", len(splits), len(splits) + 1, "")
    chosen = _chosen(losses)
    found = _fitted(design, chosen, scopes[chosen[0]], _stable(supports[chosen]))
    return replace(found, losses=tuple(losses[chosen]))


def _chosen(losses: dict[_Choice, list[float]]) -> _Choice:
    """Of the choices that most held-out sets have tried, the one of the least mean loss."""
    tried_most = max(map(len, losses.values()))
    complete = (choice for choice in losses if len(losses[choice]) == tried_most)
    return min(complete, key=lambda choice: float(np.mean(losses[choice])))


_Support = frozenset[tuple[int, ...]] | None
"""The columns of each term that a fit keeps; None of one that keeps all."""


def _stable(supports: Sequence[_Support]) -> _Support:
    """The columns that at least half of the fits kept, of several fits to different rows; what
    fewer keep is mostly chance (stability selection: Meinshausen and Buehlmann 2010).
    """
    kept = Counter(columns for one in supports if one is not None for columns in one)
    if len(supports) < 2 or None in supports:
        return None
    return frozenset(columns for columns, n in kept.items() if 2 * n >= len(supports))


def _fitted(design: Design, chosen: _Choice, scope: TermScope, stable: _Support) -> WeightedRules:
    """What was chosen on held-out rows, fitted to all; of terms those over stable columns."""
    y, most, deadline = design.y, design.task.most_rules, design.task.conduct.deadline
    _, stage, share, ridge = chosen
    terms: list[Term] = []
    for number, more, columns in design.stages(np.empty(0, np.int64), scope):
        if number > stage:
            break
        terms, Z = more, columns
        if number == stage:
            break
    if stable is not None:
        among = [at for at, term in enumerate(terms) if term.columns in stable]
        terms, Z = [terms[at] for at in among], Z[:, among]
    if share >= 1 or not terms:
        return constant_rules(y, True)
    if share == ALL:
        final = refitted(Z, y, np.arange(min(len(terms), most)), ridge or 1.0)
    else:
        final = at_penalty(Z, y, share, most, deadline)
        if ridge is not None and len(final.support):
            final = replace(refitted(Z, y, final.support, ridge), gap=final.gap)
    kept = [terms[at] for at in final.support]
    weights = final.weights[final.support] * [term.handicap for term in kept]
    complete = not design.task.conduct.over
    return WeightedRules(tuple(kept), weights, final.intercept, True, final.gap, complete)


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


_Choice = tuple[int, int, float, float | None]
"""Scope, stage, share of the largest penalty, and ridge of a refit."""


def _tried(
    design: Design, held_out: Int64, scopes: Sequence[TermScope]
) -> Iterator[tuple[_Choice, float, _Support]]:
    """Each scope's held-out loss by stage and penalty, refitted or not, and what is kept.

    Share 1 stands for no rule at all.
    """
    y, most_rules, deadline = design.y, design.task.most_rules, design.task.conduct.deadline
    training = np.setdiff1d(np.arange(len(y)), held_out)
    if len(training) < 3 or not len(held_out) or len(np.unique(y[training])) < 2:
        return
    seen, truth = y[training], y[held_out]
    none = constant_rules(seen, True).intercept
    for place, among in enumerate(scopes):
        yield (place, 0, 1.0, None), log_loss(np.full(len(truth), none), truth), None
        for stage, terms, Z in design.stages(held_out, among):
            learned, asked = Z[training], Z[held_out]
            if among.straight:
                for pull in STRAIGHT_RIDGES if len(terms) <= most_rules else ():
                    whole = refitted(learned, seen, np.arange(len(terms)), pull)
                    yield (place, stage, ALL, pull), log_loss(whole.scores(asked), truth), None
                continue
            if design.task.conduct.over and stage:
                return
            refits: dict[bytes, list[float]] = {}  # one support often lasts for several penalties
            for share, fit in path(learned, seen, most_rules, deadline):
                kept = frozenset(terms[at].columns for at in fit.support)
                yield (place, stage, share, None), log_loss(fit.scores(asked), truth), kept
                if not len(fit.support):
                    continue
                key = fit.support.tobytes()
                if key not in refits:
                    refits[key] = [
                        log_loss(one.scores(asked), truth) for one in _refits(learned, seen, fit)
                    ]
                yield from (
                    ((place, stage, share, ridge), loss, kept)
                    for ridge, loss in zip(RIDGES, refits[key])
                )


def _refits(Z: Float, y: Float, fit: Fit) -> Iterator[Fit]:
    """The support of a fit under each ridge."""
    for ridge in RIDGES:
        fit = refitted(Z, y, fit.support, ridge, start=fit)
        yield fit


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
