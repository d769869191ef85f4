"""What a job of the page's queue does, in a process of its own over a copy of the workspace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from app.work import TAKE, Outcome, Work
from workbench.errors import WorkbenchError
from workbench.progress import Progress
from workbench.service.apart import Ending, Worker, newest_run, taken_over, why_it_failed
from workbench.service.worker import Task
from workbench.workspace import Workspace

RECORDED = ("infer", "learn", "crossval", "structure", "study", "link")


@dataclass
class PageWork:
    """Work over a workspace and what came of it; its job runs it, pages read it.

    Attributes
    ----------
    memory : int
        Bytes that it may use.
    error : str
        Why it failed, as it is told.
    """

    work: Work
    workspace: Workspace
    memory: int
    outcome: Outcome | None = None
    error: str = ""
    worker: Worker | None = None

    @property
    def out_of_time(self) -> bool:
        return self.worker is not None and self.worker.out_of_time

    def __call__(self, progress: Progress) -> dict[str, Any]:
        """Do it; how it ended, and the run that it recorded."""
        try:
            self._do(progress)
        except WorkbenchError as error:
            self.error = str(error)
        except Exception as error:
            self.error = f"internal error: {type(error).__name__}: {error}"
        run = self.outcome.run_id if self.outcome is not None else None
        return {"ok": self.outcome is not None, "run": run, "error": self.error}

    def _do(self, progress: Progress) -> None:
        begun = monotonic()
        with TemporaryDirectory(prefix="workbench-job-") as folder:
            path = Path(folder, "copy.duckdb")
            before = self._copy(path, progress)
            request = {"kind": self.work.kind, "arguments": dict(self.work.arguments)}
            task = Task("app.work:perform", request, path, self.memory, self.work.seconds)
            self.worker = Worker(task)
            ending = self.worker.run(progress)
            take = TAKE.get(self.work.kind)
            taking = None if take is None else partial(take, arguments=self.work.arguments)
            runs = taken_over(self.workspace, path, before, ending, taking)
        if ending.kind == "done":
            number = ending.content.run_id
            self.outcome = replace(ending.content, run_id=runs.get(number, number))
        elif ending.kind in ("cancelled", "ended") and progress.cancelled:
            if self.work.kind in RECORDED and not runs:
                self.workspace.runs.record_ended(
                    self.work.kind, monotonic() - begun, self.work.arguments
                )
        else:
            self.error = _told(ending, self.memory)

    def _copy(self, path: Path, progress: Progress) -> int:
        """Copy what the work needs of the workspace; the newest run in the copy."""
        if self.work.copied == "nothing":
            return 0
        progress.step("copying the facts", 0)
        whole = self.work.copied == "all"
        self.workspace.save_as(path, runs=whole, linkages=False)
        return newest_run(self.workspace) if whole else 0


def _told(ending: Ending, memory: int) -> str:
    return str(ending.content if ending.kind == "failed" else why_it_failed(ending, memory))
