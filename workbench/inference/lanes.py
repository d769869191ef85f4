"""Passes over many rows by a fixed number of threads, the same bytes for any number of cores."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

LANES = 2
"""Threads, each summing apart."""
MANY_ROWS = 200_000
"""A pass over them takes milliseconds, threads wait tenths of one for each other."""


class Lanes:
    """Threads that kernels, which leave the interpreter's lock, use side by side."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(LANES)

    def sum(self, work: Callable[[int], float]) -> float:
        """The sum of what `work` gives for each lane."""
        found = [self._threads.submit(copy_context().run, work, lane) for lane in range(LANES)]
        return sum(one.result() for one in found)


def lane_of(lane: int, first: int, last: int) -> tuple[int, int]:
    """From where to where a lane goes, of `first` to `last`."""
    size = last - first
    return first + lane * size // LANES, first + (lane + 1) * size // LANES
