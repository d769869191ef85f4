"""Linear algebra on one thread: its own would mostly wait for each other, and sums would depend on
their number.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which NumPy's and, where it is loaded, SciPy's algebra keeps to one thread.

    A product of long vectors is a sum a thread, and their sum has other last bits for every number
    of threads. L-BFGS factors a matrix of twenty rows each iteration. On two threads of a busy
    machine that takes up to fifty times the processor's time, nearly all of it spent waiting in a
    loop for the other thread.
    """
    limited: AbstractContextManager[Any] = _libraries("scipy.linalg" in sys.modules).limit(limits=1)
    return limited


@cache
def _libraries(with_scipys: bool) -> Any:
    """The loaded linear algebra, NumPy's and perhaps SciPy's; finding it takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
