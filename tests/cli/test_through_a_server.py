"""`--server URL`: the commands on a server's workspace, with the results of a file."""

from __future__ import annotations

import signal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import workbench
from benchmarks.linkage import people
from tests.cli.conftest import Outcome, Run
from tests.cli.test_interrupt import ctrl_c
from tests.service.test_server import served
from workbench.commands.command import COMMANDS
from workbench.errors import UsageError
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
        assert (
            run("export", held, 2, "--out", first).code
            == run("export", address, 2, "--out", second).code
            == 0
        )
        assert first.read_text(encoding="utf-8") == second.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [one.called for one in COMMANDS if not one.served])
def test_a_command_of_files_says_that_it_asks_no_server(run: Run, name: str) -> None:
    for words in (["--server", "http://127.0.0.1:1"], ["--server=http://127.0.0.1:1"]):
        refused = run(name, *words)
        assert (refused.code, "E0885" in refused.err) == (2, True)


def test_a_run_that_comes_back_declares_its_predicates(run: Run, place: Path) -> None:
    rules = str(place / "rules.mln")
    with served(place, []) as address:
        inferred = run("infer", rules, "--server", address, "--query", "Enjoys", "--json")
        assert inferred.code == 0, inferred.err
        updated = run("update", "--server", address, "Borrowed(Zoe, Emma)", "--run", 1, "--json")
        assert told(updated)["facts_added"] == 1


def test_a_linkage_is_kept_and_added_to_at_the_server(run: Run, tmp_path: Path) -> None:
    frame = people(300, seed=4)[0]
    new = frame.iloc[[7]].assign(record=900)
    tables = {
        "people": frame,
        "new": new,
        "mended": new.assign(surname="Otherwise"),
        "gone": new[["record"]],
    }
    paths = {name: tmp_path / f"{name}.csv" for name in tables}
    for name, table in tables.items():
        table.to_csv(paths[name], index=False)
    held, out = tmp_path / "w.duckdb", tmp_path / "out.csv"
    steps: list[tuple[str, list[str]]] = [
        ("new", []), ("new", []), ("mended", ["--correct"]), ("gone", ["--remove"]),
    ]  # fmt: skip
    with served(tmp_path, []) as address:
        for where in (["--workspace", held], ["--server", address]):
            assert run("link", paths["people"], "--out", out, "--seed", 1, *where).code == 0
        for number, (name, flags) in enumerate(steps):
            found = []
            for where in (
                ["--with", held],
                ["--with", address] if number else ["--with", held, "--server", address],
            ):
                pairs = tmp_path / "pairs.csv"
                record = told(
                    run(
                        "link",
                        paths[name],
                        "--out",
                        out,
                        "--pairs",
                        pairs,
                        "--json",
                        *where,
                        *flags,
                    )
                )
                found.append(
                    (record, out.read_text(encoding="utf-8"), pairs.read_text(encoding="utf-8"))
                )
            assert found[0] == found[1], name
        refused = run(f"link {paths['mended']} --with {address} --correct --remove --out {out}")
        assert (refused.code != 0, "E0686" in refused.err) == (True, True)
        with workbench.connect(address) as remote:
            remote.upload(paths["new"])
            assert remote.link_more(files=["new.csv"])["new"] == 1
            with pytest.raises(UsageError, match="E0863"):
                remote.link_more(files=["new.csv"], remove=True)
            again = remote.link(files=["people.csv"])
            assert again["linked"]["count"] > 0
            assert remote.link_more(files=["new.csv"], run=again["run"])["changed"]["merged"]


def test_facts_of_other_partitions_are_loaded_and_changed_at_the_server(
    run: Run, place: Path
) -> None:
    rules, held = str(place / "rules.mln"), str(place / "w.duckdb")
    (place / "labels.db").write_text("Enjoys(Ida, Dune)\n", encoding="utf-8")
    told = []
    with served(place, []) as address:
        for at, where in (([held], ["--workspace", held]), (["--server", address],) * 2):
            assert run("load", *at, str(place / "facts.db"), "--rules", rules).code == 0
            labels = ("--partition", "truth")
            assert run("load", *at, str(place / "labels.db"), *labels).code == 0
            assert run("infer", rules, "--query", "Enjoys", *where).code == 0
            updated = run("update", *at, "!Enjoys(Max, Emma)", "--run", 1, *labels, "--json")
            learned = run("learn", rules, "--query", "Enjoys", *where, "--json")
            told.append((updated.json["facts_added"], learned.json["atoms"], learned.json["rules"]))
    assert told[0] == told[1]
    assert told[0][0] == 1


