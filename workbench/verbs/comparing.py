"""Two recorded runs side by side: settings, metrics with paired tests, weights and predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import isclose
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from workbench.arrays import Float
from workbench.database import Database, Run, changed_rows, read_run, run_table, same_folds
from workbench.evaluation import PairedTest, paired_tests
from workbench.verbs.common import as_json
from workbench.verbs.written_rules import TOLERANCE, recorded_templates, written_rules

if TYPE_CHECKING:
    import pandas as pd

UNTESTED = ("fold", "atoms", "positives")
"""Columns of scores that are no metrics."""
SHOWN = {"paired t": "paired t", "corrected resampled t": "corrected t", "Wilcoxon": "Wilcoxon"}
"""What a table calls each test."""


def compare_runs(
    database: Database, first: int, second: int, *, most: int | None = None
) -> dict[str, list[dict[str, Any]]]:
    """What differs between two runs: settings, metrics, weights of rules as their author wrote
    them, and predictions (largest change first).

    Of metrics, weights and predictions at most `most` rows each.

    Two cross-validations over the same folds are also tested: `tests` holds the paired tests of
    each metric.
    """
    one, two = read_run(database, first), read_run(database, second)
    columns = ("kind", "engine", "seed", "status", "program_hash", "data_hash", "seconds")
    both = [(name, getattr(one, name), getattr(two, name)) for name in columns]
    # What came out is no setting, nor is what was asked for beside what was taken.
    names = sorted({*one.parameters, *two.parameters} - {"figures", "ended", *columns})
    both += [(name, one.parameters.get(name), two.parameters.get(name)) for name in names]
    settings = [{"setting": name, "first": a, "second": b} for name, a, b in both if a != b]
    return {
        "settings": settings,
        "metrics": _changes(database, first, second, "metric", most),
        "tests": _tests(database, one, two),
        "weights": _weights(database, first, second)[:most],
        "predictions": _changes(database, first, second, "prediction", most),
    }


def _tests(database: Database, one: Run, two: Run) -> list[dict[str, Any]]:
    """Paired tests of each metric over the folds of two cross-validations, if the same."""
    folds = one.parameters.get("folds", ())
    if (
        {one.kind, two.kind} != {"crossval"}
        or folds != two.parameters.get("folds")
        or len(folds) < 2
    ):
        return []
    if not same_folds(database, one.id, two.id):
        return []
    both = run_table(database, one.id, "metric").merge(
        run_table(database, two.id, "metric"), on=["fold", "metric"]
    )
    records = []
    for metric, values in both.groupby("metric", sort=False):
        first, second = (
            values["value_x"].to_numpy(np.float64),
            values["value_y"].to_numpy(np.float64),
        )
        for test in () if metric in UNTESTED else _paired(first, second, len(folds)):
            difference, p = test.mean_difference, test.p_value
            record = {
                "metric": metric,
                "test": test.name,
                "mean_difference": difference,
                "p": p,
                "folds": test.folds,
            }
            records.append(as_json(record))
    return records


def paired_comparison(database: Database, scores: Mapping[int, pd.DataFrame]) -> pd.DataFrame:
    """Mean metrics of two runs and their difference, from each run's scores by fold; p of paired
    tests where they are.

    See `workbench.verbs.recorded.Runs.paired_comparison`.
    """
    import pandas as pd

    (first, one), (second, two) = scores.items()
    if one.empty or two.empty:
        return pd.DataFrame()
    same = len(one) > 1 and same_folds(database, first, second)
    rows = []
    for metric in (name for name in one.columns if name in two and name not in UNTESTED):
        a, b = one[metric].to_numpy(np.float64), two[metric].to_numpy(np.float64)
        means = [
            float(found[np.isfinite(found)].mean()) if np.isfinite(found).any() else np.nan
            for found in (a, b)
        ]
        row: dict[str, Any] = {
            "metric": metric,
            f"run {first}": means[0],
            f"run {second}": means[1],
        }
        row["difference"] = means[1] - means[0]
        tests = {test.name: test.p_value for test in (_paired(a, b, len(one)) if same else ())}
        row |= {f"p ({shown})": tests[name] for name, shown in SHOWN.items() if name in tests}
        rows.append(row)
    return pd.DataFrame(rows)


def _weights(database: Database, first: int, second: int) -> list[dict[str, Any]]:
    """Rules whose weights differ by more than a written program rounds them, the largest first."""
    one, two = _written_weights(database, first), _written_weights(database, second)
    rows = []
    for key in dict.fromkeys([*one, *two]):
        a, b = one.get(key), two.get(key)
        if a is not None and b is not None and isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            continue
        change = None if a is None or b is None else abs(b - a)
        row = dict(zip(("fold", "formula"), key), weight_first=a, weight_second=b, change=change)
        rows.append(row)
    found: list[dict[str, Any]] = as_json(rows)
    return sorted(found, key=lambda row: np.inf if row["change"] is None else -row["change"])


def _written_weights(database: Database, run: int) -> dict[tuple[int | None, str, int], float]:
    """The weight of each rule of a run by fold, text, and which one of that text it is."""
    import pandas as pd

    found: dict[tuple[int | None, str, int], float] = {}
    for fold, table in run_table(database, run, "weight").groupby("fold", dropna=False, sort=False):
        number = None if pd.isna(fold) else int(cast(Any, fold))
        times: Counter[str] = Counter()
        weights = table["weight"].to_numpy(np.float64)
        for rule in written_rules(recorded_templates(table), weights):
            found[number, rule.text, times[rule.text]] = rule.weight
            times[rule.text] += 1
    return found


def _changes(
    database: Database,
    first: int,
    second: int,
    table: Literal["metric", "prediction"],
    most: int | None,
) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = as_json(
        changed_rows(database, first, second, table, most).to_dict("records")
    )
    return records


def _paired(first: Float, second: Float, folds: int) -> tuple[PairedTest, ...]:
    """The tests of a metric over so many folds; none where fewer than two have it of both runs."""
    return (
        paired_tests(first, second, folds)
        if np.count_nonzero(np.isfinite(first - second)) > 1
        else ()
    )
