"""Keys that databases declare, where neither names nor values tell them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from workbench.tables import TablesMapping, find_sources, propose, stage

SHOP = """
CREATE TABLE persons (nr INTEGER PRIMARY KEY, age INTEGER);
CREATE TABLE places (town TEXT, street TEXT, size INTEGER, PRIMARY KEY (town, street));
CREATE TABLE deals (sold INTEGER, seen INTEGER, t TEXT, s TEXT, price REAL
    , FOREIGN KEY (seen) REFERENCES persons(nr), FOREIGN KEY (t, s) REFERENCES places(town, street)
);
"""
PERSONS = [(n, n % 5 + 20) for n in range(1, 31)]
PLACES = [(f"t{n % 5}", f"s{n % 3}", n) for n in range(15)]
DEALS = [(n % 9, n % 30 + 1, f"t{n % 5}", f"s{n % 3}", n / 7) for n in range(40)]


def of_database(path: Path) -> TablesMapping:
    with stage(find_sources([path])) as staging:
        return propose(staging)


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
def test_declared_keys_are_proposed(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"shop.{ending}"
    connect = sqlite3.connect if ending == "sqlite" else duckdb.connect
    with connect(str(path)) as connection:
        for statement in SHOP.split(";"):
            connection.execute(statement)
        for table, rows in (("persons", PERSONS), ("places", PLACES), ("deals", DEALS)):
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    connection.close()
    mapping = of_database(path)
    assert mapping.table("persons").key == "nr"
    assert "declared as the primary key" in mapping.table("persons").column("nr").reason
    seen, place = (mapping.table("deals").column(name) for name in ("seen", "t+s"))
    assert (seen.kind, seen.table) == ("reference", "persons")
    assert seen.reason == "declared as a foreign key, all of its values are in persons.nr"
    assert (place.kind, place.table) == ("reference", "places")
    assert place.reason == "declared as a foreign key"
    assert mapping.table("deals").column("sold").kind == "number"


def test_dangling_values_of_a_declared_reference_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE A (Id TEXT PRIMARY KEY, n INTEGER)")
        connection.execute("CREATE TABLE b (x TEXT REFERENCES a, n INTEGER)")
        connection.executemany("INSERT INTO A VALUES (?, 1)", [(f"k{n}",) for n in range(10)])
        connection.executemany("INSERT INTO b VALUES (?, 1)", [(f"k{n % 30}",) for n in range(60)])
    connection.close()
    column = of_database(path).table("b").column("x")
    said = "declared as a foreign key, 33.3 % of its values are in A.Id; 20 are not"
    assert (column.kind, column.table, column.reason) == ("reference", "A", said)
