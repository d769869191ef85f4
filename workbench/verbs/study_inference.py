"""The predictions of a study's program by the program itself, in a workspace of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from workbench.arrays import Int64
from workbench.database import Database
from workbench.errors import Diagnostic, WorkbenchError
from workbench.grounding import GroundRequest
from workbench.language import check, parse_program
from workbench.progress import Progress, remaining
from workbench.study.prepared import Prepared
from workbench.study.result import StudyResult
from workbench.tables import Staging, load_tables_as_mapped
from workbench.verbs.infer import infer

__all__ = ["with_inferred"]

WORKSPACE = "workspace.duckdb"
SECONDS = 60.0
"""For the solver, where no limit is given."""


A_RULE = 0.03
"""Seconds that a line of a program takes to ground, about."""

Key = tuple[str, ...]
"""The constants of an atom."""


def with_inferred(
    staging: Staging,
    ready: Prepared,
    result: StudyResult,
    *,
    out: str | os.PathLike[str] | None,
    deadline: float | None,
    progress: Progress,
) -> StudyResult:
    """The study with the values that inference gives the asked rows: of all of them jointly, given the known labels.

    What `infer` says of the program and what the study says of the rows are then one and the same. Where inference
    refuses, the study keeps the values of its rules row by row, and a warning says so.
    """
    if not result.asked:
        return result
    path = None if out is None else Path(out) / WORKSPACE
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
    if remaining(deadline) < A_RULE * result.program.count("\n"):
        return _not_run(result, "no time is left for it")
    try:
        values = _inferred(staging, ready, result.program, path, min(remaining(deadline), SECONDS), progress)
    except WorkbenchError as error:
        said = error.diagnostics[0] if error.diagnostics else None
        return _not_run(result, said.message if said else str(error))
    frame = result.predictions.copy()
    asked = np.flatnonzero(~frame["known"].to_numpy(bool))
    keys = list(zip(*([str(part) for part in ready.keys[name]] for name in _subject(ready))))
    if ready.kind == "category":
        found = np.array([[values.get((*keys[row], name), 0.0) for name in ready.classes] for row in asked])
        best = found.argmax(axis=1)
        frame["value"] = _replaced(frame["value"], asked, [ready.classes[place] for place in best])
        frame["probability"] = _replaced(frame["probability"], asked, found.max(axis=1))
        return replace(result, predictions=frame)
    return replace(result, predictions=_with_values(frame, ready, keys, asked, values))


def _not_run(result: StudyResult, why: str) -> StudyResult:
    note = Diagnostic(
        "E0637",
        f"the program was not run: {why}",
        help="blanks have the values that the rules give them row by row",
        severity="warning",
    )
    return replace(result, warnings=(*result.warnings, note))


def _with_values(frame: Any, ready: Prepared, keys: Sequence[Key], asked: Int64, values: Mapping[Key, float]) -> Any:
    """The predictions with the values that inference gives them, and intervals that hold these."""
    rows = np.array([row for row in asked if keys[row] in values], np.int64)
    inferred = np.array([values[keys[row]] for row in rows], np.float64)
    shift = inferred - frame["value"].to_numpy(float)[rows] if ready.kind == "number" else 0.0
    for name, kept in (("low", np.minimum), ("high", np.maximum)):
        ends = frame[name].to_numpy(float)[rows] + shift
        frame[name] = _replaced(frame[name], rows, kept(ends, inferred))
    frame["value"] = _replaced(frame["value"], rows, inferred)
    return frame


def _replaced(column: Any, rows: Any, values: Any) -> Any:
    """A column with other values in some rows."""
    changed = column.to_numpy(copy=True)
    changed[rows] = values
    return changed


def _subject(ready: Prepared) -> list[str]:
    """The key columns that name the atom of a row."""
    table = ready.target.table
    if table.key is not None:
        return [table.key]
    return [column.name for column in table.references] if table.relation is not None else ["row"]


def _inferred(
    staging: Staging, ready: Prepared, text: str, path: Path | None, seconds: float, progress: Progress
) -> dict[Key, float]:
    """The probability of each asked atom, or the number that it is, by its constants."""
    program = parse_program(text)
    predicted = next(iter(program.scopes)).head.predicate if program.scopes else ready.target.predicate
    with Database.open(path) as database:
        database.declare(program)
        load_tables_as_mapped(database, staging, ready.mapping, typed=ready.typed, labels="evidence")
        problems = [one for one in check(program) if one.severity == "error"]
        if problems:
            raise WorkbenchError(tuple(problems))
        request = GroundRequest(query=(predicted,))
        found: Any = infer(database, program, request, task="marginal", time_limit=seconds, progress=progress)
        table = found.predictions()
    from workbench.language.ground_atoms import parse_atom

    values = {}
    for atom, value in zip(table["atom"], table["value"]):
        parsed = parse_atom(str(atom))
        if parsed is not None:
            values[parsed[1]] = float(value)
    return values
