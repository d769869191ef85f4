"""Work in a process of its own, over a copy of the workspace: limits of time and memory, and a
cancel that is kept.

DuckDB lets one process hold a file for writing, and the one that serves it does. So each job works
on a copy, in a process that can be ended; the runs that it recorded are taken over when it is done,
or ended.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Literal

from workbench.errors import UsageError, WorkbenchError
from workbench.processes import LOOK, Process
from workbench.progress import Progress, expired
from workbench.service.worker import Task, serve
from workbench.workspace import Workspace, open_workspace

PATIENCE = 1.2
"""Seconds that a worker has to answer a cancel, before it is ended."""
SHARE_OF_MEMORY = 0.4


@dataclass(frozen=True)
class Ending:
    """How a piece of work ended.

    Attributes
    ----------
    kind : {'done', 'cancelled', 'failed', 'memory', 'ended'}
        `ended`: its process is gone without a word, because it was ended or died.
    content : object
        What the function returned, or the words of its failure.
    """

    kind: Literal["done", "cancelled", "failed", "memory", "ended"]
    content: Any = None


class Worker:
    """A process for one task.

    Attributes
    ----------
    process : Process or None
        While the task runs.
    out_of_time : bool
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.process: Process | None = None
        self.out_of_time = False

    def run(self, progress: Progress) -> Ending:
        """Do the task; cancelling `progress` stops it within two seconds, whatever it does."""
        if progress.cancelled:
            return Ending("cancelled")
        process = self.process = Process(serve)
        try:
            with suppress(OSError):
                process.send(self.task)
            return self._followed(process, progress)
        finally:
            self.process = None
            process.end()

    def _followed(self, process: Process, progress: Progress) -> Ending:
        """Take the worker's reports in until it ends; hand a cancel on, and end what goes on."""
        deadline, patience = None, None
        while True:
            if deadline is not None and expired(deadline):
                self.out_of_time = True
                progress.cancel_event.set()
            if progress.cancelled and patience is None:
                patience = monotonic() + PATIENCE
                with suppress(OSError):
                    process.send("stop")
            if patience is not None and expired(patience):
                process.kill()
            if not process.answers.poll(LOOK):
                continue
            try:
                kind, content = process.answers.recv()
            except (EOFError, OSError):
                return Ending(
                    "memory" if not progress.cancelled and process.wanted_memory else "ended"
                )
            if kind == "step":
                progress.report(*content)
            elif kind == "points":
                for at, figures in content:
                    progress.observe({"seconds": at, **figures})
            elif kind == "begun":
                deadline = None if self.task.seconds is None else monotonic() + self.task.seconds
            else:
                return Ending(kind, content)


def memory_of_a_job() -> int:
    """Bytes that a job may use: WORKBENCH_JOB_MEMORY in GB, else two fifths of all memory."""
    given = os.environ.get("WORKBENCH_JOB_MEMORY", "")
    with suppress(ValueError):
        return int(float(given) * (1 << 30))
    if not hasattr(os, "sysconf"):
        return 8 << 30
    return int(SHARE_OF_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def answered_apart(
    workspace: Workspace,
    function: str,
    arguments: Mapping[str, Any],
    progress: Progress,
    memory: int,
) -> tuple[Ending, dict[int, int]]:
    """A function's ending over a copy of a workspace, and its runs by their numbers there."""
    with TemporaryDirectory(prefix="workbench-job-") as folder:
        path = Path(folder, "copy.duckdb")
        progress.step("copying the facts", 0)
        with workspace.beside() as now:
            before = newest_run(now)
            now.save_as(path, linkages=False)
        ending = Worker(Task(function, arguments, path, memory)).run(progress)
        return ending, taken_over(workspace, path, before, ending)


def newest_run(workspace: Workspace) -> int:
    """The largest number of a run; 0 without any."""
    return max((run.id for run in workspace.runs.all()), default=0)


def taken_over(
    workspace: Workspace,
    path: Path,
    before: int,
    ending: Ending,
    take: Callable[[Workspace, Workspace], None] | None = None,
) -> dict[int, int]:
    """The runs that a worker recorded after number `before`, taken into the workspace: its number
    of each, and ours.

    `take`: called as `take(workspace, copy)` for what else there is to be taken.
    """
    if not path.exists():
        return {}
    try:
        with open_workspace(path) as copy:
            if take is not None:
                take(workspace, copy)
            made = [run.id for run in reversed(copy.runs.all()) if run.id > before]
            return {number: workspace.runs.take(copy.database, number) for number in made}
    except WorkbenchError:
        if ending.kind == "ended":
            return {}
        raise


def why_it_failed(ending: Ending, memory: int) -> UsageError:
    """The failure of work whose process could not tell it."""
    if ending.kind == "memory":
        return UsageError.of(
            "E0838",
            f"the job needs more than the {memory / (1 << 30):.1f} GB of memory that it may use",
            help="ask for less (fewer worlds, bound variables), or start a server with a larger "
            "--job-memory, the page with more WORKBENCH_JOB_MEMORY",
        )
    return UsageError.of(
        "E0839", "the job's process ended before its work was done", help="try it again"
    )
