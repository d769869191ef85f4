"""Work in processes of its own: unheard cancels, no memory, runs handed back."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import pytest

import workbench
from workbench.progress import Progress
from workbench.service.apart import Worker, answered_apart, why_it_failed
from workbench.service.worker import Task


def alive(process: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        return True
    return False


def test_workers_that_hear_nothing_are_ended_with_all_they_started(tmp_path: Path) -> None:
    asleep = [Event() for _ in range(3)]
    workers = [
        Worker(Task("tests.service.deaf:asleep", {}, tmp_path / f"{at}.duckdb", 1 << 30))
        for at in range(3)
    ]
    endings: list[str] = []

    def work(worker: Worker, event: Event, progress: Progress) -> None:
        endings.append(worker.run(progress).kind)

    reports = [Progress(lambda *step, event=event: event.set()) for event in asleep]  # type: ignore[misc]
    threads = [Thread(target=work, args=one) for one in zip(workers, asleep, reports)]
    for thread in threads:
        thread.start()
    assert all(event.wait(120) for event in asleep)
    numbers = [worker.process.pid for worker in workers if worker.process is not None]
    assert sum(map(alive, numbers)) == 3
    for progress in reports:
        progress.cancel_event.set()
    for thread in threads:
        thread.join(60)
    assert endings == ["ended"] * 3
    assert sum(map(alive, numbers)) == 0


def test_a_limit_of_time_ends_what_hears_nothing(tmp_path: Path) -> None:
    worker = Worker(
        Task("tests.service.deaf:asleep", {}, tmp_path / "w.duckdb", 1 << 30, seconds=0.2)
    )
    assert worker.run(Progress()).kind == "ended"
    assert worker.out_of_time


def test_memory_that_is_not_allowed_is_said(tmp_path: Path) -> None:
    ending = Worker(Task("tests.service.deaf:greedy", {}, tmp_path / "w.duckdb", 1 << 30)).run(
        Progress()
    )
    assert ending.kind == "memory"
    assert "E0838" in str(why_it_failed(ending, 1 << 30))


@pytest.mark.parametrize("earlier", [0, 2])
def test_runs_of_a_worker_that_was_ended_are_kept(earlier: int) -> None:
    rules = "P(t)\nQ(t)\n1 P(x) => Q(x)\n"
    with workbench.open() as workspace:
        workspace.declare(rules)
        workspace.data.add(["P(A)"])
        for _ in range(earlier):
            workspace.infer(rules, query=["Q"], engine="exact")
        progress = Progress()
        stop = Progress(
            lambda *step: progress.cancel_event.set() if step[0] == "asleep" else None,
            progress.cancel_event,
        )
        ending, numbers = answered_apart(
            workspace, "tests.service.deaf:recorded_then_asleep", {}, stop, 1 << 30
        )
        assert ending.kind == "ended"
        assert numbers == {earlier + 1: earlier + 1}
        assert len(workspace.runs()) == earlier + 1
