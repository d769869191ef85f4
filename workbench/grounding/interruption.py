"""Stopping a query that runs too long, or that nobody waits for any more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

import duckdb

from workbench.errors import Cancelled, InputError
from workbench.grounding.backend import Backend, DuckDB
from workbench.progress import Progress

GLANCE = 0.1
"""Seconds between two looks at whether to stop."""


@contextmanager
def interruptible(
    backend: Backend, progress: Progress, seconds: float | None = None
) -> Iterator[list[str]]:
    """Interrupt the backend's queries when `progress` is cancelled, or after some seconds.

    Yields a list whose last text says what is being done, for the message.

    Raises Cancelled when `progress` was cancelled; E0312 when the seconds were over.
    """
    doing: list[str] = []
    done = Event()
    deadline = float("inf") if seconds is None else monotonic() + seconds

    def watch() -> None:
        while not done.wait(GLANCE):
            if progress.cancelled or monotonic() > deadline:
                backend.interrupt()

    watcher = Thread(target=watch, name="workbench-interrupt", daemon=True)
    watcher.start()
    try:
        yield doing
    except backend.interrupted:
        if progress.cancelled:
            raise Cancelled(doing[-1] if doing else "query") from None
        if seconds is None or monotonic() < deadline:
            raise
        raise InputError.of(
            "E0312",
            f"{doing[-1] if doing else 'the groundings'} could not be counted in {seconds:g} "
            "seconds",
            help="it joins too much: bind its variables by predicates with facts, or split the "
            "data into worlds",
        ) from None
    finally:
        done.set()
        watcher.join()


@contextmanager
def statements_heeding(progress: Progress, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Stop the connection's statements when `progress` is cancelled, and raise Cancelled.

    Whoever reads a file takes a stopped statement for a fault of the file.
    """
    try:
        with interruptible(DuckDB(connection), progress):
            yield
    except Exception:
        if progress.cancelled:
            raise Cancelled("statements") from None
        raise
