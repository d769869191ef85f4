"""The course of a study: candidates, the final rules, then fold after fold while time lasts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.errors import Cancelled, UsageError
from workbench.evaluation import best_threshold
from workbench.leaving import in_time
from workbench.progress import Conduct, Progress, remaining
from workbench.structure.rule_task import CountedLabels, RuleTask
from workbench.study.baselines import BASELINES, baseline_predictions
from workbench.study.folds import (
    Labelled,
    fold_metrics,
    prediction_loss,
    study_folds,
)
from workbench.study.learners import FittedRules, LearnerName, fit_learner
from workbench.study.matrix import CandidateMatrix
from workbench.tables.facts import TargetKind


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

    def check(self) -> None:
        """Raises E0633 to E0635 for a number of folds or rules, or a learner that cannot be."""
        if self.folds < 2:
            raise UsageError.of(
                "E0633",
                f"cannot hold out rows in {self.folds} folds",
                help="give --folds a number from 2 on",
            )
        if self.rules < 1:
            raise UsageError.of(
                "E0634", f"cannot learn {self.rules} rules", help="give --rules a number from 1 on"
            )
        if self.learner not in get_args(LearnerName):
            raise UsageError.of(
                "E0635",
                f"there is no learner {self.learner}",
                help=f"the learners are {' and '.join(get_args(LearnerName))}",
            )


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
    lie : str
        How rows were held out, as the rest of a sentence.
    """

    kind: TargetKind
    labels: Float
    n_classes: int
    model: FittedRules | None = None
    folds: list[FoldRun] = field(default_factory=list)
    status: str = "done"
    lie: str = ""

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
    target: Labelled,
    settings: Settings,
    *,
    deadline: float | None = None,
    progress: Progress,
) -> Studied:
    """Fit the final rules, then cross-validate; stop where time runs out or somebody asks, keeping
    what there is.
    """
    studied = Studied(target.kind, target.labels, target.n_classes, lie=target.lie)

    def work(heard: Conduct) -> None:
        whole = Conduct(settings.seed, deadline, heard.progress)
        had = 0.4 * remaining(deadline)
        studied.model = fitted_rules(matrix, target, settings, whole.within(0.4))
        splits = study_folds(target, settings.folds, settings.seed)
        for number, split in enumerate(splits):
            if whole.expired:
                studied.status = "limit"
                break
            part = whole.within(0.8 / (len(splits) - number))
            whole.progress.step("folds", number, len(splits))
            studied.folds.append(cross_validated_fold(matrix, target, settings, split, part))
        if not studied.model.complete and 0.8 * remaining(deadline) > had:
            # Folds took less than their share: the final rules have that, too.
            studied.model = fitted_rules(matrix, target, settings, whole.within(0.8))
        if not studied.model.complete or (matrix.cut and whole.expired):
            studied.status = "limit"

    try:
        in_time(Conduct(progress=progress), work)
    except (Cancelled, KeyboardInterrupt):
        # Work that was left goes on for a while, with a study of its own.
        return replace(studied, folds=list(studied.folds), status="cancelled")
    return studied


def fitted_rules(
    matrix: CandidateMatrix, target: Labelled, settings: Settings, conduct: Conduct
) -> FittedRules:
    """A learner fitted to the rows whose label is seen; no row sees its own label, nor one that is
    not seen.

    Rules about the known labels of other rows stay where they foretell rows that no label of theirs
    was learned with: among few neighbours, what is left of a count tells a row's own label (it is
    the one that is missing). Trees are fitted again for that; rules see to it in their choice of a
    penalty.
    """
    kind, seen = target.kind, target.labels
    matrix = matrix.seen_as_asked(target)

    def fitted(X: Real, labels: Float, counted: CountedLabels | None = None) -> FittedRules:
        rows = np.flatnonzero(~np.isnan(labels))
        task = RuleTask(
            X[rows],
            labels[rows],
            settings.rules,
            counted,
            own=matrix.own,
            near=matrix.near,
            plainness=matrix.plainness(len(rows)),
            held_out=target.judging(rows, settings.seed),
            conduct=conduct,
        )
        return fit_learner(
            settings.learner, kind, task, n_classes=target.n_classes, linear=matrix.labelled
        )

    rows = np.flatnonzero(~np.isnan(seen))
    if settings.learner == "rules":
        return fitted(matrix.given(seen), seen, _counted(matrix, seen, rows))
    model = fitted(matrix.given(seen), seen)
    if matrix.labelled.isdisjoint(model.columns) or len(rows) < 20 or conduct.over:
        return model
    # A fifth at random, or the later half.
    _, asked = study_folds(target, 5 if target.time is None else 1, settings.seed)[0]
    rest = seen.copy()
    rest[asked] = np.nan
    X, blind = matrix.given(rest), matrix.without_labels(rest)
    seeing = fitted(X, rest)
    losses = [
        prediction_loss(kind, one.predict(known[asked]), seen[asked])
        for one, known in ((seeing, X), (seeing.alone or fitted(blind, rest), blind))
    ]
    if losses[0] <= losses[1]:
        return model
    return model.alone or fitted(matrix.without_labels(seen), seen)


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
    target: Labelled,
    settings: Settings,
    split: tuple[Int64, Int64],
    conduct: Conduct,
) -> FoldRun:
    """Learn from the training rows' labels alone, and say what that makes of the held-out rows."""
    training, held_out = split
    target = target.trained_on(training, held_out)
    seen, unseen = target.labels, np.full(len(target.labels), np.nan)
    matrix = matrix.seen_as_asked(target)
    model = fitted_rules(matrix, target, settings, conduct)
    X = matrix.given(unseen if settings.inductive else seen, seen)
    asked = X[held_out]
    shown = matrix.without_labels(seen) if matrix.of_labels.isdisjoint(model.columns) else X
    baselines = {}
    for name in BASELINES:
        conduct.progress.step("baselines", 0, None, name)
        if name != "base rate" and conduct.expired:
            continue
        baselines[name] = baseline_predictions(
            name, target, shown, matrix.own, held_out, settings.seed
        )
    return FoldRun(held_out, model.predict(asked), baselines, model)
