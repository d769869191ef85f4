"""Jobs of a server: long work in a queue, with progress to be watched, and cancelled."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Condition, Event, Timer
from time import monotonic
from typing import Any

from workbench.errors import UsageError
from workbench.progress import Progress

__all__ = ["Job", "Jobs"]

KEPT = 200
"""Ended jobs whose answers are kept."""


@dataclass
class Job:
    """One piece of work.

    Attributes
    ----------
    status : {'waiting', 'running', 'done', 'failed', 'cancelled'}
    share : float or None
        How much of the stage is done.
    """

    id: int
    kind: str
    owner: str
    status: str = "waiting"
    stage: str = ""
    message: str = ""
    share: float | None = None
    answer: Mapping[str, Any] | None = None
    begun: float = field(default_factory=monotonic)
    seconds: float = 0.0
    version: int = 0
    cancel_event: Event = field(default_factory=Event)

    @property
    def ended(self) -> bool:
        return self.status in ("done", "failed", "cancelled")

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        seconds = self.seconds if self.ended else monotonic() - self.begun
        record = {
            name: getattr(self, name)
            for name in ("id", "kind", "status", "stage", "share", "message", "answer")
        }
        return record | {"seconds": round(seconds, 3)}


class Jobs:
    """A queue that a few threads work off, in the order that the jobs came.

    Parameters
    ----------
    most_waiting : int
        Further jobs are refused (E0871).
    seconds : float
        Of one job, at most; it is cancelled then.
    at_once : int
        Jobs under way at a time.
    """

    def __init__(
        self, *, most_waiting: int = 50, seconds: float = 3600.0, at_once: int = 2
    ) -> None:
        self._jobs: dict[int, Job] = {}
        self._numbers = itertools.count(1)
        self._changed = Condition()
        self._workers = ThreadPoolExecutor(at_once, thread_name_prefix="workbench-job")
        self.most_waiting, self.seconds = most_waiting, seconds

    def submit(self, kind: str, owner: str, work: Callable[[Progress], Mapping[str, Any]]) -> Job:
        """Put work into the queue.

        Raises
        ------
        UsageError
            E0871 where too many jobs wait.
        """
        with self._changed:
            if sum(not job.ended for job in self._jobs.values()) >= self.most_waiting:
                raise UsageError.of(
                    "E0871", f"{self.most_waiting} jobs are waiting", help="try again later"
                )
            job = Job(next(self._numbers), kind, owner)
            self._jobs[job.id] = job
            for number in [one for one, other in self._jobs.items() if other.ended][
                : -KEPT or None
            ]:
                del self._jobs[number]
        self._workers.submit(self._run, job, work)
        return job

    def get(self, number: int) -> Job:
        """A job by its id.

        Raises
        ------
        UsageError
            E0872 where there is none.
        """
        job = self._jobs.get(number)
        if job is None:
            raise UsageError.of(
                "E0872", f"there is no job {number}", help="ended jobs are kept for a while only"
            )
        return job

    def all(self) -> list[Job]:
        """The jobs, newest first."""
        return sorted(self._jobs.copy().values(), key=lambda job: -job.id)

    def cancel(self, job: Job) -> None:
        """Ask a job to stop; one that waits has ended at once."""
        job.cancel_event.set()
        if job.status == "waiting":
            self._change(job, status="cancelled")

    def wait(self, job: Job, version: int, seconds: float) -> bool:
        """Wait until a job has changed since a version of it; whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: job.version != version, timeout=seconds)

    def close(self) -> None:
        """Cancel everything, and wait for what is running."""
        for job in self.all():
            if not job.ended:
                self.cancel(job)
        self._workers.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job, work: Callable[[Progress], Mapping[str, Any]]) -> None:
        if job.cancel_event.is_set():
            return
        job.begun = monotonic()
        self._change(job, status="running")
        limit = Timer(self.seconds, job.cancel_event.set)
        limit.daemon = True
        limit.start()

        def report(stage: str, done: float, total: float | None, message: str) -> None:
            self._change(job, stage=stage, message=message, share=done / total if total else None)

        try:
            answer = work(Progress(report, job.cancel_event))
        finally:
            limit.cancel()
        ended = (
            "done"
            if answer.get("ok", True)
            else "cancelled"
            if job.cancel_event.is_set()
            else "failed"
        )
        job.seconds = monotonic() - job.begun
        self._change(job, status=ended, answer=answer)

    def _change(self, job: Job, **fields: Any) -> None:
        with self._changed:
            for name, value in fields.items():
                setattr(job, name, value)
            job.version += 1
            self._changed.notify_all()
