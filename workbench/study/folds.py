"""Cross-validation of a study: which rows are held out, what is predicted for them,
how good that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Int64
from workbench.evaluation import auc_roc, continuous_scores, scores_at
from workbench.structure.rule_task import held_out_sets
from workbench.tables.facts import TargetKind


@dataclass(frozen=True, eq=False)
class Labelled:
    """What is predicted of rows, and what is known of it.

    Attributes
    ----------
    labels : float64 array, shape (n_rows,)
        0 or 1, a number, or the place of a class; NaN where unknown.
    time : float64 array or None
        When each row is asked, where what is to be told lies later than what is known.
    horizon : float or None
        Up to how many days after the last that is known rows are asked about.
    group : int64 array, shape (n_rows,), or None
        Codes of groups of rows, where blanks lie in whole ones.
    lie : str
        How rows are held out, as the rest of a sentence.
    """

    kind: TargetKind
    labels: Float
    n_classes: int = 2
    time: Float | None = None
    horizon: float | None = None
    group: Int64 | None = None
    lie: str = ""

    def trained_on(self, rows: Int64, held_out: Int64) -> Labelled:
        """What is known where only some rows' labels are seen, and others are asked about."""
        labels = np.full(len(self.labels), np.nan)
        labels[rows] = self.labels[rows]
        horizon = None
        if self.time is not None:
            horizon = float(self.time[held_out].max() - self.time[rows].max())
        return replace(self, labels=labels, horizon=horizon)

    def judging(self, rows: Int64, seed: int) -> list[Int64] | None:
        """Sets of some rows, by place, that judge what the others teach; None where any may."""
        if len(rows) < 20:
            return None
        if self.time is not None:
            return latest_split(self.time[rows])
        if self.group is None:
            return None
        sets = dealt_whole(self.group[rows], 5, seed)
        return sets[: held_out_sets(len(rows))] if len(sets) > 1 else None

    def known_until(self) -> Float | None:
        """Until when each row sees labels of others: of each span as long as what is asked about,
        counted back from the last that is known, until it begins; None where times part nothing.

        So rows that are learned from know as little of what was just before as those asked about.
        Those of the first quarter at most, before which nothing is known, see all that is earlier.
        """
        if self.time is None or self.horizon is None:
            return None
        known = self.time[~np.isnan(self.labels)]
        first, last = known.min(), known.max()
        span = min(self.horizon, (last - first) / 4)
        if span <= 0:
            return None
        begin = last - span * (np.floor((last - self.time) / span) + 1)
        return np.where(begin > first, np.minimum(begin, self.time), self.time)


def study_folds(target: Labelled, n_folds: int, seed: int) -> list[tuple[Int64, Int64]]:
    """(training rows, held-out rows) of each fold, among the rows with a label.

    With a time, rows are cut into `n_folds + 1` stretches of it; each but the first is held out
    once and learned from the rows before it. With groups, these are dealt whole. Otherwise rows are
    dealt at random, each class evenly.
    """
    labels, time = target.labels, target.time
    rows = np.flatnonzero(~np.isnan(labels))
    if time is not None:
        # Rows of one time stay together, so that nothing is learned from rows of the held-out time.
        cuts = np.quantile(time[rows], np.linspace(0, 1, n_folds + 2)[1:-1], method="lower")
        stretch = np.searchsorted(cuts, time[rows], side="left")
        folds = [(rows[stretch < fold], rows[stretch == fold]) for fold in range(1, n_folds + 1)]
        return [(before, held) for before, held in folds if len(before) and len(held)]
    if target.group is not None:
        sets = [rows[places] for places in dealt_whole(target.group[rows], n_folds, seed)]
        return [(np.setdiff1d(rows, held), held) for held in sets if len(held) < len(rows)]
    order = rows[np.random.default_rng(seed).permutation(len(rows))]
    if target.kind != "number":
        order = order[np.argsort(labels[order], kind="stable")]
    n_folds = min(n_folds, len(rows))
    held_out = [np.sort(order[fold::n_folds]) for fold in range(n_folds)]
    return [(np.setdiff1d(rows, held), held) for held in held_out]


