"""Compiling inner loops: Numba, imported at the first call,
its machine code cached on disk where that is possible.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar, cast

__all__ = ["compiled", "plain"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_lock = RLock()


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


class _Kernel(Generic[Parameters, Result]):
    """A function that Numba compiles when it is first called."""

    def __init__(self, function: Callable[Parameters, Result]) -> None:
        self.py_func = function
        self._dispatcher: Callable[Parameters, Result] | None = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        dispatcher = self._dispatcher
        return (dispatcher or self.dispatcher())(*arguments, **named)

    def dispatcher(self) -> Callable[Parameters, Result]:
        """Numba's function. The kernels that this one calls are put in their names' places,
        where Numba finds them.
        """
        with _lock:
            if self._dispatcher is None:
                names: dict[str, Any] = self.py_func.__globals__
                for name in self.py_func.__code__.co_names:
                    if isinstance(names.get(name), _Kernel):
                        names[name] = names[name].dispatcher()
                self._dispatcher = _dispatcher(self.py_func)
            return self._dispatcher


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
