"""Background work: a queue, two workers in processes of their own, progress that pages read, and a cancel that is kept.

DuckDB lets one process hold a file for writing, and this server is the one. So each job works on a copy of the
workspace, in a process that can be ended; the runs that it recorded are taken over when it is done. A job that does not
answer is ended, and what it had recorded until then is taken over all the same.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from math import isfinite
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Lock, Thread, Timer
from time import time
from typing import Any

from app.work import TAKE, Outcome, Work
from workbench.errors import UsageError, WorkbenchError
from workbench.workspace import Workspace, open_workspace

__all__ = ["Job", "JobRunner"]

FINISHED = ("done", "failed", "cancelled")
WORKERS = 2
WORKER = Path(__file__).with_name("worker.py")
PATIENCE = 1.5
"""Seconds that a worker has to answer a cancel, before it is ended."""
SHARE_OF_MEMORY = 0.4
RECORDED = ("infer", "learn", "crossval", "structure", "study")


@dataclass
class Job:
    """One piece of work; its runner writes it, pages read it.

    Attributes
    ----------
    memory : int
        Bytes that it may use.
    status : {'waiting', 'running', 'done', 'failed', 'cancelled'}
    points : list of (seconds, series, value)
        What the work reported of its objective.
    """

    number: int
    work: Work
    workspace: Workspace
    memory: int
    status: str = "waiting"
    stage: str = ""
    done: float = 0.0
    total: float | None = None
    message: str = ""
    points: list[tuple[float, str, float]] = field(default_factory=list)
    started: float = 0.0
    finished: float = 0.0
    result: Outcome | None = None
    error: str = ""
    asked_to_stop: bool = False
    out_of_time: bool = False
    process: subprocess.Popen[bytes] | None = None
    lock: Lock = field(default_factory=Lock)

    @property
    def kind(self) -> str:
        return self.work.kind

    @property
    def title(self) -> str:
        return self.work.title

    @property
    def seconds(self) -> float:
        """Seconds of work so far."""
        if not self.started:
            return 0.0
        return (self.finished or time()) - self.started

    @property
    def share(self) -> float | None:
        """The part that is done, by the work's own count or by its time limit; None where neither is known."""
        if self.total:
            return min(1.0, self.done / self.total)
        return min(1.0, self.seconds / self.work.seconds) if self.work.seconds else None

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED

    def cancel(self) -> None:
        """Ask the work to stop; a worker that does not answer is ended."""
        with self.lock:
            self.asked_to_stop = True
            if self.status == "waiting":
                self.status, self.finished = "cancelled", time()
            process = self.process
        if process is None:
            return
        with suppress(OSError, ValueError):
            assert process.stdin is not None
            process.stdin.write(b"c")
            process.stdin.flush()
        timer = Timer(PATIENCE, _end, [process])
        timer.daemon = True
        timer.start()

    def stop_for_time(self) -> None:
        """The time limit is over."""
        self.out_of_time = True
        self.cancel()


