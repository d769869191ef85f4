"""Recorded runs, looked at again: curves, calibration, explanation after the fact, what-if, comparison, export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from workbench import database as data
from workbench.arrays import Array, Float
from workbench.errors import UsageError
from workbench.progress import SILENT, Progress

if TYPE_CHECKING:
    import pandas as pd

    from workbench.database import Database
    from workbench.study.result import StudyResult
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.standing import Standing
    from workbench.verbs.study_runs import StudyRecord

__all__ = ["Reporting"]

SHARES = frozenset(("F1", "precision", "recall", "accuracy", "AUC-ROC", "AUC-PR", "AUC-PR(-)", "average precision"))
"""Metrics that lie between 0 and 1, and their intervals with them."""


class Reporting:
    """The part of a workspace that looks at recorded runs."""

    database: Database

    def run(self, number: int) -> data.Run:
        """A recorded run's settings."""
        return data.read_run(self.database, number)

    def all_runs(self) -> tuple[data.Run, ...]:
        """Every recorded run, the newest first."""
        return data.read_runs(self.database)

    def latest_run(self, kind: str) -> data.Run | None:
        """The newest run of a kind; None without any."""
        return next((run for run in self.all_runs() if run.kind == kind), None)

    def standing_of_run(self, number: int) -> Standing:
        """What a run's scores stand on: learned from what, what was known, held out or not."""
        from workbench.verbs.standing import standing_of

        return standing_of(self.database, self.run(number))

    def run_weights(self, number: int) -> pd.DataFrame:
        """A run's weights."""
        return data.run_table(self.database, number, "weight")

    def run_rules(self, number: int, *, fold: int | None = None) -> pd.DataFrame:
        """A run's rules as their author wrote them, each with its one weight in the author's sense.

        Columns: rule, formula, weight, initial, low, high, fixed, open, satisfied, violated, clauses (what the rule
        became, one a line). A formula whose clauses weigh differently has a row a clause.
        """
        import pandas as pd

        from workbench.verbs.written_rules import recorded_templates, written_rules

        table = self.run_weights(number)
        table = table[table["fold"].isna() if fold is None else table["fold"] == fold].reset_index(drop=True)
        rows = []
        for one in written_rules(recorded_templates(table), table["weight"].to_numpy(np.float64)):
            own = table.loc[list(one.templates)]
            first = own.iloc[0]
            share = float(first["share"]) if one.whole else 1.0
            ends = sorted(float(first[name]) / share for name in ("low", "high"))
            rows.append(
                {
                    "rule": one.rule,
                    "formula": one.text,
                    "weight": one.weight,
                    "initial": float(first["initial"]) / share,
                    "low": ends[0],
                    "high": ends[1],
                    "fixed": bool(first["fixed"]),
                    **own[["open", "satisfied", "violated"]].sum().to_dict(),
                    "clauses": "\n".join(own["formula"]),
                }
            )
        return pd.DataFrame(rows)

    def record_ended(self, kind: str, seconds: float, arguments: Mapping[str, Any]) -> int:
        """Record that work was ended before it had anything to show; the run's number."""
        from workbench.verbs.runs import record_ended

        settings = {name: value for name, value in arguments.items() if name not in ("rules", "mapping")}
        return record_ended(self.database, kind, seconds, str(arguments.get("rules", "")), settings)

    def keep_intervals(self, number: int, low: Array, high: Array) -> None:
        """Put an interval beside each weight of a run, by template."""
        data.record_intervals(self.database, number, low, high)

    def record_study(self, result: StudyResult, *, seed: int = 0) -> int:
        """Keep a study as a run; its number."""
        from workbench.verbs.study_runs import record_study

        return record_study(self.database, result, seed=seed)

    def study_of_run(self, number: int) -> StudyRecord:
        """A recorded study: rules, scores, reasons, predictions, report.

        Raises
        ------
        UsageError
            E0835 when the run is no study.
        """
        from workbench.verbs.study_runs import read_study

        return read_study(self.database, number)

    def run_metrics(self, number: int) -> pd.DataFrame:
        """A run's metrics, one row a fold and metric."""
        return data.run_table(self.database, number, "metric")

    def mean_metrics(self) -> pd.DataFrame:
        """Mean over folds of every recorded metric, a row a run (its id is the index), a column a metric."""
        frame = data.mean_metrics(self.database)
        return frame.pivot_table(index="run", columns="metric", values="value")

    def run_trace(self, number: int) -> pd.DataFrame:
        """A run's trace: step, series, value."""
        return data.run_table(self.database, number, "trace")

    def delete_run(self, number: int) -> None:
        """Delete a run."""
        from workbench.verbs.study_runs import forget_study

        with self.database.transaction():
            data.delete_run(self.database, number)
            forget_study(self.database, number)

    def label_run(self, number: int, *, name: str | None = None, note: str | None = None) -> None:
        """Name a run or note something beside it."""
        data.label_run(self.database, number, name=name, note=note)

    def find_predictions(
        self, number: int, *, fold: int | None = None, search: str = "", limit: int = 200
    ) -> tuple[pd.DataFrame, int]:
        """The likeliest predictions of a run that contain a text, at most `limit`, and how many there are in all."""
        return data.predictions_page(self.database, number, fold=fold, search=search, limit=limit)

    def scored_predictions(self, number: int) -> pd.DataFrame:
        """A run's predictions with truth where labels are known: fold, world, predicate, atom, value, truth.

        An inference run records no truth; its predictions are set beside the labels in the workspace. An atom without
        one is false where all labels of its predicate are true, a closed-world list; elsewhere, and in soft logic, it
        is not scored.
        """
        return data.scored_predictions(self.database, number)

    def worst_errors(self, number: int, *, limit: int = 50) -> pd.DataFrame:
        """The predictions furthest from labels of 0 or 1: fold, world, atom, value, truth."""
        return data.worst_predictions(self.database, number, limit=limit)

    def scores_by_fold(self, number: int) -> pd.DataFrame:
        """Metrics of a run, one row a fold; computed from predictions and labels."""
        import pandas as pd

        from workbench.evaluation import scores

        fold, value, truth = data.labelled_values(self.database, number)
        names = dict(enumerate(self.fold_names(number))) | {-1: "all"}
        rows = []
        for at in np.unique(fold).astype(np.int64).tolist():
            found = scores(value[fold == at], truth[fold == at])
            rows.append({"fold": names.get(at, f"fold {at + 1}"), **found})
        return pd.DataFrame(rows)

    def fold_names(self, number: int) -> tuple[str, ...]:
        """What the folds of a cross-validation are called, by number; empty for other runs."""
        return tuple(fold["name"] for fold in self.run(number).parameters.get("folds") or ())

    def metric_summary(self, table: pd.DataFrame) -> pd.DataFrame:
        """Mean, standard deviation and 95 % interval of each metric of `scores_by_fold`."""
        import pandas as pd

        from workbench.evaluation import summary

        rows = []
        for metric in table.columns.drop("fold"):
            found = summary(table[metric].to_numpy(np.float64))
            least, most = (-np.inf, 0.0) if metric == "CLL" else (0.0, 1.0) if metric in SHARES else (-np.inf, np.inf)
            low, high = np.clip([found.low, found.high], least, most)
            rows.append({"metric": metric, "mean": found.mean, "sd": found.sd, "low": low, "high": high})
        return pd.DataFrame(rows)

    def curves(self, number: int, *, most: int = 2000) -> pd.DataFrame:
        """Points of the PR and ROC curves over all folds: threshold, precision, recall, false positive rate.

        Of more than `most` points those at even steps of recall, and of the false positive rate, are taken.
        """
        import pandas as pd

        from workbench.evaluation import threshold_counts

        value, truth = self._true_or_false(number)
        true, false = threshold_counts(value, truth)
        thresholds = np.r_[np.inf, np.unique(value)[::-1]]
        if thresholds.size > most:
            steps = np.linspace(0, 1, most // 2)
            kept = np.unique(np.r_[np.searchsorted(true, steps * true[-1]), np.searchsorted(false, steps * false[-1])])
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

    def confusion(self, number: int, thresholds: Sequence[float]) -> pd.DataFrame:
        """Atoms that are true or false, and predicted so at each threshold: threshold, tp, fp, fn, tn."""
        import pandas as pd

        value, truth = self._true_or_false(number)
        true, false = np.sort(value[truth == 1]), np.sort(value[truth == 0])
        at = np.asarray(thresholds, np.float64)
        fn, tn = np.searchsorted(true, at), np.searchsorted(false, at)
        return pd.DataFrame({"threshold": at, "tp": true.size - fn, "fp": false.size - tn, "fn": fn, "tn": tn})

    def calibration(self, number: int, *, bins: int = 10) -> pd.DataFrame:
        """The reliability table of a run's predictions."""
        import pandas as pd

        from workbench.evaluation import calibration

        found = calibration(*self._true_or_false(number), bins=bins)
        return pd.DataFrame({"predicted": found.mean_predicted, "observed": found.fraction_true, "atoms": found.count})

    def _true_or_false(self, number: int) -> tuple[Float, Float]:
        """Values and labels of the predictions that are labelled true or false."""
        _, value, truth = data.labelled_values(self.database, number)
        plain = (truth == 0) | (truth == 1)
        return value[plain], truth[plain]

    def paired_comparison(self, first: int, second: int) -> pd.DataFrame:
        """Mean metrics of two runs and their difference; p of paired tests where both have the same folds.

        Three tests over folds: Student's, Nadeau and Bengio's for overlapping training sets, Wilcoxon's.
        """
        import pandas as pd

        from workbench.evaluation import corrected_resampled_t_test, paired_t_test, wilcoxon_test

        one, two = (self.scores_by_fold(number) for number in (first, second))
        if one.empty or two.empty:
            return pd.DataFrame()
        shared = [name for name in one.columns if name in two and name not in ("fold", "atoms", "positives")]
        paired = len(one) > 1 and data.same_folds(self.database, first, second)
        rows = []
        for metric in shared:
            a, b = one[metric].to_numpy(np.float64), two[metric].to_numpy(np.float64)
            means = [
                float(found[np.isfinite(found)].mean()) if np.isfinite(found).any() else np.nan for found in (a, b)
            ]
            row = {"metric": metric, f"run {first}": means[0], f"run {second}": means[1]}
            row["difference"] = means[1] - means[0]
            if paired and np.count_nonzero(np.isfinite(a - b)) > 1:
                row["p (paired t)"] = paired_t_test(a, b).p_value
                row["p (corrected t)"] = corrected_resampled_t_test(a, b, test_share=1 / (len(one) - 1)).p_value
                row["p (Wilcoxon)"] = wilcoxon_test(a, b).p_value
            rows.append(row)
        return pd.DataFrame(rows)

    def parquet_of_run(self, number: int) -> bytes:
        """A run's predictions as a Parquet file."""
        return data.parquet_bytes(data.run_table(self.database, number, "prediction"))

    def report_of_run(self, number: int) -> str:
        """A self-contained HTML report of a run."""
        if self.run(number).kind == "study":
            return self.study_of_run(number).report
        from workbench.verbs.html_report import html_report

        scores = self.scores_by_fold(number) if self.run(number).kind in ("infer", "crossval") else None
        return html_report(self.run(number), scores, self._rules_by_fold(number), self.scored_predictions(number))

    def _rules_by_fold(self, number: int) -> pd.DataFrame:
        """A run's rules as written, of every fold; of a search the rules that it found."""
        import pandas as pd

        weights = self.run_weights(number)
        if self.run(number).kind not in ("learn", "infer", "crossval") or weights.empty:
            return weights
        folds = [None if pd.isna(fold) else int(fold) for fold in weights["fold"].unique()]
        return pd.concat([self.run_rules(number, fold=fold).assign(fold=fold) for fold in folds], ignore_index=True)

    def reopen(self, number: int, *, fold: int | None = None, progress: Progress = SILENT) -> InferenceResult:
        """An inference run, or one fold of a cross-validation, as it was: ground again, its recorded values put back.

        Raises
        ------
        UsageError
            When it is no inference run, or the facts have changed since.
        """
        from workbench.verbs.reopening import reopen

        return reopen(self.database, number, fold=fold, progress=progress)

    def what_if(
        self, result: InferenceResult, changes: Mapping[str, bool | None], *, progress: Progress = SILENT
    ) -> pd.DataFrame:
        """Infer again with some facts changed, on a copy of the data; nothing is kept.

        Parameters
        ----------
        result : InferenceResult
            A recorded one, or a fold of a recorded cross-validation (`reopen`).
        changes : mapping of atom to bool or None
            Facts to take as true or false, or (None) as unknown.

        Returns
        -------
        DataFrame
            atom, predicate, before, after, change; the largest change first. Atoms that became facts have no `after`.
        """
        from workbench.verbs.reopening import what_if

        return what_if(self.database, result, changes, progress=progress)

    def weight_intervals(
        self,
        number: int,
        *,
        method: Literal["laplace", "bootstrap"] = "laplace",
        resamples: int = 200,
        time_limit: float | None = None,
        progress: Progress = SILENT,
    ) -> pd.DataFrame:
        """Put intervals beside the weights of a recorded learning run, and give its weights back.

        Raises
        ------
        UsageError
            E0815 when it is no learning run, E0816 when the facts have changed since.
        """
        from workbench.verbs.intervals import intervals_of_run

        run = self.run(number)
        if run.kind != "learn":
            raise UsageError.of("E0815", f"run {number} is a {run.kind} run; intervals are for learned weights")
        if run.data_hash != data.data_hash(self.database):
            raise UsageError.of("E0816", f"the facts have changed since run {number}", help="learn the weights again")
        low, high = intervals_of_run(
            self.database, run, method=method, resamples=resamples, time_limit=time_limit, progress=progress
        )
        data.record_intervals(self.database, number, low, high)
        return self.run_weights(number)
