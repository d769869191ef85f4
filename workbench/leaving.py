"""Long work under watch as a whole: what does not stop in time is left for the best it had."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from threading import Event, Thread, current_thread
from typing import TypeVar

from workbench.errors import Cancelled
from workbench.progress import SILENT, Conduct, Progress

Result = TypeVar("Result")

LOOK = 0.05
"""Seconds between two looks."""
GRACE = 1.2
"""Seconds that work has to hear a cancel, or that its time is up; then the answer is told."""


_left: list[Thread] = []


def leave(threads: Iterable[Thread]) -> None:
    """Those of the threads that still work are left, and end at their next step in Python: a
    compiler holds the interpreter, which whoever leaves it needs for the answer.
    """
    working = [thread for thread in threads if thread.is_alive()]
    _left.extend(working)
    for thread in working:
        _end(thread)


def _end(thread: Thread) -> None:
    """SystemExit in the thread: nobody keeps it for a fault or a cancel, and a thread ends on it
    without a word.
    """
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
    )


def left_behind() -> bool:
    """Whether work that was left still goes on."""
    return any(thread.is_alive() for thread in _left)


_deaf: list[Thread] = []


@contextmanager
def deaf() -> Iterator[None]:
    """Work that has nothing to show and hears no cancel until it is through, such as compiling.

    Raises SystemExit in a thread that was left.
    """
    thread = current_thread()
    _deaf.append(thread)
    try:
        if thread in _left:
            raise SystemExit
        yield
    finally:
        _deaf.remove(thread)


def in_time(conduct: Conduct, work: Callable[[Conduct], Result]) -> Result:
    """`work(conduct)` in a thread, so that this one hears signals; where nothing can end it, here.

    Raises Cancelled where the work did not end within `GRACE`: its thread is left, is heard no
    more, and ends at its next step in Python or with the process.
    """
    if conduct.deadline is None and conduct.progress is SILENT:
        return work(conduct)
    left = Event()
    within = replace(conduct, progress=_until(left, conduct.progress))
    thread, answer = _started(lambda: work(within))
    try:
        while wait([answer], LOOK).not_done:
            if conduct.over and wait([answer], GRACE).not_done:
                leave([thread])
                raise Cancelled(conduct.stopped)
    finally:
        left.set()
    return answer.result()


def heard(progress: Progress, work: Callable[[], Result]) -> Result:
    """`work()` in a thread, so that this one hears signals: the work sees a cancel at its next
    look, however far that is, and ends with what it has; an interrupt here leaves it to itself.

    Raises Cancelled where the work is `deaf` after `GRACE`: it is left to itself, too.
    """
    if progress is SILENT:
        return work()
    thread, answer = _started(work)
    try:
        while wait([answer], LOOK).not_done:
            if progress.cancelled and wait([answer], GRACE).not_done and thread in _deaf:
                raise Cancelled("cancelled")
        return answer.result()
    except (KeyboardInterrupt, Cancelled):
        leave([thread])
        raise


def _started(work: Callable[[], Result]) -> tuple[Thread, Future[Result]]:
    """A thread that does the work, in this one's context, and what it will answer."""
    answer: Future[Result] = Future()

    def answer_it() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:
            answer.set_exception(error)

    thread = Thread(target=copy_context().run, args=(answer_it,), daemon=True)
    thread.start()
    return thread, answer


def _until(left: Event, progress: Progress) -> Progress:
    """The same until the work is left."""

    def report(stage: str, done: float, total: float | None, message: str) -> None:
        if not left.is_set():
            progress.report(stage, done, total, message)

    def observe(figures: dict[str, float]) -> None:
        if not left.is_set():
            progress.observe(figures)

    return Progress(report, progress.cancel_event, observe)
