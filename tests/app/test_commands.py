"""What the page offers to copy runs, on the command line and in Python, with its figures."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.commands import command_line, python
from workbench.cli import app
from workbench.workspace import Workspace, open_workspace

RULES = "Likes(person, topic)\nFan(person)\n0.7 Likes(p, +t) => Fan(p)\n-0.5 Fan(p)\n"
PEOPLE = [f"P{number}" for number in range(12)]

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "infer": (
        "infer",
        {
            "query": ["Fan"],
            "engine": "gibbs",
            "options": {"samples": 50},
            "seed": 3,
            "worlds": ["East"],
        },
    ),
    "map": ("infer", {"query": ["Fan"], "task": "map", "engine": "ilp", "time_limit": 900.0}),
    "learn": ("learn", {"query": ["Fan"], "learner": "pseudo_likelihood", "intervals": "laplace"}),
    "kept folds": (
        "crossval",
        {"query": ["Fan"], "folds": "kept", "learner": "pseudo_likelihood", "engine": "gibbs"}
        | {"learner_options": {"prior_sd": 1.5}, "engine_options": {"samples": 60}},
    ),
}


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace file and its rules in the directory where the command is run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.mln").write_text(RULES)
    with open_workspace() as made:
        made.declare(RULES)
        for world, people in (("East", PEOPLE[:8]), ("West", PEOPLE[4:])):
            likes = "".join(f"{name},T{place % 2}\n" for place, name in enumerate(people))
            fans = "".join(f"{name}\n" for place, name in enumerate(people) if place % 2 == 0)
            (tmp_path / "Likes.csv").write_text(f"p,t\n{likes}")
            (tmp_path / "Fan.csv").write_text(f"p\n{fans}")
            made.load(tmp_path / "Likes.csv", world=world)
            made.load(tmp_path / "Fan.csv", world=world, partition="truth")
        made.data.make_folds("random", predicate="Fan", count=2, seed=1)
        made.save_as(tmp_path / "team.duckdb")
    return tmp_path / "team.duckdb"


def run(workspace: Workspace, kind: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    result = getattr(workspace, kind)(RULES, **arguments)
    return dict(json.loads(json.dumps(figures(result.summary()))))


def figures(summary: Mapping[str, Any]) -> dict[str, Any]:
    """A summary without what differs from run to run: times and the run's number."""
    dropped = ("seconds", "ground_seconds", "run", "diagnostics")
    return {name: value for name, value in summary.items() if name not in dropped}


@pytest.mark.parametrize("case", CASES)
def test_the_command_gives_the_same_figures(saved: Path, case: str) -> None:
    kind, arguments = CASES[case]
    with open_workspace(saved) as workspace:
        expected = run(workspace, kind, arguments)
        assert workspace.runs.all()
    words = shlex.split(command_line(kind, "mln", saved.name, arguments))
    assert words[0] == "workbench"
    result = CliRunner().invoke(app, [*words[1:], "--json"])
    assert result.exit_code == 0, result.output
    assert figures(json.loads(result.stdout)) == expected


@pytest.mark.parametrize("case", CASES)
def test_the_python_runs(saved: Path, case: str) -> None:
    kind, arguments = CASES[case]
    names: dict[str, Any] = {}
    exec(python(kind, "mln", saved.name, arguments), names)
    with open_workspace(saved) as workspace:
        assert json.loads(json.dumps(figures(names["result"].summary()))) == run(
            workspace, kind, arguments
        )
        assert len(workspace.runs.all()) == 2


def test_the_page_has_few_arenas_unless_they_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[dict[str, str]] = []

    def instead(path: str, command: list[str], environment: dict[str, str]) -> None:
        begun.append(environment)
        raise SystemExit  # what it is in place of never returns

    monkeypatch.setattr(os, "execve", instead)
    monkeypatch.delenv("MALLOC_ARENA_MAX", raising=False)
    CliRunner().invoke(app, ["app", "--no-browser"])
    monkeypatch.setenv("MALLOC_ARENA_MAX", "8")
    CliRunner().invoke(app, ["app", "--no-browser"])
    assert [one["MALLOC_ARENA_MAX"] for one in begun] == ["2", "8"]
