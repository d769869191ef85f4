"""Long kernels under watch: a deadline, a cancel or Ctrl-C reaches them through a flag that they read."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillRunning
from typing import ParamSpec, TypeVar

import numpy as np

from workbench.arrays import Int8
from workbench.progress import Progress, expired

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
    deadline: float | None,
    progress: Progress,
    kernel: Callable[Parameters, Result],
    *arguments: Parameters.args,
    **named: Parameters.kwargs,
) -> Result:
    """`kernel(*arguments)` in a thread, so that this one hears signals; sets `stop` when time is up or on a cancel.

    Returns what the kernel returns, stopped or not: `stop[0]` tells.
    """
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(kernel, *arguments, **named)
        try:
            while True:
                try:
                    return running.result(LOOK)
                except StillRunning:
                    if progress.cancelled or expired(deadline):
                        stop[0] = 1
                        return running.result()
        finally:
            stop[0] |= not running.done()
