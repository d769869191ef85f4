"""A worker's own process: one piece of work over a workspace file, with a limit on memory.

Run as a module by `workbench.service.apart`. On standard input: the request, then a byte when the work is to stop; its
end means that whoever asked is gone. On standard output: frames, a length and a pickle each.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from contextlib import suppress
from importlib import import_module
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, BinaryIO

EVERY = 0.2
SHARE_OF_DATABASE = 0.6


class Channel:
    """Where the work reports to, a few times a second at most."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.points: list[tuple[float, dict[str, float]]] = []
        self.last = 0.0
        self.begun = monotonic()
        self.lock = Lock()

    def send(self, kind: str, content: Any = None) -> None:
        """One frame."""
        packed = pickle.dumps((kind, content), protocol=5)
        with self.lock:
            self.stream.write(struct.pack("<Q", len(packed)) + packed)
            self.stream.flush()

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


def main() -> None:
    """Do the work that is asked for, and say how it ended."""
    # What libraries print must not come between the frames.
    channel = Channel(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    source = sys.stdin.buffer
    (length,) = struct.unpack("<Q", source.read(8))
    request = pickle.loads(source.read(length))
    limit_memory(request["memory"])
    cancel = Event()
    Thread(target=listen, args=(source, cancel), daemon=True).start()
    channel.send(*work(request, channel, cancel))


def work(request: dict[str, Any], channel: Channel, cancel: Event) -> tuple[str, Any]:
    """How the work ended: done with its outcome, cancelled, out of memory, or failed with what is to be told."""
    from workbench.errors import Cancelled, WorkbenchError
    from workbench.progress import Progress
    from workbench.workspace import open_workspace

    progress = Progress(channel.report, cancel, channel.observe)
    module, _, name = request["function"].partition(":")
    try:
        function = getattr(import_module(module), name)
        with open_workspace(request["path"], memory_limit=f"{int(SHARE_OF_DATABASE * request['memory'])}B") as ws:
            channel.send("begun")
            outcome = function(ws, request["arguments"], progress)
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


def listen(source: BinaryIO, cancel: Event) -> None:
    """Hear that the work is to stop; without anyone who asked for it, it ends at once."""
    while source.read(1):
        cancel.set()
    os._exit(1)


def limit_memory(size: int) -> None:
    """Refuse this process more than `size` bytes of data, where the system can."""
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


if __name__ == "__main__":
    main()
