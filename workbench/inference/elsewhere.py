"""Other libraries' solvers in a process of their own, so that they can be stopped at any moment.

Some of them hear neither a time limit nor Ctrl-C for minutes, and none can be interrupted from
outside while it holds the interpreter. A process can be ended. It stays, idle, for the next
problem, and ends with its parent, even one that is killed while it works.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from threading import Lock
from time import process_time
from typing import Any, ParamSpec, TypeVar

from workbench.processes import LOOK, Process
from workbench.progress import Conduct, remaining

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

AT_ONCE = 5_000
"""Entries of a matrix that is not worth another process."""
GRACE = 0.8
"""Seconds past the deadline in which a solver may hand over what its own limit found."""


class Stopped(Exception):
    """The work was ended by a deadline or a cancel, and has no result."""


def elsewhere(
    conduct: Conduct,
    function: Callable[Parameters, Result],
    *arguments: Parameters.args,
    **named: Parameters.kwargs,
) -> Result:
    """`function(*arguments, **named)` in another process; what it raises is raised here.

    `function`: at the top level of a module; arguments and result can be pickled.

    Raises Stopped where somebody cancelled, or the deadline passed more than `GRACE` ago.
    """
    worker, is_new = _take()
    try:
        worker.send((function, arguments, named))
        while not worker.answers.poll(LOOK):
            if conduct.progress.cancelled or remaining(conduct.deadline) < -GRACE:
                raise Stopped
        failed, result, seconds = worker.answers.recv()
    except (EOFError, BrokenPipeError):
        worker.end()
        if not is_new:  # an idle process may have ended while it was taken
            return elsewhere(conduct, function, *arguments, **named)
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


_idle: list[Process] = []
_lock = Lock()
_spent = [0.0]


def cpu_seconds() -> float:
    """CPU seconds of this process, and of the answers that came from others so far."""
    return process_time() + _spent[0]


def _take() -> tuple[Process, bool]:
    """An idle process that still lives, or a new one; and whether it is new."""
    with _lock:
        while _idle:
            worker = _idle.pop()
            if worker.lives:
                return worker, False
            worker.end()
    return Process(serve), True


@atexit.register
def _end_all() -> None:
    while _idle:
        _idle.pop().end()


def serve(questions: Connection, answers: Connection) -> None:
    """Answer questions until the parent is gone."""
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

    The kernel tells of a pipe that is hung up by SIGIO, whose default is to end the process: no
    thread is needed, which a solver that holds the interpreter would not let run. While it computes
    nothing else comes through the pipe.
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


def _outcome(
    function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
) -> tuple[bool, Any]:
    try:
        return False, function(*arguments, **named)
    except Exception as error:
        return True, error
