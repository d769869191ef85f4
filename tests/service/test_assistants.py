"""The assistants' door through the protocol's client: tables to an explained answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from io import StringIO
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.stdio import stdio_server
from mcp_types import PARSE_ERROR

import workbench
from tests.service.hostile import hostile_calls
from workbench.errors import Cancelled
from workbench.resources import shipped
from workbench.service import assistants
from workbench.service.answers import CANCELLED, rounded
from workbench.service.assistants import BUSY, assistants_server, current_progress
from workbench.service.folders import Folders
from workbench.service.toolbox import TOOLS, Toolbox

FRAUD = shipped("data", "fraud")


def talk(
    folder: Path, conversation: Callable[[Client], Coroutine[Any, Any, None]], **options: Any
) -> None:
    """A conversation with a server over an empty workspace that may load files of a folder."""

    async def run() -> None:
        with workbench.open() as workspace:
            toolbox = Toolbox(workspace, Folders((folder.resolve(),)), current_progress)
            async with Client(assistants_server(toolbox, **options)) as client:
                await conversation(client)

    anyio.run(run)


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None, result
    return dict(result.structured_content)


def test_from_tables_to_an_explained_scored_answer() -> None:
    async def conversation(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == set(TOOLS)
        assert not [tool.name for tool in tools if "\n  " in (tool.description or "")]
        schema = await ask(client, "schema")
        files = [name for name in schema["files"] if "/" not in name]
        assert (await ask(client, "profile", files=files))["tables"]
        loaded = await ask(client, "load", files=files, predict="people.is_fraud")
        assert loaded["asked_for"] == "IsFraud"
        rules = (
            "IsFraud(person)\nDirectsCompany(person, company)\n-1 IsFraud(x)\n"
            "2 DirectsCompany(x, c) ^ DirectsCompany(y, c) ^ x != y ^ IsFraud(y) => IsFraud(x)\n"
        )
        named = [one["predicate"] for one in (await ask(client, "schema"))["predicates"]]
        relation = next(one for one in named if one.endswith("(person, company)"))
        rules = rules.replace("DirectsCompany", relation.partition("(")[0])
        learned = await ask(client, "learn", rules=rules)
        assert learned["ok"], learned
        answer = await ask(client, "infer", run=learned["run"], labels="evidence")
        assert answer["predictions"]["count"] > 0
        assert (answer["scores"], "crossval" in answer["next"]) == (None, True)
        scored = await ask(client, "crossval", rules=rules, folds=2)
        assert 0 <= scored["mean"]["AUC-ROC"] <= 1
        assert scored == rounded(scored)
        of_folds = await ask(client, "infer", run=answer["run"] + 1)
        assert "other weights for each fold" in of_folds["diagnostics"][0]["message"]
        atom = answer["predictions"]["items"][0]["atom"]
        explained = await ask(client, "explain", run=answer["run"], atom=atom)
        assert explained["sentence"]

    talk(FRAUD, conversation)


def test_figures_are_short_and_rows_of_data_as_they_are(tmp_path: Path) -> None:
    assert rounded({"a": [1234567.12345678, 0.000012345678], "b": "0.123456789"}) == {
        "a": [1234567.123457, 1.23457e-05],
        "b": "0.123456789",
    }

    async def conversation(client: Client) -> None:
        rows = await ask(client, "query", sql="SELECT 0.123456789::DOUBLE")
        assert rows["rows"] == [[0.123456789]]

    talk(tmp_path, conversation)


def test_a_wrong_rule_is_mended_by_code_and_place(tmp_path: Path) -> None:
    async def conversation(client: Client) -> None:
        refused = await ask(client, "check", rules="P(t)\n1 P(x) => Q(x)\n")
        assert not refused["ok"]
        assert refused["diagnostics"][0]["line"] == 2
        assert refused["diagnostics"][0]["code"].startswith("E")
        assert (await ask(client, "check", rules="P(t)\nQ(t)\n1 P(x) => Q(x)\n"))["ok"]
        page = await client.read_resource("workbench://language")
        assert "Markov logic" in str(page.contents[0])

    talk(tmp_path, conversation)


def test_nothing_goes_for_good_unconfirmed(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text("Friends(Anna, Bob)\nSmokes(Anna)\n", encoding="utf-8")
    rules = "Friends(p, p)\nSmokes(p)\n1 Friends(x, y) ^ Smokes(x) => Smokes(y)\n"

    async def conversation(client: Client) -> None:
        assert (await ask(client, "load", files=["facts.db"], rules=rules))["new_facts"] == 2
        run = (await ask(client, "infer", rules=rules, query=["Smokes"], task="map"))["run"]
        refused = await ask(client, "update", run=run, remove=["Smokes(Anna)"])
        assert refused["diagnostics"][0]["code"] == "E0863"
        assert (await ask(client, "what_if", run=run, changes={"Smokes(Bob)": False}))["ok"]
        assert not (await ask(client, "what_if", run=run))["ok"]
        as_it_is = await ask(client, "what_if", run=run, changes={"Smokes(Anna)": True})
        assert (as_it_is["changed"], as_it_is["next"][:25]) == (0, "the facts may be so alrea")
        assert (await ask(client, "update", run=run, remove=["Smokes(Anna)"], confirm=True))[
            "facts_removed"
        ] == 1
        assert not (await ask(client, "delete_run", run=run))["ok"]

    talk(tmp_path, conversation)


def test_changes_of_sampled_values_are_said_to_be_that(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text("Friends(Anna, Bob)\nFriends(Bob, Carl)\nCalm(Bob)\n")
    rules = "Friends(p, p)\nSmokes(p)\nCalm(p)\n1 Friends(x, y) ^ Smokes(x) => Smokes(y)\n"
    rules += "1 Calm(x) => !Smokes(x)\n"

    async def conversation(client: Client) -> None:
        await ask(client, "load", files=["facts.db"], rules=rules)
        asked = {"rules": rules, "query": ["Smokes"], "engine": "mcsat"}
        run = (await ask(client, "infer", **asked))["run"]
        supposed = await ask(client, "what_if", run=run, changes={"Calm(Anna)": True})
        assert supposed["next"].startswith("values are sampled (1000 samples, standard errors")
        renewed = await ask(client, "update", run=run, add=["Calm(Anna)"])
        assert renewed["reason"].startswith("1000 samples, standard errors at most 0.0")
        assert renewed["next"].startswith(f"values are sampled ({renewed['reason']})")

    talk(tmp_path, conversation)


def test_an_argument_that_a_tool_does_not_have_is_refused(tmp_path: Path) -> None:
    async def conversation(client: Client) -> None:
        refused = await ask(client, "runs", msot=1)
        assert refused["diagnostics"][0]["code"] == "E0873"
        assert refused["next"] == "runs has most"
        assert (await ask(client, "runs", most=1))["ok"]

    talk(tmp_path, conversation)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "what_if needs the argument run"),
        ({"run": "x"}, "run is no whole number"),
        ({"run": 1, "changes": {"A": "maybe"}}, "changes.A is neither true nor false"),
        ({"run": 1, "weights": [1]}, "weights is no object"),
        ({"run": 1, "most": None}, "most is no whole number"),
    ],
)
def test_arguments_that_do_not_fit_are_told_in_words(
    arguments: dict[str, Any], said: str, tmp_path: Path
) -> None:
    async def conversation(client: Client) -> None:
        refused = await ask(client, "what_if", **arguments)
        assert [one["code"] for one in refused["diagnostics"]] == ["E0873"]
        assert refused["diagnostics"][0]["message"] == said

    talk(tmp_path, conversation)


def test_hostile_calls_are_answered(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.db").write_text("Secret(Hidden)\n", encoding="utf-8")
    (tmp_path / "inside" / "link.db").symlink_to(tmp_path / "secret.db")

    async def conversation(client: Client) -> None:
        for tool, arguments in hostile_calls(Random(1), 120):
            with anyio.fail_after(60):
                try:
                    result = await client.call_tool(tool, arguments)
                except Exception as error:
                    text = f"{type(error).__name__} {error}"
                else:
                    text = str(result)
            assert "Traceback" not in text
            assert "Hidden" not in text
            assert "E0864" not in text, (tool, arguments)
        assert (await ask(client, "schema"))["ok"]

    talk(tmp_path / "inside", conversation, seconds=20.0)


def test_rules_are_proposed_for_what_is_asked(tmp_path: Path) -> None:
    rows = [
        f"P{number},{'yes' if number % 3 else 'no'},{'yes' if number % 3 else 'no'}"
        for number in range(40)
    ]
    (tmp_path / "people.csv").write_text(
        "\n".join(["person_id,smoker,ill", *rows]), encoding="utf-8"
    )

    async def conversation(client: Client) -> None:
        assert (await ask(client, "load", files=["people.csv"], predict="people.ill"))[
            "asked_for"
        ] == "Ill"
        proposed = await ask(client, "propose_rules", seconds=300)
        rules = [one["rule"] for one in proposed["rules"]]
        assert any("Smoker(x) => Ill(x)" in rule for rule in rules)
        assert all("Ill(" in rule for rule in rules)

    talk(tmp_path, conversation)


def test_proposed_programs_are_whole_and_look_at_other_tables(tmp_path: Path) -> None:
    random = Random(2)
    worst = {f"H{number}": random.randrange(100) for number in range(150)}
    hives = [f"{hive},{'yes' if mites > 60 else 'no'}" for hive, mites in worst.items()]
    visits = [
        f"I{number}-{hive},{hive},{mites if number == 1 else random.randrange(mites + 1)}"
        for hive, mites in worst.items()
        for number in range(3)
    ]
    for name, rows in (("hives", ["hive,lost", *hives]), ("visits", ["visit,hive,mites", *visits])):
        (tmp_path / f"{name}.csv").write_text("\n".join(rows), encoding="utf-8")

    async def conversation(client: Client) -> None:
        files = ["hives.csv", "visits.csv"]
        await ask(client, "load", files=files, predict="hives.lost=yes")
        proposed = await ask(client, "propose_rules", seconds=300)
        assert any("Mites" in one["rule"] for one in proposed["rules"])
        assert len(proposed["program"]) > 400
        checked = await ask(client, "check", rules=proposed["program"])
        assert checked["rules"] >= len(proposed["rules"])
        scored = await ask(client, "crossval", rules=proposed["program"], folds=2)
        assert all(one["AUC-ROC"] > 0.9 for one in scored["folds"])

    talk(tmp_path, conversation)


def test_a_call_that_hears_no_cancel_is_answered_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its caller is told when its time is over; what writes is stopped in its statement."""
    going_on = Event()

    def deaf(self: Toolbox) -> dict[str, Any]:
        going_on.wait(60)
        return {"ok": True}

    def slow(self: Toolbox) -> dict[str, Any]:
        self.workspace.database.connection.execute(
            "CREATE TABLE slow AS SELECT sum(a.range) FROM range(1000000) a, range(10000000) b"
        )
        return {"ok": True}

    async def conversation(client: Client) -> None:
        assert (await ask(client, "schema"))["next"] == CANCELLED["next"]
        assert (await ask(client, "schema"))["next"] == BUSY["next"]
        going_on.set()
        assert (await ask(client, "runs"))["next"] == CANCELLED["next"]

    monkeypatch.setattr(assistants, "PATIENCE", 0.5)
    monkeypatch.setattr(Toolbox, "schema", deaf)
    monkeypatch.setattr(Toolbox, "runs", slow)
    talk(tmp_path, conversation, seconds=0.5)


