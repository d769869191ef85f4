"""What an assistant can do with a workspace: plain functions of plain values, short answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.progress import Progress
from workbench.service.answer_tools import AnswerTools
from workbench.service.answers import call_tool
from workbench.service.data_tools import DataTools
from workbench.service.record_tools import RecordTools
from workbench.service.review_tools import ReviewTools
from workbench.service.rule_tools import RuleTools

if TYPE_CHECKING:
    from workbench.workspace import Workspace


class Toolbox(DataTools, RuleTools, AnswerTools, RecordTools, ReviewTools):
    """All tools over one workspace."""


TOOLS = tuple(name for part in Toolbox.__bases__ for name in vars(part) if not name.startswith("_"))
"""The names of the tools: the public methods of its parts."""


def perform(workspace: Workspace, request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """One tool's answer, in a worker's process."""
    toolbox = Toolbox(workspace, request["folders"], lambda: progress)
    return call_tool(getattr(toolbox, request["tool"]), request["arguments"])


def receive(workspace: Workspace, path: Path, progress: Progress) -> dict[str, Any]:
    """Take the runs of a file that a caller sent, in a process: the numbers there and here."""
    from workbench.workspace import open_workspace

    def taken() -> dict[str, Any]:
        with open_workspace(path) as sent:
            made = [run.id for run in reversed(sent.runs.all())]
            return {
                "ok": True,
                "runs": {number: workspace.runs.take(sent.database, number) for number in made},
            }

    return call_tool(taken, {})
