"""A program and its mapping on other tables of the same shape: however those are written,
the same predictions.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import workbench
from workbench.cli import app
from workbench.database import texts_of_facts
from workbench.errors import InputError

MAPPING = """
predict = "pupils.passed=y"
[[tables]]
name = "pupils"
file = "pupils.csv"
separator = ","
type = "pupil"
key = "pupil"
[tables.columns]
pupil = { kind = "key" }
house = { kind = "category", predicate = "House", type = "house" }
score = { kind = "number", predicate = "Score" }
passed = { kind = "yes/no", predicate = "Passed", yes = ["y"], no = ["n"] }
[[tables]]
name = "friends"
file = "friends.csv"
separator = ","
relation = "Friends"
[tables.columns]
pupil = { kind = "reference", table = "pupils" }
friend = { kind = "reference", table = "pupils" }
"""
PROGRAM = """
Passed(pupil)
*House(pupil, house)
*Score(pupil, number)
*Friends(pupil, pupil)
Scored(x) := Score(x, s).
1.5 House(x, "blue") => Passed(x)
-0.75 Score(x, s) ^ s >= 50.5 => Passed(x)
0.5 !Scored(x) => Passed(x)
1.25 Friends(x, y) => Passed(x)
-0.25 Passed(x)
"""
HOUSES, SCORES = ["blue", "red", "blue", "never seen"], [50.5, np.nan, 12.0, 80.0]
PUPILS = pd.DataFrame(
    {"pupil": ["n1", "n2", "n3", "n 4"], "house": HOUSES, "score": SCORES, "passed": None}
)
FRIENDS = pd.DataFrame({"pupil": ["n2", "n 4"], "friend": ["n1", "n1"]})


def expected(pupils: pd.DataFrame, friends: pd.DataFrame) -> list[float]:
    """The probabilities; nobody has two friends."""
    log_odds = (
        1.5 * (pupils["house"] == "blue")
        - 0.75 * (pupils["score"] >= 50.5)
        + 0.5 * pupils["score"].isna()
        + 1.25 * pupils["pupil"].isin(friends["pupil"])
        - 0.25
    )
    return (1 / (1 + np.exp(-log_odds.to_numpy(float)))).tolist()


def written(tables: dict[str, pd.DataFrame], folder: Path, separator: str = ",") -> list[str]:
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False, sep=separator)
    (folder / "program.mln").write_text(PROGRAM, encoding="utf-8")
    (folder / "dataset.toml").write_text(MAPPING, encoding="utf-8")
    data = [part for name in tables for part in ("--data", str(folder / f"{name}.csv"))]
    return ["infer", str(folder / "program.mln"), "--mapping", str(folder / "dataset.toml"), *data]


Change = Callable[[pd.DataFrame], pd.DataFrame]


@pytest.mark.parametrize(
    ("change", "separator"),
    [
        (lambda pupils: pupils, ","),
        (lambda pupils: pupils, ";"),
        (lambda pupils: pupils, "\t"),
        (lambda pupils: pupils[pupils.columns[::-1]], ","),
        (lambda pupils: pupils.assign(hobby="chess, go"), ";"),
        (lambda pupils: pupils.drop(columns="passed"), ","),
        (lambda pupils: pupils.drop(columns="passed"), ";"),
        (lambda pupils: pupils.assign(score=np.nan), ","),
        (lambda pupils: pupils.assign(house=None), ","),
    ],
)
def test_new_rows_are_predicted_however_their_files_are_written(
    tmp_path: Path, change: Change, separator: str
) -> None:
    pupils = change(PUPILS)
    line = written({"pupils": pupils, "friends": FRIENDS}, tmp_path, separator)
    called = CliRunner().invoke(app, [*line, "--out", str(tmp_path / "said.csv")])
    assert called.exit_code == 0, called.output
    said = pd.read_csv(tmp_path / "said.csv").set_index("atom")["value"]
    atoms = [f'Passed("{name}")' if " " in name else f"Passed({name})" for name in PUPILS["pupil"]]
    found = {atom.replace('"', ""): value for atom, value in said.items()}
    assert [found[atom.replace('"', "")] for atom in atoms] == pytest.approx(
        expected(pupils, FRIENDS)
    )
    assert len(said) == len(PUPILS)
    assert "E0243" not in called.output


def test_a_relation_without_rows_holds_of_nothing(tmp_path: Path) -> None:
    line = written({"pupils": PUPILS, "friends": FRIENDS[:0]}, tmp_path)
    called = CliRunner().invoke(app, [*line, "--out", str(tmp_path / "said.csv")])
    assert called.exit_code == 0, called.output
    said = sorted(pd.read_csv(tmp_path / "said.csv")["value"])
    assert said == pytest.approx(sorted(expected(PUPILS, FRIENDS[:0])))


@pytest.mark.parametrize("column", ["house", "pupil", "score"])
def test_a_column_that_is_not_there_is_named_with_a_cure(tmp_path: Path, column: str) -> None:
    line = written({"pupils": PUPILS.drop(columns=column), "friends": FRIENDS}, tmp_path)
    raised = CliRunner().invoke(app, line).exception
    assert isinstance(raised, InputError)
    (fault,) = raised.diagnostics
    assert (fault.code, f"has no column {column}" in fault.message) == ("E0235", True)
    assert "take it out of the mapping" in str(fault.help)


def test_another_decimal_mark_is_said_with_its_cure(tmp_path: Path) -> None:
    line = written(
        {"pupils": PUPILS.assign(score=["50,5", "", "12,0", "80,0"]), "friends": FRIENDS},
        tmp_path,
        ";",
    )
    raised = CliRunner().invoke(app, line).exception
    assert isinstance(raised, InputError)
    assert 'decimal = ","' in str(raised.diagnostics[0].help)
    mapping = MAPPING.replace('predicate = "Score"', 'predicate = "Score", decimal = ","')
    (tmp_path / "dataset.toml").write_text(mapping, encoding="utf-8")
    called = CliRunner().invoke(app, [*line, "--out", str(tmp_path / "said.csv")])
    assert called.exit_code == 0, called.output
    said = sorted(pd.read_csv(tmp_path / "said.csv")["value"])
    assert said == pytest.approx(sorted(expected(PUPILS, FRIENDS)))


def facts_of(ws: workbench.Workspace) -> set[tuple[str, ...]]:
    """Every fact as text."""
    return {
        (one.predicate, *(str(row[name]) for name in row if name.startswith("a")))
        for one in texts_of_facts(ws.database)
        for row in one.rows.to_pylist()
    }


def test_typed_cells_are_read_as_they_are_whatever_the_mapping_says_of_texts(
    tmp_path: Path,
) -> None:
    """A mapping made from a file of texts is given the same rows as a data frame holds them."""
    text = "id;day;hour;price\nA;21/01/2020;01/02/2021 06:30;1.234,5\nB;22/11/2021;;2,75\n"
    text += "".join(f"{one};2{at % 9}/03/2019;;{at},125\n" for at, one in enumerate("CDEFGHIJ"))
    (tmp_path / "offers.csv").write_text(text)
    with workbench.open() as ws:
        report = ws.load(tmp_path / "offers.csv", wide=True)
        expected = facts_of(ws)
    frame = pd.read_csv(tmp_path / "offers.csv", sep=";", decimal=",", thousands=".")
    frame["day"] = pd.to_datetime(frame["day"], format="%d/%m/%Y")
    frame["hour"] = pd.to_datetime(frame["hour"], format="%d/%m/%Y %H:%M")
    frame.to_parquet(tmp_path / "offers.parquet")
    with workbench.open() as ws:
        ws.load(tmp_path / "offers.parquet", mapping=report.mapping)
        assert facts_of(ws) == expected


def _houses(folder: Path, names: list[str], known: bool) -> list[str]:
    """Houses, of some only the key is known, and visits, also of a house without a row."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    area = rng.integers(30, 200, len(names)).astype(float)
    area[::5] = np.nan
    told: dict[str, list[object]] = {
        "sold": np.where(np.nan_to_num(area) > 110, "yes", "no").tolist(),
        "sort": np.where(np.nan_to_num(area) > 110, "villa", "hut").tolist(),
        "price": (100 + np.nan_to_num(area)).tolist(),
    }
    columns = {name: cells if known else [None] * len(names) for name, cells in told.items()}
    houses = pd.DataFrame({"house": names, "area": area, **columns})
    visits = pd.DataFrame({"visit": range(1, 62), "house": [*(names * 60)[:60], "H99"]})
    houses.to_csv(folder / "houses.csv", index=False)
    visits.to_csv(folder / "visits.csv", index=False)
    return [str(folder / "houses.csv"), str(folder / "visits.csv")]


