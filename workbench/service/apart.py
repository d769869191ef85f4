"""Work in a process of its own, over a copy of the workspace: limits of time and memory, and a cancel that is kept.

DuckDB lets one process hold a file for writing, and the one that serves it does. So each job works on a copy, in a
process that can be ended; the runs that it recorded are taken over when it is done, or ended.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic
from typing import Any, Literal

from workbench.errors import UsageError, WorkbenchError
from workbench.progress import Progress, expired
from workbench.workspace import Workspace, open_workspace

__all__ = ["Ending", "Task", "Worker", "answered_apart", "memory_of_a_job", "newest_run", "taken_over", "why_it_failed"]

PATIENCE = 1.5
"""Seconds that a worker has to answer a cancel, before it is ended."""
SHARE_OF_MEMORY = 0.4


@dataclass(frozen=True)
class Task:
    """What a worker is to do; plain values, so that another process can be told.

    Attributes
    ----------
    function : str
        `module:name`, called as `function(workspace, arguments, progress)`.
    arguments : mapping
    path : Path
        The workspace that it works on, made where there is none.
    memory : int
        Bytes that it may use.
    seconds : float, optional
        When they are over, counted from when the worker begins, it is asked to stop, whatever it does.
    """

    function: str
    arguments: Mapping[str, Any]
    path: Path
    memory: int
    seconds: float | None = None


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
    process : Popen or None
        While the task runs.
    out_of_time : bool
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.process: subprocess.Popen[bytes] | None = None
        self.out_of_time = False
        self._deadline: float | None = None

    def run(self, progress: Progress) -> Ending:
        """Do the task; cancelling `progress` stops it within two seconds, whatever it is busy with."""
        if progress.cancelled:
            return Ending("cancelled")
        over = Event()
        with self._started() as process:
            watcher = Thread(target=self._watch, args=(process, progress, over), daemon=True)
            watcher.start()
            try:
                return self._followed(process, progress)
            finally:
                over.set()
                watcher.join()

    @contextmanager
    def _started(self) -> Iterator[subprocess.Popen[bytes]]:
        """The process that does the work, with all that it starts; gone at the end."""
        task = self.task
        request = {
            "function": task.function,
            "arguments": dict(task.arguments),
            "path": str(task.path),
            "memory": task.memory,
        }
        packed = pickle.dumps(request, protocol=5)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "workbench.service.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        try:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.write(struct.pack("<Q", len(packed)) + packed)
                process.stdin.flush()
            self.process = process
            yield process
        finally:
            self.process = None
            _end(process)
            process.wait()
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):
                    if stream is not None:
                        stream.close()

    def _watch(self, process: subprocess.Popen[bytes], progress: Progress, over: Event) -> None:
        """Hand a cancel on, by hand or for time, and end the process where it does not answer."""
        while not over.wait(0.05):
            if self._deadline is not None and expired(self._deadline):
                self.out_of_time = True
                progress.cancel_event.set()
            if progress.cancelled:
                with suppress(OSError, ValueError):
                    assert process.stdin is not None
                    process.stdin.write(b"c")
                    process.stdin.flush()
                if not over.wait(PATIENCE):
                    _end(process)
                return

    def _followed(self, process: subprocess.Popen[bytes], progress: Progress) -> Ending:
        """Take the worker's reports in until it says how it ended."""
        assert process.stdout is not None
        while True:
            head = process.stdout.read(8)
            packed = process.stdout.read(struct.unpack("<Q", head)[0]) if len(head) == 8 else b""
            try:
                kind, content = pickle.loads(packed)
            except (EOFError, pickle.UnpicklingError):
                wanted_memory = not packed and not progress.cancelled and _for_want_of_memory(process)
                return Ending("memory" if wanted_memory else "ended")
            if kind == "step":
                progress.report(*content)
            elif kind == "points":
                for at, figures in content:
                    progress.observe({"seconds": at, **figures})
            elif kind == "begun":
                self._deadline = None if self.task.seconds is None else monotonic() + self.task.seconds
            else:
                return Ending(kind, content)


def memory_of_a_job() -> int:
    """Bytes that a job may use: WORKBENCH_JOB_MEMORY in GB, else two fifths of the machine's memory."""
    given = os.environ.get("WORKBENCH_JOB_MEMORY", "")
    with suppress(ValueError):
        return int(float(given) * (1 << 30))
    if not hasattr(os, "sysconf"):
        return 8 << 30
    return int(SHARE_OF_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def answered_apart(
    workspace: Workspace, function: str, arguments: Mapping[str, Any], progress: Progress, memory: int
) -> tuple[Ending, dict[int, int]]:
    """A function's ending over a copy of a workspace, and the runs that it left here by their numbers there."""
    with TemporaryDirectory(prefix="workbench-job-") as folder:
        path = Path(folder, "copy.duckdb")
        progress.step("copying the facts", 0)
        with workspace.beside() as now:
            before = newest_run(now)
            now.save_as(path)
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
    """The runs that a worker recorded after number `before`, taken into the workspace: its number of each, and ours.

    Parameters
    ----------
    take : callable, optional
        Called as `take(workspace, copy)` for what else there is to be taken.
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
            help="ask for less (fewer worlds, bound variables), or start with more WORKBENCH_JOB_MEMORY",
        )
    return UsageError.of("E0839", "the job's process ended before its work was done", help="try it again")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a worker and the solvers that it started."""
    if process.poll() is not None:
        return
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _for_want_of_memory(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process ended as those do that are refused memory in the middle of a library."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(5) in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGKILL)
    return False
