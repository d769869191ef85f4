"""Python in a process of its own: pickles go both ways, and it can be ended at any moment.

What holds the interpreter hears neither a time limit nor a cancel, and cannot be interrupted from
outside.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection

LOOK = 0.05
"""Seconds between two looks at a cancel while an answer is awaited."""


class Process:
    """A process that runs `serve(questions, answers)`; what it prints goes nowhere.

    Its session is its own: Ctrl-C in the terminal reaches the parent alone, and what it started
    ends with it.

    Parameters
    ----------
    serve : callable
        At the top level of a module; it ends where `questions` has an end.

    Attributes
    ----------
    pid : int
    answers : Connection
    """

    def __init__(self, serve: Callable[[Connection, Connection], None]) -> None:
        start = f"from {__name__} import run; run({serve.__module__!r}, {serve.__name__!r})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {start}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.pid = self._process.pid
        self._questions = Connection(os.dup(self._process.stdin.fileno()), readable=False)
        self.answers = Connection(os.dup(self._process.stdout.fileno()), writable=False)
        self._process.stdin.close()
        self._process.stdout.close()

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    @property
    def wanted_memory(self) -> bool:
        """Whether it ended as those do that are refused memory in the middle of a library."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(5) in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGKILL)
        return False

    def send(self, question: object) -> None:
        """Hand over one question."""
        self._questions.send(question)

    def kill(self) -> None:
        """End it with all that it started; `answers` has what it still said."""
        if self.lives:
            with suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill it, and let go of it."""
        self.kill()
        self._process.wait()
        self._questions.close()
        self.answers.close()


def run(module: str, name: str) -> None:
    """Serve: the other end of a `Process`."""
    questions = Connection(os.dup(0), writable=False)
    answers = Connection(os.dup(1), readable=False)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    getattr(import_module(module), name)(questions, answers)
