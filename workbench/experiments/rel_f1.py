"""The tasks of RelBench's rel-f1 (driver-dnf, driver-top3, driver-position): ours by rules and by boosted trees."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np

from workbench.arrays import Bool, Float
from workbench.errors import Cancelled, UsageError
from workbench.evaluation import auc_roc
from workbench.experiments.table import FoldScore, ReproductionTable, rows_from_folds
from workbench.progress import SILENT, Progress
from workbench.study.columns import CandidateColumns, TargetTimes
from workbench.study.learners import LearnerName, fit_learner
from workbench.study.matrix import candidate_matrix
from workbench.study.prepared import Prepared, prepared
from workbench.tables import Staging, find_sources, propose, stage

__all__ = ["PUBLISHED", "SYSTEMS", "run"]

SYSTEMS: tuple[LearnerName, ...] = ("rules", "boosted_trees")
TITLE = "Formula 1 by tables: RelBench's rel-f1, rolling and frozen"
TASKS = {
    "dnf": ("driver_dnf", "did_not_finish", "AUC-ROC", 30, 40),
    "top3": ("driver_top3", "qualifying", "AUC-ROC", 30, 40),
    "position": ("driver_position", "position", "MAE", 60, 30),
}
REGIMES = ("rolling", "frozen")
_MEASURED = {
    "one aggregate": (0.816, 0.737, 0.925, 0.813, 2.764, 3.960),
    "L1 on binned aggregates": (0.818, 0.618, 0.917, 0.809, 3.196, 3.757),
    "SQL aggregates, LightGBM": (0.841, 0.723, 0.934, 0.871, 2.538, 3.773),
    "featuretools, LightGBM": (0.819, 0.698, 0.913, 0.862, 2.971, 3.889),
}
PUBLISHED: Mapping[tuple[str, str, str], float | None] = {
    (system, f"{task}, {regime}", TASKS[task][2]): figures[2 * number + place]
    for system, figures in _MEASURED.items()
    for number, task in enumerate(TASKS)
    for place, regime in enumerate(REGIMES)
} | {
    ("RelBench: data scientist", "dnf, frozen", "AUC-ROC"): 0.698,
    ("RelBench: data scientist", "top3, frozen", "AUC-ROC"): 0.824,
    ("RelBench: data scientist", "position, frozen", "MAE"): 3.963,
    ("KumoRFM-2", "dnf, frozen", "AUC-ROC"): 0.846,
    ("KumoRFM-2", "top3, frozen", "AUC-ROC"): 0.922,
}
TABLES = (
    "circuits constructor_results constructor_standings constructors driver_standings drivers qualifying races results "
    "status"
).split()


def run(
    *,
    data_dir: str | os.PathLike[str],
    folds: int | None = None,
    systems: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    progress: Progress = SILENT,
) -> ReproductionTable:
    """Learn on train and valid (choices on valid), score on test; one split, so one fold.

    In the frozen regime rows learned from see their past as late as those of the test do: of each run of steps only
    what was known at its beginning.
    """
    del folds
    wanted = [name for name in (systems or SYSTEMS) if name in SYSTEMS]
    unknown = sorted(set(columns or ()) - set(TASKS))
    if unknown:
        raise UsageError.of("E0904", f"there is no task {', '.join(unknown)}", help=f"tasks: {', '.join(TASKS)}")
    found: list[FoldScore] = []
    seconds: dict[str, float] = {}
    complete = True
    try:
        with TemporaryDirectory() as directory:
            for task in columns or TASKS:
                progress.step("tasks", len(found), 12, task)
                _run_task(Path(data_dir), Path(directory), task, wanted, found, seconds, progress)
    except Cancelled:
        complete = False
    notes = (
        "Figures beside ours were measured on this split with the settings their names say; KumoRFM-2's and the data "
        "scientist's were published.",
        "seconds are of the processor, for all tasks and both regimes; the candidates' columns count for each system.",
    )
    return ReproductionTable("rel-f1", TITLE, rows_from_folds(found, PUBLISHED), tuple(found), notes, seconds, complete)


def _run_task(
    data_dir: Path,
    directory: Path,
    task: str,
    systems: Sequence[LearnerName | str],
    found: list[FoldScore],
    seconds: dict[str, float],
    progress: Progress,
) -> None:
    target, column, metric, days, _ = TASKS[task]
    files, parts = _task_files(data_dir / "tables" / "formula1", directory, task)
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, f"{target}.{column}", time=f"{target}.date", mapping=_mapping(staging))
        order = [parts[row] for row in zip(ready.keys["date"], ready.keys["driverId"])]
        part = np.array(order)
        for regime in REGIMES:
            begun = time.process_time()
            X = _columns(staging, ready, part, days, TASKS[task][4], frozen=regime == "frozen", progress=progress)
            shared = time.process_time() - begun
            for system in systems:
                begun = time.process_time()
                value = _scored(X, ready.labels, part, system, task, progress)  # type: ignore[arg-type]
                found.append(FoldScore(system, f"{task}, {regime}", metric, "test", value))
                seconds[system] = seconds.get(system, 0.0) + shared + time.process_time() - begun


def _scored(X: Any, y: Float, part: Any, system: LearnerName, task: str, progress: Progress) -> float:
    learned = np.flatnonzero(part != "test")
    held_out = np.flatnonzero(part[learned] == "valid")
    kind = "number" if task == "position" else "yes/no"
    model = fit_learner(system, kind, X[learned], y[learned], held_out=[held_out], progress=progress)  # type: ignore[arg-type]
    test: Bool = part == "test"
    said = model.predict(X[test])
    return float(np.mean(np.abs(said - y[test]))) if kind == "number" else auc_roc(said, y[test])


def _columns(
    staging: Staging, ready: Prepared, part: Any, days: int, steps: int, *, frozen: bool, progress: Progress
) -> Any:
    """The candidates' columns, each row at its own time or, frozen, at the beginning of its run of steps."""
    assert ready.times is not None
    times = ready.times
    if frozen:
        start = {"test": _day("2010-01-01"), "valid": _day("2005-01-01"), "train": _day("2005-01-01")}
        origin = np.array([start[name] for name in part])
        run_length = days * np.where(part == "test", 40, steps)
        now = origin + np.floor((times.days - origin) / run_length) * run_length
        now = np.where(part == "train", now, origin)
        years = np.array([float(str(np.datetime64(int(day), "D"))[:4]) - 1 for day in now])
        times = TargetTimes(now, years)
    columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, times)
    return candidate_matrix(columns, ready.target.table.name, progress=progress).X


