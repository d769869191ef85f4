"""Facts from CSV, TSV, Parquet, data frames and attached databases."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import workbench as wb
from tests.database.conftest import Facts
from workbench.database import (
    Database,
    load_alchemy_text,
    load_attached,
    load_frame,
    load_tables,
    preview_table,
)
from workbench.errors import InputError, UsageError


def written(directory: Path, name: str, text: str | bytes) -> Path:
    path = directory / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_stem_header_quotes_and_value(database: Database, facts: Facts, tmp_path: Path) -> None:
    load_tables(
        database,
        written(tmp_path, "friends.csv", 'a,b,value\nAnn,"Bob, jr.",0.5\nC,D,\nE,F,true\n'),
    )
    assert facts(database, "Friends") == [
        ("Ann", "Bob, jr.", 0.5),
        ("C", "D", None),
        ("E", "F", 1.0),
    ]


def test_carriage_returns_alone_end_lines(database: Database, facts: Facts, tmp_path: Path) -> None:
    load_tables(database, written(tmp_path, "friends.csv", "a,b,value\rAnn,Bob,0.5\rC,D,1\r"))
    assert facts(database, "Friends") == [("Ann", "Bob", 0.5), ("C", "D", 1.0)]


def test_mapping_headerless_and_other_delimiters(
    database: Database, facts: Facts, tmp_path: Path
) -> None:
    path = written(tmp_path, "links.csv", "from;to;note;score\nA;B;x;0.25\n")
    load_tables(database, path, predicate="Friends", columns=["to", "from"], value="score")
    assert facts(database, "Friends") == [("B", "A", 0.25)]
    load_tables(database, written(tmp_path, "Similar.tsv", "A\tB\t-2.5\n"), header=False)
    assert facts(database, "Similar") == [("A", "B", -2.5, 1.0)]
    load_tables(database, written(tmp_path, "Rain.csv", "value\n0\n"))
    assert facts(database, "Rain") == [(0.0,)]


def test_worlds_and_partitions_in_columns(database: Database, tmp_path: Path) -> None:
    text = "world,p,partition\nnorth,Ann,evidence\nsouth,Ann,truth\n"
    report = load_tables(database, written(tmp_path, "Smokes.csv", text))
    assert report.worlds == ("north", "south")
    stored = database.predicate("Smokes").view_name
    rows = database.execute(f'SELECT world, partition FROM facts."{stored}" ORDER BY 1').fetchall()
    assert rows == [("north", "evidence"), ("south", "truth")]


@pytest.mark.parametrize(
    ("name", "text", "code", "place"),
    [
        ("Smokes.csv", "x,y\nA,B\n", "E0204", ":1:1"),
        ("Friends.csv", "x,y\nA,B\nC\n", "E0204", ":3:1"),
        ("Friends.csv", "x,y\nA,B\nC,D,E\n", "E0204", ":3:1"),
        ("Friends.csv", "x,y\nA,B\nB,\n", "E0212", ":3:1"),
        ("Friends.csv", "x,y,value\nA,B,2\n", "E0206", ":2:1"),
        ("Friends.csv", "x,y,value\nA,B,high\n", "E0210", ":2:5"),
        ("Friends.csv", "x,y,value\nA,B,1\nA,B,0\n", "E0207", ":3:1"),
        ("Friends.csv", 'x,y\nA,"B\n', "E0211", ":2:1"),
        ("Friends.csv", "x,y,partition\nA,B,train\n", "E0218", ":2:5"),
        ("Friend.csv", "x,y\nA,B\n", "E0203", ":1:1"),
        ("Fits.csv", "p,s\nAnn,Small\nAnn,Huge\nSmall,Large\n", "E0208", ":4:1"),
        ("Friends.csv", b"x,y\nA,\xff\n", "E0209", ":2:3"),
        ("Friends.csv", b"x,y\nA,\x00\n", "E0209", ":2:3"),
        ("Friends.parquet", b"no parquet", "E0211", ":"),
    ],
)
def test_faults_are_placed(
    database: Database,
    facts: Facts,
    tmp_path: Path,
    name: str,
    text: str | bytes,
    code: str,
    place: str,
) -> None:
    with pytest.raises(InputError) as caught:
        load_tables(database, written(tmp_path, name, text))
    assert caught.value.diagnostics[0].code == code
    assert name + place in str(caught.value)
    assert facts(database, "Friends") == []
    assert database.worlds() == {}


def test_long_cells_empty_files_and_unknown_suffixes(
    database: Database, facts: Facts, tmp_path: Path
) -> None:
    assert load_tables(database, written(tmp_path, "Friends.csv", "")).n_facts == 0
    assert load_tables(database, written(tmp_path, "Friends.csv", "x,y\n")).n_facts == 0
    load_tables(database, written(tmp_path, "Smokes.csv", "x\n" + "A" * 4_000_000 + "\n"))
    assert len(str(facts(database, "Smokes")[0][0])) == 4_000_000
    with pytest.raises(UsageError, match="none of the table files"):
        load_tables(database, written(tmp_path, "Friends.txt", ""))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_blank_line_is_no_row(database: Database, facts: Facts, tmp_path: Path, end: str) -> None:
    for name, lines in {
        "Smokes.csv": ["x", "Ann", "", "Bob", "", ""],
        "Friends.csv": ["x,y", "Ann,Bob", "", "Bob,Ann", ""],
    }.items():
        assert load_tables(database, written(tmp_path, name, end.join(lines))).n_facts == 2
    assert load_tables(database, written(tmp_path, "Smokes.csv", 2 * end)).n_facts == 0
    with pytest.raises(InputError, match="is empty here"):
        load_tables(database, written(tmp_path, "Smokes.csv", f'x{end}Ann{end}""{end}'))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_before_the_first_are_none(
    database: Database, facts: Facts, tmp_path: Path, end: str
) -> None:
    text = end.join(["", "  ", "a,b", "Ann,Bob", "", "C,D", ""])
    load_tables(database, written(tmp_path, "friends.csv", text))
    assert facts(database, "Friends") == [("Ann", "Bob", 1.0), ("C", "D", 1.0)]


def test_several_files_are_one_transaction(
    database: Database, facts: Facts, tmp_path: Path
) -> None:
    good, bad = (
        written(tmp_path, "Friends.csv", "x,y\nA,B\n"),
        written(tmp_path, "Smokes.csv", "x\n\nA,B\n"),
    )
    with pytest.raises(InputError):
        load_tables(database, [good, bad])
    assert facts(database, "Friends") == []


def test_parquet_and_compressed_csv(database: Database, facts: Facts, tmp_path: Path) -> None:
    with duckdb.connect() as other:
        other.execute(f"COPY (SELECT 'Ann' AS p) TO '{tmp_path}/Smokes.parquet'")
        other.execute(f"COPY (SELECT 'Bob' AS p) TO '{tmp_path}/Smokes.csv.gz'")
    load_tables(database, [tmp_path / "Smokes.parquet", tmp_path / "Smokes.csv.gz"])
    assert facts(database, "Smokes") == [("Ann", 1.0), ("Bob", 1.0)]
    assert preview_table(tmp_path / "Smokes.csv.gz").rows == (("Bob",),)


def test_frames(database: Database, facts: Facts) -> None:
    frame = pd.DataFrame({"a": ["Ann", "Bob"], "b": [7, 8], "weight": [1.0, 0.5]})
    load_frame(database, frame, predicate="Friends", value="weight")
    assert facts(database, "Friends") == [("Ann", "7", 1.0), ("Bob", "8", 0.5)]


def test_attached_databases(database: Database, facts: Facts, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute(
            "CREATE SCHEMA staff; CREATE VIEW staff.people AS SELECT 'Ann' AS name, 0.5 AS value"
        )
    load_attached(database, tmp_path / "other.duckdb", table="staff.people", predicate="Smokes")
    assert facts(database, "Smokes") == [("Ann", 0.5)]
    with pytest.raises(InputError, match="E0213"):
        load_attached(database, tmp_path / "other.duckdb", table="nobody", predicate="Smokes")


def test_sqlite_files_need_no_extension(database: Database, facts: Facts, tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE knows (a, b TEXT, weight REAL)")
        other.executemany(
            "INSERT INTO knows VALUES (?, ?, ?)",
            [("Ann", 7, 1.0), (b"Bob", 8, 0.5), ('D"an', 9, None)],
        )
        other.execute("CREATE VIEW surely AS SELECT a AS p FROM knows WHERE weight = 1")
        other.commit()
    report = load_attached(database, path, table="knows", predicate="Friends", value="weight")
    assert report.facts == {"Friends": 3}
    assert set(facts(database, "Friends")) == {
        ("Ann", "7", 1.0),
        ("Bob", "8", 0.5),
        ('D"an', "9", None),
    }
    load_attached(database, path, table="main.surely", predicate="Smokes")
    assert facts(database, "Smokes") == [("Ann", 1.0)]
    with pytest.raises(InputError, match="E0213"):
        load_attached(database, path, table="nobody", predicate="Smokes")


def test_same_facts_same_ids_in_any_order(tmp_path: Path) -> None:
    from tests.database.conftest import PROGRAM

    dumps = []
    for lines in (["A,B", "B,C", "C,A"], ["C,A", "A,B", "B,C", "A,B"]):
        with Database.open(threads=1) as database:
            database.declare(PROGRAM)
            load_tables(database, written(tmp_path, "Friends.csv", "\n".join(["x,y", *lines])))
            load_alchemy_text(database, "\n".join(f"Smokes({line[0]})" for line in lines))
            tables = ("domain", "c_person", '"p_Friends"', '"p_Smokes"')
            dumps.append([database.execute(f"FROM {table}").fetchall() for table in tables])
    assert dumps[0] == dumps[1]


def test_a_first_line_that_may_be_a_fact_is_told(database: Database, tmp_path: Path) -> None:
    doubtful = written(tmp_path, "friends.tsv", "Ann\tBob\nBob\tCarl\n")
    (doubt,) = load_tables(database, doubtful).warnings
    assert (doubt.code, doubt.severity) == ("E0226", "warning")
    assert doubt.span is not None
    assert (doubt.span.line, doubt.span.column) == (1, 5)
    named = written(tmp_path, "friends.csv", "a,b\nBob,Carl\n")
    assert load_tables(database, named).warnings == ()
    assert load_tables(database, doubtful, header=False).warnings == ()
    assert load_tables(database, doubtful, columns=["Ann", "Bob"]).warnings == ()
    frame = pd.DataFrame({"Ann": ["Bob"], "Bob": ["Dora"]})
    assert load_frame(database, frame, predicate="Friends").warnings == ()


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_tables_whose_names_hold_dots_are_read(tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"other.{kind}"
    connect = duckdb.connect if kind == "duckdb" else sqlite3.connect
    with closing(connect(source)) as other:
        other.execute('CREATE TABLE "a.b" (id VARCHAR, age INT)')
        other.execute("""INSERT INTO "a.b" VALUES ('P1', 1), ('P2', 2)""")
        other.commit()
    with wb.open() as workspace:
        assert workspace.load([source], wide=True).facts == {"Age": 2}
