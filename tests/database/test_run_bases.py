"""Updates record what changed since another run, and are read as if they had recorded all."""

from __future__ import annotations

from pathlib import Path
from random import Random

import duckdb
import pytest

import workbench as wb
from workbench.database import Database, run_table, take_run
from workbench.database.copying import copy_of

RULES = "Friends(person, person)\nSmokes(person)\n1 Friends(x, y) ^ Smokes(x) => Smokes(y)\n"
ASKED = {"query": "Smokes", "task": "map"}
PEOPLE = [f"P{number:03}" for number in range(60)]


@pytest.fixture
def chain() -> wb.Workspace:
    """A run, and updates of it each of which a fresh answer of the same facts stands beside."""
    random = Random(3)
    workspace = wb.open()
    workspace.declare(RULES)
    facts = [f"Friends({one}, {random.choice(PEOPLE)})" for one in PEOPLE]
    workspace.data.add(*facts, "Smokes(P000)", "!Smokes(P059)")
    workspace.infer(RULES, **ASKED)
    return workspace


def _values(workspace: wb.Workspace, run: int) -> dict[str, float]:
    table = run_table(workspace.database, run, "prediction")
    return dict(zip(table["atom"], table["value"]))


def _updated(workspace: wb.Workspace, steps: int) -> dict[int, dict[str, float]]:
    """The runs of some updates, and what each answered."""
    random, found = Random(4), {}
    for _ in range(steps):
        update = workspace.update(1, [f"Friends({random.choice(PEOPLE)}, {random.choice(PEOPLE)})"])
        result = update.result
        columns = result.prediction_columns()
        if update.facts_added:
            found[result.run_id or 0] = dict(zip(columns["atom"], columns["value"]))
    return found


def _own_rows(workspace: wb.Workspace) -> dict[int, int]:
    counts = "SELECT run, count(*) FROM run_prediction GROUP BY run"
    return dict(workspace.database.execute(counts).fetchall())


def test_an_update_records_what_changed_and_is_read_whole(chain: wb.Workspace) -> None:
    answers = _updated(chain, 6)
    assert len(answers) > 3
    assert sum(_own_rows(chain).get(run, 0) < 8 for run in answers) > 2
    for run, answer in answers.items():
        assert _values(chain, run) == answer
    assert chain.reopen(run).values.sum() == sum(answer.values())


def test_runs_that_others_are_built_on_may_be_deleted(chain: wb.Workspace) -> None:
    answers = _updated(chain, 4)
    first, *rest = answers
    for gone in (1, first):
        chain.runs.delete(gone)
    assert {run: _values(chain, run) for run in rest} == {run: answers[run] for run in rest}
    for run in rest:
        chain.runs.delete(run)
    assert _own_rows(chain) == {}


def test_copies_and_transfers_have_all_predictions(chain: wb.Workspace, tmp_path: Path) -> None:
    run, answer = list(_updated(chain, 3).items())[-1]
    with copy_of(chain.database, tmp_path / "copy.duckdb") as copied:
        table = run_table(copied, run, "prediction")
        assert dict(zip(table["atom"], table["value"])) == answer
        taken = take_run(chain.database, copied, run)
    assert _values(chain, taken) == answer


def test_the_sixth_format_has_all_predictions_of_all_runs(tmp_path: Path) -> None:
    path = tmp_path / "work.duckdb"
    with wb.open(path) as workspace:
        workspace.declare(RULES)
        workspace.data.add("Friends(Ann, Bob)", "Smokes(Ann)")
        workspace.infer(RULES, **ASKED)
        before = _values(workspace, 1)
    with duckdb.connect(str(path)) as older:
        older.execute("DROP TABLE run_base")
        older.execute("UPDATE workspace_format SET version = 6")
    with Database.open(path) as database:
        table = run_table(database, 1, "prediction")
        assert dict(zip(table["atom"], table["value"])) == before
