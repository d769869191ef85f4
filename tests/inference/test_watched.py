"""Kernels under watch hear a cancel; machine code in the making is not waited for."""

from __future__ import annotations

from threading import Event

import pytest

from workbench.errors import Cancelled
from workbench.inference.watched import stop_flag, watched
from workbench.progress import PLAIN, UNHEARING, Conduct, Progress


def test_a_cancel_while_machine_code_is_made_waits_for_nothing() -> None:
    go_on, progress = Event(), Progress()
    progress.cancel_event.set()
    UNHEARING.begin()
    try:
        with pytest.raises(Cancelled):
            watched(stop_flag(), Conduct(progress=progress), go_on.wait)
    finally:
        UNHEARING.end()
        go_on.set()


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
