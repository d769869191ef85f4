"""Soft programs over numbers and dates brought up to date, beside fresh runs."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from tests.differential.outcome import Difference, Tally
from tests.differential.soft_update_checks import PARTITIONS, STEPS, check_equal, fact_text
from tests.differential.soft_value_programs import SoftValueCase
from workbench.database import Database
from workbench.errors import WorkbenchError
from workbench.language.program import Program
from workbench.language.psl.document_reading import parse_psl_document
from workbench.verbs.infer import InferenceResult
from workbench.workspace import Workspace

__all__ = ["check_soft_value_updates"]

Documents = dict[str, dict[str, Any]]


def check_soft_value_updates(case: SoftValueCase, tally: Tally) -> None:
    """Raise `Difference` where an update or refusal is not that of a fresh run."""
    draw = Random(f"soft value updates {case.seed}")
    whole: Documents = {
        name: json.loads(json.dumps(case.document(number)))
        for number, (name, _) in enumerate(case.listed.worlds)
    }
    program = parse_psl_document(json.dumps(next(iter(whole.values())))).program()
    there = copy.deepcopy(whole)
    for document in there.values():
        for rows in _lists(document).values():
            rows[1:] = [row for row in rows[1:] if draw.random() < 0.8]
    with _holding(there, program) as workspace:
        first = _answer(workspace, program)
        if isinstance(first, str):
            tally.add(f"left out: the first run is refused, {first}")
            return
        for _ in range(STEPS):
            world, part = draw.choice(list(there)), draw.choice(list(PARTITIONS))
            after = copy.deepcopy(there)
            add, gone = [], []
            for (predicate, of), rows in _lists(after[world]).items():
                for row in _lists(whole[world])[predicate, of] if of == part else ():
                    if row in rows and len(rows) > 1 and draw.random() < 0.05:
                        rows.remove(row)
                        gone.append(_text(predicate, part, row))
                    elif row not in rows and draw.random() < 0.3:
                        rows.append(row)
                        add.append(_text(predicate, part, row))
            with _holding(after, program) as other:
                # What rules took from the data stays as the run had it.
                fresh = _answer(other, first.program)
            try:
                updated = workspace.update(
                    first.run_id, add, gone, world=world, partition=PARTITIONS[part]
                ).result
            except WorkbenchError as error:
                if fresh != error.diagnostics[0].code:
                    raise Difference("soft value update", f"refused: {error}") from None
                tally.add(f"refused as a fresh run, {fresh}")
                continue
            check_equal(updated, fresh)
            tally.add("updates as fresh runs")
            there = after


def _lists(document: dict[str, Any]) -> dict[tuple[str, str], list[list[Any]]]:
    """The rows of each predicate and part."""
    return {
        (name, part): said[part]
        for name, said in document["predicates"].items()
        for part in PARTITIONS
        if part in said
    }


def _text(signature: str, part: str, row: list[Any]) -> str:
    name, _, arity = signature.partition("/")
    value = row[int(arity)] if len(row) > int(arity) else None
    return fact_text((name, part, tuple(map(str, row[: int(arity)])), value))


def _holding(documents: Documents, program: Program) -> Workspace:
    workspace = Workspace(Database.open(threads=1))
    workspace.declare(program)
    with tempfile.TemporaryDirectory() as folder:
        for name, document in documents.items():
            path = Path(folder) / f"{name}.json"
            path.write_text(json.dumps(document), encoding="utf-8")
            workspace.load(path, world=name)
    return workspace


def _answer(workspace: Workspace, program: Program) -> InferenceResult | str:
    """What is inferred, or the code of what is said instead."""
    try:
        return workspace.infer(workspace.declare(program), engine="clarabel")
    except WorkbenchError as error:
        return error.diagnostics[0].code
