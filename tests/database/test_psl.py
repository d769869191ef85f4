"""Facts in PSL's form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.database.conftest import Facts
from tests.kits.datasets import dataset
from workbench.database import Database, load_psl_data, load_psl_table
from workbench.errors import InputError


def test_tables_with_and_without_truth_values(
    database: Database, facts: Facts, tmp_path: Path
) -> None:
    path = tmp_path / "friends.txt"
    path.write_text("Ann\tBob\nAnn\tCarl\t0.25\n\nBob, jr.\tAnn\t1\n")
    load_psl_table(database, path, predicate="friends", partition="target")
    assert facts(database, "Friends") == [
        ("Ann", "Bob", None),
        ("Ann", "Carl", 0.25),
        ("Bob, jr.", "Ann", 1.0),
    ]
    load_psl_table(database, path, predicate="Friends", world="another")
    assert ("Ann", "Bob", 1.0) in facts(database, "Friends")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("A\tB\nA\n", "E0204", 2),
        ("A\tB\tC\n", "E0210", 1),
        ("A\tB\t2\n", "E0206", 1),
        ("A\t\t1\n", "E0212", 1),
    ],
)
def test_faults_are_placed(
    database: Database, tmp_path: Path, text: str, code: str, line: int
) -> None:
    path = tmp_path / "friends.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=f"(?s){code}.*friends.txt:{line}:"):
        load_psl_table(database, path, predicate="Friends")


def test_data_file_in_yaml(tmp_path: Path) -> None:
    (tmp_path / "facts.data").write_text(
        "predicates:\n  Knows/2: open\n  Lived/2:\n    - closed\n    - types:\n      - "
        "UniqueIntID\n      - Town\n"
        "observations:\n  lived: lived.tsv\ntargets:\n  Knows: [knows.tsv]\ntruth:\n  Knows: "
        "knows.tsv\n"
    )
    (tmp_path / "lived.tsv").write_text("1\tRome\t0.5\n")
    (tmp_path / "knows.tsv").write_text("1\t2\n")
    with Database.open(threads=1) as database:
        load_psl_data(database, tmp_path / "facts.data")
        assert database.execute("SELECT * FROM facts.Lived").fetchall() == [
            ("world", "1", "Rome", 0.5, "evidence")
        ]
        rows = database.execute("SELECT partition FROM facts.Knows ORDER BY 1").fetchall()
        assert rows == [("truth",), ("target",)]
        assert database.predicate("Lived").closed is True
        assert database.predicate("Knows").closed is False


def test_json_with_comments_and_rows_in_place(tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text(
        '# a comment\n{"rules": [],\n// another\n"predicates": {"Smokes/1": {"targets": [["Bob"]], '
        '"truth": {"infer": [["Bob", 0]], "learn": [["Bob", 1]]}}}}'
    )
    with Database.open(threads=1) as database:
        load_psl_data(database, tmp_path / "facts.json")
        rows = database.execute(
            "SELECT value, partition FROM facts.Smokes ORDER BY partition"
        ).fetchall()
        assert rows == [(0.0, "truth"), (None, "target")]


@pytest.mark.parametrize(
    "text", ["", "- a\n", "predicates:\n  Knows: open\n", "predicates: {Knows/2: open\n"]
)
def test_broken_data_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "facts.data").write_text(text)
    with Database.open(threads=1) as database, pytest.raises(InputError, match=r"E013[01]"):
        load_psl_data(database, tmp_path / "facts.data")


def test_simple_acquaintances() -> None:
    directory = dataset("psl-simple-acquaintances")
    with Database.open(threads=1) as database:
        load_psl_data(database, directory / "simple-acquaintances.data")
        counts = database.execute(
            'SELECT partition, count(*) FROM "p_Knows" GROUP BY 1 ORDER BY 1'
        ).fetchall()
        assert counts == [("evidence", 482), ("truth", 118), ("target", 118)]
