"""Scores of predictions against truth: classification, probability, and continuous values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from workbench.arrays import Bool, Float, Int64
from workbench.errors import UsageError


def threshold_counts(values: Float, truth: Float) -> tuple[Float, Float]:
    """True and false positives at every distinct threshold, from the highest score down.

    Atoms of equal score enter together: their order is not the model's.

    Parameters
    ----------
    values : float64 array, shape (n,)
        Scores; larger means more likely true.
    truth : float64 array, shape (n,)
        0 or 1.

    Returns
    -------
    true_positives, false_positives : float64 arrays, shape (n_thresholds + 1,)
        Starting at (0, 0). O(n log n).
    """
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    last_of_tie = np.flatnonzero(np.r_[ranked[1:] != ranked[:-1], ranked.size > 0])
    true = np.cumsum(truth[order])[last_of_tie]
    false = last_of_tie + 1.0 - true
    return np.r_[0.0, true], np.r_[0.0, false]


def auc_pr(values: Float, truth: Float) -> float:
    """Area under the precision-recall curve of Davis and Goadrich (ICML 2006).

    Between two thresholds false positives grow linearly with true positives, so precision is no
    straight line; the area is the trapezoidal sum over every whole number of true positives. NaN
    without a positive.
    """
    true, false = threshold_counts(values, truth)
    positives = int(true[-1])
    if positives == 0:
        return float("nan")
    right = np.arange(1.0, positives + 1)
    before = np.searchsorted(true, right - 1, side="right") - 1
    after = np.searchsorted(true, right, side="left")
    slope = (false[after] - false[before]) / (true[after] - true[before])

    def precision(at: Float) -> Float:
        wrong = false[before] + slope * (at - true[before])
        return np.asarray(np.divide(at, at + wrong, out=1 / (1 + slope), where=at + wrong > 0))

    return float((precision(right - 1) + precision(right)).sum() / (2 * positives))


def average_precision(values: Float, truth: Float) -> float:
    """Mean over positives of the precision there (no interpolation). NaN without a positive."""
    true, false = threshold_counts(values, truth)
    if true[-1] == 0:
        return float("nan")
    return float(np.sum(np.diff(true) * true[1:] / (true[1:] + false[1:])) / true[-1])


def auc_roc(values: Float, truth: Float) -> float:
    """Area under the ROC curve, ties counted half. NaN unless both classes occur."""
    true, false = threshold_counts(values, truth)
    if true[-1] == 0 or false[-1] == 0:
        return float("nan")
    return float(np.trapezoid(true, false) / (true[-1] * false[-1]))


def best_threshold(values: Float, truth: Float) -> float:
    """The threshold of greatest F1, midway between two of the values.

    Parameters
    ----------
    values : float64 array, shape (n,)
        Probabilities.
    truth : float64 array, shape (n,)
        0 or 1; 1/2 is the answer where none is 1.
    """
    if not len(values) or not truth.any():
        return 0.5
    order = np.argsort(-values, kind="stable")
    hits = np.cumsum(truth[order])
    last = np.append(np.diff(values[order]) != 0, True)
    f1 = np.where(last, 2 * hits / (np.arange(1, len(values) + 1) + truth.sum()), -1.0)
    at = int(np.argmax(f1))
    # Where all count as yes, the least of other rows may lie a little lower.
    below = values[order][at + 1] if at + 1 < len(values) else min(0.0, float(values[order][at]))
    return float((values[order][at] + below) / 2)


CLIP = 1e-6
SHARES = frozenset(
    ("F1", "precision", "recall", "accuracy", "AUC-ROC", "AUC-PR", "AUC-PR(-)", "average precision")
)
"""Metrics that lie between 0 and 1, and their intervals with them."""


def range_of(metric: str) -> tuple[float, float]:
    """The least and the greatest value that a metric can take."""
    if metric == "CLL":
        return -np.inf, 0.0
    return (0.0, 1.0) if metric in SHARES else (-np.inf, np.inf)


def scores(
    values: npt.ArrayLike,
    truth: npt.ArrayLike,
    *,
    kind: Literal["auto", "binary", "continuous"] = "auto",
    threshold: float = 0.5,
) -> Mapping[str, float]:
    """Every metric that fits the truth, by name; atoms whose truth is NaN are skipped.

    Raises E0701 when shapes differ or a value is not a number; E0702 when no label is left.

    Parameters
    ----------
    values : array-like, shape (n,)
        Probabilities, 0/1 states, or truth values in [0, 1].
    truth : array-like, shape (n,)
        Labels; NaN where unlabelled.
    kind : {'auto', 'binary', 'continuous'}
        `auto` is binary when every label is 0 or 1.
    threshold : float
        A value at or above it counts as true in F1, precision, recall and accuracy.
    """
    predicted, labels = _labelled(values, truth)
    binary = bool(np.isin(labels, (0.0, 1.0)).all())
    if kind == "binary" and not binary:
        raise UsageError.of(
            "E0703", "a label is neither 0 nor 1", help="score truth values with kind='continuous'"
        )
    if kind == "binary" or (kind == "auto" and binary):
        return binary_scores(predicted, labels, threshold=threshold)
    return continuous_scores(predicted, labels)


def scores_at(values: Float, truth: Float, threshold: float) -> Mapping[str, float]:
    """`binary_scores` at a threshold that was chosen for F1; accuracy stays at 1/2."""
    return {
        **binary_scores(values, truth, threshold=threshold),
        "accuracy": binary_scores(values, truth)["accuracy"],
    }


def binary_scores(values: Float, truth: Float, *, threshold: float = 0.5) -> Mapping[str, float]:
    """Classification at `threshold`, ranking and probability scores of 0/1 labels, all shape (n,).

    Precision without a predicted positive, recall and F1 without a positive are 0 by convention, as
    scikit-learn has it; the areas are NaN where they are not defined. `AUC-PR(-)` is the area for
    the false atoms, ranked by 1 - value.
    """
    guess = values >= threshold
    true = float(np.count_nonzero(guess & (truth == 1)))
    predicted, positives = float(np.count_nonzero(guess)), float(truth.sum())
    return {
        "F1": f1_score(guess, truth == 1),
        "precision": true / predicted if predicted else 0.0,
        "recall": true / positives if positives else 0.0,
        "accuracy": float(np.mean(guess == (truth == 1))),
        "AUC-ROC": auc_roc(values, truth),
        "AUC-PR": auc_pr(values, truth),
        "AUC-PR(-)": auc_pr(1.0 - values, 1.0 - truth),
        "average precision": average_precision(values, truth),
        "CLL": conditional_log_likelihood(values, truth),
        "Brier": float(np.mean((values - truth) ** 2)),
        "atoms": float(truth.size),
        "positives": positives,
    }


def f1_score(predicted: Bool, true: Bool, *, none: float = 0.0) -> float:
    """Harmonic mean of precision and recall; `none` where nothing is true in either."""
    marked = int(predicted.sum()) + int(true.sum())
    return 2.0 * int((predicted & true).sum()) / marked if marked else none


def conditional_log_likelihood(values: Float, truth: Float) -> float:
    """Mean log probability given to each atom's true value, clipped to [CLIP, 1 - CLIP]."""
    probability = np.clip(values, CLIP, 1 - CLIP)
    return float(np.mean(np.log(np.where(truth == 1, probability, 1 - probability))))


