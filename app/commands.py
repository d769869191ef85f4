"""What the page runs, as a command line and as Python that do the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

FLAGS = {"time_limit": "--time-limit", "worlds": "--only"}
SETTINGS = {"options": "--set", "learner_options": "--set", "engine_options": "--set-engine"}


def command_line(kind: str, language: str, path: str | None, arguments: Mapping[str, Any]) -> str:
    """The command that does the same with the rules saved as `rules.mln` or `rules.psl`."""
    words = ["workbench", kind, f"rules.{language}", "--workspace", path or "WORKSPACE.duckdb"]
    for name, value in arguments.items():
        if name in SETTINGS:
            for key, setting in value.items():
                words += [SETTINGS[name], f"{key}={setting}"]
        elif name == "worlds":
            for world in value:
                words += [FLAGS[name], world]
        else:
            text = ",".join(value) if isinstance(value, list | tuple) else str(value)
            words += [FLAGS.get(name, f"--{name}"), text]
    return shlex.join(words)


def python(kind: str, language: str, path: str | None, arguments: Mapping[str, Any]) -> str:
    """The Python that does the same."""
    shown = "".join(f",\n        {name}={value!r}" for name, value in arguments.items())
    return (
        f"import workbench as wb\n\nwith wb.open({path or 'WORKSPACE.duckdb'!r}) as ws:\n"
        f'    result = ws.{kind}(\n        "rules.{language}"{shown},\n    )\n'
    )
