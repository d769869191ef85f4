"""The tasks of RelBench's rel-f1 (dnf, top3, position): by rules and by boosted trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np

from experiments.experiment import PROGRAMS, Experiment, Reproduction
from workbench.arrays import Bool, Float
from workbench.evaluation import auc_roc
from workbench.inference.elsewhere import cpu_seconds
from workbench.progress import Conduct, Progress
from workbench.structure.rule_task import RuleTask
from workbench.study.anchors import TargetTimes
from workbench.study.fitting import candidates_for
from workbench.study.learners import LearnerName, fit_learner
from workbench.study.prepared import Prepared, prepared
from workbench.tables import Staging, find_sources, propose, stage
from workbench.tables.facts import TargetKind

SYSTEMS: Mapping[str, LearnerName] = {"rules": "rules", "boosted_trees": "boosted_trees"}
TASKS = {
    "dnf": ("driver_dnf", "did_not_finish", "AUC-ROC", 30, 40),
    "top3": ("driver_top3", "qualifying", "AUC-ROC", 30, 40),
    "position": ("driver_position", "position", "MAE", 60, 30),
}
REGIMES = ("rolling", "frozen")
TABLES = (
    "circuits constructor_results constructor_standings constructors driver_standings drivers "
    "qualifying races results status"
).split()


def measure(run: Reproduction) -> None:
    """Learn on train and valid (choices on valid), score on test; one split, so one fold.

    In the frozen regime rows learned from see their past as late as those of the test do: of each
    run of steps only what was known at its beginning.
    """
    with TemporaryDirectory() as directory:
        for task in run.columns:
            run.progress.step("tasks", len(run.measured.scores), 12, task)
            _measure_task(run, Path(directory), task)


def _measure_task(run: Reproduction, directory: Path, task: str) -> None:
    target, column, metric, days, _ = TASKS[task]
    files, parts = _task_files(run.directory / "tables" / "formula1", directory, task)
    with stage(find_sources(files)) as staging:
        ready = prepared(
            staging, f"{target}.{column}", time=f"{target}.date", mapping=_mapping(staging)
        )
        order = [parts[row] for row in zip(ready.keys["date"], ready.keys["driverId"])]
        part = np.array(order)
        for regime in REGIMES:
            begun = cpu_seconds()
            X = _columns(
                staging,
                ready,
                part,
                days,
                TASKS[task][4],
                frozen=regime == "frozen",
                progress=run.progress,
            )
            shared = cpu_seconds() - begun
            for system in run.systems:
                with run.measured.timed(system):
                    value = _scored(X, ready.labels, part, SYSTEMS[system], task, run.progress)
                run.measured.seconds[system] += shared
                run.measured.add(system, f"{task}, {regime}", "test", {metric: value})


def _scored(
    X: Any, y: Float, part: Any, system: LearnerName, task: str, progress: Progress
) -> float:
    learned = np.flatnonzero(part != "test")
    held_out = np.flatnonzero(part[learned] == "valid")
    kind: TargetKind = "number" if task == "position" else "yes/no"
    conduct = Conduct(progress=progress)
    rows = RuleTask(X[learned], y[learned], held_out=[held_out], conduct=conduct)
    model = fit_learner(system, kind, rows)
    test: Bool = part == "test"
    said = model.predict(X[test])
    return float(np.mean(np.abs(said - y[test]))) if kind == "number" else auc_roc(said, y[test])


def _columns(
    staging: Staging,
    ready: Prepared,
    part: Any,
    days: int,
    steps: int,
    *,
    frozen: bool,
    progress: Progress,
) -> Any:
    """The candidates' columns, each row at its own time or, frozen, at its run's beginning.

    A label of a step tells of the days up to the next one, so those of earlier steps are known.
    """
    assert ready.times is not None
    times = ready.times
    if frozen:
        start = {
            "test": _day("2010-01-01"),
            "valid": _day("2005-01-01"),
            "train": _day("2005-01-01"),
        }
        origin = np.array([start[name] for name in part])
        run_length = days * np.where(part == "test", 40, steps)
        now = origin + np.floor((times.days - origin) / run_length) * run_length
        now = np.where(part == "train", now, origin)
        years = np.array([float(str(np.datetime64(int(day), "D"))[:4]) - 1 for day in now])
        times = TargetTimes(now, years)
    rows = np.arange(len(ready.rows))
    asked = replace(ready, times=times)
    matrix = candidates_for(staging, asked, rows, collective=True, progress=progress)
    return matrix.given(ready.labels)


def _day(text: str) -> float:
    return float(np.datetime64(text, "D").astype(np.int64))


def _mapping(staging: Staging) -> Any:
    """The proposed mapping, without free texts and addresses of pages."""
    mapping = propose(staging)
    tables = tuple(
        replace(
            table,
            columns=tuple(
                replace(column, kind="ignore", predicate=None)
                if column.name in ("url", "time")
                else column
                for column in table.columns
            ),
        )
        for table in mapping.tables
    )
    return replace(mapping, tables=tables)


def _task_files(
    source: Path, directory: Path, task: str
) -> tuple[list[Path], dict[tuple[str, str], str]]:
    """The database's tables as files, and the task's labels with the part that each belongs to."""
    target, column, _, days, valid = TASKS[task]
    connection = duckdb.connect()
    files = []
    for name in TABLES:
        connection.execute(
            f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM read_csv($file, nullstr=['\\N', "
            "''], null_padding=true)",
            {"file": str(source / f"{name}.csv.gz")},
        )
    connection.execute(
        "CREATE OR REPLACE TABLE moments AS SELECT raceId, date + coalesce(time, TIME '00:00:00') "
        "AS t FROM races"
    )
    connection.execute(
        "CREATE OR REPLACE TABLE races AS "
        "SELECT * EXCLUDE (date, time), t AS date FROM races JOIN moments USING (raceId)"
    )
    labels = (PROGRAMS / f"rel_f1_{task}.sql").read_text(encoding="utf-8")
    connection.execute(
        labels.format(target=target, column=column, days=days, cuts=_cuts(days, valid))
    )
    for name in (*TABLES, target):
        path = directory / f"{name}.parquet"
        rest = " EXCLUDE (part)" if name == target else ""
        # A join's rows come in any order, and folds, starts and ties go by the order of rows.
        rows_in_order = f"SELECT *{rest} FROM {name} ORDER BY ALL"
        connection.execute(f"COPY ({rows_in_order}) TO '{path}' (FORMAT parquet)")
        files.append(path)
    rows = connection.execute(
        f"SELECT date::VARCHAR, driverId::VARCHAR, part FROM {target}"
    ).fetchall()
    return files, {(date, driver): part for date, driver, part in rows}


def _cuts(days: int, valid: int) -> str:
    step = f"to_days(({days} * i)::INT)"
    return (
        f"SELECT TIMESTAMP '2010-01-01' + {step} AS t, 'test' AS part FROM range(40) r(i) "
        f"UNION ALL SELECT TIMESTAMP '2005-01-01' + {step}, 'valid' FROM range({valid}) r(i) "
        f"UNION ALL SELECT TIMESTAMP '2005-01-01' - {step}, 'train' FROM range(1, 2000) r(i) "
        f"WHERE TIMESTAMP '2005-01-01' - {step} >= (SELECT min(t) FROM moments)"
    )


EXPERIMENTS = (
    Experiment.described(
        "rel-f1", measure, tuple(SYSTEMS), columns=tuple(TASKS), clock=cpu_seconds
    ),
)
