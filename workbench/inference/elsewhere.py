"""Other libraries' solvers in a process of their own, so that they can be stopped at any moment.

Some of them hear neither a time limit nor Ctrl-C for minutes, and none can be interrupted from outside while it holds
the interpreter. A process can be ended. It stays, idle, for the next problem, and ends with its parent, even
one that is killed while it works.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from threading import Lock
from time import process_time
from typing import Any, ParamSpec, TypeVar

from workbench.progress import Conduct, remaining

__all__ = ["AT_ONCE", "Stopped", "cpu_seconds", "elsewhere"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

AT_ONCE = 5_000
"""Entries of a matrix that is not worth another process."""
GRACE = 1.0
"""Seconds beyond the deadline that a solver with a time limit of its own has to hand over what it found."""
LOOK = 0.05
"""Seconds between two looks at a cancel."""


class Stopped(Exception):
    """The work was ended by a deadline or a cancel, and has no result."""


def elsewhere(
    conduct: Conduct,
    function: Callable[Parameters, Result],
    *arguments: Parameters.args,
    **named: Parameters.kwargs,
) -> Result:
    """`function(*arguments, **named)` in another process; what it raises is raised here.

    Parameters
    ----------
    function : callable
        At the top level of a module; arguments and result can be pickled.

    Raises
    ------
    Stopped
        Where somebody cancelled, or the deadline passed more than a second ago.
    """
    worker = _take()
    try:
        worker.send((function, arguments, named))
        while not worker.answers.poll(LOOK):
            if conduct.progress.cancelled or remaining(conduct.deadline) < -GRACE:
                raise Stopped
        try:
            failed, result, seconds = worker.answers.recv()
        except EOFError:
            raise MemoryError(f"{function.__name__} ended without an answer") from None
    except BaseException:
        worker.end()
        raise
    with _lock:
        _idle.append(worker)
        _spent[0] += seconds
    if failed:
        raise result
    answer: Result = result
    return answer


class _Worker:
    """A process that computes what it is sent."""

    def __init__(self) -> None:
        start = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
        # A session of its own, so that Ctrl-C in the terminal reaches the parent alone.
        self.process = subprocess.Popen(
            [sys.executable, "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.questions = Connection(os.dup(self.process.stdin.fileno()), readable=False)
        self.answers = Connection(os.dup(self.process.stdout.fileno()), writable=False)
        self.process.stdin.close()
        self.process.stdout.close()

    def send(self, question: object) -> None:
        """Hand over one question."""
        self.questions.send(question)

    def end(self) -> None:
        """End the process at once."""
        self.questions.close()
        self.answers.close()
        self.process.kill()
        self.process.wait()


_idle: list[_Worker] = []
_lock = Lock()
_spent = [0.0]


def cpu_seconds() -> float:
    """CPU seconds of this process, and of the answers that came from others so far."""
    return process_time() + _spent[0]


def _take() -> _Worker:
    """An idle process that still lives, or a new one."""
    with _lock:
        while _idle:
            worker = _idle.pop()
            if worker.process.poll() is None:
                return worker
            worker.end()
    return _Worker()


@atexit.register
def _end_all() -> None:
    while _idle:
        _idle.pop().end()


def serve() -> None:
    """Answer questions until the parent is gone; what solvers print goes nowhere."""
    questions = Connection(os.dup(0), writable=False)
    answers = Connection(os.dup(1), readable=False)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    while True:
        try:
            function, arguments, named = questions.recv()
        except EOFError:
            return
        began = process_time()
        with _ended_by_hang_up(questions):
            answer = _outcome(function, arguments, named)
        answers.send((*answer, process_time() - began))


@contextmanager
def _ended_by_hang_up(questions: Connection) -> Iterator[None]:
    """While it computes, the process ends when its parent does, however that came about.

    The kernel tells of a pipe that is hung up by SIGIO, whose default is to end the process: no thread is needed, which
    a solver that holds the interpreter would not let run. While it computes nothing else comes through the pipe.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    pipe = questions.fileno()
    flags = fcntl.fcntl(pipe, fcntl.F_GETFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, flags | os.O_ASYNC)
    if questions.poll(0):
        os._exit(1)  # the parent was gone already
    yield
    fcntl.fcntl(pipe, fcntl.F_SETFL, flags)


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[bool, Any]:
    try:
        return False, function(*arguments, **named)
    except Exception as error:
        return True, error
