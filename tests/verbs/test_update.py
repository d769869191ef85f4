"""Updates: equal to fresh runs, all or nothing, and only what is touched done again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import workbench
from tests.verbs.update_programs import MODELS, SMOKERS, SOFT
from tests.verbs.update_sequences import check_equal, facts_of, run_sequence
from workbench.database import data_hash, load_alchemy_text
from workbench.errors import Cancelled, InfeasibleError, InputError, UsageError
from workbench.grounding import Grounding
from workbench.inference import Solution
from workbench.network import reported_energy
from workbench.progress import Progress
from workbench.verbs.updating.live import Asked
from workbench.workspace import Workspace

QUERY = "Smokes,Cancer"


@pytest.fixture
def smokers() -> Iterator[Workspace]:
    with workbench.open() as workspace:
        workspace.declare(SMOKERS)
        load_alchemy_text(
            workspace.database,
            "Friends(Anna, Bob)\nFriends(Carl, Dora)\nSmokes(Anna)\nCancer(Eve)\n",
        )
        workspace.infer(SMOKERS, query=QUERY, task="map")
        yield workspace


@pytest.mark.parametrize("name", sorted(MODELS))
def test_random_updates_equal_fresh_runs(name: str) -> None:
    run_sequence(3, steps=2, name=name)


def test_what_nothing_touches_keeps_its_answer(smokers: Workspace) -> None:
    done = smokers.update(1, ["Friends(Bob, Fred)"])
    assert done.atoms_solved < done.result.grounding.atoms.n_atoms
    assert set(done.changes["atom"]) == {"Smokes(Fred)", "Cancer(Fred)"}
    check_equal(done.result, smokers.infer(SMOKERS, query=QUERY, task="map", record=False))
    again = smokers.update(1, "Friends(Bob, Fred)")
    assert (again.facts_added, again.result.run_id, len(again.changes)) == (
        0,
        done.result.run_id,
        0,
    )
    back = smokers.update(1, remove=["Friends(Bob, Fred)"])
    assert (back.parent, back.rows_removed) == (done.result.run_id, done.rows_added)
    assert back.changes["after"].isna().all()


@pytest.mark.parametrize("name", ["t", "n", "d", "w", "f", "world", "domain", "known_rows"])
def test_no_name_of_the_file_confuses_queries(tmp_path: Path, name: str) -> None:
    # DuckDB reads `t.world` as a table, too, where a file is called t.duckdb.
    with workbench.open(tmp_path / f"{name}.duckdb") as workspace:
        workspace.declare(SMOKERS)
        assert workspace.data.add(["Friends(Anna, Bob)", "Smokes(Anna)"]) == 2
        run = workspace.infer(SMOKERS, query=QUERY, task="map").run_id
        assert run is not None
        assert workspace.update(run, ["!Smokes(Bob)", "Smokes(Eve)"]).facts_added == 2
        with pytest.raises(InputError, match=r"Smokes\(Bob\) contradicts"):
            workspace.update(run, ["Smokes(Bob)"])
        assert workspace.update(run, ["Smokes(Bob)"], correct=True).facts_added == 1
        assert workspace.update(run, remove=["Smokes(Eve)"]).facts_removed == 1


def test_no_file_is_called_as_the_schema_of_facts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="E0201"):
        workbench.open(tmp_path / "Facts.v2.duckdb")
    assert not list(tmp_path.iterdir())


def test_facts_that_changed_otherwise_are_answered_in_full(smokers: Workspace) -> None:
    assert smokers.data.add(["Friends(Dora, Eve)", ("Smokes(Carl)",)]) == 2
    done = smokers.update(1, ["Friends(Bob, Fred)"])
    assert done.atoms_solved == done.result.grounding.atoms.n_atoms
    assert "Smokes(Dora)" in set(done.changes["atom"])
    check_equal(done.result, smokers.infer(SMOKERS, query=QUERY, task="map", record=False))


def test_an_update_records_the_hash_that_its_facts_have(smokers: Workspace) -> None:
    run = 1
    for add, remove in (
        (["Friends(Bob, Fred)", "!Smokes(Fred)"], []),
        ([], ["Cancer(Eve)", "Friends(Bob, Fred)"]),
    ):
        run = smokers.update(run, add, remove).result.run_id or 0
        assert smokers.runs.get(run).data_hash == data_hash(smokers.database)


def test_a_refused_update_leaves_everything(smokers: Workspace) -> None:
    before, runs = facts_of(smokers), len(smokers.runs())
    with pytest.raises(InputError, match="E0850"):
        smokers.update(1, ["Friends(Bob, Fred)", "!Smokes(Anna)"])
    for nothing in ("", " \n"):  # not the folder that one is in
        with pytest.raises(InputError, match="E0814"):
            smokers.update(1, ["Friends(Bob, Fred)", nothing])
    hard = SMOKERS.replace("1.5 Smokes(x) => Cancer(x)", "Smokes(x) => Cancer(x).")
    run = smokers.infer(hard, query=QUERY, task="map").run_id
    assert run is not None
    with pytest.raises(InfeasibleError, match="E0852"):
        smokers.update(run, ["Friends(Bob, Fred)", "!Cancer(Anna)"])
    assert (facts_of(smokers), len(smokers.runs())) == (before, runs + 1)
    assert smokers.data.correct("!Smokes(Anna)") == 1
    assert smokers.data.remove("!Smokes(Anna)") == 1


def test_a_hard_rule_of_the_run_is_named_by_its_place_there() -> None:
    with workbench.open() as ws:
        ws.declare("A(p)\nB(p)\n")
        ws.data.add(["B(X)"])
        run = ws.infer("A(p)\nB(p)\n1 A(x)\n!A(x) v !B(x).\n", query="A", task="map").run_id
        assert run is not None
        with pytest.raises(InfeasibleError) as refused:
            ws.update(run, ["A(X)"])
    assert "  --> the run's rules:" in str(refused.value)


def test_what_if_is_taken_back(smokers: Workspace) -> None:
    before = facts_of(smokers)
    told = smokers.what_if(smokers.reopen(1), {"Smokes(Anna)": False}).set_index("atom")["after"]
    assert facts_of(smokers) == before
    smokers.data.correct("!Smokes(Anna)")
    fresh = (
        smokers.infer(SMOKERS, query=QUERY, task="map", record=False)
        .predictions()
        .set_index("atom")["value"]
    )
    assert (told[fresh.index] == fresh).all()


def test_soft_logic_with_new_targets() -> None:
    with workbench.open() as workspace:
        workspace.declare(SOFT)
        people = ("A", "B", "C")
        pairs = [(one, other) for one in people for other in people if one != other]
        workspace.data.add(*(f"Knows({one}, {other})" for one, other in pairs))
        workspace.data.add("0.9 Trusts(A, B)")
        workspace.data.add(
            *(f"?Trusts({one}, {other})" for one, other in pairs[1:]), partition="target"
        )
        workspace.infer(SOFT, engine="clarabel")
        targets = [f"?Trusts({one}, D)" for one in people] + [
            f"?Trusts(D, {one})" for one in people
        ]
        done = workspace.update(1, targets, partition="target")
        done = workspace.update(1, ["Knows(A, D)", "Knows(D, A)"], ["Knows(A, C)"])
        fresh = workspace.infer(SOFT, engine="clarabel", record=False)
        check_equal(done.result, fresh)


def test_targets_that_no_rule_names_stay_predicted() -> None:
    with workbench.open() as workspace:
        workspace.declare(SOFT + "1.0: !Likes(A)\n")
        workspace.data.add("Knows(A, B)", "Knows(B, A)")
        workspace.data.add("?Trusts(A, B)", "?Trusts(B, A)", partition="target")
        workspace.data.add("?Likes(A)", partition="target")
        first = workspace.infer(SOFT, engine="clarabel")
        done = workspace.update(1, ["0.5 Trusts(A, B)"])
        assert set(first.query) == set(done.result.query) == {"Trusts", "Likes"}
        check_equal(done.result, workspace.infer(SOFT, engine="clarabel", record=False))


@pytest.mark.parametrize("task", ["map", "marginal"])
def test_numbers_are_brought_up_to_date(task: Literal["map", "marginal"]) -> None:
    rules = (
        "Old(house)\nNear(house, house)\nPrice(house) = number\n7 Price(x)\n-2.5 Old(x) ^ "
        "Price(x)\n"
    )
    with workbench.open() as workspace:
        workspace.declare(rules)
        workspace.data.add("Near(A, B)", "Near(B, C)", "Old(A)")
        run = workspace.infer(rules, query="Price", task=task).run_id or 0
        for fact in ("Old(B)", "Old(D)"):
            done = workspace.update(run, fact)
            fresh = workspace.infer(rules, query="Price", task=task, record=False)
            check_equal(done.result, fresh)
            np.testing.assert_allclose(done.result.values, fresh.values)
        assert dict(zip(done.changes["atom"], done.changes["after"])) == {"Price(D)": 4.5}
        newest = workspace.reopen(done.result.run_id or 0)
        told = workspace.what_if(newest, {"Old(C)": True}).set_index("atom")["after"]
        assert told["Price(C)"] == 4.5


def test_positive_numbers_are_brought_up_to_date() -> None:
    rules = "Old(house)\nPrice(house) = positive_number\n7 Price(x)\n-2 Old(x) ^ Price(x)\n"
    with workbench.open() as workspace:
        workspace.declare(rules)
        workspace.data.add("Old(A)", "Old(B)", "!Old(C)")
        run = workspace.infer(rules, query="Price").run_id or 0
        for change in ({"add": "Old(D)"}, {"remove": "Old(B)"}):
            done = workspace.update(run, **change).result
            fresh = workspace.infer(rules, query="Price", record=False)
            np.testing.assert_allclose(done.values, fresh.values)


def test_atoms_asked_at_dates_come_with_their_dates() -> None:
    rules = """
