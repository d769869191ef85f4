"""A server's jobs: what changes the workspace one after the other in place, the rest on copies."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.errors import Cancelled
from workbench.progress import Progress
from workbench.service.access import Audit
from workbench.service.answers import call_tool, renumbered
from workbench.service.apart import Ending, answered_apart, why_it_failed
from workbench.service.calls import ToolCall
from workbench.service.toolbox import Toolbox


@dataclass(frozen=True)
class ToolWork:
    """The work of jobs over one toolbox; a process of its own may use so many bytes of memory."""

    toolbox: Toolbox
    audit: Audit
    memory: int

    def read(self, call: ToolCall, arguments: dict[str, Any]) -> dict[str, Any]:
        """An answer from what is committed: it waits for no writer."""
        with self.toolbox.workspace.beside() as now:
            return call_tool(getattr(replace(self.toolbox, workspace=now), call.name), arguments)

    def done(
        self, who: str, call: ToolCall, arguments: dict[str, Any], progress: Progress
    ) -> dict[str, Any]:
        """One job's answer: in its turn in place, or from a process of its own."""
        work = self._in_place if call.in_place else self._apart
        answer = call_tool(work, {"tool": call.name, "arguments": arguments, "progress": progress})
        self.audit.note(who, call.name, bool(answer["ok"]))
        return answer

    def _in_place(self, tool: str, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
        while not self.toolbox.lock.acquire(timeout=0.1):
            progress.step("waiting for its turn", 0)
        try:
            with self.toolbox.workspace.heeding(progress):
                answer: dict[str, Any] = getattr(
                    replace(self.toolbox, progress=lambda: progress), tool
                )(**arguments)
            return answer
        finally:
            self.toolbox.lock.release()

    def _apart(self, tool: str, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
        request = {"tool": tool, "arguments": arguments, "folders": self.toolbox.folders}
        return renumbered(*self._in_a_process("perform", request, progress))

    def received(self, content: bytes, progress: Progress) -> dict[str, Any]:
        """The runs of a caller's file, opened in a process and taken from what that one wrote."""

        def taken() -> dict[str, Any]:
            with TemporaryDirectory(prefix="workbench-copy-") as folder:
                path = Path(folder, "runs.duckdb")
                path.write_bytes(content)
                answer, numbers = self._in_a_process("receive", path, progress)
            here = {one: numbers[other] for one, other in answer.get("runs", {}).items()}
            told = json.dumps(answer | {"runs": here}).replace(str(path), "the file that was sent")
            return dict(json.loads(told))

        return call_tool(taken, {})

    def _in_a_process(
        self, name: str, request: Any, progress: Progress
    ) -> tuple[dict[str, Any], dict[int, int]]:
        """What the toolbox says of a copy of the workspace, and the runs left there."""
        function = f"workbench.service.toolbox:{name}"
        ending, numbers = answered_apart(
            self.toolbox.workspace, function, request, progress, self.memory
        )
        if ending.kind == "done":
            # Where an allocation was refused it is the process that had no more to have.
            if any(one["code"] == "E0224" for one in ending.content.get("diagnostics", ())):
                ending = Ending("memory")
            else:
                return ending.content, numbers
        if progress.cancelled:
            raise Cancelled(name)
        raise why_it_failed(ending, self.memory)
