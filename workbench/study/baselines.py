"""What a study is held against, on the same folds: the base rate, the table's own columns,
gradient boosting.
"""

from __future__ import annotations

import warnings

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.boosting import Boosted, BoostingSettings
from workbench.structure.screening import screened
from workbench.structure.sparse_fits import ridge_logistic, sigmoid
from workbench.study.folds import Labelled
from workbench.tables.facts import TargetKind
from workbench.threads import one_blas_thread

BASELINES = {
    "base rate": "the training rows' share, middle value, or shares of the classes",
    "logistic regression on own columns": "a penalised linear model on the table's own columns, "
    "no relations",
    "gradient boosting on our features": "a hundred trees, those that scikit-learn's "
    "HistGradientBoosting grows, on the candidates' columns",
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
    with one_blas_thread():
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
    seen, asked = _standardised(X[training], X[rows])
    if kind == "number":
        return _least_squares(seen, y[training], asked)
    if kind == "yes/no":
        weights, intercept = ridge_logistic(seen, y[training], 1.0)
        return sigmoid(asked @ weights + intercept)
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(max_iter=500).fit(seen, y[training])
    return _spread(model.predict_proba(asked), model.classes_, kind, n_classes)


def _standardised(X: Real, asked: Real) -> tuple[Float, Float]:
    """Columns with the mean for what is unknown, and whether it is, brought to mean 0 and spread 1
    on the rows of `X`.
    """
    unknown = np.isnan(X)
    known = np.maximum((~unknown).sum(axis=0), 1)
    middle = np.nansum(X, axis=0, dtype=np.float64) / known
    partly = unknown.any(axis=0)
    seen, other = (
        np.column_stack((np.where(np.isnan(one), middle, one), np.isnan(one[:, partly])))
        for one in (X, asked)
    )
    centre, spread = seen.mean(axis=0), seen.std(axis=0)
    spread = np.where(spread > 1e-9 * np.abs(centre), spread, 1.0)
    return (seen - centre) / spread, (other - centre) / spread


def _least_squares(X: Float, y: Float, asked: Float) -> Float:
    """Ridge regression; of some ridges the one that errs least on rows left out one by one."""
    U, s, V = np.linalg.svd(X, full_matrices=False)
    base = float(y.mean())
    told = U.T @ (y - base)
    best, weights = np.inf, np.zeros(X.shape[1])
    for ridge in np.geomspace(0.1, 1000, 9):
        kept = s**2 / (s**2 + ridge)
        left = (y - base - U @ (kept * told)) / (1 - (U**2) @ kept - 1 / len(y))
        if (error := float(left @ left)) < best:
            best, weights = error, V.T @ (s / (s**2 + ridge) * told)
    return np.asarray(asked @ weights + base)


def _boosting(
    kind: TargetKind, X: Real, y: Float, training: Int64, rows: Int64, seed: int, n_classes: int
) -> Float:
    discrete = kind != "number"
    if (discrete and len(np.unique(y[training])) < 2) or len(training) < 10:
        return _base_rate(kind, y[training], len(rows), n_classes)
    columns = screened(X[training], y[training], discrete=kind == "yes/no", most=200)
    if not len(columns):
        return _base_rate(kind, y[training], len(rows), n_classes)
    settings = BoostingSettings(seed=seed)
    model = Boosted(X[np.ix_(training, columns)], y[training], settings, discrete=discrete)
    model.grow(100)
    return _spread(model.predict(X[np.ix_(rows, columns)]), model.classes, kind, n_classes)


def _spread(predicted: Float, classes: Float, kind: TargetKind, n_classes: int) -> Float:
    """Probabilities of all classes, of 1 for yes or no; numbers as they are."""
    if kind == "number":
        return np.asarray(predicted)
    if kind == "yes/no":
        return np.asarray(predicted[:, list(classes).index(1)])
    out = np.zeros((len(predicted), n_classes))
    out[:, classes.astype(np.int64)] = predicted
    return out