@pytest.mark.parametrize("target", ["sold", "sort", "price"])
def test_each_row_of_new_tables_is_predicted_and_nothing_else(tmp_path: Path, target: str) -> None:
    old = _houses(tmp_path / "old", [f"H{number:02}" for number in range(60)], True)
    new = _houses(tmp_path / "new", ["H70", "H71", "H72"], False)
    runner, out = CliRunner(), tmp_path / "out"
    done = runner.invoke(
        app, ["study", *old, "--predict", f"houses.{target}", "--out", str(out), "--folds", "2"]
    )
    assert done.exit_code == 0, done.output
    data = [part for file in new for part in ("--data", file)]
    said = tmp_path / "said.csv"
    line = ["infer", str(out / "program.mln"), *data, "--mapping", str(out / "dataset.toml")]
    done = runner.invoke(app, [*line, "--out", str(said)])
    assert done.exit_code == 0, done.output
    atoms = pd.read_csv(said)["atom"]
    assert set(atoms.str.extract(r"\((H\d+)")[0]) == {"H70", "H71", "H72"}
    assert len(atoms) == (6 if target == "sort" else 3)


def test_what_a_table_of_the_same_name_takes_the_place_of_is_said(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first, other = tmp_path / "customers.csv", tmp_path / "other" / "customers.csv"
    first.write_text("id,age,size\n1,20,3\n2,30,4\n")
    other.write_text("id,age,colour\n1,20,red\n2,30,blue\n3,31,red\n")
    with workbench.open() as workspace:
        workspace.load([first], wide=True)
        (note,) = workspace.load([other], wide=True).warnings
        assert note.code == "E0259"
        assert "the facts of Size are gone" in note.message
        assert workspace.load([other], wide=True).facts["Age"] == 0
