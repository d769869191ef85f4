"""The server: typed calls by role, jobs watched and cancelled, the machine out of reach."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

import workbench
from benchmarks.linkage import people
from workbench.cli import app as command_line
from workbench.errors import InputError, UsageError
from workbench.service.access import COOKIE, Audit, Tokens
from workbench.service.answers import refusal
from workbench.service.apart import Ending
from workbench.service.assistants import current_progress
from workbench.service.folders import Folders
from workbench.service.jobs import Jobs
from workbench.service.server import application
from workbench.service.toolbox import TOOLS, Toolbox
from workbench.workspace import Workspace

RULES = "Friends(p, p)\nSmokes(p)\n1 Friends(x, y) ^ Smokes(x) => Smokes(y)\n"
FACTS = "Friends(Anna, Bob)\nSmokes(Anna)\n"
WORDS = ["read:reading-word", "label:labelling-word", "model:modelling-word", "administrator"]


@contextmanager
def served(folder: Path, words: list[str], keep: list[Workspace] | None = None) -> Iterator[str]:
    """A server over an empty workspace, in a thread; its address. The workspace goes to `keep`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with workbench.open() as workspace:
        if keep is not None:
            keep.append(workspace)
        toolbox = Toolbox(workspace, Folders((folder.resolve(),)), current_progress)
        tokens, audit = Tokens.read(words), Audit(folder / "audit.jsonl")
        app = application(
            toolbox, tokens=tokens, audit=audit, jobs=Jobs(), memory=2 << 30, uploads=folder
        )
        server = uvicorn.Server(
            uvicorn.Config(app, port=port, log_level="error", timeout_graceful_shutdown=2)
        )
        thread = Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            sleep(0.05)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(30)


def test_calls_jobs_and_python_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text(FACTS, encoding="utf-8")
    with served(tmp_path, []) as address, workbench.connect(address) as remote:
        paths = httpx.get(f"{address}/openapi.json").json()["paths"]
        assert {f"/api/tools/{tool}" for tool in TOOLS} <= set(paths)
        assert remote.load(files=["facts.db"], rules=RULES)["new_facts"] == 2
        answer = remote.infer(rules=RULES, query=["Smokes"], task="map")
        assert remote.explain(run=answer["run"], atom="Smokes(Bob)")["ok"] is True
        updated = remote.update(run=answer["run"], add=["Friends(Bob, Cleo)"])
        assert remote.runs()["items"][0] | {"seconds": 0} == {
            **{"id": updated["run"], "parent": answer["run"], "kind": "infer", "seconds": 0},
            **{"status": "optimal", "engine": "exact"},
        }
        assert isinstance(remote.runs()["items"][0]["parent"], int)
        with pytest.raises(UsageError, match="E0873"):
            remote.infer(query=7)
        with pytest.raises(TypeError, match="positional"):
            remote.delete_run(answer["run"])
        with pytest.raises(UsageError, match="E0863"):
            remote.delete_run(run=answer["run"])
        with remote.workspace() as copied:
            learned = copied.learn(RULES.replace("1 ", ""), query=["Smokes"])
            copied.reopen(updated["run"]).explain("Smokes(Cleo)")
        assert [run["kind"] for run in remote.runs(most=2)["items"]] == ["learn", "infer"]
        assert list(remote.numbers) == [learned.run_id]
        for wait in ("soon", "nan", "-1"):
            jobs = len(_jobs(address))
            refused = httpx.post(
                f"{address}/api/tools/preview?wait={wait}", json={"rules": RULES}, timeout=60
            )
            assert (refused.status_code, "E0873" in refused.text, len(_jobs(address))) == (
                400,
                True,
                jobs,
            )
        refused = httpx.get(f"{address}/health", headers={"Host": "elsewhere.example"})
        assert refused.status_code == 400

        async def ask() -> int:
            async with Client(f"{address}/mcp") as client:
                result = await client.call_tool("schema", {})
                return len((result.structured_content or {})["predicates"])

        assert anyio.run(ask) == 2


