"""Rows that wide tables of a workspace get and lose, by updates: as if they had been loaded so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

import workbench
from workbench.database import texts_of_facts
from workbench.errors import InputError
from workbench.workspace import Workspace

APIARIES = "apiary,town\nA1,Graz\nA2,Linz\nA3,Wels\n"
HIVES = (
    "hive,apiary,age,lost\nH1,A1,1,no\nH2,A1,4,yes\nH3,A2,2,no\nH4,A2,5,yes\nH5,A1,3,\nH6,A2,1,no\n"
)
MITES = "hive,day,mites\nH1,2024-03-01,3\nH2,2024-03-02,20\nH3,2024-03-01,2\nH5,2024-03-05,11\n"
RULES = """
Hive(inspection, hive)
Mites(inspection, number)
Lost(hive)

1.5 Hive(m, x) ^ Mites(m, n) ^ n >= 10 => Lost(x)
-1 Lost(x)
"""
MAPPING = """
predict = "hives.lost"

[[tables]]
name = "apiaries"
file = "apiaries.csv"
type = "apiary"
key = "apiary"
[tables.columns]
apiary = { kind = "key" }
town = { kind = "category", predicate = "Town", type = "town" }

[[tables]]
name = "hives"
file = "hives.csv"
type = "hive"
key = "hive"
[tables.columns]
hive = { kind = "key" }
apiary = { kind = "reference", predicate = "Apiary", table = "apiaries" }
age = { kind = "number", predicate = "Age" }
lost = { kind = "yes/no", predicate = "Lost" }

