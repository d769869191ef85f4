"""Compiling inner loops: Numba, cached on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

__all__ = ["compiled"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def compiled(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """`function` compiled by Numba, without the interpreter lock; `.py_func` is the plain function.

    The machine code is cached beside the source (or in `NUMBA_CACHE_DIR`); an installation that cannot be written to
    compiles again in each process.
    """
    try:
        kernel: Callable[Parameters, Result] = njit(cache=True, nogil=True)(function)
    except RuntimeError:
        kernel = njit(nogil=True)(function)
    return kernel
