"""Linear algebra on one thread, where its own threads would mostly wait for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which NumPy's and SciPy's linear algebra keeps to one thread.

    L-BFGS factors a matrix of twenty rows each iteration. On two threads of a busy machine that
    takes up to fifty times the processor's time, nearly all of it spent waiting in a loop for the
    other thread.
    """
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1)
    return limited


@cache
def _libraries() -> Any:
    """The loaded linear algebra; finding it takes milliseconds."""
    import scipy.linalg  # noqa: F401  # loads SciPy's own beside NumPy's
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