Starts(driver, date)
Crash(driver, date)
Dnf(driver, date)
Crashes(d, t, n) := Starts(d, t) ^ n = count(s: Crash(d, s) ^ s < t).
Dnf(d, t) open where Starts(d, t).
0.8 * n: Crashes(d, t, n) => Dnf(d, t)
-0.5 Dnf(d, t)
"""
    with workbench.open() as workspace:
        workspace.declare(rules)
        workspace.data.add("Starts(A, 2020-06-01)", "Crash(A, 2020-01-31)")
        run = workspace.infer(rules, query="Dnf", task="map").run_id or 0
        assert "Crashes" in workspace.reopen(run).explain('Dnf(A, "2020-06-01")').sentence()
        done = workspace.update(run, ["Starts(B, 2021-03-01)", "Starts(A, 2021-03-01)"])
        assert set(done.changes["atom"]) == {'Dnf(A, "2021-03-01")', 'Dnf(B, "2021-03-01")'}
        check_equal(done.result, workspace.infer(rules, query="Dnf", task="map", record=False))


def test_what_if_finds_atoms_asked_at_dates_that_an_update_brought() -> None:
    rules = """
Starts(driver, date)
Dnf(driver, date)
Dnf(d, t) open where Starts(d, t).
-0.4 Dnf(d, t)
0.6 Dnf(d, t) ^ Starts(d, t) ^ Starts(e, t) => Dnf(e, t)
"""
    with workbench.open() as workspace:
        workspace.declare(rules)
        workspace.data.add("Starts(A, 2020-06-01)", "Starts(B, 2020-06-01)")
        run = workspace.infer(rules, query="Dnf").run_id or 0
        done = workspace.update(run, ["Starts(A, 2021-03-01)", "Starts(B, 2021-03-01)"])
        supposed: dict[str, bool | None] = {'Dnf(B, "2021-03-01")': True}
        for weights in ({}, {"Dnf(d, t)": -0.4}):
            told = workspace.what_if(done.result, supposed, weights=weights)
            assert told["after"].isna().sum() == 1
            assert told.set_index("atom")["change"]['Dnf(A, "2021-03-01")'] > 0.1


def test_what_if_of_constants_of_different_worlds_is_refused() -> None:
    with workbench.open() as workspace:
        workspace.declare("F(t, t)\nP(t)\n1 F(x, y) ^ P(x) => P(y)\n")
        workspace.data.add("F(A, A)", world="one")
        workspace.data.add("F(B, B)", world="two")
        result = workspace.infer("F(t, t)\nP(t)\n1 F(x, y) ^ P(x) => P(y)\n", query="P")
        with pytest.raises(UsageError, match="no world has all the constants"):
            workspace.what_if(result, {"F(A, B)": True})


def test_any_later_date_moves_now() -> None:
    rules = """
