"""Datasets and directories."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.database import Database, load_dataset, load_file, read_dataset, read_folds
from workbench.errors import InputError

DESCRIPTION = """\
name = "Smokers"
program = "smokers.mln"
query = ["Smokes"]
folds = "worlds"

[[facts]]
file = "*/friends.csv"
columns = ["to", "from"]
world = "{directory}"

[[facts]]
file = "*/smokes.db"
world = "{directory}"
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "dataset.toml").write_text(DESCRIPTION)
    (tmp_path / "smokers.mln").write_text("Friends(person, person)\nSmokes(person)\n1 Smokes(x)\n")
    for town, person in (("north", "Ann"), ("south", "Bob")):
        (tmp_path / town).mkdir()
        (tmp_path / town / "friends.csv").write_text(f"from,to,since\n{person},Cem,1999\n")
        (tmp_path / town / "smokes.db").write_text(f"Smokes({person})\n")
    return tmp_path


def test_a_dataset_with_worlds_and_folds(directory: Path) -> None:
    assert read_dataset(directory).query == ("Smokes",)
    with Database.open(threads=1) as database:
        report = load_dataset(database, directory)
        assert report.worlds == ("north", "south")
        rows = database.execute(
            "SELECT world, person_1, person_2 FROM facts.Friends ORDER BY 1"
        ).fetchall()
        assert rows == [("north", "Cem", "Ann"), ("south", "Cem", "Bob")]
        first, second = read_folds(database)
        assert (first.train_worlds, first.test_worlds) == (("south",), ("north",))
        assert (second.train_worlds, second.test_worlds) == (("north",), ("south",))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("query", "querry", 3),
        ('name = "Smokers"', "name = 3", 1),
        ('query = ["Smokes"]', "query = Smokes", 3),
        ('columns = ["to", "from"]', 'colums = ["to", "from"]', 8),
        ('folds = "worlds"', 'folds = "random"', 4),
        ('file = "*/smokes.db"', "", 6),
    ],
)
def test_faults_of_the_description(directory: Path, old: str, new: str, line: int) -> None:
    (directory / "dataset.toml").write_text(DESCRIPTION.replace(old, new))
    with Database.open(threads=1) as database, pytest.raises(InputError, match="E0214") as caught:
        load_dataset(database, directory)
    assert f"dataset.toml:{line}:" in str(caught.value)


def test_a_missing_file_loads_nothing(directory: Path) -> None:
    (directory / "dataset.toml").write_text(DESCRIPTION.replace("*/smokes.db", "*/smoke.db"))
    with Database.open(threads=1) as database:
        with pytest.raises(InputError, match="E0211"):
            load_dataset(database, directory)
        assert database.worlds() == {}
        assert database.predicates() == {}


def test_directories_without_description(directory: Path) -> None:
    (directory / "dataset.toml").unlink()
    with Database.open(threads=1) as database:
        from workbench.language import read_program

        database.declare(read_program(directory / "smokers.mln"))
        for town in ("north", "south"):
            (directory / town / "friends.csv").unlink()
        assert load_file(database, directory).worlds == ("north", "south")