def dealt_whole(group: Int64, n_sets: int, seed: int) -> list[Int64]:
    """About equal sets of some rows, by place, each of whole groups drawn at random."""
    _, code, sizes = np.unique(group, return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(sizes))
    before = np.empty(len(sizes), np.int64)
    before[order] = np.cumsum(sizes[order]) - sizes[order]
    at = n_sets * before // max(len(group), 1)
    found = [np.flatnonzero(at[code] == number) for number in range(n_sets)]
    return [rows for rows in found if len(rows)]


def latest_split(time: Float) -> list[Int64]:
    """Fifths of some rows in order of time, the latest first, whole times only: where a penalty is
    chosen when rows have a time. Of few rows several, for one of them tells little.
    """
    n_splits = held_out_sets(len(time))
    cuts = np.unique(np.quantile(time, np.linspace(0, 1, 6)[1:-1], method="lower"))
    stretch = np.searchsorted(cuts, time, side="left")
    found = [np.flatnonzero(stretch == at) for at in range(len(cuts), -1, -1)]
    found = [rows for rows in found if len(rows)][:n_splits]
    if len(found) > 1 or len(found[0]) < len(time):
        return found
    return [np.argsort(time, kind="stable")[-max(len(time) // 5, 1) :]]


def fold_metrics(
    kind: TargetKind, predicted: Float, truth: Float, threshold: float, typical: float
) -> dict[str, float]:
    """The scores of one fold; NaN where one is not defined, such as an area with one class only.

    `typical` is the middle value of the training rows: what a number's error is held against.
    """
    if kind == "number":
        found = dict(continuous_scores(predicted, truth))
        against = float(np.mean(np.abs(truth - typical)))
        spread = float(np.sum((truth - truth.mean()) ** 2))
        found["R2"] = (
            1 - float(np.sum((truth - predicted) ** 2)) / spread if spread else float("nan")
        )
        found["MAE / MAE of the middle value"] = found["MAE"] / against if against else float("nan")
        return found
    if kind == "yes/no":
        found = dict(scores_at(predicted, truth, threshold))
        found["Brier"] = float(np.mean((predicted - truth) ** 2))
        return found
    guess = np.argmax(predicted, axis=1)
    areas = [
        auc_roc(predicted[:, place], (truth == place).astype(np.float64))
        for place in np.unique(truth).astype(int)
    ]
    defined = [area for area in areas if not np.isnan(area)]
    right = predicted[np.arange(len(truth)), truth.astype(np.int64)]
    return {
        "accuracy": float(np.mean(guess == truth)),
        "AUC-ROC": float(np.mean(defined)) if defined else float("nan"),
        "CLL": float(np.mean(np.log(np.clip(right, 1e-6, 1)))),
    }


def prediction_loss(kind: TargetKind, predicted: Float, truth: Float) -> float:
    """The mean log-loss of probabilities, or squared error of numbers."""
    if kind == "number":
        return float(np.mean((predicted - truth) ** 2))
    right = (
        predicted[np.arange(len(truth)), truth.astype(np.int64)]
        if kind == "category"
        else (np.where(truth == 1, predicted, 1 - predicted))
    )
    return -float(np.mean(np.log(np.clip(right, 1e-9, 1))))


def summarised(folds: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    """Mean and standard deviation of each metric over the folds where it is defined."""
    found: dict[str, dict[str, float | None]] = {}
    for name in dict.fromkeys(name for fold in folds for name in fold):
        values = np.array(
            [fold[name] for fold in folds if name in fold and not np.isnan(fold[name])]
        )
        found[name] = {
            "mean": float(values.mean()) if len(values) else None,
            "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
        }
    return found
