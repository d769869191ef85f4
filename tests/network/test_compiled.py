"""Kernels compile at their first call, and Numba is imported no sooner."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from numba import typeof

from workbench.errors import Cancelled
from workbench.inference.random_numbers import stream, uniform
from workbench.leaving import heard, in_time, leave
from workbench.network.compiled import compiled, interpreted
from workbench.progress import Conduct, Progress


@compiled
def _twice(x: float) -> float:
    return 2.0 * x


@compiled
def _four_times(x: float) -> float:
    return _twice(_twice(x))


def test_a_kernel_calls_another_and_keeps_its_plain_twin() -> None:
    assert _four_times(1.5) == 6.0
    assert _twice.py_func(1.5) == 3.0  # type: ignore[attr-defined]
    assert _four_times.__name__ == "_four_times"
    assert 0.0 <= uniform(stream(1)) < 1.0
    assert np.isscalar(_twice(2.0))


@compiled
def _plus(x: int, y: int) -> int:
    return x + y


@compiled
def _summed(numbers: np.ndarray) -> int:
    total = _plus(0, 1)
    for place in range(numbers.size):
        total = _plus(numbers[place], _plus(total, place))
    return total


def test_a_kernel_is_compiled_once_for_all_whole_numbers() -> None:
    """Those written where it is called, variables, and entries of an array of few bits."""
    numbers = np.array([2**31 - 1, 5], np.int32)
    assert _summed(numbers) == 2**31 + 6
    # What is kept on disk from an earlier run is not compiled now.
    _summed.inner().compile((typeof(numbers),))  # type: ignore[attr-defined]
    assert len(_plus.inner().signatures) == 1  # type: ignore[attr-defined]


def test_what_numba_has_of_a_kernel_is_not_asked_at_each_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The answer takes longer than small kernels run, and some run for each step of a chain."""
    assert _twice(1.0) == _twice(1.0) == 2.0
    asked = []
    answer = property(lambda kernel: asked.append(kernel))
    monkeypatch.setattr(type(_twice.dispatcher()), "signatures", answer)  # type: ignore[attr-defined]
    assert _twice(3.0) == 6.0
    assert not asked


