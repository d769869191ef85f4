"""Recorded runs: curves, calibration, explanation after the fact, comparison, export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import database as data
from workbench.arrays import Float
from workbench.verbs.explaining.display import shown_texts
from workbench.verbs.models import Models
from workbench.verbs.of_database import OfDatabase
from workbench.verbs.run_curves import confusion, curve_points, metric_summary

if TYPE_CHECKING:
    import pandas as pd

    from workbench.database import Database
    from workbench.verbs.standing import Standing
    from workbench.verbs.studying.runs import StudyRecord


@dataclass(frozen=True)
class Runs:
    """The recorded runs of a workspace (`ws.runs`); called, it lists them as a data frame."""

    database: Database

    get = OfDatabase(data.read_run)
    all = OfDatabase(data.read_runs)
    find_predictions = OfDatabase(data.predictions_page)
    worst_errors = OfDatabase(data.worst_predictions)
    scored = OfDatabase(data.scored_predictions)
    label = OfDatabase(data.label_run)
    metric_summary = staticmethod(metric_summary)

    def __call__(self) -> pd.DataFrame:
        """The runs, newest first: id, parent, kind, name, created, seconds, status, ..."""
        import pandas as pd

        columns = ("id", "parent", "kind", "name", "created", "seconds", "status", "engine", "seed")
        runs = data.read_runs(self.database)
        listed = {name: [getattr(run, name) for run in runs] for name in columns}
        # Runs without a parent would make decimals of the others' parents.
        return pd.DataFrame(listed | {"parent": pd.Series(listed["parent"], dtype=object)})

    def latest(self, kind: str) -> data.Run | None:
        """The newest run of a kind that has something to show; None without any."""
        return next(
            (run for run in self.all() if run.kind == kind and "ended" not in run.parameters), None
        )

    def standing(self, number: int) -> Standing:
        """What a run's scores stand on: learned from what, what was known, held out or not."""
        from workbench.verbs.standing import standing_of

        return standing_of(self.database, self.get(number))

    def predictions(self, run: int) -> pd.DataFrame:
        """The predictions of a run."""
        return data.run_table(self.database, run, "prediction")

    def scores_by_fold(self, number: int) -> pd.DataFrame:
        """Metrics of a run, one row a fold; computed from predictions and labels.

        A study's F1, precision and recall are at the threshold of the best F1 on its other folds,
        as in its report; all others' are at 1/2, and so is accuracy.
        """
        import pandas as pd

        from workbench.evaluation import best_threshold, scores, scores_at

        fold, value, truth = data.labelled_values(self.database, number)
        names = dict(enumerate(self.fold_names(number))) | {-1: "all"}
        folds = np.unique(fold).astype(np.int64).tolist()
        chooses = self.get(number).kind == "study"
        rows = []
        for at in folds:
            inside = fold == at
            if chooses:
                others = ~inside if len(folds) > 1 else inside
                found = scores_at(
                    value[inside], truth[inside], best_threshold(value[others], truth[others])
                )
            else:
                found = scores(value[inside], truth[inside])
            rows.append({"fold": names.get(at, f"fold {at + 1}"), **found})
        return pd.DataFrame(rows)

    def fold_names(self, number: int) -> tuple[str, ...]:
        """What the folds of a cross-validation are called, by number; empty for other runs."""
        parameters = self.get(number).parameters
        if parameters.get("ended"):  # of one that was ended they say what was asked for
            return ()
        return tuple(fold["name"] for fold in parameters.get("folds") or ())

    def mean_metrics(self) -> pd.DataFrame:
        """Mean over folds of every recorded metric: a row a run (the index), a column a metric."""
        frame = data.mean_metrics(self.database)
        return frame.pivot_table(index="run", columns="metric", values="value")

    def curves(self, number: int, *, most: int = 2000) -> pd.DataFrame:
        """Points of the PR and ROC curves over all folds: threshold, precision, recall, false
        positive rate.

        Of more than `most` points those at even steps of recall, and of the false positive rate,
        are taken.
        """
        return curve_points(*self._true_or_false(number), most)

    def confusion(self, number: int, thresholds: Sequence[float]) -> pd.DataFrame:
        """True and false atoms, predicted so at each threshold: threshold, tp, fp, fn, tn."""
        return confusion(*self._true_or_false(number), thresholds)

    def calibration(self, number: int, *, bins: int = 10) -> pd.DataFrame:
        """The reliability table of a run's predictions."""
        import pandas as pd

        from workbench.evaluation import calibration

        found = calibration(*self._true_or_false(number), bins=bins)
        return pd.DataFrame(
            {
                "predicted": found.mean_predicted,
                "observed": found.fraction_true,
                "atoms": found.count,
            }
        )

    def compare(
        self, first: int, second: int, *, most: int | None = None
    ) -> dict[str, list[dict[str, Any]]]:
        """What differs between two runs: `settings`, `metrics`, `weights`, `predictions`; of each
        at most `most` rows.

        Two cross-validations over the same folds have paired `tests` of each metric beside them.
        """
        from workbench.verbs.comparing import compare_runs

        return compare_runs(self.database, first, second, most=most)

    def paired_comparison(self, first: int, second: int) -> pd.DataFrame:
        """Mean metrics of two runs and their difference; p of paired tests where both have the same
        folds.

        Three tests over folds: Student's, Nadeau and Bengio's for overlapping training sets,
        Wilcoxon's.
        """
        from workbench.verbs.comparing import paired_comparison

        one, two = (self.scores_by_fold(number) for number in (first, second))
        return paired_comparison(self.database, {first: one, second: two})

    def parquet(self, number: int) -> bytes:
        """A run's predictions as a Parquet file."""
        return data.parquet_bytes(data.run_table(self.database, number, "prediction"))

    def report(self, number: int) -> str:
        """A self-contained HTML report of a run."""
        if self.get(number).kind == "study":
            return self.study(number).report
        from workbench.verbs.html_report import html_report

        scores = (
            self.scores_by_fold(number) if self.get(number).kind in ("infer", "crossval") else None
        )
        named = partial(shown_texts, self.database)
        return html_report(
            self.get(number), scores, self._rules_by_fold(number), self.scored(number), named
        )

    def study(self, number: int) -> StudyRecord:
        """A recorded study: rules, scores, reasons, predictions, report.

        Raises
        ------
        UsageError
            E0835 when the run is no study.
        """
        from workbench.verbs.studying.runs import read_study

        return read_study(self.database, number)

    def record_ended(self, kind: str, seconds: float, arguments: Mapping[str, Any]) -> int:
        """Record that work was ended before it had anything to show; the run's number."""
        from workbench.verbs.runs import record_ended

        settings = {
            name: value for name, value in arguments.items() if name not in ("rules", "mapping")
        }
        return record_ended(self.database, kind, seconds, str(arguments.get("rules", "")), settings)

    def delete(self, number: int) -> None:
        """Delete a run."""
        from workbench.verbs.studying.runs import forget_study

        with self.database.transaction():
            data.delete_run(self.database, number)
            forget_study(self.database, number)

    def take(self, copy: Database, number: int) -> int:
        """Record here a run that was made in a copy of this workspace (its `database`); its number
        here.

        Raises
        ------
        UsageError
            E0217 when the copy has none of that number.
        """
        from workbench.verbs.runs import take_run

        return take_run(self.database, copy, number)

    def _true_or_false(self, number: int) -> tuple[Float, Float]:
        """Values and labels of the predictions that are labelled true or false."""
        _, value, truth = data.labelled_values(self.database, number)
        plain = (truth == 0) | (truth == 1)
        return value[plain], truth[plain]

    def _rules_by_fold(self, number: int) -> pd.DataFrame:
        """A run's rules as written, of every fold; of a search the rules that it found."""
        import pandas as pd

        weights = Models(self.database).weights(number)
        if self.get(number).kind not in ("learn", "infer", "crossval") or weights.empty:
            return weights
        folds = [None if pd.isna(fold) else int(fold) for fold in weights["fold"].unique()]
        models = Models(self.database)
        tables = [models.rules(number, fold=fold).assign(fold=fold) for fold in folds]
        return pd.concat(tables, ignore_index=True)
