"""`--server URL`: the same commands on a workspace that a server holds, with the results of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import workbench
from tests.cli.conftest import Outcome, Run
from tests.service.test_server import served
from workbench.workspace import Workspace

RULES = """
Borrowed(member, book)
Enjoys(member, book)
SameSeries(book, book)
1.2 Borrowed(m, b) => Enjoys(m, b)
0.9 Enjoys(m, b) ^ SameSeries(b, c) => Enjoys(m, c)
-0.4 Enjoys(m, b)
"""
FACTS = "Borrowed(Ida, Dune)\nBorrowed(Max, Emma)\nSameSeries(Dune, Messiah)\n"
VARYING = ("seconds", "created", "ground_seconds", "data_hash")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "rules.mln").write_text(RULES, encoding="utf-8")
    (tmp_path / "facts.db").write_text(FACTS, encoding="utf-8")
    (tmp_path / "more.db").write_text("Borrowed(Max, Dune)\n", encoding="utf-8")
    return tmp_path


def told(outcome: Outcome) -> Any:
    """A command's JSON without what a clock says."""

    def steady(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: steady(one) for name, one in value.items() if name not in VARYING}
        return [steady(one) for one in value] if isinstance(value, list) else value

    assert outcome.code == 0, outcome.err
    return steady(outcome.json)


def test_commands_give_what_they_give_on_a_file(run: Run, place: Path) -> None:
    rules, held = str(place / "rules.mln"), str(place / "w.duckdb")
    asked = ["--query", "Enjoys", "--task", "map", "--json"]
    with served(place, []) as address:
        server = ["--server", address]
        for file, remote in (
            (["load", held], ["load", *server]),
            (["infer", rules, "--workspace", held], ["infer", rules, *server]),
            (["update", held], ["update", f"--server={address}"]),
            (["infer", rules, "--workspace", held], ["infer", rules, *server]),
            (["runs", held], ["runs", *server]),
        ):
            last = {
                "load": [str(place / "facts.db"), "--rules", rules, "--json"],
                "infer": asked,
                "update": [str(place / "more.db"), "Borrowed(Zoe, Emma)", "--json"],
                "runs": ["--json"],
            }[file[0]]
            assert told(run(*file, *last)) == told(run(*remote, *last)), file[0]
        here, there = (run("compare", at, 1, 2, "--json").json for at in (held, address))
        assert here["predictions"] == there["predictions"] != []
        first, second = place / "first.csv", place / "second.csv"
        assert run("export", held, 2, "--out", first).code == run("export", address, 2, "--out", second).code == 0
        assert first.read_text(encoding="utf-8") == second.read_text(encoding="utf-8")


def test_what_a_server_does_not_take_is_said(run: Run, place: Path) -> None:
    rules, facts = str(place / "rules.mln"), str(place / "facts.db")
    keep: list[Workspace] = []
    with served(place, [], keep) as address:
        assert "E0885" in run("infer", rules, "--server", address, "--data", facts).err
        assert "E0885" in run("load", "--server", address, facts, "--partition", "truth").err
        assert "E0851" in run("update", "--server", address, facts).err
        assert "E0814" in run("load", "--server", address, "nothing.db").err
        assert "E0814" in run("load", "--server", address, str(place)).err
        assert "E0876" in run("runs", "--server", "localhost").err
        # A type that only the rules of the command declare comes with its run.
        assert run("infer", rules, "--server", address, "--query", "Enjoys").code == 0
        assert keep[0].runs.get(1).kind == "infer"
    assert "E0876" in run("runs", "--server", address).err


def test_a_workspace_that_is_held_names_the_way_through_its_server(run: Run, tmp_path: Path) -> None:
    from tests.service.kills import served_apart

    path = tmp_path / "w.duckdb"
    workbench.open(path).close()
    with served_apart(path) as address:
        refused = run("runs", path)
        assert refused.code == 1
        assert f"--server {address}" in refused.err
        assert run("runs", "--server", address, "--json").json == []
        note = path.with_name("w.duckdb.server")
        note.write_text("http://127.0.0.1:1 1\n", encoding="utf-8")
        assert "--server" not in run("runs", path).err
