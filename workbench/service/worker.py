"""A worker's end of `workbench.service.apart`: one task over a workspace file, with a limit on
memory.

It is sent the task, then a word when the work is to stop; the end of what it is sent means that
whoever asked is gone. It answers with pairs of a kind and its content, the last of them how the
work ended.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

EVERY = 0.2
SHARE_OF_DATABASE = 0.6


@dataclass(frozen=True)
class Task:
    """What a worker is to do; plain values, so that another process can be told.

    Attributes
    ----------
    function : str
        `module:name`, called as `function(workspace, arguments, progress)`.
    path : Path
        The workspace that it works on, made where there is none.
    memory : int
        Bytes that it may use.
    seconds : float, optional
        When they are over, counted from when the worker begins, it is asked to stop, whatever it
        does.
    """

    function: str
    arguments: Mapping[str, Any]
    path: Path
    memory: int
    seconds: float | None = None


class Channel:
    """Where the work reports to, a few times a second at most."""

    def __init__(self, answers: Connection) -> None:
        self.answers = answers
        self.points: list[tuple[float, dict[str, float]]] = []
        self.last = 0.0
        self.begun = monotonic()
        self.lock = Lock()

    def send(self, kind: str, content: Any = None) -> None:
        """One answer."""
        with self.lock:
            self.answers.send((kind, content))

    def report(self, stage: str, done: float, total: float | None, message: str) -> None:
        """Where the work is."""
        if monotonic() - self.last >= EVERY or done == total:
            self.last = monotonic()
            self.send("step", (stage, done, total, message))
            self.flush()

    def observe(self, figures: dict[str, float]) -> None:
        """Figures of the work's course."""
        self.points.append((monotonic() - self.begun, dict(figures)))
        if monotonic() - self.last >= EVERY:
            self.last = monotonic()
            self.flush()

    def flush(self) -> None:
        """Send the figures gathered so far."""
        if self.points:
            points, self.points = self.points, []
            self.send("points", points)


def serve(questions: Connection, answers: Connection) -> None:
    """Do the task that is sent, and say how it ended."""
    channel, cancel = Channel(answers), Event()
    task: Task = questions.recv()
    limit_memory(task.memory)
    Thread(target=listen, args=(questions, cancel), daemon=True).start()
    channel.send(*work(task, channel, cancel))


def work(task: Task, channel: Channel, cancel: Event) -> tuple[str, Any]:
    """How work ended: done with its outcome, cancelled, out of memory, or failed, and why."""
    from workbench.errors import Cancelled, WorkbenchError
    from workbench.progress import Progress
    from workbench.workspace import open_workspace

    progress = Progress(channel.report, cancel, channel.observe)
    module, _, name = task.function.partition(":")
    try:
        function = getattr(import_module(module), name)
        with open_workspace(
            task.path, memory_limit=f"{int(SHARE_OF_DATABASE * task.memory)}B"
        ) as ws:
            channel.send("begun")
            outcome = function(ws, task.arguments, progress)
        channel.flush()
        return "done", outcome
    except Cancelled:
        return "cancelled", None
    except WorkbenchError as error:
        return "failed", str(error)
    except MemoryError:
        return "memory", None
    except Exception as error:
        return "failed", f"internal error: {type(error).__name__}: {error}"


def listen(questions: Connection, cancel: Event) -> None:
    """Hear that the work is to stop; without anyone who asked for it, it ends at once."""
    with suppress(EOFError, OSError):
        while questions.recv():
            cancel.set()
    os._exit(1)


def limit_memory(size: int) -> None:
    """Refuse this process more than `size` bytes of data, where the system can."""
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