def test_what_if_asks_the_answer_that_the_server_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "facts.db").write_text(FACTS, encoding="utf-8")
    with served(tmp_path, []) as address, workbench.connect(address) as remote:
        remote.load(files=["facts.db"], rules=RULES)
        run = remote.infer(rules=RULES, query=["Smokes"], task="map")["run"]
        remote.update(run=run, add=["Friends(Bob, Cleo)"])
        monkeypatch.setattr("workbench.service.work.answered_apart", None)
        asked = remote.what_if(run=run, changes={"Smokes(Anna)": False})
        assert {one["atom"]: one["change"] for one in asked["items"]} == {
            "Smokes(Bob)": -1.0,
            "Smokes(Cleo)": -1.0,
        }
        weight = {"Friends(x, y) ^ Smokes(x) => Smokes(y)": -1.0}
        assert remote.what_if(run=run, weights=weight)["of"] == 2
        assert remote.runs()["count"] == 2


def test_a_refusal_is_short_whatever_was_sent() -> None:
    long = "P" * 100_000
    told = refusal(InputError.of("E0203", f"there is no {long}", help=f"declare {long}"))
    assert len(json.dumps(told)) < 2_000
    assert told["next"].startswith("declare PPP")


def test_an_allocation_that_a_job_is_refused_is_told_as_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = refusal(InputError.of("E0224", "there is not enough memory for this"))
    ending = Ending("done", told), dict[int, int]()
    monkeypatch.setattr("workbench.service.work.answered_apart", lambda *given: ending)
    with (
        served(tmp_path, []) as address,
        workbench.connect(address) as remote,
        pytest.raises(UsageError, match=r"E0838.*2\.0 GB of memory"),
    ):
        remote.infer(rules=RULES, query=["Smokes"])


def test_predictions_are_answered_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text(FACTS + 'Friends(Bob, "Al-Amin")\n', encoding="utf-8")
    with served(tmp_path, WORDS) as address:
        with workbench.connect(address, token="administrator") as remote:
            remote.load(files=["facts.db"], rules=RULES)
            run = remote.infer(rules=RULES, query=["Smokes"])["run"]
        with workbench.connect(address, token="labelling-word") as remote:
            asked = remote.review(run=run, reviewer="Ada")
            assert {one["atom"] for one in asked["questions"]} == {
                "Smokes(Bob)",
                'Smokes("Al-Amin")',
            }
            known = [line for one in asked["questions"] for line in one["known"]]
            assert "p Al-Amin: no column" in known
            with pytest.raises(UsageError, match="E0305"):
                remote.answer(run=run, atom="Smokes(Zed)", says=True)
            told = remote.answer(run=run, atom="Smokes(Al-Amin)", says=False, reviewer="Ada")
            assert told["atom"] == 'Smokes("Al-Amin")'
            assert remote.review(run=run, reviewer="Ada")["waiting"] == 1
            rows = remote.query(sql="SELECT value FROM facts.Smokes WHERE partition = 'truth'")
            assert rows["rows"] == [[0.0]]
            remote.undo_answer(reviewer="Ada")
            with pytest.raises(UsageError, match="E0861"):
                remote.undo_answer(reviewer="Ada")
            assert remote.review(run=run, reviewer="Ada")["waiting"] == 2
        with (
            workbench.connect(address, token="reading-word") as remote,
            pytest.raises(UsageError, match="E0874"),
        ):
            remote.review(run=run)


