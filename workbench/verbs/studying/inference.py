"""The predictions of a study's program by the program itself, in a workspace of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database import Database
from workbench.errors import Diagnostic, WorkbenchError
from workbench.grounding import GroundRequest
from workbench.language import check, parse_program
from workbench.language.program import Program
from workbench.progress import Progress, remaining
from workbench.study.prepared import Prepared
from workbench.study.result import Explained, HeldOut, StudyResult
from workbench.study.run import Studied
from workbench.tables import Staging, load_tables_as_mapped
from workbench.verbs.infer import infer
from workbench.verbs.queries import query_of
from workbench.verbs.runs import record_inference
from workbench.verbs.studying.runs import record_study
from workbench.verbs.tables_look import remember_tables

WORKSPACE = "workspace.duckdb"
SECONDS = 60.0
"""For the solver, where no limit is given."""

A_RULE, A_ROW = 0.03, 3e-6
"""Seconds that a line of a program takes to ground, about, and a row of the tables to load."""

Key = tuple[str, ...]
"""The constants of an atom."""

Explain = Callable[[Any], tuple[Explained, ...]]
"""The most telling rows of the columns of predictions, explained."""


def held_out(ready: Prepared, studied: Studied, rows: Int64) -> HeldOut | None:
    """What folds said of rows held out, by atom; None but for a yes/no target without dates."""
    if ready.kind != "yes/no" or ready.times is not None or not studied.folds:
        return None
    place = np.concatenate([fold.held_out for fold in studied.folds])
    return HeldOut(
        ready.target.predicate,
        tuple([str(ready.keys[name][row]) for row in rows[place]] for name in _subject(ready)),
        np.concatenate(
            [np.full(len(fold.held_out), number) for number, fold in enumerate(studied.folds)]
        ),
        np.concatenate([fold.predicted for fold in studied.folds]),
        studied.labels[place],
    )


def with_inferred(
    staging: Staging,
    ready: Prepared,
    result: StudyResult,
    explain: Explain,
    *,
    out: str | os.PathLike[str] | None,
    seed: int,
    deadline: float | None,
    progress: Progress,
) -> StudyResult:
    """The study with the values that inference gives the asked rows: of all of them jointly, given
    the known labels.

    What `infer` says of the program and what the study says of the rows are then one and the same.
    Where inference refuses, the study keeps the values of its rules row by row, and a warning says
    so. In the directory `out` the workspace of the inference stays: the tables, the program as the
    rules at hand, both runs.
    """
    if not result.asked and out is None:
        return result
    if remaining(deadline) < _expected(ready, result.program):
        late = "the time limit left no time for it"
        return _not_run(result, late, explain) if result.asked else result
    with Database.open(_place(out)) as database:
        program = loaded(database, staging, ready, result.program)
        if result.asked:
            try:
                found = joint_values(
                    database, program, ready, seed, min(remaining(deadline), SECONDS), progress
                )
                if np.isnan(list(found.values())).any():
                    result = _not_run(result, "time was up before its first sample", explain)
                else:
                    result = _with_values(result, ready, found)
                    result = replace(result, explanations=explain(result.columns))
            except WorkbenchError as error:
                said = error.diagnostics[0] if error.diagnostics else None
                result = _not_run(result, said.message if said else str(error), explain)
        if out is not None:
            _kept(database, result, seed)
    return result


def _expected(ready: Prepared, program: str) -> float:
    """The seconds that loading the tables and grounding the program take, about."""
    rows = sum(table.rows for table in ready.typed.values())
    return A_RULE * program.count("\n") + A_ROW * rows


def _place(out: str | os.PathLike[str] | None) -> Path | None:
    """Where a new workspace goes; None for memory."""
    if out is None:
        return None
    path = Path(out) / WORKSPACE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    return path


def _kept(database: Database, result: StudyResult, seed: int) -> None:
    """Keep the study as a run, and its program as the rules at hand."""
    from workbench.verbs.rules import Rules

    record_study(database, result, seed=seed)
    Rules(database).keep(result.program, "mln")
    database.remember("query", result.predicted)


def predicted_by(program: Program, ready: Prepared) -> str:
    """The predicate that a study's program predicts: that of its scope, else the target's."""
    return program.scopes[0].head.predicate if program.scopes else ready.target.predicate


def _not_run(result: StudyResult, why: str, explain: Explain) -> StudyResult:
    note = Diagnostic(
        "E0637",
        f"the program was not run, which predicts all blanks together: {why}",
        help="blanks have the values that the rules give them row by row",
        severity="warning",
    )
    told = explain(result.columns)
    return replace(result, explanations=told, warnings=(*result.warnings, note))


def _with_values(result: StudyResult, ready: Prepared, values: Mapping[Key, float]) -> StudyResult:
    """The study with the values that inference gives its asked rows."""
    columns = dict(result.columns)
    asked = np.flatnonzero(~columns["known"])
    keys = list(zip(*([str(part) for part in ready.keys[name]] for name in _subject(ready))))
    if ready.kind == "category":
        found = np.array(
            [[values.get((*keys[row], name), 0.0) for name in ready.classes] for row in asked]
        )
        columns["value"] = list(columns["value"])
        for row, place in zip(asked.tolist(), found.argmax(axis=1).tolist()):
            columns["value"][row] = ready.classes[place]
        columns["probability"] = _replaced(columns["probability"], asked, found.max(axis=1))
        return replace(result, columns=columns)
    rows = np.array([row for row in asked if keys[row] in values], np.int64)
    inferred = np.array([values[keys[row]] for row in rows], np.float64)
    # Intervals hold the values that inference gives.
    shift = inferred - columns["value"][rows] if ready.kind == "number" else 0.0
    least = 0.0 if (columns["low"][rows] >= 0).all() else -np.inf
    for name, kept in (("low", np.minimum), ("high", np.maximum)):
        moved = np.maximum(columns[name][rows] + shift, least)
        columns[name] = _replaced(columns[name], rows, kept(moved, inferred))
    columns["value"] = _replaced(columns["value"], rows, inferred)
    return replace(result, columns=columns)


def _replaced(column: Float, rows: Int64, values: Float) -> Float:
    """A column with other values in some rows."""
    changed = column.copy()
    changed[rows] = values
    return changed


def _subject(ready: Prepared) -> list[str]:
    """The key columns that name the atom of a row."""
    table = ready.target.table
    if table.key is not None:
        return [table.key]
    return [column.name for column in table.references] if table.relation is not None else ["row"]


def loaded(database: Database, staging: Staging, ready: Prepared, text: str) -> Program:
    """A study's program, read, over the study's tables, which are put into a workspace."""
    program = parse_program(text)
    database.declare(program)
    mapping = replace(ready.mapping, definitions=())  # no program of a study names them
    load_tables_as_mapped(database, staging, mapping, typed=ready.typed, labels="evidence")
    remember_tables(database, mapping, "evidence")
    return program


def joint_values(
    database: Database,
    program: Program,
    ready: Prepared,
    seed: int,
    seconds: float,
    progress: Progress,
) -> dict[Key, float]:
    """Each asked atom's probability, or number, by its constants; the inference is a run."""
    from workbench.language.ground_atoms import parse_atom

    problems = [one for one in check(program) if one.severity == "error"]
    if problems:
        raise WorkbenchError(tuple(problems))
    predicted = predicted_by(program, ready)
    request = GroundRequest(query=(predicted,))
    found: Any = infer(
        database,
        program,
        request,
        asked=query_of(database, program, [predicted]),
        task="marginal",
        seed=seed,
        time_limit=seconds,
        progress=progress,
    )
    record_inference(
        database, found, seed, {"query": [predicted], "labels": "evidence", "time_limit": seconds}
    )
    values = {}
    table = found.prediction_columns()
    for atom, value in zip(table["atom"], table["value"]):
        parsed = parse_atom(str(atom))
        if parsed is not None:
            values[parsed[1]] = float(value)
    return values
