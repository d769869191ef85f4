"""A full disk, a damaged file and a damaged log: told apart, and what is whole is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

import workbench as wb
from workbench.database import Database, load_alchemy_text, salvage
from workbench.database.rows import copy_table
from workbench.database.storage_faults import storage_fault
from workbench.errors import InputError, UsageError, masked
from workbench.language import parse_mln

PROGRAM = parse_mln("Friends(person, person)\nSmokes(person)\n1 Smokes(x) => Smokes(x)")

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.argv = ["workbench", *sys.argv[2:]]
from workbench.cli import main
main()
"""


def facts(path: Path, people: int) -> Path:
    path.write_text(
        "\n".join(f"Friends(P{i}, P{i * 7919 % people})" for i in range(people)), encoding="utf-8"
    )
    return path


def limited(size: int, *command: object) -> subprocess.CompletedProcess[str]:
    """A command that may write no file beyond a size, as on a disk that is full.

    It compiles no modules (-B): they would be cut off, too, and every later command would fail to
    read them.
    """
    return subprocess.run(
        [sys.executable, "-B", "-c", LIMITED, str(size), *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.mln"
    path.write_text("Friends(person, person)\n1 Friends(x, y) => Friends(y, x)\n", encoding="utf-8")
    return path


def made(path: Path) -> Path:
    with Database.open(path) as database:
        database.declare(PROGRAM)
        load_alchemy_text(database, "Friends(Ada, Bo)\nSmokes(Bo)")
    return path


def test_a_full_disk_is_said_and_a_new_workspace_is_not_left_behind(
    tmp_path: Path, rules: Path
) -> None:
    new = tmp_path / "new.duckdb"
    for size in (100, 600_000):
        ended = limited(size, "load", new, facts(tmp_path / "many.db", 60_000), "--rules", rules)
        assert ended.returncode == 1
        assert "error[E0221]: the disk is full" in ended.stderr
        assert size > 100 or not new.exists()


def test_a_full_disk_keeps_what_was_there(tmp_path: Path, rules: Path) -> None:
    workspace = tmp_path / "w.duckdb"
    assert (
        limited(
            10**9, "load", workspace, facts(tmp_path / "few.db", 5), "--rules", rules
        ).returncode
        == 0
    )
    size = workspace.stat().st_size + 300_000
    ended = limited(
        size, "load", workspace, facts(tmp_path / "many.db", 60_000), "--world", "other"
    )
    assert ended.returncode == 1
    assert "E0221" in ended.stderr
    with Database.open(workspace) as database:
        assert database.execute('SELECT count(*) FROM facts."Friends"').fetchall() == [(5,)]
        assert list(database.worlds()) == ["world"]


def test_an_empty_file_is_a_new_workspace(tmp_path: Path) -> None:
    for read_only in (False, True):
        path = tmp_path / f"{read_only}.duckdb"
        path.touch()
        with Database.open(path, read_only=read_only) as database:
            assert not database.predicates()


@pytest.mark.parametrize("begins", ["no database", "SQLite format 3\0" + "\0" * 200])
def test_a_path_that_speaks_of_locks_is_not_locked(tmp_path: Path, begins: str) -> None:
    path = tmp_path / "locksmith.duckdb"
    path.write_text(begins)
    with pytest.raises(InputError, match="is no DuckDB database"):
        Database.open(path)


@pytest.mark.parametrize("damage", ["cut", "zeroed header", "zeroed block", "without a table"])
def test_a_damaged_workspace_is_told_at_opening(tmp_path: Path, damage: str) -> None:
    path = made(tmp_path / "w.duckdb")
    whole = path.read_bytes()
    if damage == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "zeroed header":
        path.write_bytes(whole[:4096] + bytes(4096) + whole[8192:])
        path.write_bytes(path.read_bytes()[:8192] + bytes(4096) + whole[12288:])
    elif damage == "zeroed block":
        path.write_bytes(whole[:12288] + bytes(len(whole) - 12288))
    else:
        with duckdb.connect(str(path)) as connection:
            connection.execute("DROP TABLE run_metric")
    with pytest.raises(InputError) as raised:
        Database.open(path)
    assert raised.value.diagnostics[0].code == "E0222"


def test_a_block_found_damaged_while_reading_is_told(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with Database.open(path) as database:
        database.declare(PROGRAM)
        load_alchemy_text(database, facts(tmp_path / "many.db", 30_000).read_text())
    whole, block = path.read_bytes(), 256 * 1024
    told = []
    for start in range(12288, len(whole), block):
        path.write_bytes(
            whole[: start + 100] + bytes([whole[start + 100] ^ 255]) + whole[start + 101 :]
        )
        try:
            with Database.open(path, read_only=True) as database:
                assert database.worlds() == {"world": 0}
                database.execute('SELECT bit_xor(hash(f)) FROM facts."Friends" f').fetchall()
        except InputError as error:
            told.append(error.diagnostics[0].code)
    assert len(told) >= 3
    assert set(told) == {"E0222"}


def test_what_can_be_read_of_a_damaged_workspace_is_saved(tmp_path: Path) -> None:
    path = made(tmp_path / "w.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute('DROP VIEW facts."Smokes"')
        connection.execute('DROP TABLE "p_Smokes"')
    found = salvage(path, tmp_path / "saved.duckdb")
    assert dict(found.saved)["Friends"] == 1
    assert [name for name, _ in found.lost] == ["Smokes"]
    with Database.open(tmp_path / "saved.duckdb") as database:
        assert database.execute('FROM facts."Friends"').fetchall()[0][1:3] == ("Ada", "Bo")
        assert database.execute('SELECT count(*) FROM facts."Smokes"').fetchall() == [(0,)]
        assert database.execute("SELECT count(*) FROM domain").fetchall() == [(2,)]
    with pytest.raises(InputError, match="already"):
        salvage(path, tmp_path / "saved.duckdb")


def test_where_nothing_can_be_saved_that_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    path, saved = made(tmp_path / "w.duckdb"), tmp_path / "saved.duckdb"
    whole = path.read_bytes()
    said = []
    header, block = range(4096, 12288, 4096), 256 * 1024
    # A block is checked as a whole: its sum at its beginning, and what it holds.
    held = [start + page for start in range(12288, len(whole), block) for page in (0, 4096, 131072)]
    for start in [*header, *held]:
        path.write_bytes(whole[:start] + bytes(4096) + whole[start + 4096 :])
        try:
            salvage(path, saved)
            saved.unlink()
        except InputError as error:
            said.append(error.diagnostics[0])
        assert not saved.exists()
    assert {(one.code, one.help) for one in said} == {("E0222", "go back to a copy from before")}


@pytest.mark.parametrize("at", ["d_person", "p_Friends"])
def test_what_is_ended_by_hand_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    def stopped(source: Any, target: Any, table: str) -> int:
        if table.endswith(at.split("_", 1)[1]):
            raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")
        return copy_table(source, target, table)

    monkeypatch.setattr(sys.modules["workbench.database.copying"], "copy_table", stopped)
    with pytest.raises(duckdb.InterruptException):
        salvage(made(tmp_path / "old.duckdb"), tmp_path / "saved.duckdb")
    assert not (tmp_path / "saved.duckdb").exists()


def killed(path: Path) -> bytes:
    """A workspace whose process ended without closing it; its log."""
    script = (
        "import os, sys\nfrom workbench.database import Database\n"
        "database = Database.open(sys.argv[1])\ndatabase.remember('rules', 'kept' * "
        "100)\nos._exit(9)"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    return path.with_name(path.name + ".wal").read_bytes()


def test_a_log_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    path = made(tmp_path / "w.duckdb")
    whole, written = path.read_bytes(), killed(path)
    log = path.with_name(path.name + ".wal")
    middle = len(written) * 3 // 4
    broken = {
        "foreign": b"\xff" * 200,
        "header": bytes([written[0] ^ 255]) + written[1:],
        "owner": written[:9] + bytes([written[9] ^ 1]) + written[10:],
        "entry": written[:middle] + bytes([written[middle] ^ 255]) + written[middle + 1 :],
    }
    for name, content in broken.items():
        path.write_bytes(whole)
        log.write_bytes(content)
        with pytest.raises(InputError) as raised, Database.open(path):
            pytest.fail(f"opened with a log whose {name} is wrong")
        assert raised.value.diagnostics[0].code == "E0223", name
        assert log.exists()


def test_a_log_cut_off_by_a_kill_is_no_fault(tmp_path: Path) -> None:
    path = made(tmp_path / "w.duckdb")
    whole, written = path.read_bytes(), killed(path)
    log = path.with_name(path.name + ".wal")
    for length, kept in ((0, None), (10, None), (60, None), (len(written), "kept" * 100)):
        path.write_bytes(whole)
        log.write_bytes(written[:length])
        with Database.open(path) as database:
            assert database.setting("rules") == kept
        log.unlink(missing_ok=True)


def test_other_failures_are_not_storage_faults() -> None:
    assert storage_fault(ValueError("corrupt")) is None
    assert storage_fault(duckdb.BinderException('no column is called "out of memory"')) is None
    assert storage_fault(FileNotFoundError(2, os.strerror(2))) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ada:p@ss:w/rd", "postgresql://ada:***@ss:w/rd"),
        (
            "postgresql://ada:secret@db.example:5432/staff",
            "postgresql://ada:***@db.example:5432/staff",
        ),
        ("host=db password=secret dbname=staff", "host=db password=*** dbname=staff"),
        ("host=db PASSWORD = 'two words' dbname=staff", "host=db PASSWORD = *** dbname=staff"),
        ("shops/ada@home.sqlite", "shops/ada@home.sqlite"),
    ],
)
def test_passwords_are_masked(text: str, shown: str) -> None:
    assert masked(text) == shown


@pytest.mark.parametrize("source", ["mysql://ada:secret@host/db", "password=secret dbname=x"])
def test_errors_that_name_a_source_hide_its_password(source: str) -> None:
    with wb.open() as workspace, pytest.raises(InputError) as failure:
        workspace.load(source)
    assert "secret" not in str(failure.value)
    assert "***" in str(failure.value)


def test_a_workspace_is_not_made_of_a_path() -> None:
    with pytest.raises(UsageError, match="is opened, not made"):
        wb.Workspace("work.duckdb")  # type: ignore[arg-type]
