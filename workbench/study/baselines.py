"""What a study is held against, on the same folds: the base rate, the table's own columns,
gradient boosting.
"""

from __future__ import annotations

import warnings

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.screening import screened
from workbench.study.folds import Labelled
from workbench.tables.facts import TargetKind

__all__ = ["BASELINES", "baseline_name", "baseline_predictions"]

BASELINES = {
    "base rate": "the training rows' share, middle value, or shares of the classes",
    "logistic regression on own columns": "a penalised linear model on the table's own columns, "
    "no relations",
    "gradient boosting on our features": "scikit-learn's HistGradientBoosting on the candidates' "
    "columns",
}


def baseline_name(name: str, kind: TargetKind) -> str:
    """What a baseline is called beside a target:
    of a number the linear model is a linear regression.
    """
    return name.replace("logistic", "linear") if kind == "number" else name


def baseline_predictions(
    name: str, target: Labelled, X: Real, own: Int64, rows: Int64, seed: int
) -> Float:
    """Predictions for `rows` of X by a baseline fitted to all others whose label is known.

    Parameters
    ----------
    own : int64 array
        The columns that are the target table's own.
    rows : int64 array
        The held-out rows; no label of `target` is to be seen there.
    """
    kind, y, n_classes = target.kind, target.labels, target.n_classes
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
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    last = (
        RidgeCV(np.geomspace(0.1, 1000, 9))
        if kind == "number"
        else LogisticRegression(max_iter=500)
    )
    model = make_pipeline(
        SimpleImputer(add_indicator=True, keep_empty_features=True), StandardScaler(), last
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[training], y[training])
        return _spread(
            model,
            model.predict(X[rows]) if kind == "number" else model.predict_proba(X[rows]),
            kind,
            n_classes,
        )


def _boosting(
    kind: TargetKind, X: Real, y: Float, training: Int64, rows: Int64, seed: int, n_classes: int
) -> Float:
    if (kind != "number" and len(np.unique(y[training])) < 2) or len(training) < 10:
        return _base_rate(kind, y[training], len(rows), n_classes)
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    columns = screened(X[training], y[training], discrete=kind == "yes/no", most=200)
    if not len(columns):
        return _base_rate(kind, y[training], len(rows), n_classes)
    settings = {
        "max_iter": 100,
        "learning_rate": 0.06,
        "max_leaf_nodes": 15,
        "random_state": seed,
        "early_stopping": False,
    }
    model = (
        HistGradientBoostingRegressor(loss="absolute_error", **settings)
        if kind == "number"
        else HistGradientBoostingClassifier(**settings)
    )
    with threadpool_limits(1, user_api="openmp"):
        model.fit(X[np.ix_(training, columns)], y[training])
        asked = X[np.ix_(rows, columns)]
        return _spread(
            model,
            model.predict(asked) if kind == "number" else model.predict_proba(asked),
            kind,
            n_classes,
        )


def _spread(model: object, predicted: Float, kind: TargetKind, n_classes: int) -> Float:
    """Probabilities of all classes, of 1 for yes or no; numbers as they are."""
    if kind == "number":
        return np.asarray(predicted)
    classes = np.asarray(model.classes_, np.int64)  # type: ignore[attr-defined]
    if kind == "yes/no":
        return np.asarray(predicted[:, list(classes).index(1)])
    out = np.zeros((len(predicted), n_classes))
    out[:, classes] = predicted
    return out
