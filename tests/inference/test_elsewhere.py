"""Work in another process: its answers, its errors, and its end."""

from __future__ import annotations

import os
from threading import Event, Timer
from time import monotonic, sleep

import numpy as np
import pytest

from workbench.errors import UsageError
from workbench.inference.elsewhere import Stopped, cpu_elsewhere, elsewhere
from workbench.inference.registry import make_engine
from workbench.progress import SILENT, Progress


def test_the_answer_comes_back_and_the_process_is_used_again() -> None:
    np.testing.assert_array_equal(elsewhere(None, SILENT, np.arange, 5), np.arange(5))
    first = elsewhere(None, SILENT, os.getpid)
    assert first == elsewhere(None, SILENT, os.getpid) != os.getpid()


def test_its_seconds_are_counted() -> None:
    before = cpu_elsewhere()
    elsewhere(None, SILENT, sum, range(2_000_000))
    assert cpu_elsewhere() > before


def test_an_error_is_raised_here() -> None:
    with pytest.raises(UsageError, match="E0411"):
        elsewhere(None, SILENT, make_engine, "no such engine")


def test_a_process_that_dies_is_replaced() -> None:
    with pytest.raises(MemoryError):
        elsewhere(None, SILENT, os._exit, 3)
    assert elsewhere(None, SILENT, abs, -2) == 2


def test_a_deadline_and_a_cancel_end_it() -> None:
    with pytest.raises(Stopped):
        elsewhere(monotonic(), SILENT, sleep, 600)
    event = Event()
    Timer(0.1, event.set).start()
    with pytest.raises(Stopped):
        elsewhere(None, Progress(cancel_event=event), sleep, 600)
    assert elsewhere(None, SILENT, abs, -2) == 2
