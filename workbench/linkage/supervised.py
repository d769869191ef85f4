"""Labelled pairs: trees over similarities, two kinds averaged, for the log odds of a match.

What words that one record has and the other has not say (an upgrade, a year, another edition) similarities do not tell:
a linear model of words shared and not shared is a column of the trees, by cross-validation where it was fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

from workbench.arrays import Bool, Float
from workbench.linkage.blocking import Pairs
from workbench.linkage.features import pair_features, whole_record
from workbench.linkage.fields import Field
from workbench.linkage.similarity import weighted_words

__all__ = ["Supervised", "best_cut", "fit_supervised"]

MISSING = -1.0
FOLDS = 5


@dataclass(frozen=True)
class Supervised:
    """What was learned; `probabilities` of pairs of the same fields."""

    fields: tuple[Field, ...]
    models: tuple[Any, ...]
    of_words: Any

    def probabilities(self, pairs: Pairs, beside: Float | None = None) -> Float:
        """Mean of the models', shape (n_pairs,); `beside` are further columns, as `fit_supervised` was given."""
        said = self.of_words.decision_function(_words(self.fields, pairs))
        X = np.column_stack((_design(self.fields, pairs, beside), said))
        with _one_thread():
            return np.asarray(np.mean([model.predict_proba(X)[:, 1] for model in self.models], axis=0))


def fit_supervised(
    fields: Sequence[Field], pairs: Pairs, match: Bool, *, beside: Float | None = None, seed: int = 0
) -> Supervised:
    """Fit extremely randomised trees (Geurts et al. 2006) and boosted trees to labelled pairs of both kinds."""
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    linear = LogisticRegression(max_iter=200)
    words = _words(fields, pairs)
    folds = StratifiedKFold(min(FOLDS, int(match.sum()), int((~match).sum())), shuffle=True, random_state=seed)
    models = (
        ExtraTreesClassifier(200, max_features=0.7, random_state=seed),
        HistGradientBoostingClassifier(
            max_iter=300, learning_rate=0.05, min_samples_leaf=10, early_stopping=False, random_state=seed,
        ),
    )  # fmt: skip
    with _one_thread():
        said = cross_val_predict(linear, words, match, cv=folds, method="decision_function")
        X = np.column_stack((_design(fields, pairs, beside), said))
        for model in models:
            model.fit(X, match)
        return Supervised(tuple(fields), models, linear.fit(words, match))


def _design(fields: Sequence[Field], pairs: Pairs, beside: Float | None) -> Float:
    X = np.nan_to_num(pair_features(fields, pairs), nan=MISSING)
    return X if beside is None else np.column_stack((X, beside))


def _words(fields: Sequence[Field], pairs: Pairs) -> csr_array:
    """Words of whole records, of each pair those that one has and those that both have."""
    records = whole_record(fields)
    rows = weighted_words(records)
    rows.data = np.ones_like(rows.data)
    left, right = (rows[records.codes[side]] for side in (pairs.left, pairs.right))
    return csr_array(hstack((abs(left - right), left.minimum(right))))


def best_cut(values: Float, match: Bool) -> float:
    """The cut of largest F1, midway between the values around it."""
    order = np.argsort(-values, kind="stable")
    found = np.cumsum(match[order])
    f1 = 2 * found / (np.arange(1, len(values) + 1) + max(1, int(match.sum())))
    at = int(f1.argmax())
    following = values[order[min(at + 1, len(values) - 1)]]
    return float(values[order[at]] + following) / 2


def _one_thread() -> Any:
    """Threads that wait for each other in a busy machine cost more than they give."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="openmp")
