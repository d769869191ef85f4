"""Studies kept as runs: their scores as metrics, all else as one text beside the run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.database import Database, RunRecord, constant_ids, record_run
from workbench.errors import UsageError
from workbench.language import as_written, parse_program
from workbench.verbs.common import as_json
from workbench.verbs.runs import beside

if TYPE_CHECKING:
    import pandas as pd

    from workbench.study.result import HeldOut, StudyResult


@dataclass(frozen=True)
class StudyRecord:
    """A study as it was recorded.

    Attributes
    ----------
    record : mapping
        As `StudyResult.as_record`, with `program` and `mapping` beside.
    predictions : data frame
    report : str
        The HTML page.
    """

    record: Mapping[str, Any]
    predictions: pd.DataFrame
    report: str


def record_study(database: Database, result: StudyResult, *, seed: int = 0) -> int:
    """Keep a study as a run of kind `study`; its number."""
    from workbench.study.report import html_report

    scores = {
        name: found["mean"] for name, found in result.metrics.items() if found["mean"] is not None
    }
    kept = {
        "record": as_json(result.as_record())
        | {"program": result.program, "mapping": result.mapping},
        "predictions": result.predictions_csv(),
        "report": html_report(result),
    }
    types, held_out = _held_out(database, result.held_out)
    names: list[dict[str, Any]] = [
        {"name": f"part {number + 1}", "worlds": [], "kept": None} for number in range(result.folds)
    ]
    said = {"target": result.target, "kind": result.kind, "labels": result.sentence}
    record = RunRecord(
        "study",
        result.status,
        result.seconds,
        program_text=as_written(parse_program(result.program)),
        engine=result.learner,
        seed=seed,
        name=result.target,
        parameters={**said, "language": "mln"} | ({"folds": names} if held_out else {}),
        atom_types=types,
        predictions=held_out,
        metrics={
            "metric": list(scores),
            "value": [float(value) for value in scores.values() if value is not None],
        },
    )
    with database.transaction():
        number = record_run(database, record)
        database.remember(beside(number), json.dumps(kept, ensure_ascii=False))
    return number


def _held_out(
    database: Database, found: HeldOut | None
) -> tuple[dict[str, tuple[str, ...]], dict[str, Any]]:
    """The types and predictions of held-out atoms, where the workspace has such atoms."""
    stored = None if found is None else database.predicates().get(found.predicate)
    if found is None or stored is None or stored.arity != len(found.arguments):
        return {}, {}
    columns = zip(stored.argument_types, found.arguments)
    arguments = np.column_stack(
        [constant_ids(database, type_name, names) for type_name, names in columns]
    )
    there = np.all(arguments >= 0, axis=1)
    if not there.any():
        return {}, {}
    return {found.predicate: stored.argument_types}, {
        "fold": found.fold[there],
        "world": np.full(int(there.sum()), database.world_id()),
        "predicate": np.full(int(there.sum()), found.predicate, object),
        "arguments": arguments[there],
        "value": found.value[there],
        "truth": found.truth[there],
    }


def read_study(database: Database, number: int) -> StudyRecord:
    """A recorded study.

    Raises E0835 when the run is no study.
    """
    import pandas as pd

    kept = database.setting(beside(number))
    if kept is None:
        raise UsageError.of(
            "E0835", f"run {number} is no study", help="`workbench runs` says what each run is"
        )
    found = json.loads(kept)
    return StudyRecord(
        found["record"], pd.read_csv(StringIO(found["predictions"])), found["report"]
    )


def forget_study(database: Database, number: int) -> None:
    """Take away what is kept beside a run."""
    database.remember(beside(number), None)