def test_who_holds_a_named_token_answers_under_no_other_name(tmp_path: Path) -> None:
    """Neither by a call nor at the assistants' door; without a name one says who one is."""
    (tmp_path / "facts.db").write_text(FACTS, encoding="utf-8")
    words = ["administrator", "ada@label:labelling-word", "bea@model:modelling-word"]
    with served(tmp_path, words) as address:
        with workbench.connect(address, token="administrator") as remote:
            remote.load(files=["facts.db"], rules=RULES)
            run = remote.infer(rules=RULES, query=["Smokes"])["run"]
            own = remote.answer(run=run, atom="Smokes(Bob)", says=True, reviewer="Cem")
            assert own["reviewer"] == "Cem"
        with workbench.connect(address, token="labelling-word") as remote:
            for name in ("Cem", ""):
                told = remote.answer(run=run, atom="Smokes(Bob)", says=False, reviewer=name)
                assert told["reviewer"] == "ada"
            remote.undo_answer(reviewer="Cem")

        async def answered() -> dict[str, Any]:
            headers = {"Authorization": "Bearer modelling-word"}
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
            ):
                says = {"run": run, "atom": "Smokes(Bob)", "says": False, "reviewer": "Cem"}
                told = (await client.call_tool("answer", says)).structured_content
                assert told is not None
                return told

        assert anyio.run(answered)["reviewer"] == "bea"


def test_pairs_of_a_linkage_are_answered_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people(60, seed=4)[0].to_csv(tmp_path / "people.csv", index=False)
    with served(tmp_path, WORDS) as address:
        with workbench.connect(address, token="administrator") as remote:
            run = remote.link(files=["people.csv"])["run"]
        with workbench.connect(address, token="labelling-word") as remote:
            (pair,) = remote.review_pairs(run=run, most=1)["questions"]
            assert all(len(cells) == 2 for cells in pair["columns"].values())
            names = {name: pair[name] for name in ("left", "right")}
            remote.answer_pair(run=run, **names, same=not pair["together"])
            asked = remote.review_pairs(most=1)
            assert asked["answered"] == 1
            assert asked["questions"][0] != pair
            remote.answer_pair(run=run, **names, same=None)
            assert remote.review_pairs()["questions"][0] == pair
            with pytest.raises(UsageError, match="E0671"):
                remote.answer_pair(run=run, left="nobody", right=pair["right"], same=True)
        monkeypatch.setenv("WORKBENCH_TOKEN", "labelling-word")
        words = ["review", "--server", address, "--run", str(run)]
        done = CliRunner().invoke(command_line, words, input="y\nu\nn\nq\n")
        assert done.exit_code == 0, done.output
        with workbench.connect(address, token="labelling-word") as remote:
            assert remote.review_pairs()["answered"] == 1
        with (
            workbench.connect(address, token="reading-word") as remote,
            pytest.raises(UsageError, match="E0874"),
        ):
            remote.review_pairs()


def test_roles_uploads_and_paths(tmp_path: Path) -> None:
    with served(tmp_path, WORDS) as address:

        def status(method: str, path: str, word: str | None, **content: object) -> int:
            headers = {"Authorization": f"Bearer {word}"} if word else {}
            return httpx.request(
                method, f"{address}{path}", headers=headers, timeout=60, **content
            ).status_code  # type: ignore[arg-type]

        assert status("GET", "/health", None) == 200
        assert status("POST", "/api/tools/schema", None, json={}) == 401
        assert status("POST", "/api/tools/schema", "reading-word", json={}) == 200
        assert status("POST", "/api/tools/infer", "reading-word", json={"rules": RULES}) == 403
        assert status("POST", "/api/tools/delete_run", "modelling-word", json={"run": 1}) == 403
        assert status("PUT", "/api/files/facts.db", "modelling-word", content=FACTS) == 201
        assert status("PUT", "/api/files/..%2Fescaped.db", "modelling-word", content=FACTS) in (
            400,
            404,
        )
        for name in ("a%00.db", "a%0a.db", f"{'x' * 300}.db"):
            assert status("PUT", f"/api/files/{name}", "modelling-word", content=FACTS) == 400
        assert _begun_upload(address, 300 * 2**20).getresponse().status == 413
        loads = {"files": ["../../etc/passwd"], "rules": RULES}
        assert status("POST", "/api/tools/load", "modelling-word", json=loads) == 400
        assert (
            status(
                "POST",
                "/api/tools/load",
                "modelling-word",
                json={"files": ["facts.db"], "rules": RULES},
            )
            == 200
        )
        for sent, said in ((None, "asks for a token"), ("nobodys-word", "no such token")):
            with (
                pytest.raises(UsageError, match=said) as refused,
                workbench.connect(address, token=sent) as remote,
            ):
                remote.schema()
            assert "WORKBENCH_TOKEN" in (refused.value.diagnostics[0].help or "")
        assert status("POST", "/mcp", "reading-word", json={}) == 403
        assert status("GET", "/api/audit", "modelling-word") == 403
        assert status("GET", "/api/audit", "administrator") == 200
        audit = {"files": ["audit.jsonl"], "rules": RULES}
        assert status("POST", "/api/tools/load", "modelling-word", json=audit) == 400
        with workbench.connect(address, token="reading-word") as remote:
            assert "facts.db" in (files := remote.schema()["files"])
            assert "audit.jsonl" not in files
    assert "load" in (tmp_path / "audit.jsonl").read_text(encoding="utf-8")


