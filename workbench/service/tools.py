"""What all tools have: the workspace, the folders that may be read, and how work goes about."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any

from workbench.errors import InputError, UsageError, WorkbenchError
from workbench.progress import Progress
from workbench.service.arguments import Predicates
from workbench.service.folders import Folders

if TYPE_CHECKING:
    from workbench.language.program import Program
    from workbench.workspace import Workspace

QUESTION = "question of tables"
"""The setting that holds which files were loaded to predict which column."""


@dataclass(frozen=True)
class Tools:
    """Tools over one workspace.

    Attributes
    ----------
    folders : Folders
        Whose files may be loaded.
    progress : callable
        The progress that a call reports to, and by which it is cancelled.
    """

    workspace: Workspace
    folders: Folders
    progress: Callable[[], Progress] = Progress
    lock: RLock = field(default_factory=RLock)

    def how(
        self, query: Predicates, closed: Predicates, seconds: float, seed: int
    ) -> dict[str, Any]:
        """What is asked, of what loading tables left where nothing is named,
        and how to go about it.
        """
        asked, progress = query or asked_for(self.workspace), self.progress()
        return {
            "query": asked,
            "closed": closed,
            "time_limit": seconds,
            "seed": seed,
            "progress": progress,
        }


def program_of(rules: str) -> Program:
    """Rules as text: never the name of a file, and without files that they include."""
    from workbench.language import check, parse_program

    refuse_includes(rules)
    program = parse_program(rules)
    errors = [one for one in check(program) if one.severity == "error"]
    if errors:
        raise InputError(tuple(errors))
    return program


def refuse_includes(rules: str) -> None:
    if re.search(r"^\s*#\s*include", rules, re.MULTILINE):
        raise UsageError.of(
            "E0862", "rules given as text include no files", help="write all rules into the text"
        )


def asked_for(workspace: Workspace) -> list[str] | None:
    """What loading tables left to be asked."""
    kept = workspace.recall("query")
    return [name for name in kept.split(",") if name] if kept else None


def unconfirmed(what: str) -> WorkbenchError:
    return UsageError.of("E0863", what, help="call again with confirm=true if that is wanted")
