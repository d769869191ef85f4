"""Kernels under watch hear a cancel; what does not hear is not waited for."""

from __future__ import annotations

from functools import partial
from threading import Event

import pytest

from workbench.errors import Cancelled
from workbench.inference.watched import side_by_side, stop_flag, watched
from workbench.leaving import left_behind
from workbench.progress import PLAIN, Conduct, Progress


def test_a_kernel_that_reads_no_flag_is_left_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.leaving._left", [])
    monkeypatch.setattr("workbench.inference.watched.GRACE", 0.05)
    go_on, progress = Event(), Progress()
    progress.cancel_event.set()
    for conduct in (Conduct(progress=progress), Conduct(deadline=0.0)):
        with pytest.raises(Cancelled):
            watched(stop_flag(), conduct, go_on.wait)
    # The process must not free what it still works on: its end would be a crash.
    assert left_behind()
    go_on.set()


def test_jobs_side_by_side_answer_in_their_order() -> None:
    jobs = [partial(pow, 2, power) for power in range(5)]
    for threads in (None, 1, 2, 8):
        assert side_by_side(stop_flag(), PLAIN, jobs, threads) == [1, 2, 4, 8, 16]


def test_a_kernel_that_reads_the_flag_gives_what_it_has() -> None:
    stop, progress = stop_flag(), Progress()
    progress.cancel_event.set()

    def kernel(steps: list[int]) -> list[int]:
        while not stop[0]:
            steps.append(1)
        return steps[:1]

    assert watched(stop, Conduct(progress=progress), kernel, []) == [1]
    assert watched(stop, PLAIN, len, [1, 2]) == 2


def test_what_a_kernel_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        watched(stop_flag(), PLAIN, divmod, 1, 0)
