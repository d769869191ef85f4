"""Figures of scored predictions: metrics over folds, points of curves, counts at thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.arrays import Float

if TYPE_CHECKING:
    import pandas as pd


def metric_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard deviation and 95 % interval of each metric, from a row a fold."""
    import pandas as pd

    from workbench.evaluation import range_of, summary

    rows = []
    for metric in table.columns.drop("fold"):
        found = summary(table[metric].to_numpy(np.float64))
        low, high = np.clip([found.low, found.high], *range_of(metric))
        rows.append(
            {"metric": metric, "mean": found.mean, "sd": found.sd, "low": low, "high": high}
        )
    return pd.DataFrame(rows)


def curve_points(value: Float, truth: Float, most: int) -> pd.DataFrame:
    """Points of the PR and ROC curves: threshold, precision, recall, false positive rate.

    Of more than `most` points those at even steps of recall, and of the false positive rate, are
    taken.
    """
    import pandas as pd

    from workbench.evaluation import threshold_counts

    true, false = threshold_counts(value, truth)
    thresholds = np.r_[np.inf, np.unique(value)[::-1]]
    if thresholds.size > most:
        steps = np.linspace(0, 1, most // 2)
        kept = np.unique(
            np.r_[
                np.searchsorted(true, steps * true[-1]), np.searchsorted(false, steps * false[-1])
            ]
        )
        true, false, thresholds = true[kept], false[kept], thresholds[kept]
    positives, negatives = max(truth.sum(), 1.0), max((1 - truth).sum(), 1.0)
    found = true + false
    return pd.DataFrame(
        {
            "threshold": thresholds,
            "precision": np.divide(true, found, out=np.ones_like(true), where=found > 0),
            "recall": true / positives,
            "false positive rate": false / negatives,
        }
    )


def confusion(value: Float, truth: Float, thresholds: Sequence[float]) -> pd.DataFrame:
    """Atoms that are true or false, and predicted so at each threshold."""
    import pandas as pd

    true, false = np.sort(value[truth == 1]), np.sort(value[truth == 0])
    at = np.asarray(thresholds, np.float64)
    fn, tn = np.searchsorted(true, at), np.searchsorted(false, at)
    return pd.DataFrame(
        {"threshold": at, "tp": true.size - fn, "fp": false.size - tn, "fn": fn, "tn": tn}
    )
