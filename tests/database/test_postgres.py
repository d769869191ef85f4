"""Tables of a PostgreSQL server of the test's own, on a socket that nobody else sees."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import workbench as wb
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.database.conftest import Facts
from workbench.database import Database, facts_page, load_attached
from workbench.errors import InputError, masked
from workbench.tables import find_sources, format_mapping, propose, stage

PEOPLE = """
CREATE TABLE people (person_id text PRIMARY KEY, age int, born date, income numeric(10, 2),
    member boolean, seen timestamptz);
INSERT INTO people SELECT 'P' || n, 20 + n, DATE '1990-01-01' + n, n * 10.5,
    CASE WHEN n % 3 > 0 THEN n % 2 = 0 END,
    TIMESTAMPTZ '2020-01-01 12:30:00+00' FROM generate_series(1, 40) n;
CREATE SCHEMA staff;
CREATE TABLE staff.desks (desk_id text, person_id text);
INSERT INTO staff.desks SELECT 'D' || n, 'P' || (1 + n % 40) FROM generate_series(1, 60) n;
CREATE TABLE staff.turns (who text REFERENCES people, hours int);
INSERT INTO staff.turns SELECT 'P' || (1 + n % 40), n FROM generate_series(1, 60) n;
CREATE VIEW knows AS SELECT 'Ann' AS a, 7 AS b, 0.5 AS weight;
ALTER USER postgres PASSWORD 'hush';
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    pytest.importorskip("adbc_driver_postgresql", reason="adbc-driver-postgresql is not installed")
    initdb = shutil.which("initdb") or next(
        (str(p) for p in Path("/usr/lib/postgresql").glob("*/bin/initdb")), None
    )
    if initdb is None:
        pytest.skip("PostgreSQL's server is not installed")
    folder = Path(tempfile.mkdtemp(prefix="wb-pg-"))
    as_user = {}
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root.
        shutil.chown(folder, "postgres", "postgres")
        as_user = {"user": "postgres", "group": "postgres", "cwd": folder}
    try:
        quiet = {
            "check": True,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            **as_user,
        }
        subprocess.run([initdb, "-D", folder / "data", "-U", "postgres", "-A", "trust"], **quiet)  # type: ignore[call-overload]
        bin_folder = Path(initdb).resolve().parent
        options = f"-c listen_addresses='' -c fsync=off -k {folder}"
        control = [
            bin_folder / "pg_ctl",
            "-D",
            folder / "data",
            "-w",
            "-l",
            folder / "log",
            "-o",
            options,
        ]
        subprocess.run([*control, "start"], **quiet)  # type: ignore[call-overload]
        try:
            command = [
                bin_folder / "psql",
                "-h",
                folder,
                "-U",
                "postgres",
                "-v",
                "ON_ERROR_STOP=1",
                "-c",
                PEOPLE,
            ]
            subprocess.run(command, **quiet)  # type: ignore[call-overload]
            yield f"postgresql://postgres:hush@/postgres?host={folder}"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **quiet)  # type: ignore[call-overload]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_wide_tables_by_address(server: str, tmp_path: Path, run: Run) -> None:
    loaded = run("load", tmp_path / "work.duckdb", server, "--predict", "people.member", "--json")
    tables = {table["name"]: table for table in loaded.json["tables"]}
    assert set(tables) == {"people", "desks", "knows", "turns"}
    kinds = {column["name"]: column["kind"] for column in tables["people"]["columns"]}
    assert kinds == {
        "person_id": "key",
        "age": "number",
        "born": "date",
        "income": "number",
        "member": "yes/no",
        "seen": "constant",
    }
    assert "hush" not in loaded.out
    assert b"hush" not in (tmp_path / "work.duckdb").read_bytes()
    with wb.open(tmp_path / "work.duckdb") as ws:
        counted = {
            name: len(facts_page(ws.database, name, limit=100).rows)
            for name in ("Born", "Income", "Person")
        }
    assert counted == {"Born": 40, "Income": 40, "Person": 60}


def test_declared_references_and_data_by_address(server: str, tmp_path: Path, run: Run) -> None:
    with stage(find_sources([server])) as staging:
        mapping = propose(staging, predict="people.member")
    column = mapping.table("turns").column("who")
    assert column.reason == "declared as a foreign key, all of its values are in people.person_id"
    (tmp_path / "dataset.toml").write_text(format_mapping(mapping, tmp_path))
    (tmp_path / "rules.mln").write_text(
        "Age(person, number)\nMember(person)\n1.5 Age(p, a) ^ a > 30 => Member(p)\n"
    )
    asked = ["infer", tmp_path / "rules.mln", "--data", server, "--json"]
    answered = run(*asked, "--mapping", tmp_path / "dataset.toml")
    assert answered.code == 0
    refused = run(*asked)
    assert "nothing says what its tables mean" in refused.out
    assert "hush" not in refused.out + refused.err


def test_facts_of_a_view(server: str, database: Database, facts: Facts) -> None:
    load_attached(database, server, table="knows", predicate="Friends", value="weight")
    assert facts(database, "Friends") == [("Ann", "7", 0.5)]


@pytest.mark.parametrize("table", ["nobody", "people; DROP TABLE people"])
def test_a_table_that_is_not_there(server: str, database: Database, table: str) -> None:
    with pytest.raises(InputError, match="E0213") as fault:
        load_attached(database, server, table=table, predicate="Smokes")
    assert "hush" not in str(fault.value)


def test_a_server_that_is_not_there(database: Database) -> None:
    pytest.importorskip("adbc_driver_postgresql")
    with pytest.raises(InputError, match="E0213") as fault:
        load_attached(
            database, "postgresql://ada:hush@127.0.0.1:1/db", table="t", predicate="Smokes"
        )
    assert "hush" not in str(fault.value)
    assert "rights of its user" in str(fault.value)


def test_an_address_without_its_password_is_asked_for_again(database: Database) -> None:
    """Mappings and commands that are printed hold a mask in its place."""
    pytest.importorskip("adbc_driver_postgresql")
    without = "postgresql://ada:***@127.0.0.1:1/db"
    with pytest.raises(InputError, match="stands for the password"):
        load_attached(database, without, table="t", predicate="Smokes")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ada:hu/sh@host:5/db fails", "postgresql://ada:***@host:5/db fails"),
        ("postgresql://ada:hu@sh@host/db", "postgresql://ada:***@host/db"),
        ("http://host:8700/a@b", "http://host:8700/a@b"),
    ],
)
def test_passwords_are_masked_whatever_signs_they_hold(text: str, shown: str) -> None:
    assert masked(text) == shown
