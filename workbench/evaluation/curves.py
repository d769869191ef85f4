"""Areas under the precision-recall and ROC curves, from one sweep over the thresholds."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float


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
