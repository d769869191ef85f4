"""Background work: a queue, two workers in processes of their own, progress for pages,
and a cancel that is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from math import isfinite
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from time import time
from typing import Any

from app.work import TAKE, Outcome, Work
from workbench.errors import WorkbenchError
from workbench.progress import Progress
from workbench.service.apart import (
    Task,
    Worker,
    memory_of_a_job,
    newest_run,
    taken_over,
    why_it_failed,
)
from workbench.workspace import Workspace

__all__ = ["Job", "JobRunner"]

FINISHED = ("done", "failed", "cancelled")
WORKERS = 2
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
    worker: Worker | None = None
    stop: Event = field(default_factory=Event)
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
        """The part that is done, by the work's own count or by its time limit;
        None where neither is known.
        """
        if self.total:
            return min(1.0, self.done / self.total)
        return min(1.0, self.seconds / self.work.seconds) if self.work.seconds else None

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED

    @property
    def asked_to_stop(self) -> bool:
        return self.stop.is_set()

    @property
    def out_of_time(self) -> bool:
        return self.worker is not None and self.worker.out_of_time

    def cancel(self) -> None:
        """Ask the work to stop; a worker that does not answer is ended."""
        with self.lock:
            self.stop.set()
            if self.status == "waiting":
                self.status, self.finished = "cancelled", time()

    def progress(self) -> Progress:
        """What the worker reports to."""
        return Progress(self._report, self.stop, self._observe)

    def _report(self, stage: str, done: float, total: float | None, message: str) -> None:
        self.stage, self.done, self.total, self.message = stage, done, total, message

    def _observe(self, figures: Mapping[str, float]) -> None:
        at = figures["seconds"]
        self.points.extend(
            (at, name, value)
            for name, value in figures.items()
            if name != "seconds" and isfinite(value)
        )


class JobRunner:
    """Runs jobs in two processes at a time, in the order they came;
    they outlive the page that began them.
    """

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


def _do(job: Job) -> str:
    """Run one job in a process of its own; how it ended."""
    work = job.work
    with TemporaryDirectory(prefix="workbench-job-") as folder:
        path = Path(folder, "copy.duckdb")
        before = 0
        if work.copied != "nothing":
            job.stage = "copying the facts"
            job.workspace.save_as(path, runs=work.copied == "all")
            if work.copied == "all":
                before = newest_run(job.workspace)
        arguments = {"kind": work.kind, "arguments": dict(work.arguments)}
        job.worker = Worker(Task("app.work:perform", arguments, path, job.memory, work.seconds))
        ending = job.worker.run(job.progress())
        take = TAKE.get(work.kind)
        taking: Any = None if take is None else partial(take, arguments=work.arguments)
        runs = taken_over(job.workspace, path, before, ending, taking)
    if ending.kind == "done":
        job.result = replace(
            ending.content, run_id=runs.get(ending.content.run_id, ending.content.run_id)
        )
        return "done"
    if ending.kind in ("cancelled", "ended") and job.asked_to_stop:
        if job.kind in RECORDED and not runs:
            job.workspace.runs.record_ended(job.kind, job.seconds, work.arguments)
        return "cancelled"
    job.error = (
        ending.content if ending.kind == "failed" else str(why_it_failed(ending, job.memory))
    )
    return "failed"
