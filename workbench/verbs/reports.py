"""Recorded runs, looked at again: curves, calibration, explanation after the fact, what-if, comparison, export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from workbench import database as data
from workbench.errors import UsageError
from workbench.progress import SILENT, Progress
from workbench.verbs.evaluate import parse_atom

if TYPE_CHECKING:
    import pandas as pd

    from workbench.database import Database
    from workbench.verbs.infer import InferenceResult

__all__ = ["Reporting"]


class Reporting:
    """The part of a workspace that looks at recorded runs."""

    database: Database

    def run(self, number: int) -> data.Run:
        """A recorded run's settings."""
        return data.read_run(self.database, number)

    def all_runs(self) -> tuple[data.Run, ...]:
        """Every recorded run, the newest first."""
        return data.read_runs(self.database)

    def run_weights(self, number: int) -> pd.DataFrame:
        """A run's weights."""
        return data.run_table(self.database, number, "weight")

    def run_metrics(self, number: int) -> pd.DataFrame:
        """A run's metrics, one row a fold and metric."""
        return data.run_table(self.database, number, "metric")

    def mean_metrics(self) -> pd.DataFrame:
        """Mean over folds of every recorded metric, a row a run (its id is the index), a column a metric."""
        frame = self.database.execute(
            "SELECT run, metric, avg(value) AS value FROM run_metric WHERE NOT isnan(value) GROUP BY ALL"
        ).df()
        return frame.pivot_table(index="run", columns="metric", values="value")

    def run_trace(self, number: int) -> pd.DataFrame:
        """A run's trace: step, series, value."""
        return data.run_table(self.database, number, "trace")

    def delete_run(self, number: int) -> None:
        """Delete a run."""
        data.delete_run(self.database, number)

    def label_run(self, number: int, *, name: str | None = None, note: str | None = None) -> None:
        """Name a run or note something beside it."""
        data.label_run(self.database, number, name=name, note=note)

    def scored_predictions(self, number: int) -> pd.DataFrame:
        """A run's predictions with truth where labels are known: fold, atom, predicate, value, truth.

        An inference run records no truth; its predictions are set beside the labels in the workspace, an unlisted atom
        of a labelled predicate being false.
        """
        frame = data.run_table(self.database, number, "prediction")
        if frame.empty or frame["truth"].notna().any():
            return frame
        labels: dict[tuple[str, tuple[str, ...]], float] = {}
        labelled = set()
        for name in dict.fromkeys(frame["predicate"]):
            stored = self.database.predicates().get(name)
            if stored is None:
                continue
            shown = ", ".join(f"{data.quoted(column)}::VARCHAR" for column in stored.argument_names)
            rows = self.database.execute(
                f"SELECT [{shown}]::VARCHAR[], value FROM facts.{data.quoted(stored.view_name)} "
                "WHERE partition = 'truth'"
            ).fetchall()
            if rows:
                labelled.add(name)
            labels |= {(name, tuple(arguments)): value for arguments, value in rows}
        truth = [
            labels.get(cast(Any, parse_atom(atom)), 0.0 if predicate in labelled else None)
            for atom, predicate in zip(frame["atom"], frame["predicate"])
        ]
        return frame.assign(truth=np.array(truth, dtype=np.float64))

    def scores_by_fold(self, number: int) -> pd.DataFrame:
        """Metrics of a run, one row a fold; computed from predictions and labels."""
        import pandas as pd

        from workbench.evaluation import scores

        frame = self.scored_predictions(number)
        frame = frame[frame["truth"].notna()]
        names = dict(enumerate(self.fold_names(number))) | {-1: "all"}
        rows = []
        for fold, part in frame.assign(fold=frame["fold"].fillna(-1)).groupby("fold"):
            found = scores(part["value"].to_numpy(np.float64), part["truth"].to_numpy(np.float64))
            rows.append({"fold": names.get(at := int(cast(Any, fold)), f"fold {at + 1}"), **found})
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
            rows.append({"metric": metric, "mean": found.mean, "sd": found.sd, "low": found.low, "high": found.high})
        return pd.DataFrame(rows)

    def curves(self, number: int) -> pd.DataFrame:
        """Points of the PR and ROC curves over all folds: threshold, precision, recall, false_positive_rate."""
        import pandas as pd

        from workbench.evaluation import threshold_counts

        frame = self.scored_predictions(number)
        frame = frame[frame["truth"].isin([0.0, 1.0])]
        value, truth = frame["value"].to_numpy(np.float64), frame["truth"].to_numpy(np.float64)
        true, false = threshold_counts(value, truth)
        thresholds = np.r_[np.inf, np.unique(value)[::-1]]
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

    def calibration(self, number: int, *, bins: int = 10) -> pd.DataFrame:
        """The reliability table of a run's predictions."""
        import pandas as pd

        from workbench.evaluation import calibration

        frame = self.scored_predictions(number)
        frame = frame[frame["truth"].isin([0.0, 1.0])]
        found = calibration(frame["value"], frame["truth"], bins=bins)
        return pd.DataFrame({"predicted": found.mean_predicted, "observed": found.fraction_true, "atoms": found.count})

    def paired_comparison(self, first: int, second: int) -> pd.DataFrame:
        """Metrics of two runs on the same folds, with a paired t-test for each."""
        import pandas as pd

        from workbench.evaluation import paired_t_test

        one, two = self.scores_by_fold(first), self.scores_by_fold(second)
        rows: list[dict[str, Any]] = []
        if one.empty or two.empty:
            return pd.DataFrame(rows)
        both = one.merge(two, on="fold", suffixes=(" first", " second"))
        for metric in one.columns.drop("fold"):
            if f"{metric} second" not in both:
                continue
            a, b = both[f"{metric} first"].to_numpy(np.float64), both[f"{metric} second"].to_numpy(np.float64)
            test = paired_t_test(a, b) if len(both) > 1 else None
            rows.append(
                {
                    "metric": metric,
                    f"run {first}": float(a.mean()),
                    f"run {second}": float(b.mean()),
                    "difference": float((b - a).mean()),
                    "p (paired t)": test.p_value if test else float("nan"),
                }
            )
        return pd.DataFrame(rows)

    def parquet_of_run(self, number: int) -> bytes:
        """A run's predictions as a Parquet file."""
        return data.parquet_bytes(data.run_table(self.database, number, "prediction"))

    def report_of_run(self, number: int) -> str:
        """A self-contained HTML report of a run."""
        from workbench.verbs.html_report import html_report

        scores = self.scores_by_fold(number) if self.run(number).kind in ("infer", "crossval") else None
        weights, predictions = self.run_weights(number), self.scored_predictions(number)
        return html_report(self.run(number), scores, weights, predictions)

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