def _begun_upload(address: str, size: int) -> HTTPConnection:
    """An upload that says how long it is, and sends nothing yet."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
    connection.putrequest("PUT", "/api/files/large.db")
    connection.putheader("Authorization", "Bearer modelling-word")
    connection.putheader("Content-Length", str(size))
    connection.endheaders()
    return connection


def test_a_caller_that_goes_away_in_an_upload_is_no_fault_of_the_server(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with served(tmp_path, WORDS) as address:
        connection = _begun_upload(address, 1000)
        connection.send(b"Smokes(")
        sleep(0.3)
        connection.close()
        assert httpx.get(f"{address}/health", timeout=60).status_code == 200
        sleep(0.3)
    assert "Traceback" not in capfd.readouterr().err


def test_who_holds_a_token_is_called_by_name(tmp_path: Path) -> None:
    with served(tmp_path, ["anna@model:modelling-word", "label:labelling-word"]) as address:
        for word in ("modelling-word", "labelling-word"):
            headers = {"Authorization": f"Bearer {word}"}
            httpx.post(f"{address}/api/tools/schema", headers=headers, json={}, timeout=60)
    lines = (tmp_path / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["who"].partition("@")[0] for line in lines] == ["anna", "label"]
    for misspelt in ("reader:reading-word", "anna@modle:modelling-word", "Admin:a-word-of-one"):
        with pytest.raises(UsageError, match="E0870"):
            Tokens.read([misspelt])
    tokens = Tokens.read(["anna@model:modelling-word", "label:labelling-word", "b@d:secret:x"])
    cookie = f"{COOKIE}=modelling-word"
    assert (tokens.called(cookie, 4), tokens.of_browser(cookie)) == ("anna", "model")
    assert tokens.called(f"{COOKIE}=labelling-word", 4) == "label 4"
    assert tokens.roles["b@d:secret:x"] == "admin"
    assert Tokens().called(None, 4) == "browser 4"
    with pytest.raises(UsageError, match="8 characters"):
        Tokens.read(["s3cret"])
    assert Tokens.read(["s3cret"], least=1).roles == {"s3cret": "admin"}


def test_what_is_not_there_is_told_as_json(tmp_path: Path) -> None:
    with served(tmp_path, []) as address:
        asked = [
            ("GET", "/api/jobs/abc"),
            ("DELETE", "/api/jobs"),
            ("PUT", "/api/files/a/b.db"),
        ]
        for method, path in asked:
            answer = httpx.request(method, f"{address}{path}", timeout=60)
            (told,) = answer.json()["diagnostics"]
            assert (answer.status_code, told["code"]) == (404, "E0873"), path
        plain = httpx.post(f"{address}/api/tools/schema", content="{}", timeout=60)
        assert plain.status_code == 415
        assert "Content-Type" in plain.json()["diagnostics"][0]["help"]


def test_a_job_is_cancelled(tmp_path: Path) -> None:
    people = [f"P{number}" for number in range(40)]
    facts = [f"Friends({one}, {other})" for one in people for other in people if one != other]
    (tmp_path / "facts.db").write_text("\n".join(facts), encoding="utf-8")
    rules = RULES + "0.3 Smokes(x) ^ Smokes(y) => Friends(x, y)\n-0.2 Smokes(x)\n"
    with served(tmp_path, []) as address, workbench.connect(address) as remote:
        remote.load(files=["facts.db"], rules=rules)
        long = {"rules": rules, "query": ["Smokes"], "engine": "gibbs", "seconds": 200}
        job = httpx.post(f"{address}/api/tools/infer?wait=0", json=long, timeout=60).json()
        assert job["status"] in ("waiting", "running")
        begun = monotonic()
        httpx.delete(f"{address}/api/jobs/{job['id']}", timeout=60)
        told = httpx.get(f"{address}/api/jobs/{job['id']}/events", timeout=60).text
        assert "event: cancelled" in told or "event: done" in told
        assert monotonic() - begun < 60
        assert remote.schema()["ok"]


def test_who_labels_cancels_own_jobs_alone(tmp_path: Path) -> None:
    with served(tmp_path, WORDS) as address:

        def asked(method: str, path: str, word: str) -> httpx.Response:
            headers = {"Authorization": f"Bearer {word}"}
            content = {"json": {}} if method == "POST" else {}
            return httpx.request(
                method, f"{address}/api/{path}", headers=headers, timeout=60, **content
            )  # type: ignore[arg-type]

        asked("POST", "tools/undo_answer", "modelling-word")
        asked("POST", "tools/undo_answer", "labelling-word")
        others, own = (1, 2)
        refused = asked("DELETE", f"jobs/{others}", "labelling-word")
        assert refused.status_code == 403
        assert "takes the role model" in refused.json()["diagnostics"][0]["message"]
        assert asked("DELETE", f"jobs/{own}", "labelling-word").status_code == 200
        assert asked("DELETE", f"jobs/{own}", "modelling-word").status_code == 200


def test_runs_that_a_caller_sends_are_read_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text(FACTS, encoding="utf-8")
    keep: list[Workspace] = []
    with served(tmp_path, [], keep) as address, workbench.connect(address) as remote:
        remote.load(files=["facts.db"], rules=RULES)
        copy = tmp_path / "copy.duckdb"
        remote.fetch(copy)
        with workbench.open(copy) as own:
            own.infer(RULES, query="Smokes")
        assert remote.hand_back(copy) == {1: 1}
        assert keep[0].runs.get(1).kind == "infer"
        with workbench.open(copy) as own, own.database.transaction() as connection:
            connection.execute("ALTER TABLE run RENAME TO kept_run")
            # A view in the place of a table: whoever asks for the runs computes without end.
            connection.execute(
                "CREATE VIEW run AS SELECT k.* FROM kept_run k, range(1000000000) a, "
                "range(1000000000) b WHERE a.range * b.range = -1"
            )
        job: list[httpx.Response] = []
        sender = Thread(
            target=lambda: job.append(
                httpx.post(f"{address}/api/runs", content=copy.read_bytes(), timeout=60)
            )
        )
        sender.start()
        while not any(
            one["kind"] == "runs" and one["status"] == "running" for one in _jobs(address)
        ):
            sleep(0.05)
        sleep(1.0)
        assert remote.schema()["ok"]
        httpx.delete(f"{address}/api/jobs/{max(one['id'] for one in _jobs(address))}", timeout=60)
        sender.join(30)
        assert not job[0].json()["ok"]
        refused = httpx.post(f"{address}/api/runs", content=b"no database at all", timeout=60)
        assert (
            refused.status_code,
            "E0201" in refused.text,
            str(tmp_path.parent) in refused.text,
        ) == (
            400,
            True,
            False,
        )
        assert [run.id for run in keep[0].runs.all()] == [1]


def _jobs(address: str) -> list[dict[str, Any]]:
    return list(httpx.get(f"{address}/api/jobs", timeout=60).json()["jobs"])
