"""Progress of long work, and its cancellation, as one small object handed down to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from threading import Event, Timer
from time import monotonic
from typing import Any

from workbench.errors import Cancelled

LARGEST_SEED = 2**32 - 1
"""The largest that every generator of random numbers takes."""


@dataclass(frozen=True)
class Progress:
    """Where long work reports to, and learns that it should stop.

    Parameters
    ----------
    report : callable
        Called as `report(stage, done, total, message)`; `total` is None when unknown.
    cancel_event : threading.Event
        Set by another thread to ask the work to stop.
    observe : callable
        Called as `observe({'objective': 12.5})` with figures of the work's course, for live curves.
    """

    report: Callable[[str, float, float | None, str], None] = lambda stage, done, total, message: (
        None
    )
    cancel_event: Event = field(default_factory=Event)
    observe: Callable[[dict[str, float]], None] = lambda figures: None

    def step(self, stage: str, done: float, total: float | None = None, message: str = "") -> None:
        """Report, and raise `Cancelled` if somebody asked for that."""
        if self.cancel_event.is_set():
            raise Cancelled(stage)
        self.report(stage, done, total, message)

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked the work to stop."""
        return self.cancel_event.is_set()


SILENT = Progress()


def remaining(deadline: float | None) -> float:
    """Seconds left until `deadline` (a `time.monotonic()` reading); infinite when there is none."""
    return inf if deadline is None else deadline - monotonic()


def expired(deadline: float | None) -> bool:
    """Whether `deadline` has passed."""
    return remaining(deadline) <= 0


@contextmanager
def after(seconds: float | None, action: Callable[[], object]) -> Iterator[None]:
    """Act from another thread where the block takes longer; never for None and infinity."""
    if seconds is None or seconds == inf:
        yield
        return
    timer = Timer(max(seconds, 0.0), action)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@dataclass
class BestSoFar:
    """What long work answers if it is left before its end.

    Attributes
    ----------
    of : object
        The problem, by identity: work on parts of it offers nothing.
    answer : callable or None
        Gives the answer; None as long as there is none.
    """

    of: object = None
    answer: Callable[[], Any] | None = None


@dataclass(frozen=True)
class Conduct:
    """How an engine or a learner goes about its task.

    Attributes
    ----------
    seed : int
        Where random numbers start.
    deadline : float or None
        A `time.monotonic()` reading.
    best : BestSoFar
        Where the work puts what it has, for when it is left before its end.
    judge : callable or None
        How good weights are where nothing is learned, larger is better: of those on a learner's
        way the best are its answer.
    """

    seed: int = 0
    deadline: float | None = None
    progress: Progress = SILENT
    best: BestSoFar = field(default_factory=BestSoFar, repr=False, compare=False)
    judge: Callable[[Any], float] | None = field(default=None, repr=False, compare=False)

    def offer(self, of: object, answer: Callable[[], Any]) -> None:
        """From now on `answer()` is the best so far of the problem `of`."""
        if self.best.of is of:
            self.best.answer = answer

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return expired(self.deadline)

    def share(self, part: float) -> float | None:
        """The deadline of a part of the task that may take this share of the time left."""
        return (
            None
            if self.deadline is None
            else monotonic() + part * max(remaining(self.deadline), 0.0)
        )

    def within(self, part: float) -> Conduct:
        """The same for a part of the task that may take this share of the time left."""
        return replace(self, deadline=self.share(part))

    @property
    def over(self) -> bool:
        """Whether somebody asked the work to stop, or the deadline has passed."""
        return self.progress.cancelled or self.expired

    def look(self) -> None:
        """Raise `Cancelled` when asked for or the deadline has passed; `stopped` tells which."""
        if self.over:
            raise Cancelled(self.stopped)

    @property
    def stopped(self) -> str:
        """The status of work that `Cancelled` ended: `cancelled`, or `limit` if nobody asked."""
        return "cancelled" if self.progress.cancelled else "limit"

    @property
    def quiet(self) -> Conduct:
        """The same for a part of the task: it hears a cancel and reports nothing."""
        return Conduct(self.seed, self.deadline, Progress(cancel_event=self.progress.cancel_event))


PLAIN = Conduct()
"""Without limits, unheard."""
