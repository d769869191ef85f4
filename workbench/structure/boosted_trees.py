"""Relational functional-gradient boosting: small regression trees over candidates, each leaf a weighted rule.

The trees follow the gradient of the likelihood (Natarajan et al. 2012, RDN-Boost; Friedman 2001); scikit-learn's
histogram trees grow them. A leaf is the conjunction of the tests above it, so the sum of trees is a sum of weighted
rules, which a Markov logic network states as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import SILENT, Progress, expired
from workbench.structure.terms import Condition, Term, screened
from workbench.structure.weighted_rules import WeightedRules, constant_rules, log_loss, random_splits

__all__ = ["as_rules", "fit_boosted_trees"]

MOST_TREES = 300
MOST_COLUMNS = 200
STEP = 20


def fit_boosted_trees(
    X: Real,
    y: Float,
    *,
    discrete: bool,
    without: Collection[int] = (),
    held_out: Sequence[Int64] | None = None,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> WeightedRules:
    """Boost trees and give them as weighted rules; parameters as in `fit_weighted_rules`.

    Columns in `without` take no part. The number of trees is the one that does best on the held-out rows;
    then all rows are fitted by so many.
    """
    if (discrete and len(np.unique(y)) < 2) or len(y) < 10:
        return constant_rules(y, discrete)
    left_out = (random_splits(y, discrete, seed) if held_out is None else held_out)[0]
    training = np.setdiff1d(np.arange(len(y)), left_out)
    if discrete and len(np.unique(y[training])) < 2:
        training = np.arange(len(y))
    X = X.copy() if without else X
    X[:, list(without)] = np.nan
    columns = screened(X[training], y[training], discrete=discrete, most=MOST_COLUMNS)
    if not len(columns):
        return constant_rules(y, discrete)
    design = np.asarray(X[:, columns], np.float64)
    n_trees, rate, complete = _best_number(design, y, training, left_out, discrete, seed, deadline, progress)
    model = _model(discrete, len(y), n_trees, rate, seed)
    with _one_thread():
        model.fit(design, y)
    rules = as_rules(model, columns, discrete)
    return WeightedRules(rules.terms, rules.weights, rules.intercept, discrete, complete=complete)


def _one_thread() -> Any:
    """Threads that wait for each other in a busy machine cost more than they give."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="openmp")


def _model(discrete: bool, n_rows: int, n_trees: int, rate: float, seed: int, **more: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    settings = {
        "max_iter": n_trees, "learning_rate": rate, "max_leaf_nodes": 8, "max_bins": 63, "l2_regularization": 5.0,
        "min_samples_leaf": int(np.clip(n_rows // 100, 3, 40)), "max_features": 0.3, "random_state": seed,
        "early_stopping": False, **more,
    }  # fmt: skip
    if discrete:
        return HistGradientBoostingClassifier(**settings)
    return HistGradientBoostingRegressor(loss="absolute_error", **settings)


def _best_number(
    design: Float,
    y: Float,
    training: Int64,
    held_out: Int64,
    discrete: bool,
    seed: int,
    deadline: float | None,
    progress: Progress,
) -> tuple[int, float, bool]:
    """How many trees do best on the held-out rows; grown a few at a time, until they only get worse."""
    rate = 0.06
    model = _model(discrete, len(training), STEP, rate, seed, warm_start=True)
    best, best_loss = STEP, np.inf
    for n_trees in range(STEP, MOST_TREES + 1, STEP):
        progress.step("trees", n_trees, MOST_TREES)
        model.set_params(max_iter=n_trees)
        with _one_thread():
            model.fit(design[training], y[training])
        if discrete:
            loss = log_loss(model.decision_function(design[held_out]), y[held_out])
        else:
            loss = float(np.mean(np.abs(model.predict(design[held_out]) - y[held_out])))
        if loss < best_loss:
            best, best_loss = n_trees, loss
        if n_trees - best >= 4 * STEP or expired(deadline):
            return best, rate, not expired(deadline)
    return best, rate, True


def as_rules(model: Any, columns: Int64, discrete: bool) -> WeightedRules:
    """Each leaf as a term with its value for weight; equal leaves joined."""
    weights: dict[tuple[Condition, ...], float] = {}
    intercept = float(np.ravel(model._baseline_prediction)[0])
    for (tree,) in model._predictors:
        stack: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
        while stack:
            at, path = stack.pop()
            node = tree.nodes[at]
            if node["is_leaf"]:
                if path:
                    key = _simplified(path)
                    weights[key] = weights.get(key, 0.0) + float(node["value"])
                else:
                    intercept += float(node["value"])
                continue
            column = int(columns[node["feature_idx"]])
            unknown_left = bool(node["missing_go_to_left"])
            # Left is `value <= threshold`.
            cut = float(np.nextafter(node["num_threshold"], np.inf)) if np.isfinite(node["num_threshold"]) else np.inf
            left = Condition(column, "below", cut, unknown_left)
            right = Condition(column, "at_least", cut, not unknown_left)
            if np.isinf(cut):
                left = Condition(column, "known", 0.0)
                right = Condition(column, "missing")
            stack.append((int(node["left"]), (*path, left)))
            stack.append((int(node["right"]), (*path, right)))
    terms = tuple(Term(conditions) for conditions in weights)
    return WeightedRules(terms, np.array(list(weights.values())), intercept, discrete)


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
            one.column, one.test, narrow(one.threshold, other.threshold), one.or_missing and other.or_missing
        )
    return tuple(found[key] for key in sorted(found))
