"""What a study is held against, on the same folds: the base rate, the table's own columns,
gradient boosting.
"""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.boosting import Boosted, BoostingSettings
from workbench.structure.screening import screened
from workbench.study.linear_baseline import linear_numbers, linear_probabilities
from workbench.tables.facts import TargetKind
from workbench.threads import one_blas_thread

__all__ = ["BASELINES", "baseline_name", "baseline_predictions"]

BASELINES = {
    "base rate": "the training rows' share, middle value, or shares of the classes",
    "logistic regression on own columns": "a penalised linear model on the table's own columns, "
    "no relations",
    "gradient boosting on our features": "the trees of scikit-learn's HistGradientBoosting on the "
    "candidates' columns",
}
ROUNDS = 100


def baseline_name(name: str, kind: TargetKind) -> str:
    """What a baseline is called beside a target:
    of a number the linear model is a linear regression.
    """
    return name.replace("logistic", "linear") if kind == "number" else name


def baseline_predictions(
    name: str,
    kind: TargetKind,
    X: Real,
    own: Int64,
    y: Float,
    rows: Int64,
    seed: int,
    n_classes: int,
) -> Float:
    """Predictions for `rows` of X by a baseline fitted to all others whose label is known.

    Parameters
    ----------
    own : int64 array
        The columns that are the target table's own.
    rows : int64 array
        The held-out rows; `y` is NaN there and wherever else no label is to be seen.
    """
    training = np.flatnonzero(~np.isnan(y))
    if name == "base rate":
        return _base_rate(kind, y[training], len(rows), n_classes)
    if name.startswith("logistic"):
        return _linear(kind, X[:, own], y, training, rows, n_classes)
    return _boosting(kind, X, y, training, rows, seed, n_classes)


def _base_rate(kind: TargetKind, y: Float, n: int, n_classes: int) -> Float:
    if kind == "category":
        shares = np.bincount(y.astype(np.int64), minlength=n_classes) / max(len(y), 1)
        return np.tile(shares, (n, 1))
    return np.full(n, y.mean() if kind == "yes/no" else np.median(y))


def _linear(
    kind: TargetKind, X: Real, y: Float, training: Int64, rows: Int64, n_classes: int
) -> Float:
    if not X.shape[1] or (kind != "number" and len(np.unique(y[training])) < 2):
        return _base_rate(kind, y[training], len(rows), n_classes)
    learned, seen, asked = X[training], y[training], X[rows]
    with one_blas_thread():
        if kind == "number":
            return linear_numbers(learned, seen, asked)
        return _spread(np.unique(seen), linear_probabilities(learned, seen, asked), kind, n_classes)


def _boosting(
    kind: TargetKind, X: Real, y: Float, training: Int64, rows: Int64, seed: int, n_classes: int
) -> Float:
    if (kind != "number" and len(np.unique(y[training])) < 2) or len(training) < 10:
        return _base_rate(kind, y[training], len(rows), n_classes)
    columns = screened(X[training], y[training], discrete=kind == "yes/no", most=200)
    if not len(columns):
        return _base_rate(kind, y[training], len(rows), n_classes)
    settings = BoostingSettings(seed=seed)
    model = Boosted(X[np.ix_(training, columns)], y[training], settings, discrete=kind != "number")
    model.grow(ROUNDS)
    return _spread(model.classes, model.predict(X[np.ix_(rows, columns)]), kind, n_classes)


def _spread(classes: Float, predicted: Float, kind: TargetKind, n_classes: int) -> Float:
    """Probabilities of all classes, of 1 for yes or no; numbers as they are."""
    if kind == "number":
        return predicted
    if kind == "yes/no":
        return predicted[:, 1]
    out = np.zeros((len(predicted), n_classes))
    out[:, classes.astype(np.int64)] = predicted
    return out
