"""What `--help` and wrong usage say."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
from workbench.cli import app


@pytest.mark.parametrize("command", [command.name or command.callback.__name__ for command in app.registered_commands])  # type: ignore[union-attr]
def test_every_command_shows_an_example(run: Run, command: str) -> None:
    outcome = run(command, "--help")
    assert outcome.code == 0
    assert f"workbench {command}" in outcome.out.split("Examples:")[1]


def test_commands_and_options_are_grouped(run: Run) -> None:
    assert all(group in run("--help").out for group in ("Start", "Rules", "Predicting and learning", "Workspaces"))
    assert all(group in run("infer", "--help").out for group in ("Data", "Predicates", "Solving", "Output"))


@pytest.mark.parametrize(
    ("words", "hint"), [(("infr",), "infer"), (("infer", "a.mln", "--qery", "P"), "--query"), (("infer",), "RULES")]
)
def test_wrong_usage_exits_2_with_the_nearest_word(run: Run, words: tuple[str, ...], hint: str) -> None:
    outcome = run(*words)
    assert (outcome.code, hint in outcome.err) == (2, True)
