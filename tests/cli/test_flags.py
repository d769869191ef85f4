"""Every option of commands that work with rules reaches the facade: none is dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer

from tests.cli.conftest import Run
from workbench.cli import app
from workbench.errors import UsageError
from workbench.workspace import Workspace

VERBS = ("infer", "learn", "crossval")
SHOWN = "Output"
"""The panel of options that say what is printed or written, and of nothing else."""
VALUES = {
    "--data": None,
    "--world": None,
    "--workspace": None,
    "--mapping": None,
    "--query-file": None,
    "--labels": "withheld",
    "--query": "Q",
    "--memory": "7GB",
    "--closed": "C",
    "--hidden": "H",
    "--only": "w1",
    "--task": "map",
    "--on": "spark",
    "--engine": "mcsat",
    "--learner": "exact",
    "--set": "samples=7",
    "--set-engine": "samples=7",
    "--no-learn": None,
    "--validate": "prior_sd=1,2",
    "--intervals": "laplace",
    "--folds": "2",
    "--fold": "w0",
}
"""A value for options whose type suggests none; None for what is tested apart."""


def options(verb: str) -> list[Any]:
    command = typer.main.get_command(app).commands[verb]  # type: ignore[attr-defined]
    return [
        one
        for one in command.params
        if one.param_type_name == "option" and one.name not in ("help", "json")
    ]


def words_of(option: Any) -> list[str] | None:
    name = max(option.opts, key=len)
    if name in VALUES:
        value = VALUES[name]
        return None if value is None else [name, value]
    if getattr(option, "rich_help_panel", None) == SHOWN:
        return None
    if option.is_flag:
        return [name]
    return [name, "7"]


CASES = [
    (verb, words) for verb in VERBS for words in map(words_of, options(verb)) if words is not None
]


@pytest.mark.parametrize(
    ("verb", "words"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_option_changes_what_the_facade_is_asked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, words: list[str]
) -> None:
    asked: list[dict[str, Any]] = []

    def record(self: Workspace, program: object, **given: Any) -> None:
        asked.append({name: value for name, value in given.items() if name != "progress"})
        raise UsageError.of("E0807", "asked")

    monkeypatch.setattr(Workspace, verb, record)
    rules = tmp_path / "rules.mln"
    rules.write_text("P(t)\nQ(t)\nC(t)\nH(t)\n1 P(x) => Q(x)\n", encoding="utf-8")
    for world in ("w0", "w1"):
        (tmp_path / f"{world}.db").write_text("C(A)\n", encoding="utf-8")
    base = [verb, rules, "--world", tmp_path / "w0.db", "--world", tmp_path / "w1.db"]
    for more in ([], words):
        run(*map(str, base), *more)
    assert len(asked) == 2
    assert asked[0] != asked[1]
