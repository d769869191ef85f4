"""Long runs in short parts: a process each, several at once, in a log that a run goes on from."""

from __future__ import annotations

import json
import multiprocessing
import resource
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic

from tests.differential.outcome import Tally

CPU_SECONDS = 900
"""What one chunk may take before it is ended, and named."""


@dataclass(frozen=True)
class Chunk:
    """Cases `first`, `first + 1`, ... of one part of the programme."""

    part: str
    first: int
    size: int


@dataclass
class Part:
    """A part of the programme: `number` of `unit`, from case `first` on, `size` in a chunk."""

    name: str
    unit: str
    number: int
    first: int
    size: int
    tally: Tally = field(default_factory=Tally)
    under_way: int = 0

    @property
    def done(self) -> float:
        """The share that is done or under way; those left out come on top."""
        return (self.tally.counts[self.unit] + self.under_way) / self.number

    def take(self) -> Chunk:
        """The next chunk."""
        chunk = Chunk(self.name, self.first, self.size)
        self.first += self.size
        return chunk


Work = Callable[[Chunk], Tally]


@dataclass
class Log:
    """Finished chunks, one JSON line each, in a file where one is given."""

    path: Path | None

    def finished(self) -> dict[Chunk, Tally]:
        """The chunks of an earlier run into the same file."""
        if self.path is None or not self.path.exists():
            return {}
        found = {}
        for line in self.path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            differences = [(verdict, shown) for verdict, shown in record["differences"]]
            chunk = Chunk(record["part"], record["first"], record["size"])
            found[chunk] = Tally(Counter(record["counts"]), differences)
        return found

    def add(self, chunk: Chunk, tally: Tally) -> None:
        if self.path is None:
            return
        record = {**chunk.__dict__, "counts": dict(tally.counts), "differences": tally.differences}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def run_chunks(
    parts: Sequence[Part], work: Work, *, jobs: int, log: Log, seconds: float | None = None
) -> None:
    """Do all parts side by side, `jobs` chunks at a time, until each has its number or time is up.

    What was begun is finished. A process that dies is a difference.
    """
    finished = log.finished()
    until = None if seconds is None else monotonic() + seconds
    running: dict[Connection, tuple[Part, Chunk, multiprocessing.process.BaseProcess]] = {}
    while True:
        while len(running) < jobs and (until is None or monotonic() < until):
            part = min(parts, key=lambda one: one.done)
            if part.done >= 1:
                break
            chunk = part.take()
            if chunk in finished:
                part.tally += finished[chunk]
                continue
            answers, process = _begin(work, chunk)
            part.under_way += chunk.size
            running[answers] = part, chunk, process
        if not running:
            return
        for answers in wait(list(running)):
            assert isinstance(answers, Connection)
            part, chunk, process = running.pop(answers)
            part.under_way -= chunk.size
            tally = _answer(answers, chunk)
            process.join()
            log.add(chunk, tally)
            part.tally += tally


def _begin(work: Work, chunk: Chunk) -> tuple[Connection, multiprocessing.process.BaseProcess]:
    # A fork has everything imported already; no database is open in the parent.
    context = multiprocessing.get_context("fork")
    answers, own = context.Pipe(duplex=False)
    process = context.Process(target=_do, args=(work, chunk, own))
    process.start()
    own.close()
    return answers, process


def _do(work: Work, chunk: Chunk, own: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    tally = work(chunk)
    used = resource.getrusage(resource.RUSAGE_SELF)
    tally.add("CPU seconds", round(used.ru_utime + used.ru_stime))
    own.send((tally.counts, tally.differences))
    own.close()


def _answer(answers: Connection, chunk: Chunk) -> Tally:
    try:
        counts, differences = answers.recv()
    except EOFError:
        return Tally(
            Counter(),
            [(f"{chunk.part}: the process of {chunk.size} cases from {chunk.first} died", "")],
        )
    return Tally(counts, differences)
