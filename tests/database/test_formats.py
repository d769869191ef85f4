"""One registry tells what a file is: loaders, `dataset.toml`, truth and wide tables."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from workbench.database import (
    FORMATS,
    Database,
    FileFacts,
    endings,
    format_of,
    load_dataset,
    load_facts,
    write_table,
)
from workbench.errors import UsageError, WorkbenchError
from workbench.language import parse_mln
from workbench.tables import form_of
from workbench.workspace import open_workspace

PROGRAM = "Knows(person, person)\n1 Knows(x, y) => Knows(y, x)\n"
DOCUMENT = "predicates:\n  Knows/2: closed\nobservations:\n  Knows:\n    - ['Ann Lee', 'Bo']\n"
FILES = {
    "Knows.db": 'Knows("Ann Lee", Bo)\n',
    "Knows.csv": "a,b\nAnn Lee,Bo\n",
    "Knows.TSV": "a\tb\nAnn Lee\tBo\n",
    "Knows.tab": "a\tb\nAnn Lee\tBo\n",
    "Knows.txt": "Ann Lee\tBo\n",
    "model.data": DOCUMENT,
    "model.YAML": DOCUMENT,
    "model.yml": DOCUMENT,
    "bk.pl": "'Knows'('Ann Lee', 'Bo').\n",
}


def stored(database: Database) -> int:
    return int(database.execute('SELECT count(*) FROM "p_Knows"').fetchone()[0])


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_every_door_reads_a_form_alike(tmp_path: Path, name: str, packed: bool) -> None:
    if packed and not format_of(name).packed:
        assert format_of(f"{name}.gz") is None
        return
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(FILES[name].encode()) if packed else FILES[name].encode())
    (tmp_path / "rules.mln").write_text(PROGRAM)
    (tmp_path / "dataset.toml").write_text(
        f'program = "rules.mln"\n[[facts]]\nfile = "{path.name}"\n'
    )
    with Database.open() as one, Database.open() as other, open_workspace() as workspace:
        one.declare(parse_mln(PROGRAM))
        load_facts(one, path)
        load_dataset(other, tmp_path)
        workspace.load(path, rules=PROGRAM)
        assert stored(one) == stored(other) == stored(workspace.database) == 1


def test_endings_that_forms_share_are_told_by_the_first_bytes(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE t (x)")
    duckdb.connect(str(tmp_path / "b.db")).close()
    (tmp_path / "c.db").write_text("Knows(Ann, Bo)\n")
    found = [format_of(tmp_path / f"{name}.db") for name in "abc"]
    assert [form.name for form in found if form] == ["sqlite", "duckdb", "alchemy"]
    assert [form_of(tmp_path / f"{name}.db") for name in "abc"] == ["sqlite", "duckdb", None]


def test_a_format_named_in_the_description_comes_before_the_ending(tmp_path: Path) -> None:
    (tmp_path / "Knows.tsv").write_text("Ann\tBo\nBo\tCy\n")
    (tmp_path / "dataset.toml").write_text(
        '[predicates]\nKnows = ["person", "person"]\n[[facts]]\nfile = "Knows.tsv"\nformat = '
        '"psl"\n'
    )
    with Database.open() as database:
        load_dataset(database, tmp_path)
        assert stored(database) == 2


def test_what_a_form_has_no_place_for_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Knows.db").write_text("Knows(Ann, Bo)\n")
    with Database.open() as database, pytest.raises(UsageError, match="E0249"):
        load_facts(database, tmp_path / "Knows.db", FileFacts(columns=("a", "b")))


@pytest.mark.parametrize("name", ["notes.rst", "facts", "people.xlsx"])
def test_files_of_no_form_of_facts_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Knows(Ann, Bo)\n")
    with Database.open() as database, pytest.raises(WorkbenchError, match="E0211"):
        load_facts(database, tmp_path / name)


@pytest.mark.parametrize(
    "ending", [ending for form in FORMATS.values() if form.write for ending in form.suffixes]
)
def test_written_tables_read_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"Knows{ending}"
    write_table(
        pd.DataFrame({"a": ["Ann Lee", "007"], "b": ["Bo, Jr.", "8"]}), path, texts=("a", "b")
    )
    with Database.open() as database:
        database.declare(parse_mln(PROGRAM))
        load_facts(database, path)
        assert stored(database) == 2


def test_every_ending_stands_in_the_registry() -> None:
    assert set(endings("columns")) < set(endings("facts"))
    assert {".xlsx", ".jsonl", ".sqlite"} <= set(endings("wide")) - set(endings("facts"))


@pytest.mark.parametrize("name", ["P.db", "P.csv", "model.data"])
def test_lines_that_end_in_carriage_returns_alone_are_lines(tmp_path: Path, name: str) -> None:
    texts = {"P.db": "P(A)\rP(B)\rP(C)\r", "P.csv": "x\rA\rB\rC\r", "P.tsv": "A\rB\rC\r"}
    for file, text in texts.items():
        (tmp_path / file).write_bytes(text.encode())
    (tmp_path / "model.data").write_text("predicates: {P/1: closed}\nobservations: {P: P.tsv}\n")
    with open_workspace() as workspace:
        assert dict(workspace.load(tmp_path / name, rules="P(t)").facts) == {"P": 3}
