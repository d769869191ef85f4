"""Work in another process: its answers, its errors, and its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Timer
from time import monotonic, process_time, sleep

import numpy as np
import pytest

from workbench.errors import UsageError
from workbench.inference.elsewhere import Stopped, cpu_seconds, elsewhere
from workbench.inference.registry import make_engine
from workbench.progress import PLAIN, Conduct, Progress


def test_the_answer_comes_back_and_the_process_is_used_again() -> None:
    np.testing.assert_array_equal(elsewhere(PLAIN, np.arange, 5), np.arange(5))
    first = elsewhere(PLAIN, os.getpid)
    assert first == elsewhere(PLAIN, os.getpid) != os.getpid()


def test_its_seconds_are_counted() -> None:
    before = cpu_seconds() - process_time()
    elsewhere(PLAIN, sum, range(2_000_000))
    assert cpu_seconds() - process_time() > before + 1e-3


def test_an_error_is_raised_here() -> None:
    with pytest.raises(UsageError, match="E0411"):
        elsewhere(PLAIN, make_engine, "no such engine")


def test_a_process_that_dies_is_replaced() -> None:
    with pytest.raises(MemoryError):
        elsewhere(PLAIN, os._exit, 3)
    assert elsewhere(PLAIN, abs, -2) == 2


def test_a_deadline_and_a_cancel_end_it() -> None:
    with pytest.raises(Stopped):
        elsewhere(Conduct(deadline=monotonic()), sleep, 600)
    event = Event()
    Timer(0.1, event.set).start()
    with pytest.raises(Stopped):
        elsewhere(Conduct(progress=Progress(cancel_event=event)), sleep, 600)
    assert elsewhere(PLAIN, abs, -2) == 2


def test_it_ends_with_a_parent_that_is_killed_while_it_works(tmp_path: Path) -> None:
    """A solver that holds the interpreter hears nothing:
    here a regular expression that never ends.
    """
    told = tmp_path / "pid"
    line = f"from tests.inference.test_elsewhere import hand_over; hand_over({str(told)!r})"
    parent = subprocess.Popen([sys.executable, "-c", line])
    while not (told.exists() and told.read_text()):
        sleep(0.01)
    parent.kill()
    parent.wait()
    worker = int(told.read_text())
    for _ in range(500):
        if not is_running(worker):
            return
        sleep(0.01)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the process went on without its parent")


def hand_over(told: str) -> None:
    elsewhere(PLAIN, never_ending, told)


def never_ending(told: str) -> None:
    Path(told).write_text(str(os.getpid()))
    re.match("(a+)+$", "a" * 64 + "b")


def is_running(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] != "Z"