def test_predictions_are_reviewed_at_the_server(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, facts = str(place / "rules.mln"), str(place / "facts.db")
    with served(place, []) as address:
        server = ("--server", address)
        assert run("load", *server, facts, "--rules", rules).code == 0
        assert run("infer", rules, "--query", "Enjoys", *server).code == 0
        monkeypatch.setattr("sys.stdin", StringIO("y\nn\nu\nn\nl\ny\nq\n"))
        said = run("review", *server, "--reviewer", "Ada")
        assert said.code == 0, said.err
        assert "Ada: 3 answered, 0 skipped" in said.out
        with workbench.connect(address) as remote, remote.workspace() as copied:
            assert [one.says for one in copied.answers()] == [True, False, True]
            assert [one.kind for one in copied.runs.all()] == ["infer", "learn", "infer"]


def test_refused_updates_end_as_on_a_file(run: Run, tmp_path: Path) -> None:
    rules, facts, held = tmp_path / "rules.mln", tmp_path / "facts.db", tmp_path / "w.duckdb"
    rules.write_text("P(t)\nQ(t)\nP(x) => Q(x).\n-1 Q(x)\n", encoding="utf-8")
    facts.write_text("P(A)\n", encoding="utf-8")
    with served(tmp_path, []) as address:
        for where in ([held], ["--server", address]):
            assert run("load", *where, facts, "--rules", rules).code == 0
        for place in (["--workspace", held], ["--server", address]):
            assert run("infer", rules, "--query", "Q", "--task", "map", *place).code == 0
        for fact in ("!P(A)", "!Q(A)", "R(A)", "P(A, A)"):
            here, there = (run("update", *where, fact) for where in ([held], ["--server", address]))
            assert (here.code, here.err.split(":")[0]) == (there.code, there.err.split(":")[0]), (
                fact
            )
            assert here.code in (1, 5)


def test_what_a_server_does_not_take_is_said(run: Run, place: Path) -> None:
    rules, facts = str(place / "rules.mln"), str(place / "facts.db")
    keep: list[Workspace] = []
    with served(place, [], keep) as address:
        assert "E0885" in run("infer", rules, "--server", address, "--data", facts).err
        assert "E0214" in run("load", "--server", address, facts, "--mapping", facts).err
        assert "E0851" in run("update", "--server", address, facts).err
        assert "E0814" in run("load", "--server", address, "nothing.db").err
        (place / "folder").mkdir()
        (place / "folder" / "dataset.toml").write_text("")
        assert "E0814" in run("load", "--server", address, str(place / "folder")).err
        assert "E0876" in run("runs", "--server", "localhost").err
        # A type that only the rules of the command declare comes with its run.
        assert run("infer", rules, "--server", address, "--query", "Enjoys").code == 0
        assert keep[0].runs.get(1).kind == "infer"
    assert "E0876" in run("runs", "--server", address).err


MAPPING = """
[[tables]]
name = "people"
file = "people.csv"
type = "human"
key = "nr"
[tables.columns]
nr = { kind = "key" }
town = { kind = "category", predicate = "LivesIn", type = "place" }
"""
COUNTED = """
[[definitions]]
name = "Towns"
types = ["human"]
sql = "SELECT nr FROM people"
"""


def test_a_server_loads_tables_as_a_mapping_says(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "people.csv").write_text("nr,town\n1,Graz\n2,Linz\n3,Graz\n")
    said, counting = tmp_path / "said.toml", tmp_path / "counting.toml"
    said.write_text(MAPPING)
    counting.write_text(MAPPING + COUNTED)
    keep: list[Workspace] = []
    with served(tmp_path, [], keep) as address:
        tables = ("load", "--server", address, str(tmp_path / "tables"), "--mapping")
        assert "E0885" in run(*tables, str(counting)).err
        assert run(*tables, str(said)).code == 0
        assert set(keep[0].database.predicates()) == {"LivesIn"}
        assert keep[0].database.predicate("LivesIn").argument_types == ("human", "place")


def test_a_workspace_that_is_held_names_the_way_through_its_server(
    run: Run, tmp_path: Path
) -> None:
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


def test_what_has_no_effect_or_does_not_fit_is_said_as_on_a_file(run: Run, place: Path) -> None:
    rules, facts, held = (str(place / name) for name in ("rules.mln", "facts.db", "w.duckdb"))
    asked = ("infer", rules, "--query", "Enjoys", "--engine", "exact", "--samples", 10)
    with served(place, []) as address:
        for where in ([held], ["--server", address]):
            assert run("load", *where, facts, "--rules", rules).code == 0
        for where in (["--workspace", held], ["--server", address]):
            found = run(*asked, *where)
            assert found.code == 0
            assert "E0842" in found.err
        for where in ([held], ["--server", address]):
            refused = run("update", *where, "--remove", "Borrowed(Ida)")
            assert refused.code in (1, 2)
            assert "Borrowed" in refused.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_ends_at_the_server_too(
    run: Run, place: Path, number: signal.Signals
) -> None:
    rules, facts = str(place / "rules.mln"), str(place / "facts.db")
    asked = ("infer", rules, "--query", "Enjoys", "--engine", "gibbs", "--samples", 100_000_000)
    with served(place, []) as address:
        server = ("--server", address)
        assert run("load", *server, facts, "--rules", rules).code == 0
        with ctrl_c("", at=1, number=number):
            ended = run(*asked, *server, "--json")
        assert ended.code == 4
        assert ended.json["status"] == "cancelled"
        assert run("infer", rules, "--query", "Enjoys", *server).code == 0