def test_kernels_that_kernels_call_have_no_entry_for_python_and_count_no_references() -> None:
    """Both take time to compile, and more memory; arrays that a kernel makes must be counted."""
    code = (
        "import numpy as np\n"
        "from workbench.network.compiled import allocating, compiled\n"
        "@compiled\n"
        "def first(x): return x[0]\n"
        "@compiled\n"
        "def twice(x): return 2 * first(x)\n"
        "@allocating\n"
        "def made(n): return np.full(n, 3.0)\n"
        "assert twice(np.full(2, 4.0)) == 8 and np.array_equal(made(2), [3, 3])\n"
        "kernels = first.inner(), twice.dispatcher()\n"
        "(inner,), (outer,) = (one.overloads.values() for one in kernels)\n"
        "assert 'NRT_' not in inner.library.get_llvm_str() + outer.library.get_llvm_str()\n"
        "assert 'PyObject' not in inner.library.get_llvm_str()\n"
        "assert 'cpython' not in inner.library.get_llvm_str()\n"
        "assert 'cpython' in outer.library.get_llvm_str()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kernels_are_plain_where_numba_is_told_to_compile_nothing() -> None:
    code = "from tests.network.test_compiled import _four_times\nassert _four_times(1.5) == 6.0\n"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_a_small_exact_answer_imports_no_numba() -> None:
    code = (
        "import sys, numpy as np\n"
        "from workbench.inference import make_engine\n"
        "from workbench.network import network_from_clauses\n"
        "network = network_from_clauses(2, [[1, 2], [-1]], [0, 0])\n"
        "make_engine('exact', 'marginal').solve(network, np.ones(1))\n"
        "sys.exit('numba' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_process_does_its_first_small_work_without_numba() -> None:
    code = (
        "import sys, numpy as np\n"
        "from workbench.network.compiled import FEW, compiled, interpreted\n"
        "from workbench.inference.watched import stop_flag, watched\n"
        "from workbench.progress import PLAIN\n"
        "@compiled\n"
        "def kernel(x): return x + 1\n"
        "with interpreted(FEW):\n"
        "    assert kernel(1) == watched(stop_flag(), PLAIN, kernel, 1) == 2\n"
        "    assert 'numba' not in sys.modules\n"
        "with interpreted(1):\n"
        "    assert kernel(1) == 2 and 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_small_answers_of_every_compiled_engine_import_no_numba() -> None:
    code = (
        "import sys, numpy as np\n"
        "from workbench.inference import make_engine\n"
        "from workbench.network import network_from_clauses\n"
        "network = network_from_clauses(3, [[1, 2], [-1], [-2, 3]], [0, 0, 0])\n"
        "for name in ('mcsat', 'gibbs', 'bp', 'maxwalksat', 'lp', 'ilp', 'cpi'):\n"
        "    make_engine(name).solve(network, np.ones(1))\n"
        "    assert 'numba' not in sys.modules, name\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_where_machine_code_would_come_too_late_kernels_are_plain(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(
        "from workbench.network.compiled import compiled\n"
        "@compiled\n"
        "def twice(x): return 2 * x\n"
        "@compiled\n"
        "def four_times(x): return twice(twice(x))\n"
    )
    code = (
        "import sys, numpy as np; sys.path.insert(0, '.')\n"
        "from kernel import four_times, twice\n"
        "from workbench.network.compiled import COMPILING, LOADING, interpreted\n"
        "def is_plain(seconds):\n"
        "    with interpreted(np.inf, seconds):\n"
        "        assert four_times(2) == 8\n"
        "    return not (four_times._dispatcher and four_times._dispatcher.signatures)\n"
        "assert is_plain(LOADING / 2) and 'numba' not in sys.modules\n"
    )
    compiles = (
        "assert is_plain(COMPILING / 2) and 'numba' in sys.modules\nassert not is_plain(np.inf)\n"
    )
    loads = "assert not is_plain(COMPILING / 2)\n"
    for line in (compiles, loads):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        subprocess.run(
            [sys.executable, "-c", code + line], check=True, cwd=tmp_path, env=environment
        )


def test_plain_kernels_call_plain_ones_after_these_were_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _four_times(1.5) == 6.0
    monkeypatch.setattr(_twice, "_dispatcher", None)
    monkeypatch.setattr("workbench.network.compiled.FEW", np.inf)
    with interpreted(1):
        assert _four_times(1.5) == 6.0
    assert _twice._dispatcher is None  # type: ignore[attr-defined]


def test_machine_code_of_an_older_version_is_compiled_anew(tmp_path: Path) -> None:
    """A class that kernels take moved to another module:
    what is cached of it cannot be unpickled any more.
    """
    pair = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    x: float\n"
    (tmp_path / "kernel.py").write_text(
        "from workbench.network.compiled import compiled\n@compiled\ndef first(pair):\n    return "
        "pair.x\n"
    )
    for number in range(2):
        (tmp_path / f"home_{number}.py").write_text(pair)
        code = (
            f"import sys; sys.path.insert(0, '.')\nfrom home_{number} import Pair\nfrom kernel "
            "import first\n"
        )
        line = [sys.executable, "-c", f"{code}assert first(Pair(2.0)) == 2.0"]
        subprocess.run(
            line,
            check=True,
            cwd=tmp_path,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
        )
        (tmp_path / f"home_{number}.py").unlink()


def test_a_cancel_leaves_a_kernel_that_is_still_being_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cancel, over = Event(), Event()

    class Compiling:
        signatures = ()

        def __call__(self) -> None:
            cancel.set()
            over.wait()

    monkeypatch.setattr("workbench.network.compiled._dispatcher", lambda *given: Compiling())
    monkeypatch.setattr("workbench.leaving.GRACE", 0.01)
    with pytest.raises(Cancelled):
        heard(Progress(cancel_event=cancel), compiled(lambda: None))
    over.set()


def test_a_compiler_that_is_left_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    cancel, ended = Event(), Event()

    class Compiling:
        signatures = ()

        def __call__(self) -> None:
            cancel.set()
            try:
                while not ended.wait(0.01):
                    pass
            finally:
                ended.set()

    monkeypatch.setattr("workbench.network.compiled._dispatcher", lambda *given: Compiling())
    monkeypatch.setattr("workbench.leaving.GRACE", 0.01)
    with pytest.raises(Cancelled):
        heard(Progress(cancel_event=cancel), compiled(lambda: None))
    try:
        assert ended.wait(30)
    finally:
        ended.set()


def test_work_that_was_left_compiles_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    left, ended, compiling = Event(), Event(), Event()

    class Compiling:
        signatures = ()

        def __call__(self) -> None:
            compiling.set()

    def work(conduct: Conduct) -> None:
        try:
            left.wait()
            compiled(lambda: None)()
        finally:
            ended.set()

    monkeypatch.setattr("workbench.network.compiled._dispatcher", lambda *given: Compiling())
    monkeypatch.setattr("workbench.leaving.GRACE", 0.01)
    with pytest.raises(Cancelled):
        in_time(Conduct(deadline=0.0), work)
    left.set()
    assert ended.wait(30)
    assert not compiling.is_set()


def test_work_that_was_left_is_ended_whatever_it_does() -> None:
    began, ended = Event(), Event()

    def work() -> None:
        began.set()
        try:
            while not ended.wait(0.01):
                pass
        except SystemExit:
            ended.set()

    thread = Thread(target=work, daemon=True)
    thread.start()
    began.wait()
    leave([thread])
    try:
        assert ended.wait(30)
    finally:
        ended.set()
