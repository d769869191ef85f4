"""Compiling inner loops: Numba, imported at the first call,
its machine code cached on disk where that is possible. Small work is done by the plain functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import update_wrapper
from threading import RLock
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

__all__ = ["FEW", "compiled", "interpreted", "plain"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

FEW = 100_000
"""Entries that plain kernels visit in about a second: as long as importing Numba and loading
machine code takes, and a tenth of what compiling it does.
"""

_lock = RLock()
_interpreting: ContextVar[bool] = ContextVar("interpreting", default=False)
_visited = [0.0]
"""Entries that plain kernels of this process visited, about."""


def compiled(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """`function` compiled by Numba, without the interpreter lock; `.py_func` is the plain function.

    Nothing is imported or compiled before the first call. The machine code is cached beside the
    source (or in `NUMBA_CACHE_DIR`); an installation that cannot be written to compiles again in
    each process.
    """
    return _Kernel(function)


def plain(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The plain function of a compiled one, for work that ends before Numba is imported."""
    return function.py_func if isinstance(function, _Kernel) else function


@contextmanager
def interpreted(visits: float) -> Iterator[None]:
    """Kernels called inside, which visit so many entries in all, are plain Python as long as a
    process has visited few: small answers import no Numba, and many of them do not take long.

    Both give the same bits where kernels take exponentials from `math`.
    """
    with _lock:
        few = _visited[0] + visits <= FEW
        _visited[0] += visits if few else 0.0
    token = _interpreting.set(few)
    try:
        with np.errstate(over="ignore"):  # Random words wrap around.
            yield
    finally:
        _interpreting.reset(token)


class _Kernel(Generic[Parameters, Result]):
    """A function that Numba compiles when it is first called."""

    def __init__(self, function: Callable[Parameters, Result]) -> None:
        self.py_func = function
        self._dispatcher: Callable[Parameters, Result] | None = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        if _interpreting.get():
            return self.py_func(*arguments, **named)
        return (self._dispatcher or self.dispatcher())(*arguments, **named)

    def dispatcher(self) -> Callable[Parameters, Result]:
        """Numba's function, of a copy in whose names the kernels that it calls are Numba's, too."""
        with _lock:
            if self._dispatcher is None:
                names: dict[str, Any] = dict(self.py_func.__globals__)
                for name in self.py_func.__code__.co_names:
                    if isinstance(names.get(name), _Kernel):
                        names[name] = names[name].dispatcher()
                self._dispatcher = _dispatcher(_with_names(self.py_func, names))
            return self._dispatcher


def _with_names(
    function: Callable[Parameters, Result], names: dict[str, Any]
) -> Callable[Parameters, Result]:
    """`function`, its global names those of `names`."""
    own = cast(FunctionType, function)
    copy = FunctionType(own.__code__, names, own.__name__, own.__defaults__, own.__closure__)
    copy.__kwdefaults__, copy.__qualname__ = own.__kwdefaults__, own.__qualname__
    return copy


def _dispatcher(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    from numba import njit

    try:
        kernel = njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return cast(Callable[Parameters, Result], njit(nogil=True)(function))
    cache: Any = getattr(kernel, "_cache", None)
    if cache is None:  # NUMBA_DISABLE_JIT leaves functions as they are.
        return cast(Callable[Parameters, Result], kernel)
    try:
        cache._cache_file._load_index()
    except (ImportError, AttributeError):
        # Left by a version whose classes had other places: Numba unpickles it before it sees that
        # it is stale.
        cache.flush()
    return cast(Callable[Parameters, Result], kernel)
