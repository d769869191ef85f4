"""`study`: from tables to a scored, explained program in one call."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.errors import Cancelled, Diagnostic, masked
from workbench.evaluation import calibration
from workbench.grounding.interruption import statements_heeding
from workbench.language import parse_program
from workbench.progress import SILENT, Progress, remaining
from workbench.study.asked_later import asked_later
from workbench.study.baselines import BASELINES, baseline_name
from workbench.study.blanks_among import labelled_rows
from workbench.study.columns import CandidateColumns
from workbench.study.explaining import explained_rows, intervals, studied_rules
from workbench.study.fitting import candidates_for, filled, labelled_sample
from workbench.study.folds import summarised
from workbench.study.learners import LearnerName
from workbench.study.matrix import CandidateMatrix
from workbench.study.prepared import Prepared, prepared
from workbench.study.program import program_text
from workbench.study.result import StudyResult
from workbench.study.run import Settings, Studied, run_study
from workbench.study.ties_of_blanks import told_alone
from workbench.study.unlike import classes_without_rules, telling_all, unlike_learned
from workbench.tables import (
    TablesMapping,
    find_sources,
    format_mapping,
    parts_of,
    read_mapping,
    stage,
    with_files_of,
)
from workbench.verbs.common import deadline_after
from workbench.verbs.studying.inference import A_ROW, Explain, held_out, predicted_by, with_inferred


def study(
    sources: Sequence[str | os.PathLike[str]],
    predict: str,
    *,
    out: str | os.PathLike[str] | None = None,
    time: str | None = None,
    mapping: TablesMapping | str | os.PathLike[str] | None = None,
    folds: int = 5,
    rules: int = 30,
    learner: LearnerName = "rules",
    inductive: bool = False,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Progress = SILENT,
) -> StudyResult:
    """Learn, score and explain a model of one column from tables as they are.

    Raises E0630 for too few labels, E0631 for nothing to condition on; as loading wide tables does;
    E0632 to E0635 for a time, a number of folds or rules, or a learner that cannot be.

    Parameters
    ----------
    sources : sequence of paths or URLs
        CSV, Parquet, JSON lines, Excel, SQLite, DuckDB, PostgreSQL.
    predict : str
        `TABLE.COLUMN`, or `TABLE.COLUMN=VALUE` for one value of a category. Its blanks are
        predicted.
    out : path, optional
        The directory that the commands to go on name; nothing is written.
    time : str, optional
        `TABLE.DATECOLUMN` of the same table: each row is asked at its own date, and sees nothing
        that is dated later.
    mapping : TablesMapping or path, optional
        What the columns mean; proposed where it is not given.
    learner : {'rules', 'boosted_trees'}
    inductive : bool
        In cross-validation, held-out rows see no label of other rows.
    time_limit : float, optional
        Seconds; the best so far is returned when they are over.
    """
    begun = perf_counter()
    deadline = deadline_after(time_limit)
    settings = Settings(folds, rules, learner, seed, inductive)
    settings.check()
    given = read_mapping(mapping) if isinstance(mapping, str | os.PathLike) else mapping
    progress.step("tables", 0.0)
    found = find_sources(sources)
    if given is not None:
        found = parts_of(with_files_of(found, given), given)
    with stage(found, lists_apart=True, as_mapped=given, parts_together=given is None) as staging:
        with statements_heeding(progress, staging.connection):
            ready = prepared(staging, predict, time=time, mapping=given)
        learned_by = None if deadline is None else deadline - _filling(ready, remaining(deadline))
        studied, matrix, rows = _studied(staging, ready, settings, learned_by, progress)
        result, explain = _result(staging, ready, settings, studied, matrix, rows, out)
        predicted = predicted_by(parse_program(result.program), ready)
        result = replace(
            result,
            held_out=held_out(ready, studied, rows),
            predicted=predicted,
            seconds=perf_counter() - begun,
        )
        if studied.status == "done":
            result = with_inferred(
                staging,
                replace(ready, mapping=_as_read(ready, result.program)),
                result,
                explain,
                out=out,
                seed=seed,
                deadline=deadline,
                progress=progress,
            )
    place = Path(out) if out is not None else Path("OUT")
    data = " ".join(f"--data {shlex.quote(masked(os.fspath(source)))}" for source in sources)
    go_on = f"workbench infer {place / 'program.mln'} {data} --mapping {place / 'dataset.toml'}"
    return replace(result, seconds=perf_counter() - begun, commands=(go_on,))


def _filling(ready: Prepared, left: float) -> float:
    """The seconds of those left that columns of all rows take, about, once rules are learned from
    some.
    """
    return min(0.2 * max(left, 0.0), A_ROW * sum(table.rows for table in ready.typed.values()))


def _studied(
    staging: Any,
    ready: Prepared,
    settings: Settings,
    deadline: float | None,
    progress: Progress,
) -> tuple[Studied, CandidateMatrix, Int64]:
    """The study of the labelled rows, or of a sample of them; and which rows these are."""
    rows = labelled_sample(ready.labels, settings.seed)
    until = None if deadline is None else monotonic() + 0.35 * max(deadline - monotonic(), 0.0)
    matrix = candidates_for(
        staging, ready, rows, collective=not settings.inductive, deadline=until, progress=progress
    )
    target = labelled_rows(staging, ready, rows)
    studied = run_study(matrix, target, settings, deadline=deadline, progress=progress)
    if studied.model is None:
        raise Cancelled("study")
    return studied, matrix, rows


def _result(
    staging: Any,
    ready: Prepared,
    settings: Settings,
    studied: Studied,
    matrix: CandidateMatrix,
    rows: Int64,
    out: str | os.PathLike[str] | None,
) -> tuple[StudyResult, Explain]:
    """The study by its rules, row by row; and how rows with final values are explained."""
    model = studied.model
    assert model is not None
    X = _final_columns(staging, ready, studied, matrix)
    predicted = model.predict(X)
    known = ~np.isnan(ready.labels)
    low, high = intervals(studied, model, X, known)
    out_of_fold = np.full((len(ready.rows), *predicted.shape[1:]), np.nan)
    out_of_fold[rows] = studied.out_of_fold()
    threshold = studied.threshold() if ready.kind == "yes/no" else None
    columns = {**ready.keys, **_values(ready, predicted, known), "known": known}
    if ready.kind != "category":
        columns["low"] = np.where(known, np.nan, low)
        columns["high"] = np.where(known, np.nan, high)
        columns["held_out"] = out_of_fold
    scored = np.flatnonzero(~np.isnan(out_of_fold.reshape(len(known), -1)[:, 0]))
    table: tuple[dict[str, Any], ...] = ()
    if ready.kind == "yes/no" and len(scored):
        table = tuple(_calibration_rows(out_of_fold[scored], ready.labels[scored]))
    labelled, asked = int(known.sum()), int((~known).sum())
    timed = ready.times is not None
    explain = partial(explained_rows, ready, model, matrix.candidates, X)
    unlike = unlike_learned(X, known, matrix.candidates, model.columns, timed=timed)
    unlike += telling_all(X, ready, matrix.candidates, model.columns)
    unlike += classes_without_rules(ready, model, settings.rules) + asked_later(staging, ready)
    alone = told_alone(staging, ready, model, matrix)
    program = program_text(ready, model, matrix.candidates, alone=alone)
    result = StudyResult(
        target=ready.target.name,
        kind=ready.kind,
        sentence=_sentence(ready, settings, studied, labelled, asked, len(rows)),
        labelled=labelled,
        asked=asked,
        metrics=summarised(studied.fold_scores()),
        baselines={
            baseline_name(name, ready.kind): summarised(studied.fold_scores(name))
            for name in BASELINES
        },
        rules=studied_rules(ready, model, matrix, studied, timed=timed),
        threshold=threshold,
        calibration=table,
        # Those of a study whose blanks inference predicts follow these values.
        explanations=() if asked and studied.status == "done" else explain(columns),
        columns=columns,
        program=program,
        mapping=format_mapping(_as_read(ready, program), out),
        seconds=0.0,
        status=studied.status,
        folds=len(studied.folds),
        candidates=len(matrix.candidates),
        learner=settings.learner,
        warnings=(*ready.warnings, *_cut_short(matrix, studied), *unlike),
    )
    return result, explain


def _as_read(ready: Prepared, program: str) -> TablesMapping:
    """The mapping for a program; known labels are facts of their own only where it reads them."""
    mapping = ready.mapping
    read = mapping.known is not None and f"{mapping.known}(" in program
    return mapping if read else replace(mapping, known=None)


def _cut_short(matrix: CandidateMatrix, studied: Studied) -> list[Diagnostic]:
    """What was not looked at to the end though the study was: conditions, rules of folds."""
    help = "give a longer --time-limit, or fewer tables"
    found = []
    if matrix.cut:
        why = {"time": "for want of time", "size": "as no more fit into memory"}[matrix.cut]
        said = f"the search for conditions ended after {len(matrix.candidates):,} of them, {why}"
        found.append(Diagnostic("E0645", said, help=help, severity="warning"))
    hurried = sum(not fold.model.complete for fold in studied.folds)
    if hurried:
        said = (
            f"the rules of {hurried} of {len(studied.folds)} folds were chosen in less time "
            "than they ask for"
        )
        found.append(
            Diagnostic(
                "E0645", said + ", so the scores may be too low", help=help, severity="warning"
            )
        )
    return found


def _final_columns(
    staging: Any, ready: Prepared, studied: Studied, matrix: CandidateMatrix
) -> Real:
    """The candidates that final and folds' rules read, of every row of the target's table."""
    assert studied.model is not None
    used = {*studied.model.columns, *(at for fold in studied.folds for at in fold.model.columns)}
    columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
    return filled(columns, matrix.candidates, used, ready.labels)


def _values(ready: Prepared, predicted: Float, known: Any) -> dict[str, Any]:
    if ready.kind != "category":
        return {"value": np.where(known, ready.labels, predicted)}
    best = np.argmax(predicted, axis=1)
    place = np.where(known, np.nan_to_num(ready.labels), best).astype(np.int64)
    return {
        "value": [ready.classes[at] for at in place],
        "probability": np.where(known, 1.0, predicted[np.arange(len(best)), best]),
    }


def _calibration_rows(values: Float, truth: Float) -> list[dict[str, Any]]:
    found = calibration(values, truth)
    columns = (found.lower, found.upper, found.count, found.mean_predicted, found.fraction_true)
    return [
        {
            "from": float(low),
            "to": float(high),
            "rows": int(n),
            "predicted": float(said),
            "came true": float(true),
        }
        for low, high, n, said, true in zip(*columns)
    ]


def _sentence(
    ready: Prepared, settings: Settings, studied: Studied, labelled: int, asked: int, used: int
) -> str:
    name = ready.target.name
    sizes = [len(fold.held_out) for fold in studied.folds]
    about = f"about {round(float(np.mean(sizes))):,}" if sizes else "no row"
    held = f"scored on {about} held out each time, in {len(sizes)} folds{studied.lie}"
    sample = f" ({used:,} of them drawn at random)" if used < labelled else ""
    which = f"the {labelled:,} known" if ready.times is None else "the known of earlier rows"
    known = "" if settings.inductive else f" with {which}"
    blanks = f"{asked:,} blanks predicted{known}" if asked else "no blanks to predict"
    return f"{name}: learned from {labelled:,} labels{sample}, {held}; {blanks}."
