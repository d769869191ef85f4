"""Kernels compile at their first call, and Numba is imported no sooner."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from workbench.inference.random_numbers import stream, uniform
from workbench.network.compiled import compiled


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
