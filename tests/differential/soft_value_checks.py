"""Soft programs over numbers and dates held against the rules that they stand for."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from tests.differential.outcome import Tally
from tests.differential.psl_checks import (
    ENGINES,
    World,
    answered_as_meant,
    check_answer,
    check_energies,
)
from tests.differential.psl_meaning import Unlisted, rows_of
from tests.differential.psl_syntax import read_rule
from tests.differential.soft_value_programs import SoftValueCase
from workbench.database import Database
from workbench.language.psl.document_reading import parse_psl_document
from workbench.workspace import Workspace


def check_soft_values(case: SoftValueCase, tally: Tally) -> None:
    """Raise `Difference` where the workbench and the oracle disagree."""
    try:
        worlds = [_meaning(case, number) for number in range(len(case.known))]
        refused = None
    except Unlisted as unlisted:
        worlds, refused = [], unlisted
    documents = [json.dumps(case.document(number)) for number in range(len(case.known))]
    with Workspace(Database.open(threads=1)) as workspace, tempfile.TemporaryDirectory() as folder:
        program = workspace.declare(parse_psl_document(documents[0]).program())
        for (name, _), text in zip(case.listed.worlds, documents):
            path = Path(folder) / f"{name}.json"
            path.write_text(text, encoding="utf-8")
            workspace.load(path, world=name)
        engine = ENGINES[case.seed % len(ENGINES)]
        result = answered_as_meant(workspace, program, engine, worlds, refused, tally)
        if result is None:
            return
        tally.add("definitions", len(case.made))
        tally.add("scopes", len(case.scopes))
        # What lies outside the scopes and would be open alone is in no sum of evidence.
        check_energies(case.seed, result, worlds, evidence=not case.scopes)
        check_answer(result, worlds)


def _meaning(case: SoftValueCase, number: int) -> World:
    listed = case.meant(number)
    rows = [
        row for _, lines in case.rules for line in lines for row in rows_of(read_rule(line), listed)
    ]
    atoms = [key for key, value in listed.values.items() if value is None]
    return case.listed.worlds[number][0], rows, atoms