def _day(text: str) -> float:
    return float(np.datetime64(text, "D").astype(np.int64))


def _mapping(staging: Staging) -> Any:
    """The proposed mapping, without free texts and addresses of pages."""
    mapping = propose(staging)
    tables = tuple(
        replace(
            table,
            columns=tuple(
                replace(column, kind="ignore", predicate=None) if column.name in ("url", "time") else column
                for column in table.columns
            ),
        )
        for table in mapping.tables
    )
    return replace(mapping, tables=tables)


def _task_files(source: Path, directory: Path, task: str) -> tuple[list[Path], dict[tuple[str, str], str]]:
    """The database's tables as files, and the task's labels with the part that each belongs to."""
    target, column, _, days, valid = TASKS[task]
    connection = duckdb.connect()
    files = []
    for name in TABLES:
        connection.execute(
            f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM read_csv($file, nullstr=['\\N', ''], null_padding=true)",
            {"file": str(source / f"{name}.csv.gz")},
        )
    connection.execute(
        "CREATE OR REPLACE TABLE moments AS SELECT raceId, date + coalesce(time, TIME '00:00:00') AS t FROM races"
    )
    connection.execute(
        "CREATE OR REPLACE TABLE races AS "
        "SELECT * EXCLUDE (date, time), t AS date FROM races JOIN moments USING (raceId)"
    )
    connection.execute(_LABELS[task].format(target=target, column=column, days=days, cuts=_cuts(days, valid)))
    for name in (*TABLES, target):
        path = directory / f"{name}.parquet"
        rest = " EXCLUDE (part)" if name == target else ""
        connection.execute(f"COPY (SELECT *{rest} FROM {name}) TO '{path}' (FORMAT parquet)")
        files.append(path)
    rows = connection.execute(f"SELECT date::VARCHAR, driverId::VARCHAR, part FROM {target}").fetchall()
    return files, {(date, driver): part for date, driver, part in rows}


def _cuts(days: int, valid: int) -> str:
    step = f"to_days(({days} * i)::INT)"
    return (
        f"SELECT TIMESTAMP '2010-01-01' + {step} AS t, 'test' AS part FROM range(40) r(i) "
        f"UNION ALL SELECT TIMESTAMP '2005-01-01' + {step}, 'valid' FROM range({valid}) r(i) "
        f"UNION ALL SELECT TIMESTAMP '2005-01-01' - {step}, 'train' FROM range(1, 2000) r(i) "
        f"WHERE TIMESTAMP '2005-01-01' - {step} >= (SELECT min(t) FROM moments)"
    )


_LABELS = {
    "dnf": (
        "CREATE TABLE {target} AS SELECT c.t AS date, driverId, max((statusId <> 1)::INT) AS {column}, "
        "any_value(part) AS part FROM ({cuts}) c JOIN moments m ON m.t > c.t AND m.t <= c.t + to_days({days}) "
        "JOIN results USING (raceId) GROUP BY c.t, driverId"
    ),
    "top3": (
        "CREATE TABLE {target} AS SELECT c.t AS date, driverId, (min(position) <= 3)::INT AS {column}, "
        "any_value(part) AS part FROM ({cuts}) c JOIN moments m ON m.t - to_days(1) > c.t "
        "AND m.t - to_days(1) <= c.t + to_days({days}) JOIN qualifying USING (raceId) GROUP BY c.t, driverId"
    ),
    "position": (
        "CREATE TABLE {target} AS SELECT c.t AS date, driverId, avg(positionOrder) AS {column}, "
        "any_value(part) AS part FROM ({cuts}) c JOIN moments m ON m.t > c.t AND m.t <= c.t + to_days({days}) "
        "JOIN results USING (raceId) GROUP BY c.t, driverId"
    ),
}
