"""Long kernels under watch: deadline, cancel or Ctrl-C reach them through a flag they read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import ParamSpec, TypeVar

import numpy as np

from workbench.arrays import Int8
from workbench.errors import Cancelled
from workbench.leaving import leave
from workbench.progress import Conduct

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

LOOK = 0.05
"""Seconds between two looks."""
GRACE = 0.8
"""Seconds a kernel has to read its flag: one still being compiled reads none."""


def stop_flag() -> Int8:
    """What a kernel reads in its loop: shape (1,), not 0 where it is to stop."""
    return np.zeros(1, np.int8)


def watched(
    stop: Int8,
    conduct: Conduct,
    kernel: Callable[Parameters, Result],
    *arguments: Parameters.args,
    **named: Parameters.kwargs,
) -> Result:
    """`kernel(*arguments)` in a thread; sets `stop` when time is up, on a cancel or signal.

    Returns what the kernel returns, stopped or not: `stop[0]` tells.

    Raises Cancelled where the kernel did not stop within `GRACE`: its thread is left to itself, and
    ends with the process.
    """
    return side_by_side(stop, conduct, [partial(kernel, *arguments, **named)])[0]


def side_by_side(
    stop: Int8, conduct: Conduct, jobs: Sequence[Callable[[], Result]], threads: int | None = None
) -> list[Result]:
    """What each of `jobs` returns, `watched`; at most so many of them at a time, by default all."""
    answers: list[Future[Result]] = [Future() for _ in jobs]
    workers = min(len(jobs), threads or len(jobs))

    def work(number: int) -> None:
        for answer, job in zip(answers[number::workers], jobs[number::workers]):
            try:
                answer.set_result(job())
            except BaseException as error:
                answer.set_exception(error)

    started = [
        Thread(target=copy_context().run, args=(work, number), daemon=True)
        for number in range(workers)
    ]
    for thread in started:
        thread.start()
    try:
        while wait(answers, LOOK).not_done:
            if conduct.progress.cancelled or conduct.expired:
                stop[0] = 1
                if wait(answers, GRACE).not_done:
                    raise Cancelled("stopped before anything was found")
        return [answer.result() for answer in answers]
    finally:
        if not all(answer.done() for answer in answers):
            stop[0] = 1
            leave(started)
