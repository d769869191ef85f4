"""Workspaces of older formats, brought up to date as they are opened."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import workbench as wb
from workbench.database import Database, load_alchemy_text, run_table, scored_predictions
from workbench.errors import InputError

OLD = Path(__file__).parent / "formats" / "format_2.sql"
OLD_AND_SICK = "*Old(person)\nSick(person)\n0.5 Old(x) => Sick(x)\n"
CEM = 'Smokes("Cem \\"C\\"")'


@pytest.fixture
def old(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "old.duckdb")) as connection:
        connection.execute(OLD.read_text(encoding="utf-8"))
    return tmp_path / "old.duckdb"


def test_predictions_recorded_as_text_find_their_worlds_and_labels(old: Path) -> None:
    with pytest.raises(InputError, match="opened for writing"):
        Database.open(old, read_only=True)
    with Database.open(old, threads=1) as database:
        frame = run_table(database, 1, "prediction")
        names = [("Smokes(Ann)", "north"), ("Smokes(Bob)", "north"), (CEM, "north")]
        names += [("Smokes(Ann)", "south"), ("Smokes(Dan)", "south"), ("Smokes(Eve)", "south")]
        assert list(zip(frame["atom"], frame["world"])) == names
        assert frame["value"].tolist() == pytest.approx([0.24965, 0.379965, 0.555873] * 2, abs=1e-6)
        assert scored_predictions(database, 1)["truth"].tolist() == [1, 1, 0, 0, 1, 0]
        assert run_table(database, 2, "prediction")["world"].tolist() == ["south"] * 3
        folds = run_table(database, 3, "prediction")
        assert list(zip(folds["fold"], folds["world"])) == [(0, "north")] * 3 + [(1, "south")] * 3
        assert folds["truth"].tolist() == [1, 1, 0, 0, 1, 0]
    with Database.open(old, read_only=True) as database:
        assert len(run_table(database, 1, "prediction")) == 6


def test_the_first_format_gains_what_weights_are_recorded_with(old: Path) -> None:
    with duckdb.connect(str(old)) as older:
        for column in ("open", "satisfied", "violated", "low", "high"):
            older.execute(f"ALTER TABLE run_weight DROP COLUMN {column}")
        older.execute("UPDATE workspace_format SET version = 1")
    with Database.open(old) as database:
        assert "low" in run_table(database, 1, "weight")
        assert len(run_table(database, 1, "prediction")) == 6


def test_the_fifth_format_gains_what_labels_say_beside_a_weight(tmp_path: Path) -> None:
    path, columns = tmp_path / "work.duckdb", ["support", "rate", "rate_of_others"]
    with wb.open(path) as workspace:
        workspace.declare(OLD_AND_SICK)
        load_alchemy_text(workspace.database, "Old(Ann)\nSick(Ann)\nSick(Bob)\n!Sick(Cem)\n")
        workspace.learn(OLD_AND_SICK, query="Sick")
    with duckdb.connect(str(path)) as older:
        for column in columns:
            older.execute(f"ALTER TABLE run_weight DROP COLUMN {column}")
        older.execute("DROP TABLE run_base")
        older.execute("UPDATE workspace_format SET version = 5")
    with wb.open(path) as workspace:
        assert workspace.models.rules(1)[columns].isna().all(axis=None)
        workspace.learn(OLD_AND_SICK, query="Sick")
        assert workspace.models.rules(2)[columns].to_numpy().tolist() == [[1.0, 1.0, 0.5]]


def test_a_run_of_an_older_workspace_is_opened_again(old: Path) -> None:
    with wb.open(old) as workspace:
        assert workspace.reopen(1).value("Smokes(Eve)") == pytest.approx(0.555873, abs=1e-6)
        changed = workspace.what_if(workspace.reopen(1), {"Friends(Dan, Eve)": False})
        assert len(changed) == 6
        assert changed.loc[changed["change"].abs() > 1e-9, "world"].unique().tolist() == ["south"]


def test_a_world_that_the_record_does_not_tell_stays_unknown(old: Path) -> None:
    """Ann is in both worlds: with one record of two it may be either's."""
    with duckdb.connect(str(old)) as connection:
        connection.execute(
            "DELETE FROM run_prediction WHERE run = 1 AND atom = 'Smokes(Ann)' AND rowid = 0"
        )
    with Database.open(old) as database:
        frame = scored_predictions(database, 1)
        assert frame["world"].isna().tolist() == [False, False, True, False, False]
        assert frame["truth"].isna().tolist() == [False, False, True, False, False]


def test_predictions_of_a_predicate_declared_otherwise_since_keep_their_names(old: Path) -> None:
    with duckdb.connect(str(old)) as connection:
        connection.execute(
            "UPDATE run_prediction SET predicate = 'Gone', atom = replace(atom, 'Smokes', 'Gone')"
        )
    with Database.open(old) as database:
        assert run_table(database, 2, "prediction")["atom"].tolist() == [
            "Gone(Ann)",
            "Gone(Dan)",
            "Gone(Eve)",
        ]
        assert scored_predictions(database, 2)["truth"].isna().all()


def test_a_workspace_that_lacks_a_table_is_not_brought_up_to_date(old: Path) -> None:
    with duckdb.connect(str(old)) as connection:
        connection.execute("DROP TABLE run_prediction")
    with pytest.raises(InputError, match="E0222"):
        Database.open(old)
