"""Long work on the command line: progress on standard error, Ctrl-C, and being told to end."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.errors import Cancelled
from workbench.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

from workbench.commands.console import print_error


@contextmanager
def shown_progress(quiet: bool = False) -> Iterator[Progress]:
    """A `Progress` that draws on standard error while the work runs, only where that is a terminal.

    The first Ctrl-C or SIGTERM asks the work to stop, and engines and learners then answer with
    what they have.
    """
    if quiet or not sys.stderr.isatty():
        with _stopped_by_hand() as progress:
            yield progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )
    stages: dict[str, TaskID] = {}

    def report(stage: str, done: float, total: float | None, message: str) -> None:
        if stage not in stages:
            stages[stage] = bars.add_task(stage, total=total, note=message)
        bars.update(stages[stage], completed=done, total=total, note=message)

    with bars, _stopped_by_hand() as progress:
        yield replace(progress, report=report)


PATIENCE = 1.2
"""Seconds that work has to hear a Ctrl-C; what has not is ended."""


class _Request(threading.Event):
    """A cancel that knows whether the thread that does the work has seen it."""

    heard = False

    def is_set(self) -> bool:
        asked = super().is_set()
        self.heard |= asked and threading.current_thread() is threading.main_thread()
        return asked


class _Interrupted(BaseException):
    """A Ctrl-C on its way out: no exception that an import or a library keeps for itself."""


@contextmanager
def interrupts_raise(signals: Sequence[int] = (signal.SIGINT,)) -> Iterator[None]:
    """Ctrl-C, or each signal, leaves as `Cancelled`: the library ends in silence on it."""
    with _ended_by_hand(lambda: True, _Interrupted, signals):
        yield


@contextmanager
def _stopped_by_hand() -> Iterator[Progress]:
    """The first Ctrl-C cancels the progress; the next ends the work at once, and so does one that
    nobody heard.

    Statements of SQL, other libraries' loops and compilers hear nothing else, and hear a signal.
    """
    request, asked = _Request(), False

    def look() -> None:
        if not request.heard:
            _thread.interrupt_main(signal.SIGINT)

    again = threading.Timer(PATIENCE, look)
    again.daemon = True

    def insist() -> bool:
        nonlocal asked
        if asked:
            return True
        asked = True
        request.set()
        again.start()
        print_error("stopping with what there is; Ctrl-C again stops at once")
        return False

    # Numba takes any other exception for a sign that the code does not type.
    with _ended_by_hand(insist, KeyboardInterrupt, (signal.SIGINT, signal.SIGTERM)):
        try:
            yield Progress(cancel_event=request)
        finally:
            again.cancel()


@contextmanager
def _ended_by_hand(
    at_once: Callable[[], bool],
    how: type[BaseException],
    signals: Sequence[int],
) -> Iterator[None]:
    """Ctrl-C raises `how` where `at_once` says so, and so does each of the signals;
    whatever becomes of it on the way leaves as `Cancelled`.
    """
    ended = False

    def stop(signal_number: int, frame: object) -> None:
        nonlocal ended
        if at_once():
            ended = True
            # What imports no DuckDB runs none of its statements.
            if "workbench.database.running" in sys.modules:
                from workbench.database.running import interrupt_statements

                interrupt_statements()
            raise how("interrupted")

    try:
        with _handling(signals, stop):
            yield
    except (Exception, KeyboardInterrupt, _Interrupted):
        # DuckDB says in words of its own that a query was interrupted, and so does a compiler.
        if not ended:
            raise
        raise Cancelled("interrupted") from None


@contextmanager
def _handling(signals: Sequence[int], handler: Callable[[int, Any], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [(number, signal.signal(number, handler)) for number in signals]
    try:
        yield
    finally:
        for number, one in before:
            signal.signal(number, one)
