"""What `--help` and wrong usage say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from workbench.cli import app
from workbench.inference import ENGINES

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "command", [command.name or command.callback.__name__ for command in app.registered_commands]
)  # type: ignore[union-attr]
def test_every_command_shows_an_example(run: Run, command: str) -> None:
    outcome = run(command, "--help")
    assert outcome.code == 0
    assert f"workbench {command}" in outcome.out.split("Examples:")[1]


def test_commands_and_options_are_grouped(run: Run) -> None:
    assert all(
        group in run("--help").out
        for group in ("Start", "Rules", "Predicting and learning", "Workspaces")
    )
    assert all(
        group in run("infer", "--help").out for group in ("Data", "Predicates", "Solving", "Output")
    )


@pytest.mark.parametrize(
    ("command", "covered"),
    [
        *((command, "from the end of grounding") for command in ("infer", "learn")),
        *((command, "Seconds for all of it") for command in ("solve", "study", "link")),
        ("structure", "Seconds for all of it"),
    ],
)
def test_help_says_what_a_time_limit_covers(run: Run, command: str, covered: str) -> None:
    text = run(command, "--help").out.replace("│", " ")
    option = text.split("--time-limit")[1].split(" --")[0]
    for word in covered.split():
        assert word in option


@pytest.mark.parametrize(
    ("words", "hint"),
    [(("infr",), "infer"), (("infer", "a.mln", "--qery", "P"), "--query"), (("infer",), "RULES")],
)
def test_wrong_usage_exits_2_with_the_nearest_word(
    run: Run, words: tuple[str, ...], hint: str
) -> None:
    outcome = run(*words)
    assert (outcome.code, hint in outcome.err) == (2, True)


def test_the_engines_are_documented_as_they_declare_themselves(run: Run) -> None:
    printed = run("engines").out.strip()
    assert printed.count("\n") > 12
    assert printed in (ROOT / "docs" / "inference.md").read_text(encoding="utf-8")
    listed = json.loads(run("engines", "--json").out)["engines"]
    assert {name for one in listed for name in one["names"]} == set(ENGINES)
