"""Long kernels under watch: a deadline, a cancel or Ctrl-C reaches them through a flag that they read."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillRunning
from threading import Thread
from typing import ParamSpec, TypeVar

import numpy as np

from workbench.arrays import Int8
from workbench.errors import Cancelled
from workbench.progress import UNHEARING, Conduct

__all__ = ["stop_flag", "watched"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

LOOK = 0.05
"""Seconds between two looks."""


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
    """`kernel(*arguments)` in a thread, so that this one hears signals; sets `stop` when time is up or on a cancel.

    Returns what the kernel returns, stopped or not: `stop[0]` tells.

    Raises
    ------
    Cancelled
        On a cancel while machine code is made: the thread is left to itself, and ends with the process.
    """
    running: Future[Result] = Future()

    def work() -> None:
        try:
            running.set_result(kernel(*arguments, **named))
        except BaseException as error:
            running.set_exception(error)

    Thread(target=work, daemon=True).start()
    try:
        while True:
            try:
                return running.result(LOOK)
            except StillRunning:
                if conduct.progress.cancelled and UNHEARING.now:
                    raise Cancelled("cancelled") from None
                if conduct.progress.cancelled or conduct.expired:
                    stop[0] = 1
                    return running.result()
    finally:
        stop[0] |= not running.done()
