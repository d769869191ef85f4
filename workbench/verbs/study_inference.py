"""The predictions of a study's program by the program itself, in a workspace of its own."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

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
    try:
        values = _inferred(staging, ready, result.program, path, min(remaining(deadline), SECONDS), progress)
    except WorkbenchError as error:
        said = error.diagnostics[0] if error.diagnostics else None
        note = Diagnostic(
            "E0637",
            f"the program was not run: {said.message if said else error}",
            help="blanks have the values that the rules give them row by row",
            severity="warning",
        )
        return replace(result, warnings=(*result.warnings, note))
    frame = result.predictions.copy()
    keys = [", ".join(str(part) for part in parts) for parts in zip(*(ready.keys[name] for name in _subject(ready)))]
    found = np.array([values.get(key, np.nan) for key in keys])
    change = ~frame["known"].to_numpy(bool) & ~np.isnan(found)
    frame.loc[change, "value"] = found[change]
    frame.loc[change, "low"] = np.minimum(frame.loc[change, "low"], found[change])
    frame.loc[change, "high"] = np.maximum(frame.loc[change, "high"], found[change])
    return replace(result, predictions=frame)


def _subject(ready: Prepared) -> list[str]:
    """The key columns that name the atom of a row."""
    table = ready.target.table
    if table.key is not None:
        return [table.key]
    return [column.name for column in table.references] if table.relation is not None else ["row"]


def _inferred(
    staging: Staging, ready: Prepared, text: str, path: Path | None, seconds: float, progress: Progress
) -> dict[str, float]:
    """The probability of each asked atom, by its constants."""
    program = parse_program(text)
    with Database.open(path) as database:
        database.declare(program)
        load_tables_as_mapped(database, staging, ready.mapping, typed=ready.typed, labels="evidence")
        problems = [one for one in check(program) if one.severity == "error"]
        if problems:
            raise WorkbenchError(tuple(problems))
        request = GroundRequest(query=(ready.target.predicate,))
        found: Any = infer(database, program, request, task="marginal", time_limit=seconds, progress=progress)
        table = found.predictions()
    from workbench.language.ground_atoms import parse_atom

    values = {}
    for atom, value in zip(table["atom"], table["value"]):
        parsed = parse_atom(str(atom))
        if parsed is not None:
            values[", ".join(parsed[1])] = float(value)
    return values
