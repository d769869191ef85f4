"""What goes wrong around a server: lost callers, long writers, a full disk, a kill."""

from __future__ import annotations

import json
import socket
import subprocess
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from time import sleep

import httpx
import pytest

import workbench
from tests.service.kills import kill_updates, served_apart
from tests.service.test_server import FACTS, RULES, served
from workbench.service.access import Audit
from workbench.verbs.updating.store import kept
from workbench.workspace import Workspace


def ended(address: str, number: int) -> dict[str, object]:
    """A job's record once it has ended."""
    httpx.get(f"{address}/api/jobs/{number}/events", timeout=120)
    record: dict[str, object] = httpx.get(f"{address}/api/jobs/{number}").json()
    return record


def test_a_caller_that_vanishes_leaves_its_job_its_run_and_the_queue(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text(FACTS, encoding="utf-8")
    with served(tmp_path, []) as address, workbench.connect(address) as remote:
        remote.load(files=["facts.db"], rules=RULES)
        body = json.dumps({"rules": RULES, "query": ["Smokes"], "engine": "exact"})
        head = (
            "POST /api/tools/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\n"
        )
        with closing(
            socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])))
        ) as caller:
            caller.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            while len(httpx.get(f"{address}/api/jobs").json()["jobs"]) < 2:
                sleep(0.02)
        assert ended(address, 2)["status"] == "done"
        assert remote.runs()["count"] == 1
        assert remote.infer(rules=RULES, query=["Smokes"], engine="exact")["run"] == 2


def test_readers_answer_while_somebody_writes(tmp_path: Path) -> None:
    keep: list[Workspace] = []
    with served(tmp_path, [], keep) as address, workbench.connect(address) as remote:
        (tmp_path / "facts.db").write_text(FACTS, encoding="utf-8")
        remote.load(files=["facts.db"], rules=RULES)
        writing, finish = Event(), Event()

        def write() -> None:
            with keep[0].database.transaction():
                keep[0].data.add(["Smokes(Cleo)"])
                writing.set()
                finish.wait(60)

        writer = Thread(target=write)
        writer.start()
        try:
            assert writing.wait(60)
            counts = {
                one["predicate"].split("(")[0]: one["facts"]
                for one in remote.schema()["predicates"]
            }
            assert counts["Smokes"] == {"evidence": 1}
            assert remote.query(sql='SELECT count(*) FROM facts."Smokes"')["rows"] == [[1]]
        finally:
            finish.set()
            writer.join(60)
        assert remote.query(sql='SELECT count(*) FROM facts."Smokes"')["rows"] == [[2]]


def test_an_audit_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    audit = Audit(Path("/dev/full"))
    if not audit.path.exists():  # type: ignore[union-attr]
        pytest.skip("this system has no /dev/full")
    audit.note("admin", "load", True)
    assert audit.fault == "full cannot be written: No space left on device"
    assert audit.last[0]["what"] == "load"


def test_a_full_disk_is_said_and_the_server_goes_on(tmp_path: Path) -> None:
    workspace = tmp_path / "w.duckdb"
    with workbench.open(workspace) as made:
        made.declare(RULES)
        made.data.add("\n".join(f"Friends(P{i}, Q{i * 7919 % 30_000})" for i in range(30_000)))
    with served_apart(workspace, largest_file=300_000) as address:
        refused = httpx.post(
            f"{address}/api/tools/infer", json={"rules": RULES, "query": ["Smokes"]}, timeout=120
        )
        assert refused.status_code == 400
        assert refused.json()["diagnostics"][0]["code"] == "E0221"
        large = b"Smokes(Zoe)\n" * 200_000
        refused = httpx.put(f"{address}/api/files/large.db", content=large, timeout=60)
        assert (refused.status_code, refused.json()["diagnostics"][0]["code"]) == (507, "E0221")
        assert httpx.post(f"{address}/api/tools/schema", json={}, timeout=60).json()["ok"]
        assert not list(workspace.parent.glob("*large*"))


def test_an_update_that_is_killed_is_done_or_not_begun() -> None:
    tally = kill_updates(2, seed=1)
    assert tally["killed"] + tally["too late"] == 2
    assert (tally["torn"], tally["all"] > 0) == (0, True)


def test_a_server_that_is_told_to_end_leaves_nothing_open(tmp_path: Path) -> None:
    workspace = tmp_path / "w.duckdb"
    with workbench.open(workspace) as made:
        made.declare(RULES)
        made.data.add(FACTS.splitlines())
        run = made.infer(RULES, query="Smokes", task="map").run_id
    server: list[subprocess.Popen[bytes]] = []
    with (
        served_apart(workspace, process=server) as address,
        workbench.connect(address) as remote,
    ):
        newest = remote.update(run=run, add=["Friends(Bob, Cleo)"])["run"]
        assert (tmp_path / "w.duckdb.server").exists()
    assert server[0].returncode == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == ["w.duckdb", "w.duckdb.audit.jsonl"]
    with workbench.open(workspace) as opened:
        assert kept(opened.database, newest) is not None


def test_a_cancel_stops_who_writes_and_takes_back_what_was_written(tmp_path: Path) -> None:
    many = range(1_500_000)
    text = "\n".join(f"P{number},P{number + 1}" for number in many)
    (tmp_path / "Friends.csv").write_text(f"a,b\n{text}\n", encoding="utf-8")
    (tmp_path / "facts.db").write_text(FACTS, encoding="utf-8")
    with served(tmp_path, []) as address, workbench.connect(address) as remote:
        remote.load(files=["facts.db"], rules=RULES)
        loads = {"files": ["Friends.csv"], "rules": RULES}
        job = httpx.post(f"{address}/api/tools/load?wait=0", json=loads, timeout=60).json()
        while (
            httpx.get(f"{address}/api/jobs/{job['id']}", timeout=60).json()["status"] == "waiting"
        ):
            sleep(0.02)
        httpx.delete(f"{address}/api/jobs/{job['id']}", timeout=60)
        assert ended(address, job["id"])["status"] == "cancelled"
        assert remote.query(sql='SELECT count(*) FROM facts."Friends"')["rows"] == [[1]]
        (tmp_path / "facts.db").write_text("Smokes(Cleo)\n", encoding="utf-8")
        assert remote.load(files=["facts.db"], rules=RULES)["new_facts"] == 1