def continuous_scores(values: Float, truth: Float, *, span: float = 1.0) -> Mapping[str, float]:
    """Errors of continuous truth values, all shape (n,).

    `NMSE` and `NMAE` divide by the width `span` of the scale (squared for the first): 1 for values
    in [0, 1].
    """
    error = values - truth
    squared, absolute = float(np.mean(error**2)), float(np.mean(np.abs(error)))
    return {
        "MAE": absolute,
        "MSE": squared,
        "RMSE": squared**0.5,
        "NMSE": squared / span**2,
        "NMAE": absolute / span,
        "atoms": float(truth.size),
    }


def categorical_accuracy(
    values: npt.ArrayLike, truth: npt.ArrayLike, item: npt.ArrayLike, category: npt.ArrayLike
) -> float:
    """Share of items whose top category is their true one.

    Parameters
    ----------
    values, truth : array-like, shape (n,)
        Score and 0/1 label of each (item, category) atom.
    item, category : integer arrays, shape (n,)
        What each atom speaks of. Of categories with equal top values the smallest number is taken.
        Items without a true category are not counted; NaN when none is left.
    """
    score, label = np.asarray(values, np.float64), np.asarray(truth, np.float64)
    items, categories = np.asarray(item), np.asarray(category)
    order = np.lexsort((categories, -score, items))
    first = (
        np.r_[True, items[order][1:] != items[order][:-1]] if items.size else np.zeros(0, np.bool_)
    )
    top = order[first]
    labelled = np.isin(items[top], items[label == 1])
    return float(np.mean(label[top[labelled]] == 1)) if labelled.any() else float("nan")


@dataclass(frozen=True)
class Calibration:
    """A reliability table: one entry for each non-empty bin of predicted probability.

    Attributes
    ----------
    lower, upper : float64 arrays
        Bin edges; a bin is [lower, upper), the last one closed.
    count : int64 array
    mean_predicted, fraction_true : float64 arrays
    """

    lower: Float
    upper: Float
    count: Int64
    mean_predicted: Float
    fraction_true: Float


def calibration(values: npt.ArrayLike, truth: npt.ArrayLike, *, bins: int = 10) -> Calibration:
    """The reliability table of probabilities over `bins` equal-width bins."""
    predicted, labels = _labelled(values, truth)
    index = np.clip((predicted * bins).astype(np.int64), 0, bins - 1)
    count = np.bincount(index, minlength=bins)
    used = np.flatnonzero(count)
    return Calibration(
        lower=used / bins,
        upper=(used + 1) / bins,
        count=count[used],
        mean_predicted=np.bincount(index, predicted, bins)[used] / count[used],
        fraction_true=np.bincount(index, labels, bins)[used] / count[used],
    )


def _labelled(values: npt.ArrayLike, truth: npt.ArrayLike) -> tuple[Float, Float]:
    """Values and labels of the labelled atoms, checked."""
    predicted = np.asarray(values, np.float64).ravel()
    labels = np.asarray(truth, np.float64).ravel()
    if predicted.shape != labels.shape:
        raise UsageError.of("E0701", f"{predicted.size} predictions for {labels.size} labels")
    keep = ~np.isnan(labels)
    if not keep.any():
        raise UsageError.of(
            "E0702",
            "there is no labelled atom to score",
            help="load the truth of the query predicates",
        )
    if np.isnan(predicted[keep]).any():
        raise UsageError.of("E0701", "a labelled atom has no predicted value")
    return predicted[keep], labels[keep]
