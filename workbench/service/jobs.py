"""Jobs of a server: long work in a queue, with progress to be watched, and cancelled."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from queue import SimpleQueue
from threading import Condition, Event, Thread, Timer
from time import monotonic
from typing import Any, Protocol

from workbench.errors import UsageError
from workbench.progress import Progress
from workbench.service.answers import call_tool

KEPT = 200
"""Ended jobs whose answers are kept."""
MOST_POINTS = 2000
"""Of one job; beyond them every second one is dropped."""


class WorkOfJob(Protocol):
    """What a job does: its answer, JSON-ready, with `ok`."""

    def __call__(self, progress: Progress) -> dict[str, Any]: ...


@dataclass
class Job:
    """One piece of work; its queue writes it, others read it.

    Attributes
    ----------
    title : str
        What people call it.
    about : object
        Whatever who submitted it wants to find with it; told to nobody else.
    limit : float, optional
        Seconds after which its work ends itself.
    status : {'waiting', 'running', 'done', 'failed', 'cancelled'}
    done, total : float
        How much of the stage is done, and of how much where that is known.
    points : list of (seconds, figures by name)
        What the work reported of its objective.
    """

    id: int
    kind: str
    owner: str
    title: str = ""
    about: Any = None
    limit: float | None = None
    status: str = "waiting"
    stage: str = ""
    message: str = ""
    done: float = 0.0
    total: float | None = None
    points: list[tuple[float, dict[str, float]]] = field(default_factory=list)
    answer: Mapping[str, Any] | None = None
    begun: float = field(default_factory=monotonic)
    finished: float | None = None
    version: int = 0
    cancel_event: Event = field(default_factory=Event)

    @property
    def ended(self) -> bool:
        return self.status in ("done", "failed", "cancelled")

    @property
    def asked_to_stop(self) -> bool:
        return self.cancel_event.is_set()

    @property
    def seconds(self) -> float:
        """Seconds since it was begun, until it was finished; of one that waits, since it came."""
        return (self.finished or monotonic()) - self.begun

    @property
    def share(self) -> float | None:
        """The part that is done, by the work's count or its time limit; None of neither."""
        if self.status == "done":
            return 1.0
        if self.total:
            return min(1.0, self.done / self.total)
        return min(1.0, self.seconds / self.limit) if self.limit else None

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        names = ("id", "kind", "status", "stage", "share", "message", "answer")
        return {name: getattr(self, name) for name in names} | {"seconds": round(self.seconds, 3)}


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
        self._waiting: SimpleQueue[tuple[Job, WorkOfJob] | None] = SimpleQueue()
        self._workers = [
            Thread(target=self._take, name=f"workbench-job-{number}", daemon=True)
            for number in range(at_once)
        ]
        self.most_waiting, self.seconds = most_waiting, seconds
        for worker in self._workers:
            worker.start()

    def submit(self, kind: str, owner: str, work: WorkOfJob, **described: Any) -> Job:
        """Put work into the queue.

        Raises E0871 where too many jobs wait.

        Parameters
        ----------
        described
            The job's title, limit, and what it is about.
        """
        with self._changed:
            if sum(not job.ended for job in self._jobs.values()) >= self.most_waiting:
                raise UsageError.of(
                    "E0871", f"{self.most_waiting} jobs are waiting", help="try again later"
                )
            job = Job(next(self._numbers), kind, owner, **described)
            self._jobs[job.id] = job
            for number in [one for one, other in self._jobs.items() if other.ended][
                : -KEPT or None
            ]:
                del self._jobs[number]
        self._waiting.put((job, work))
        return job

    def get(self, number: int) -> Job:
        """A job by its id.

        Raises E0872 where there is none.
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

    def unfinished(self) -> list[Job]:
        """What runs and what waits, in the order that they came."""
        return [job for job in reversed(self.all()) if not job.ended]

    def cancel(self, job: Job) -> None:
        """Ask a job to stop; one that waits has ended at once."""
        job.cancel_event.set()
        with self._changed:
            if job.status == "waiting":
                self._change(job, status="cancelled", finished=monotonic())

    def wait(self, job: Job, version: int, seconds: float) -> bool:
        """Wait until a job has changed since a version of it; whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: job.version != version, timeout=seconds)

    def close(self) -> None:
        """Cancel everything, and wait for what is running."""
        for job in self.unfinished():
            self.cancel(job)
        for _ in self._workers:
            self._waiting.put(None)
        for worker in self._workers:
            worker.join()

    def _take(self) -> None:
        while (taken := self._waiting.get()) is not None:
            job, work = taken
            with self._changed:
                if job.ended:
                    continue
                self._change(job, status="running", begun=monotonic())
            self._run(job, work)

    def _run(self, job: Job, work: WorkOfJob) -> None:
        limit = Timer(self.seconds, job.cancel_event.set) if isfinite(self.seconds) else None
        if limit is not None:
            limit.daemon = True
            limit.start()

        def report(stage: str, done: float, total: float | None, message: str) -> None:
            self._change(job, stage=stage, message=message, done=done, total=total)

        def observe(figures: Mapping[str, float]) -> None:
            told = {name: value for name, value in figures.items() if isfinite(value)}
            job.points.append((told.pop("seconds"), told))
            if len(job.points) > MOST_POINTS:
                del job.points[1::2]

        progress = Progress(report, job.cancel_event, observe)
        answer = call_tool(work, {"progress": progress})
        if limit is not None:
            limit.cancel()
        ok = answer.get("ok", True)
        ended = "done" if ok else "cancelled" if job.asked_to_stop else "failed"
        self._change(job, status=ended, answer=answer, finished=monotonic())

    def _change(self, job: Job, **fields: Any) -> None:
        with self._changed:
            for name, value in fields.items():
                setattr(job, name, value)
            job.version += 1
            self._changed.notify_all()