Ill(person, date)
Seen(person, date)
Weak(person)
Recent(x, n) := n = count(t: Ill(x, t) ^ t > $now - 30).
1.0 * n: Recent(x, n) => Weak(x)
-0.5 Weak(x)
"""
    with workbench.open() as workspace:
        workspace.declare(rules)
        workspace.data.add("Ill(A, 2020-01-20)", "Seen(B, 2020-01-31)")
        run = workspace.infer(rules, query="Weak", task="map").run_id or 0
        done = workspace.update(run, "Seen(B, 2021-01-31)")
        assert dict(zip(done.changes["atom"], done.changes["after"])) == {"Weak(A)": 0.0}
        check_equal(done.result, workspace.infer(rules, query="Weak", task="map", record=False))


def test_a_cancel_while_solving_changes_nothing(
    smokers: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, progress = facts_of(smokers), Progress()

    def solved(asked: Asked, grounding: Grounding, *given: Any) -> Solution:
        progress.cancel_event.set()
        return solve(asked, grounding, *given)

    solve = Asked.solve
    with monkeypatch.context() as patched:
        patched.setattr(Asked, "solve", solved)
        with pytest.raises(Cancelled):
            smokers.update(1, ["Friends(Bob, Fred)", "Smokes(Fred)"], progress=progress)
    assert progress.cancelled
    assert (facts_of(smokers), len(smokers.runs.all())) == (before, 1)
    done = smokers.update(1, ["Friends(Bob, Fred)", "Smokes(Fred)"])
    check_equal(done.result, smokers.infer(SMOKERS, query=QUERY, task="map", record=False))


def test_a_time_limit_ends_solving_alone(smokers: Workspace) -> None:
    asked = {"query": QUERY, "task": "map", "engine": "maxwalksat", "time_limit": 1e-9}
    run = smokers.infer(SMOKERS, **asked).run_id or 0
    done = smokers.update(run, ["Friends(Bob, Fred)", "Smokes(Fred)"])
    assert done.facts_added == 2
    assert done.result.solution.status in ("limit", "feasible")
    energy = reported_energy(done.result.grounding.network, done.result.weights, done.result.values)
    assert done.result.solution.bound <= done.result.solution.energy == pytest.approx(energy)


def test_rows_that_nothing_changed_stay_where_they_are(smokers: Workspace) -> None:
    smokers.data.add(*(f"Friends(P{one}, P{one + 1})" for one in range(60)))
    run = smokers.infer(SMOKERS, query=QUERY, task="map").run_id or 0
    smokers.update(run, ["Friends(P1, P5)"])
    done = smokers.update(run, ["Friends(P3, P9)"])
    assert done.rows_added > 0
    assert "A" not in vars(done.result.grounding.network)
    check_equal(done.result, smokers.infer(SMOKERS, query=QUERY, task="map", record=False))


def test_an_update_imports_neither_pandas_nor_all_functions_of_arrow(tmp_path: Path) -> None:
    path = tmp_path / "work.duckdb"
    with workbench.open(path) as workspace:
        workspace.declare(SMOKERS)
        load_alchemy_text(workspace.database, "Friends(Anna, Bob)\nSmokes(Anna)\n")
        workspace.infer(SMOKERS, query=QUERY, task="map")
    code = (
        "import sys, workbench\n"
        f"with workbench.open({str(path)!r}) as workspace:\n"
        "    told = workspace.update(1, ['Friends(Bob, Fred)']).summary()\n"
        "print(told['changed'], *({'pandas', 'pyarrow.compute'} & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert found.stdout.split() == ["2"]
