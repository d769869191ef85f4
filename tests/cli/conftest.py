"""Running the command line in this process, with its exit code and output."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import typer.main

from workbench.cli import main


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]
built = cache(typer.main.get_command)
"""The commands of the command line, made of their functions once, as a process makes them."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("infer rules.mln ...")`, or its words, as `workbench infer rules.mln ...` would."""

    monkeypatch.setattr(typer.main, "get_command", built)

    def invoke(*words: object) -> Outcome:
        line = shlex.split(str(words[0])) if len(words) == 1 else map(str, words)
        monkeypatch.setattr(sys, "argv", ["workbench", *line])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return invoke
