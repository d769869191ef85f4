"""Background work: one worker thread, progress that pages can read at any time, and a real cancel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from math import isfinite
from queue import Queue
from threading import Event, Thread
from time import time
from typing import Any

from workbench.errors import Cancelled, WorkbenchError
from workbench.progress import Progress

__all__ = ["Job", "JobRunner"]

FINISHED = ("done", "failed", "cancelled")


@dataclass
class Job:
    """One piece of work; the worker writes it, pages read it.

    Attributes
    ----------
    status : {'waiting', 'running', 'done', 'failed', 'cancelled'}
    points : list of (seconds, series, value)
        What the work reported of its objective.
    """

    number: int
    kind: str
    title: str
    work: Callable[[Progress], Any]
    status: str = "waiting"
    stage: str = ""
    done: float = 0.0
    total: float | None = None
    message: str = ""
    points: list[tuple[float, str, float]] = field(default_factory=list)
    started: float = 0.0
    finished: float = 0.0
    result: Any = None
    error: str = ""
    cancel_event: Event = field(default_factory=Event)

    @property
    def seconds(self) -> float:
        """Seconds of work so far."""
        if not self.started:
            return 0.0
        return (self.finished or time()) - self.started

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED

    def cancel(self) -> None:
        """Ask the work to stop; it does so at its next step."""
        self.cancel_event.set()
        if self.status == "waiting":
            self.status = "cancelled"

    def report(self, stage: str, done: float, total: float | None, message: str) -> None:
        """Where the work is; called by the worker."""
        self.stage, self.done, self.total, self.message = stage, done, total, message

    def observe(self, figures: dict[str, float]) -> None:
        """Figures of the work's course, such as its objective; called by the worker."""
        now = self.seconds
        self.points.extend((now, name, value) for name, value in figures.items() if isfinite(value))


class JobRunner:
    """Runs jobs one after the other in a thread of its own, so that they outlive the page that began them."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self._numbers = count(1)
        self._waiting: Queue[Job] = Queue()
        Thread(target=self._run, name="workbench-jobs", daemon=True).start()

    def submit(self, title: str, work: Callable[[Progress], Any], *, kind: str = "") -> Job:
        """Queue work that takes a `Progress`; its job."""
        job = Job(next(self._numbers), kind, title, work)
        self.jobs.append(job)
        self._waiting.put(job)
        return job

    def latest(self) -> Job | None:
        """The job begun last."""
        return self.jobs[-1] if self.jobs else None

    def result_of_run(self, run: int) -> Any:
        """The result that a job of this server recorded under a run's number, or None."""
        for job in reversed(self.jobs):
            if job.status == "done" and getattr(job.result, "run_id", None) == run:
                return job.result
        return None

    def _run(self) -> None:
        while True:
            job = self._waiting.get()
            if job.status == "cancelled":
                continue
            job.status, job.started = "running", time()
            try:
                job.result = job.work(Progress(job.report, job.cancel_event, job.observe))
                job.status = "done"
            except Cancelled:
                job.status = "cancelled"
            except WorkbenchError as error:
                job.status, job.error = "failed", str(error)
            except Exception as error:
                job.status, job.error = "failed", f"internal error: {type(error).__name__}: {error}"
            job.finished = time()