[[tables]]
name = "inspections"
file = "inspections.csv"
type = "inspection"
[tables.columns]
hive = { kind = "reference", predicate = "Hive", table = "hives" }
day = { kind = "date", predicate = "Day", format = "%Y-%m-%d" }
mites = { kind = "number", predicate = "Mites" }
"""


def _folder(path: Path, hives: str = HIVES, mites: str = MITES) -> Path:
    path.mkdir()
    (path / "dataset.toml").write_text(MAPPING)
    for name, text in (("apiaries", APIARIES), ("hives", hives), ("inspections", mites)):
        (path / f"{name}.csv").write_text(text)
    return path


def _rows(path: Path, **tables: str) -> Path:
    path.mkdir()
    for name, text in tables.items():
        (path / f"{name}.csv").write_text(text)
    return path


@pytest.fixture
def hives(tmp_path: Path) -> Iterator[Workspace]:
    with workbench.open() as workspace:
        workspace.load(_folder(tmp_path / "first"), labels="evidence")
        workspace.infer(RULES, query="Lost", task="marginal")
        yield workspace


def test_rows_come_as_if_they_had_been_loaded(hives: Workspace, tmp_path: Path) -> None:
    new_hives, new_mites = "H7,A3,4,\nH8,A1,,no\n", "H7,2024-04-01,15\nH8,2024-04-01,\n"
    head = {"hives": HIVES.splitlines()[0], "inspections": MITES.splitlines()[0]}
    came = _rows(
        tmp_path / "new",
        hives=f"{head['hives']}\n{new_hives}",
        inspections=f"{head['inspections']}\n{new_mites}",
    )
    done = hives.update(1, [came])
    assert set(done.changes["atom"]) == {"Lost(H7)"}
    with workbench.open() as whole:
        whole.load(
            _folder(tmp_path / "whole", HIVES + new_hives, MITES + new_mites), labels="evidence"
        )
        assert _facts(hives) == _facts(whole)
        fresh = whole.infer(RULES, query="Lost", task="marginal").predictions()
    found = done.result.predictions()
    assert dict(zip(found["atom"], found["value"])) == pytest.approx(
        dict(zip(fresh["atom"], fresh["value"]))
    )
    again = hives.update(1, [came])
    assert again.facts_added == 0
    said = [one.message for one in again.result.warnings if one.code == "E0240"]
    assert said == [f"2 rows of {came}/inspections.csv count once: what they say is there already"]
    before = _facts(hives)
    hives.load(came, labels="evidence")
    assert _facts(hives) == before


def test_a_cell_is_corrected_and_what_is_not_given_stays(hives: Workspace, tmp_path: Path) -> None:
    rows = _rows(tmp_path / "new", hives="hive,age\nH5,7\n") / "hives.csv"
    with pytest.raises(InputError, match=r"Age\(H5, 7\) contradicts Age\(H5, 3\)"):
        hives.update(1, [rows])
    hives.update(1, [rows], correct=True)
    of_it = {
        fact[:3]
        for fact in _facts(hives)
        if fact[1] == "H5" and fact[0] not in ("Lost", "HivesRow")
    }
    assert of_it == {("Age", "H5", "7"), ("Apiary", "H5", "A1")}


@pytest.mark.parametrize("gone", [False, True])
def test_a_column_that_the_table_lacks_is_told_of(
    hives: Workspace, tmp_path: Path, gone: bool
) -> None:
    rows = _rows(tmp_path / "new", hives="hive,lost,agee\nH1,no,7\n") / "hives.csv"
    done = hives.update(1, remove=[rows]) if gone else hives.update(1, [rows])
    (said,) = (one for one in done.result.warnings if one.code == "E0260")
    assert said.message == "hives has no column agee: its cells are left out"
    assert "age, apiary, hive, lost" in (said.help or "")


@pytest.mark.parametrize("labels", ["evidence", "withheld"])
def test_a_blank_cell_does_not_ask_for_what_is_known(
    tmp_path: Path, labels: Literal["evidence", "withheld"]
) -> None:
    with workbench.open() as workspace:
        workspace.load(_folder(tmp_path / "first"), labels=labels)
        workspace.infer(RULES, query="Lost", task="marginal")
        new = "hive,age,lost\nH1,9,\nH9,1,\n"
        for number, text in enumerate((new, "hive,age\nH2,8\nH10,1\n")):
            rows = _rows(tmp_path / f"new{number}", hives=text) / "hives.csv"
            done = workspace.update(1, [rows], correct=True)
            asked = set(done.result.predictions()["atom"])
            assert not {"Lost(H1)", "Lost(H2)"} & asked
        assert {"Lost(H9)", "Lost(H10)"} <= asked


def test_rows_go(hives: Workspace, tmp_path: Path) -> None:
    old = _rows(tmp_path / "old", hives="hive,apiary,age,lost\nH5,A1,3,\n")
    done = hives.update(1, remove=[old])
    assert not [fact for fact in _facts(hives) if fact[0] != "Hive" and "H5" in fact]
    assert done.facts_removed == 4


def test_a_cell_that_refers_to_a_known_thing_is_not_warned_of(
    hives: Workspace, tmp_path: Path
) -> None:
    rows = "hive,day,mites\nH4,2024-05-01,1\nH44,2024-05-01,1\n"
    done = hives.update(1, [_rows(tmp_path / "new", inspections=rows) / "inspections.csv"])
    said = [one.message for one in done.result.warnings if one.code == "E0241"]
    assert said == ["1 cell of inspections.hive refers to nothing in hives: H44"]


def test_more_rows_are_loaded_as_the_table_was(hives: Workspace, tmp_path: Path) -> None:
    """One hive alone says nothing of its columns."""
    kept = hives.data.tables_at_hand()
    rows = _rows(tmp_path / "new", hives="hive,age,lost\nH9,2,yes\n")
    report = hives.load(rows, labels="evidence")
    assert report.facts == {"HivesRow": 1, "Age": 1, "Lost": 1}
    assert {("Age", "H9", "2", "1.0"), ("Lost", "H9", "1.0")} <= _facts(hives)
    more = replace(kept.by_name["hives"].source, more=(str(rows / "hives.csv"),))
    assert hives.data.tables_at_hand() == replace(
        kept,
        tables=tuple(
            replace(table, source=more) if table.name == "hives" else table for table in kept.tables
        ),
    )
    other = _rows(tmp_path / "other", hives="hive,colour\nH8,red\nH9,red\n")
    (table,) = hives.load(other, labels="evidence").mapping.tables
    assert [column.name for column in table.columns] == ["hive", "colour"]


@pytest.mark.parametrize("labels", ["evidence", "withheld"])
def test_more_rows_need_not_have_the_column_that_is_predicted(
    hives: Workspace, tmp_path: Path, labels: Literal["evidence", "withheld"]
) -> None:
    new = _rows(tmp_path / "new", hives="hive,age\nH9,2\n") / "hives.csv"
    report = hives.load(new, labels=labels)
    assert report.facts == {"HivesRow": 1, "Age": 1, "Lost": 1}
    assert not report.warnings
    rows = _rows(tmp_path / "more", inspections="hive,day,mites\nH9,2024-05-01,1\n")
    assert hives.load(rows, labels=labels).facts == {"Hive": 1, "Day": 1, "Mites": 1}


def test_a_study_reads_the_rows_that_came_later(hives: Workspace, tmp_path: Path) -> None:
    new = "hive,lost\n" + "".join(
        f"H{number},{'yes' if number % 2 else 'no'}\n" for number in range(10, 30)
    )
    hives.load(_rows(tmp_path / "new", hives=new), labels="evidence")
    mapping = hives.data.tables_at_hand()
    files = [table.source.path for table in mapping.tables]
    study = hives.study(files, "hives.lost", mapping=mapping, folds=2)
    assert study.labelled == 25
    again = hives.study(
        files, "hives.lost", mapping=_written(tmp_path / "dataset.toml", study.mapping), folds=2
    )
    assert again.labelled == 25
    (tmp_path / "new" / "hives.csv").write_text("hive,colour\nH40,red\n")
    with pytest.raises(InputError, match="has a column colour"):
        hives.study(files, "hives.lost", mapping=mapping, folds=2)


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "gone"), [("inspections_may", False), ("inspections", True)])
def test_rows_that_no_table_can_take_are_refused(
    hives: Workspace, tmp_path: Path, name: str, gone: bool
) -> None:
    before = _facts(hives)
    rows = [_rows(tmp_path / "new", **{name: "hive,day,mites\nH4,2024-05-01,1\n"}) / f"{name}.csv"]
    with pytest.raises(InputError) as caught:
        hives.update(1, () if gone else rows, rows if gone else ())
    assert [one.code for one in caught.value.diagnostics] == ["E0854"]
    assert _facts(hives) == before


def _facts(workspace: Workspace) -> set[tuple[str, ...]]:
    """Every fact, as its predicate, its arguments and its value as text."""
    return {
        (one.predicate, *(str(row[name]) for name in row if name not in ("world", "partition")))
        for one in texts_of_facts(workspace.database)
        for row in one.rows.to_pylist()
    }