class JobRunner:
    """Runs jobs in two processes at a time, in the order they came; they outlive the page that began them."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self._numbers = count(1)
        self._waiting: Queue[Job] = Queue()
        for number in range(WORKERS):
            Thread(target=self._run, name=f"workbench-jobs-{number}", daemon=True).start()

    def submit(self, work: Work, workspace: Workspace) -> Job:
        """Queue work over a workspace; its job."""
        job = Job(next(self._numbers), work, workspace, memory_of_a_job())
        self.jobs.append(job)
        self._waiting.put(job)
        return job

    def latest(self) -> Job | None:
        """The job begun last."""
        return self.jobs[-1] if self.jobs else None

    def unfinished(self) -> list[Job]:
        """What runs and what waits, in order."""
        return [job for job in self.jobs if not job.is_finished]

    def _run(self) -> None:
        while True:
            job = self._waiting.get()
            with job.lock:
                if job.status == "cancelled":
                    continue
                job.status, job.started = "running", time()
            try:
                status = _do(job)
            except WorkbenchError as error:
                status, job.error = "failed", str(error)
            except Exception as error:
                status, job.error = "failed", f"internal error: {type(error).__name__}: {error}"
            job.finished = time()
            job.status = status


def memory_of_a_job() -> int:
    """Bytes that a job may use: WORKBENCH_JOB_MEMORY in GB, else two fifths of the machine's memory."""
    given = os.environ.get("WORKBENCH_JOB_MEMORY", "")
    with suppress(ValueError):
        return int(float(given) * (1 << 30))
    if not hasattr(os, "sysconf"):
        return 8 << 30
    return int(SHARE_OF_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def _do(job: Job) -> str:
    """Run one job in a process of its own; how it ended."""
    with TemporaryDirectory(prefix="workbench-job-") as folder:
        path = Path(folder, "copy.duckdb")
        before = 0
        if job.work.copied != "nothing":
            job.stage = "copying the facts"
            job.workspace.save_as(path, runs=job.work.copied == "all")
            if job.work.copied == "all":
                before = max((run.id for run in job.workspace.runs.all()), default=0)
        kind: str = "cancelled"
        content: Any = None
        if not job.asked_to_stop:
            with _worker(job, path) as process:
                kind, content = _followed(job, process)
        runs = _taken_over(job, path, before, ended=kind == "ended")
    if kind == "done":
        job.result = replace(content, run_id=runs.get(content.run_id, content.run_id))
        return "done"
    if kind in ("cancelled", "ended") and job.asked_to_stop:
        if job.kind in RECORDED and not runs:
            job.workspace.runs.record_ended(job.kind, job.seconds, job.work.arguments)
        return "cancelled"
    if kind == "failed":
        job.error = content
    elif kind == "memory" or (kind == "ended" and content):
        job.error = _too_much(job)
    else:
        job.error = str(UsageError.of("E0839", "the job's process ended before its work was done", help="try it again"))
    return "failed"


@contextmanager
def _worker(job: Job, path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The process that does the work, with all that it starts; gone at the end."""
    request = {
        "path": str(path),
        "kind": job.work.kind,
        "arguments": dict(job.work.arguments),
        "memory": job.memory,
    }
    packed = pickle.dumps(request, protocol=5)
    with (path.parent / "log.txt").open("w+b") as log:
        process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        try:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.write(struct.pack("<Q", len(packed)) + packed)
                process.stdin.flush()
            with job.lock:
                job.process = process
                stop = job.asked_to_stop
            if stop:
                job.cancel()
            yield process
        finally:
            with job.lock:
                job.process = None
            _end(process)
            process.wait()
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):
                    if stream is not None:
                        stream.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a worker and the solvers that it started."""
    if process.poll() is not None:
        return
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _followed(job: Job, process: subprocess.Popen[bytes]) -> tuple[str, Any]:
    """Take the worker's reports in until it says how it ended; `ended` where it said nothing more."""
    assert process.stdout is not None
    with ExitStack() as limits:
        while True:
            head = process.stdout.read(8)
            packed = process.stdout.read(struct.unpack("<Q", head)[0]) if len(head) == 8 else b""
            if not packed:
                return "ended", _for_want_of_memory(process)
            try:
                kind, content = pickle.loads(packed)
            except (EOFError, pickle.UnpicklingError):
                return "ended", False
            if kind == "step":
                job.stage, job.done, job.total, job.message = content
            elif kind == "points":
                job.points.extend(
                    (at, name, value) for at, figures in content for name, value in figures.items() if isfinite(value)
                )
            elif kind == "begun":
                limits.enter_context(_clock(job))
            else:
                return kind, content


@contextmanager
def _clock(job: Job) -> Iterator[None]:
    """Stop the job when its time is up, counted from when its worker begins."""
    if job.work.seconds is None:
        yield
        return
    timer = Timer(job.work.seconds, job.stop_for_time)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _for_want_of_memory(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process ended as those do that are refused memory in the middle of a library."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(5) in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGKILL)
    return False


def _taken_over(job: Job, path: Path, before: int, *, ended: bool) -> dict[int, int]:
    """The runs that the worker recorded, taken into the workspace: its number of each, and ours."""
    if not path.exists():
        return {}
    try:
        with open_workspace(path) as copy:
            if (take := TAKE.get(job.kind)) is not None:
                take(job.workspace, copy, job.work.arguments)
            made = [run.id for run in reversed(copy.runs.all()) if run.id > before]
            return {number: job.workspace.runs.take(copy.database, number) for number in made}
    except WorkbenchError:
        if ended:
            return {}
        raise


def _too_much(job: Job) -> str:
    error = UsageError.of(
        "E0838",
        f"the job needs more than the {job.memory / (1 << 30):.1f} GB of memory that it may use",
        help="ask for less (fewer worlds, bound variables), or raise WORKBENCH_JOB_MEMORY and start the page again",
    )
    return str(error)
