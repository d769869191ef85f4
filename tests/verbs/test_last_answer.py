"""The standing answer that a session holds: kept when it ends, made again where it is lost."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

import workbench
from tests.verbs.update_programs import SMOKERS
from tests.verbs.update_sequences import check_equal
from workbench.database import keeps_rows, kept_arrays, load_alchemy_text, table_prints
from workbench.errors import UsageError
from workbench.workspace import Workspace

ASKED = {"query": "Smokes,Cancer", "task": "map"}


def opened(path: Path) -> Workspace:
    workspace = workbench.open(path)
    if not workspace.runs().shape[0]:
        workspace.declare(SMOKERS)
        load_alchemy_text(workspace.database, "Friends(Anna, Bob)\nSmokes(Anna)\n")
        workspace.infer(SMOKERS, **ASKED)
    return workspace


@pytest.mark.parametrize("lost", [False, True])
def test_the_next_session_takes_it_up_or_makes_it_again(tmp_path: Path, lost: bool) -> None:
    workspace = opened(tmp_path / "work.duckdb")
    for friend in ("Bob", "Cy"):
        workspace.update(1, [f"Friends({friend}, Dan)"])
    (workspace.database if lost else workspace).close()
    with opened(tmp_path / "work.duckdb") as again:
        assert (3 in [run for run in (1, 2, 3) if kept_arrays(again.database, run)]) != lost
        done = again.update(1, ["Friends(Dan, Eve)"])
        assert done.parent == 3
        fresh = again.infer(SMOKERS, **ASKED, record=False)
        check_equal(done.result, fresh)


def test_an_update_that_changes_nothing_keeps_what_it_ground_again(tmp_path: Path) -> None:
    for _ in range(2):
        with opened(tmp_path / "work.duckdb") as workspace:
            assert workspace.update(1, ["Friends(Anna, Bob)"]).rules_ground == 0
        with opened(tmp_path / "work.duckdb") as workspace:
            assert kept_arrays(workspace.database, 1)
    with opened(tmp_path / "work.duckdb") as workspace:
        done = workspace.update(1, ["Friends(Bob, Cy)"])
        check_equal(done.result, workspace.infer(SMOKERS, **ASKED, record=False))


def test_one_answer_in_the_place_of_another(tmp_path: Path) -> None:
    with opened(tmp_path / "work.duckdb") as workspace:
        workspace.update(1, ["Friends(Bob, Cy)"])
        workspace.infer(SMOKERS, **ASKED)
        done = workspace.update(3, ["Friends(Cy, Dan)"])
        assert kept_arrays(workspace.database, 2)
        check_equal(done.result, workspace.infer(SMOKERS, **ASKED, record=False))


def test_what_if_asks_the_newest_update(tmp_path: Path) -> None:
    with opened(tmp_path / "work.duckdb") as workspace:
        workspace.update(1, ["Friends(Bob, Cy)"])
        changes = {"Smokes(Anna)": False}
        by_number = workspace.what_if(1, changes)
        assert "Smokes(Cy)" in set(by_number["atom"])
        assert by_number.equals(workspace.what_if(workspace.reopen(2), changes))
        weights = {workspace.models.rules(1)["formula"].iloc[0]: 0.0}
        assert "Smokes(Cy)" in set(workspace.what_if(1, weights=weights)["atom"])
        workspace.data.add(["Friends(Cy, Dan)"])
        for asked in ({"changes": changes}, {"weights": weights}):
            with pytest.raises(UsageError, match="E0816"):
                workspace.what_if(1, **asked)


def test_sessions_keep_what_they_changed_beside_rows_that_stay(tmp_path: Path) -> None:
    path, people = tmp_path / "work.duckdb", [f"P{number}" for number in range(40)]
    with opened(path) as workspace:
        workspace.data.add(*(f"Friends({one}, {two})" for one, two in pairwise(people)))
        run = workspace.infer(SMOKERS, **ASKED).run_id or 0
        workspace.update(run, ["Friends(P3, P9)"])
    for pair in ("P3, P11", "P20, P2", "P11, P3"):
        with opened(path) as workspace:
            done = workspace.update(run, [f"Friends({pair})"], remove=["Friends(P3, P9)"])
            check_equal(done.result, workspace.infer(SMOKERS, **ASKED, record=False))
        newest = done.result.run_id or 0
        with opened(path) as workspace:
            assert kept_arrays(workspace.database, newest)
            assert not keeps_rows(workspace.database, newest)
            assert keeps_rows(workspace.database, run + 1)
            assert not kept_arrays(workspace.database, newest - 1) or newest - 1 == run + 1
    with opened(path) as workspace:
        workspace.runs.delete(run + 1)
        done = workspace.update(run, ["Friends(P30, P2)"])
        check_equal(done.result, workspace.infer(SMOKERS, **ASKED, record=False))


def test_facts_that_another_connection_brings_are_seen(tmp_path: Path) -> None:
    with opened(tmp_path / "work.duckdb") as workspace:
        workspace.update(1, ["Friends(Bob, Cy)"])
        workspace.update(1, ["Friends(Cy, Dan)"])
        load_alchemy_text(workspace.database.beside(), "Friends(Dan, Eve)\nSmokes(Gus)")
        done = workspace.update(1, ["Friends(Eve, Bob)"])
        check_equal(done.result, workspace.infer(SMOKERS, **ASKED, record=False))
        assert any("Gus" in name for name in done.result.grounding.atoms.names())


def test_tables_that_nothing_has_changed_are_not_read_over(tmp_path: Path) -> None:
    with opened(tmp_path / "work.duckdb") as workspace:
        workspace.update(1, ["Friends(Bob, Cy)"])
        held = workspace.last_answer
        for friend in ("Dan", "Cy"):
            workspace.update(1, [f"Friends({friend}, Bob)"])
            with suppress(ZeroDivisionError), workspace.database.transaction():
                found = held.tables(workspace.database)
                assert found == table_prints(workspace.database)
                raise ZeroDivisionError
        workspace.database.remember("a", "b")
        with workspace.database.transaction():
            assert not held.tables(workspace.database)
