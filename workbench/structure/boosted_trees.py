"""Relational functional-gradient boosting: trees over candidates, each leaf a weighted rule.

The trees follow the gradient of the likelihood (Natarajan et al. 2012, RDN-Boost; Friedman 2001).
A leaf is the conjunction of the tests above it, so the
sum of trees is a sum of weighted rules, which a Markov logic network states as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import Conduct
from workbench.structure.boosting import Boosted, BoostingSettings, Tree
from workbench.structure.rule_task import RuleTask, random_splits
from workbench.structure.screening import screened_for
from workbench.structure.sparse_fits import ridge_logistic
from workbench.structure.term_choices import terms_of
from workbench.structure.terms import Condition, Cuts, Term
from workbench.structure.weighted_rules import WeightedRules, constant_rules

MOST_TREES = 300
MOST_COLUMNS = 200
STEP = 20
RATE = 0.06


def fit_boosted_trees(
    task: RuleTask, *, discrete: bool, n_classes: int = 2, linear: Collection[int] = ()
) -> tuple[WeightedRules, ...]:
    """Boost trees and give them as weighted rules: one sum, or one a class of several.

    `y` holds the places of classes then, and the softmax of the sums is their probabilities.
    Columns in `linear` are never cut: of two classes they are added to the trees as they are, else
    left out. The number of trees is the one that does best on the first of the held-out sets; then
    all rows are fitted by so many.
    """
    y, several = task.y, n_classes > 2
    constant = tuple(constant_rules(one, discrete) for one in _targets(y, n_classes))
    if (discrete and len(np.unique(y)) < 2) or len(y) < 10:
        return constant
    left_out, training = _split(task, discrete)
    added = [made.term for made in terms_of(task.X, sorted(linear), linear=linear)]
    if not discrete or several:
        added = []
    X = task.X.copy() if linear else task.X
    X[:, list(linear)] = np.nan
    columns = _telling(X[training], _targets(y[training], n_classes), discrete)
    if not len(columns):
        if added:
            return (_beside(constant[0], added, task.X, y, np.zeros(len(y))),)
        return constant
    design = np.asarray(X[:, columns], np.float64)
    model, complete, loss = _grown(design, y, training, left_out, discrete, task.conduct)
    settings, n_trees = model.settings, len(model.trees)
    found = [
        replace(rules, complete=complete, losses=(loss,))
        for rules in as_rules(model, design, columns)
    ]
    if added:
        unseen = _held_out_scores(design, y, settings, n_trees)
        return (_beside(found[0], added, task.X, y, unseen),)
    return _by_class(found, model, n_classes) if several else tuple(found)


def log_odds_of_trees(task: RuleTask) -> tuple[Float, float]:
    """The log odds that trees of a label, 0 or 1, give the rows that they were grown on,
    shape (n_rows,), and their loss on the held-out rows that chose their number.
    """
    left_out, training = _split(task, True)
    columns = _telling(task.X[training], [task.y[training]], True)
    if not len(columns) or len(task.y) < 10 or len(np.unique(task.y)) < 2:
        return constant_rules(task.y, True).scores(task.X), np.inf
    design = np.asarray(task.X[:, columns], np.float64)
    model, _, loss = _grown(design, task.y, training, left_out, True, task.conduct)
    return model.scores(design)[:, 0], loss


def _grown(
    design: Float, y: Float, training: Int64, left_out: Int64, discrete: bool, conduct: Conduct
) -> tuple[Boosted, bool, float]:
    """As many trees of all rows as do best on those left out, whether that was tried to the end,
    and their loss there.
    """
    n_trees, rate, complete, loss = _best_number(
        design, y, training, left_out, discrete=discrete, conduct=conduct
    )
    model = Boosted(design, y, _settings(len(y), rate, conduct.seed), discrete=discrete)
    model.grow(n_trees)
    return model, complete, loss


def _split(task: RuleTask, discrete: bool) -> tuple[Int64, Int64]:
    """The rows that judge, and those that are learned from: all where others lack a class."""
    y, left_out = task.y, task.splits(discrete=discrete)[0]
    training = np.setdiff1d(np.arange(len(y)), left_out)
    if discrete and (
        not np.isin(y[left_out], y[training]).all() or len(np.unique(y[training])) < 2
    ):
        training = np.arange(len(y))
    return left_out, training


def _telling(X: Real, targets: Sequence[Float], discrete: bool) -> Int64:
    """The columns that tell most of some target, ascending."""
    most = MOST_COLUMNS // len(targets)
    return np.unique(np.concatenate(screened_for(targets, X, discrete=discrete, most=most)))


def _by_class(
    found: list[WeightedRules], model: Boosted, n_classes: int
) -> tuple[WeightedRules, ...]:
    """A sum for each class, also for those that no row has."""
    none = WeightedRules((), np.empty(0), UNSEEN, model.discrete)
    if len(found) == 1:
        found = [WeightedRules((), np.empty(0), 0.0, model.discrete), *found]
    by_class = dict(zip(model.classes.astype(int).tolist(), found))
    return tuple(by_class.get(place, none) for place in range(n_classes))


def _held_out_scores(design: Float, y: Float, settings: BoostingSettings, n_trees: int) -> Float:
    """The log odds of trees fitted to other rows; NaN of rows that no split holds out."""
    scores = np.full(len(y), np.nan)
    for left_out in random_splits(y, True, settings.seed):
        training = np.setdiff1d(np.arange(len(y)), left_out)
        if len(np.unique(y[training])) == 2:
            model = Boosted(design[training], y[training], settings, discrete=True)
            model.grow(n_trees)
            scores[left_out] = model.scores(design[left_out])[:, 0]
    return scores


def _beside(
    trees: WeightedRules, added: Sequence[Term], X: Real, y: Float, scores: Float
) -> WeightedRules:
    """The trees with terms added: how much of both is told by `scores`, what trees say of rows they
    were not fitted to, for of their own rows they leave nothing to explain."""
    rows = np.flatnonzero(~np.isnan(scores))
    if len(np.unique(y[rows])) < 2:
        return replace(trees, alone=trees)
    Z = np.column_stack((scores[rows], *(term.values(X[rows]) for term in added)))
    weights, intercept = ridge_logistic(Z, y[rows], 1.0)
    share = max(float(weights[0]), 0.0)
    return replace(
        trees,
        terms=(*trees.terms, *added),
        weights=np.append(share * trees.weights, weights[1:]),
        intercept=share * trees.intercept + intercept,
        alone=trees,
    )


UNSEEN = -20.0
"""The log odds of a class that no row has."""


def _targets(y: Float, n_classes: int) -> list[Float]:
    return (
        [y] if n_classes <= 2 else [(y == place).astype(np.float64) for place in range(n_classes)]
    )


def _settings(n_rows: int, rate: float, seed: int) -> BoostingSettings:
    least = int(np.clip(n_rows // 100, 3, 40))
    return BoostingSettings(rate, leaves=8, bins=63, least=least, l2=5.0, share=0.3, seed=seed)


def _best_number(
    design: Float,
    y: Float,
    training: Int64,
    held_out: Int64,
    *,
    discrete: bool,
    conduct: Conduct,
) -> tuple[int, float, bool, float]:
    """How many trees of which rate do best on the held-out rows, whether that was tried to the end,
    and their loss; grown a few at a time, until they only get worse.

    Which columns few trees see is chance, so where few do best they are made more and smaller.
    """
    settings = _settings(len(training), RATE, conduct.seed)
    model = Boosted(design[training], y[training], settings, discrete=discrete)
    best, best_loss, scores = STEP, np.inf, model.scores(design[held_out])
    for n_trees in range(STEP, MOST_TREES + 1, STEP):
        conduct.progress.step("trees", n_trees, MOST_TREES)
        model.grow(STEP)
        scores += model.scores(design[held_out], n_trees - STEP)
        loss = _loss(model, scores, y[held_out])
        if loss < best_loss:
            best, best_loss = n_trees, loss
        if n_trees - best >= 4 * STEP or conduct.over:
            break
    if conduct.over:
        return best, RATE, False, best_loss
    smaller = max(MOST_TREES // (2 * best), 1)
    return best * smaller, RATE / smaller, True, best_loss


def _loss(model: Boosted, scores: Float, y: Float) -> float:
    """Mean negative log likelihood of classes, two or more; mean absolute error of numbers."""
    said = model.predicted(scores)
    if not model.discrete:
        return float(np.mean(np.abs(said - y)))
    probability = said[np.arange(len(y)), np.searchsorted(model.classes, y)]
    return -float(np.mean(np.log(np.maximum(probability, 1e-12))))


def as_rules(model: Boosted, design: Float, columns: Int64) -> list[WeightedRules]:
    """Each leaf as a term, equal ones joined; a sum of them for each tree of a round.

    `design`, shape (n_rows, n_columns), is what the model was fitted to, and `columns` what its
    columns are called.
    """
    cuts = Cuts(design)
    sums = [
        _sum_of([trees[place] for trees in model.trees], columns, cuts)
        for place in range(len(model.base))
    ]
    return [
        WeightedRules(
            tuple(map(Term, weights)),
            np.array(list(weights.values())),
            float(start) + more,
            model.discrete,
        )
        for start, (weights, more) in zip(model.base, sums)
    ]


def _sum_of(
    trees: Sequence[Tree], columns: Int64, cuts: Cuts
) -> tuple[dict[tuple[Condition, ...], float], float]:
    """The weight of each conjunction of tests, and of none."""
    weights: dict[tuple[Condition, ...], float] = {}
    intercept = 0.0
    for tree in trees:
        stack: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
        while stack:
            at, path = stack.pop()
            if not tree.left[at]:
                if path:
                    key = _simplified(path)
                    weights[key] = weights.get(key, 0.0) + float(tree.value[at])
                else:
                    intercept += float(tree.value[at])
                continue
            left, right = _tests(tree, at, columns, cuts)
            stack.append((int(tree.left[at]), (*path, left)))
            stack.append((int(tree.left[at]) + 1, (*path, right)))
    return weights, intercept


def _tests(tree: Tree, node: int, columns: Int64, cuts: Cuts) -> tuple[Condition, Condition]:
    """What leads to the left and to the right of a node; left is `value <= threshold`."""
    place, threshold = int(tree.column[node]), float(tree.threshold[node])
    column = int(columns[place])
    if np.isinf(threshold):
        return Condition(column, "known", 0.0), Condition(column, "missing")
    cut = cuts.above(place, threshold)
    unknown_left = bool(tree.unknown_left[node])
    return Condition(column, "below", cut, unknown_left), Condition(
        column, "at_least", cut, not unknown_left
    )


def _simplified(path: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Tests of one column and direction joined into the narrowest, in a fixed order."""
    found: dict[tuple[int, str], Condition] = {}
    for one in path:
        key = (one.column, one.test)
        other = found.get(key)
        if other is None:
            found[key] = one
            continue
        narrow = max if one.test == "at_least" else min
        found[key] = Condition(
            one.column,
            one.test,
            narrow(one.threshold, other.threshold),
            one.or_missing and other.or_missing,
        )
    return tuple(found[key] for key in sorted(found))
