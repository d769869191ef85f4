"""The course of a study: candidates, the final rules, then fold after fold while time lasts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.errors import Cancelled
from workbench.evaluation import best_threshold
from workbench.leaving import in_time
from workbench.progress import SILENT, Conduct, Progress, expired, remaining
from workbench.structure.rule_design import CountedLabels
from workbench.study.baselines import BASELINES, baseline_predictions
from workbench.study.folds import fold_metrics, latest_split, prediction_loss, study_folds
from workbench.study.learners import FittedRules, LearnerName, TargetKind, fit_learner
from workbench.study.matrix import CandidateMatrix

__all__ = ["FoldRun", "Settings", "Studied", "cross_validated_fold", "fitted_rules", "run_study"]


@dataclass(frozen=True)
class Settings:
    """What the user may choose.

    Attributes
    ----------
    learner : {'rules', 'boosted_trees'}
    inductive : bool
        Whether held-out rows are predicted without any known label of other rows.
    """

    folds: int = 5
    rules: int = 30
    learner: LearnerName = "rules"
    seed: int = 0
    inductive: bool = False


@dataclass(frozen=True)
class FoldRun:
    """One fold: its held-out rows, and what was said of them."""

    held_out: Int64
    predicted: Float
    baselines: Mapping[str, Float]
    model: FittedRules

    def said_by(self, baseline: str | None) -> Float | None:
        """What our rules, or a baseline, said of the rows; None of a baseline that was not run."""
        return self.predicted if baseline is None else self.baselines.get(baseline)


@dataclass
class Studied:
    """What is known so far; a study that is stopped keeps it.

    Attributes
    ----------
    model : FittedRules or None
        Learned from all labels.
    status : {'done', 'limit', 'cancelled'}
    """

    kind: TargetKind
    labels: Float
    n_classes: int
    model: FittedRules | None = None
    folds: list[FoldRun] = field(default_factory=list)
    status: str = "done"

    def out_of_fold(self) -> Float:
        """What the folds said of each row, NaN where it was held out in none;
        of a category a row of probabilities.
        """
        width = (self.n_classes,) if self.kind == "category" else ()
        found = np.full((len(self.labels), *width), np.nan)
        for fold in self.folds:
            found[fold.held_out] = fold.predicted
        return found

    def threshold(self, without: int | None = None, baseline: str | None = None) -> float:
        """Where a probability counts as yes: best on the held-out rows of all folds, or of all but
        one.

        Of our rules, or of a baseline.
        """
        said = {
            number: fold.said_by(baseline)
            for number, fold in enumerate(self.folds)
            if number != without
        }
        known = {number: predicted for number, predicted in said.items() if predicted is not None}
        if self.kind != "yes/no" or not known:
            return 0.5
        truth = np.concatenate([self.labels[self.folds[number].held_out] for number in known])
        return best_threshold(np.concatenate(list(known.values())), truth)

    def fold_scores(self, baseline: str | None = None) -> list[dict[str, float]]:
        """The metrics of each fold, of our rules or of a baseline."""
        found = []
        for number, fold in enumerate(self.folds):
            predicted = fold.said_by(baseline)
            if predicted is None:
                continue
            threshold = self.threshold(number if len(self.folds) > 1 else None, baseline)
            rest = np.setdiff1d(np.flatnonzero(~np.isnan(self.labels)), fold.held_out)
            typical = float(np.median(self.labels[rest])) if len(rest) else float("nan")
            found.append(
                fold_metrics(self.kind, predicted, self.labels[fold.held_out], threshold, typical)
            )
        return found


def run_study(
    matrix: CandidateMatrix,
    labels: Float,
    kind: TargetKind,
    settings: Settings,
    *,
    time: Float | None = None,
    n_classes: int = 2,
    deadline: float | None = None,
    progress: Progress,
) -> Studied:
    """Fit the final rules, then cross-validate; stop where time runs out or somebody asks, keeping
    what there is.

    Parameters
    ----------
    labels : float64 array, shape (n_rows,)
        NaN where unknown.
    time : float64 array or None
        When each row is asked.
    """
    studied = Studied(kind, labels, n_classes)

    def work(conduct: Conduct) -> None:
        progress = conduct.progress
        studied.model = fitted_rules(
            matrix, labels, kind, settings, time, n_classes, _part(deadline, 0.4), progress
        )
        splits = study_folds(labels, kind, settings.folds, settings.seed, time)
        for number, (training, held_out) in enumerate(splits):
            if expired(deadline):
                studied.status = "limit"
                break
            until = _part(deadline, 0.8 / (len(splits) - number))
            progress.step("folds", number, len(splits))
            fold = cross_validated_fold(
                matrix, labels, kind, settings, training, held_out, time, n_classes, until, progress
            )
            studied.folds.append(fold)
        if not studied.model.complete or (matrix.cut and expired(deadline)):
            studied.status = "limit"

    try:
        in_time(Conduct(progress=progress), work)
    except (Cancelled, KeyboardInterrupt):
        # Work that was left goes on for a while, with a study of its own.
        return replace(studied, folds=list(studied.folds), status="cancelled")
    return studied


def _part(deadline: float | None, share: float) -> float | None:
    """The time at which that share of what is left is used up."""
    return None if deadline is None else monotonic() + share * max(remaining(deadline), 0.0)


def fitted_rules(
    matrix: CandidateMatrix,
    seen: Float,
    kind: TargetKind,
    settings: Settings,
    time: Float | None,
    n_classes: int,
    deadline: float | None,
    progress: Progress = SILENT,
) -> FittedRules:
    """A learner fitted to the rows whose label is seen; no row sees its own label, nor one that is
    not seen.

    Rules about the known labels of other rows stay where they foretell rows that no label of theirs
    was learned with: among few neighbours, what is left of a count tells a row's own label (it is
    the one that is missing). Trees are fitted again for that; rules see to it in their choice of a
    penalty.
    """

    def fitted(X: Real, labels: Float, counted: CountedLabels | None = None) -> FittedRules:
        rows = np.flatnonzero(~np.isnan(labels))
        held_out = latest_split(time[rows]) if time is not None and len(rows) >= 20 else None
        return fit_learner(
            settings.learner, kind, X[rows], labels[rows], n_classes=n_classes,
            most_rules=settings.rules, linear=matrix.labelled, counted=counted, own=matrix.own,
            held_out=held_out, seed=settings.seed, deadline=deadline, progress=progress,
        )  # fmt: skip

    rows = np.flatnonzero(~np.isnan(seen))
    if settings.learner == "rules":
        return fitted(matrix.given(seen), seen, _counted(matrix, seen, rows))
    model = fitted(matrix.given(seen), seen)
    if matrix.labelled.isdisjoint(model.columns) or len(rows) < 20 or expired(deadline):
        return model
    # A fifth at random, or the later half.
    _, asked = study_folds(seen, kind, 5 if time is None else 1, settings.seed, time)[0]
    rest = seen.copy()
    rest[asked] = np.nan
    X, blind = matrix.given(rest), matrix.without_labels()
    seeing = fitted(X, rest)
    losses = [
        prediction_loss(kind, one.predict(known[asked]), seen[asked])
        for one, known in ((seeing, X), (seeing.alone or fitted(blind, rest), blind))
    ]
    return model if losses[0] <= losses[1] else model.alone or fitted(blind, seen)


def _counted(matrix: CandidateMatrix, seen: Float, rows: Int64) -> CountedLabels | None:
    """The counts of labels that the rows see, of those that are seen."""
    columns = tuple(sorted(matrix.labelled))
    if not columns:
        return None

    def hiding(hidden: Int64) -> Real:
        labels = seen.copy()
        labels[rows[hidden]] = np.nan
        return matrix.told(labels, columns)[rows]

    return CountedLabels(columns, hiding)


def cross_validated_fold(
    matrix: CandidateMatrix,
    labels: Float,
    kind: TargetKind,
    settings: Settings,
    training: Int64,
    held_out: Int64,
    time: Float | None,
    n_classes: int,
    deadline: float | None,
    progress: Progress,
) -> FoldRun:
    """Learn from the training rows' labels alone, and say what that makes of the held-out rows."""
    seen = np.full(len(labels), np.nan)
    seen[training] = labels[training]
    model = fitted_rules(matrix, seen, kind, settings, time, n_classes, deadline, progress)
    X = matrix.given(np.full(len(labels), np.nan) if settings.inductive else seen)
    asked = X[held_out]
    shown = matrix.without_labels() if matrix.of_labels.isdisjoint(model.columns) else X
    baselines = {}
    for name in BASELINES:
        progress.step("baselines", 0, None, name)
        if name != "base rate" and expired(deadline):
            continue
        baselines[name] = baseline_predictions(
            name, kind, shown, matrix.own, seen, held_out, settings.seed, n_classes
        )
    return FoldRun(held_out, model.predict(asked), baselines, model)