def test_a_call_that_names_its_seconds_ends_soon_after(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def slow(self: Toolbox, seconds: float = 9.0) -> dict[str, Any]:
        assert self.progress().cancel_event.wait(60)
        raise Cancelled("slow")

    async def conversation(client: Client) -> None:
        assert (await ask(client, "schema", seconds=0.1))["next"] == CANCELLED["next"]

    monkeypatch.setattr(assistants, "LATE", 0.1)
    monkeypatch.setattr(Toolbox, "schema", slow)
    talk(tmp_path, conversation, seconds=90.0)


def test_a_line_that_is_no_message_is_answered_under_its_id(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = [
        r'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "\ud800"}}',
        r'{"jsonrpc": "2.0", "id": "\ud800", "method": "ping"}',
        '{"id": true}',
        "[]",
        "{",
        "[" * 9999,
        "",
        "   ",
        '{"jsonrpc": "2.0", "id": 8, "method": "ping"}',
    ]
    said = StringIO()

    async def sent() -> AsyncIterator[str]:
        for line in lines:
            yield f"{line}\n"
        # The end of input ends the server, with answers that are on their way.
        with anyio.fail_after(60):
            while '"id":8' not in said.getvalue():
                await anyio.sleep(0.01)

    with workbench.open() as workspace:
        server = assistants_server(
            Toolbox(workspace, Folders((tmp_path.resolve(),)), current_progress)
        )
        ends = sent(), anyio.wrap_file(said)
        monkeypatch.setattr(assistants, "stdio_server", partial(stdio_server, *ends))
        anyio.run(server.run_stdio_async)
    answers = [json.loads(line) for line in said.getvalue().splitlines()]
    refused = [one["id"] for one in answers if one.get("error", {}).get("code") == PARSE_ERROR]
    assert (refused, answers[-1]["id"]) == ([7, None, None, None, None, None], 8)
