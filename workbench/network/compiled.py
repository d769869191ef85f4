"""Compiling inner loops: Numba, imported at the first call,
its machine code cached on disk where that is possible. Small work, and work whose time is up before
there is machine code, is done by the plain functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import update_wrapper
from math import inf
from threading import RLock
from time import monotonic
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

from workbench.leaving import deaf

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

FEW = 100_000
"""Entries that plain kernels visit in about a second: as long as importing Numba and loading
machine code takes, and a tenth of what compiling it does.
"""

LOADING, COMPILING = 1.0, 6.0
"""Seconds in which importing Numba and loading machine code, and compiling it, are hardly over."""

_lock = RLock()
_deadline: ContextVar[float] = ContextVar("deadline", default=inf)
"""`time.monotonic()` by which machine code must be there to be used; -inf for plain functions."""
_visited = [0.0]
"""Entries that plain kernels of this process visited, about."""


def compiled(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """`function` compiled by Numba, without the interpreter lock; `.py_func` is the plain function.

    Nothing is imported or compiled before the first call. The machine code is cached beside the
    source (or in `NUMBA_CACHE_DIR`); an installation that cannot be written to compiles again in
    each process. All arrays are the caller's: without counts of references there is less to
    compile.
    """
    return _Kernel(function, allocates=False)


def allocating(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """As `compiled`, for functions that make arrays, or copy or compute with whole ones."""
    return _Kernel(function, allocates=True)


def plain(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The plain function of a compiled one, for work that ends before Numba is imported."""
    return function.py_func if isinstance(function, _Kernel) else function


@contextmanager
def interpreted(visits: float, seconds: float = inf) -> Iterator[None]:
    """Kernels called inside, which visit so many entries in all, are plain Python as long as a
    process has visited few: small answers import no Numba, and many of them do not take long.

    They are so, too, where `seconds`, the time left, are over before machine code would be there;
    such kernels must be ones that somebody stops. Both give the same bits where kernels take
    exponentials from `math`.
    """
    with _lock:
        few = _visited[0] + visits <= FEW
        _visited[0] += visits if few else 0.0
    token = _deadline.set(-inf if few else monotonic() + seconds)
    try:
        with np.errstate(over="ignore"):  # Random words wrap around.
            yield
    finally:
        _deadline.reset(token)


class _Kernel(Generic[Parameters, Result]):
    """A function that Numba compiles when it is first called."""

    def __init__(self, function: Callable[Parameters, Result], *, allocates: bool) -> None:
        self.py_func = function
        self._options = {"nogil": True, "no_cfunc_wrapper": True, "_nrt": allocates}
        self._dispatcher: Callable[Parameters, Result] | None = None
        self._inner: Callable[Parameters, Result] | None = None
        self._kept = False
        update_wrapper(self, function)

    def __call__(self, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        deadline = _deadline.get()
        if deadline == -inf:
            return self.py_func(*arguments, **named)
        if deadline == inf or self._is_ready_within(deadline - monotonic()):
            kernel = self._dispatcher or self.dispatcher()
            with nullcontext() if self._is_kept() else deaf():
                return kernel(*arguments, **named)
        token = _deadline.set(-inf)
        try:
            return self.py_func(*arguments, **named)
        finally:
            _deadline.reset(token)

    def _is_ready_within(self, seconds: float) -> bool:
        """Whether machine code is there by then: at once where process or disk has it."""
        if seconds < LOADING and "numba" not in sys.modules:
            return False
        return seconds >= COMPILING or self._is_kept()

    def _is_kept(self) -> bool:
        """Whether machine code is loaded or on disk; once it is, it is not asked again: Numba's
        answer takes longer than many a kernel.
        """
        if not self._kept:
            kernel = self.dispatcher()
            self._kept = bool(getattr(kernel, "signatures", True)) or bool(_kept(kernel))
        return self._kept

    def dispatcher(self) -> Callable[Parameters, Result]:
        """Numba's function for callers in Python."""
        with _lock:
            if self._dispatcher is None:
                self._dispatcher = _dispatcher(self._calling_machine_code(), self._options)
            return self._dispatcher

    def inner(self) -> Callable[Parameters, Result]:
        """Numba's function for kernels: without the entry for Python, which takes a good part of
        the time to compile, and not kept, for it is part of what calls it.
        """
        with _lock:
            if self._inner is None:
                from numba import njit

                kernel: Any = njit(no_cpython_wrapper=True, **self._options)(
                    self._calling_machine_code()
                )
                if for_types := getattr(kernel, "compile", None):  # NUMBA_DISABLE_JIT has none
                    kernel.compile = lambda types: for_types(tuple(map(_widened, types)))
                self._inner = kernel
            return self._inner

    def _calling_machine_code(self) -> Callable[Parameters, Result]:
        """A copy of the function in whose names the kernels that it calls are Numba's, too."""
        names: dict[str, Any] = dict(self.py_func.__globals__)
        for name in self.py_func.__code__.co_names:
            if isinstance(names.get(name), _Kernel):
                names[name] = names[name].inner()
        return _with_names(self.py_func, names)


def _widened(argument: Any) -> Any:
    """The type of an argument for all whole numbers alike: else a kernel is compiled once for a
    0 that is written where it is called, once for a variable, once for an entry of an array.
    """
    from numba import types

    argument = types.unliteral(argument)
    signed = isinstance(argument, types.Integer) and argument.signed
    return types.int64 if signed else argument


def _with_names(
    function: Callable[Parameters, Result], names: dict[str, Any]
) -> Callable[Parameters, Result]:
    """`function`, its global names those of `names`."""
    own = cast(FunctionType, function)
    copy = FunctionType(own.__code__, names, own.__name__, own.__defaults__, own.__closure__)
    copy.__kwdefaults__, copy.__qualname__ = own.__kwdefaults__, own.__qualname__
    return copy


def _dispatcher(
    function: Callable[Parameters, Result], options: dict[str, bool]
) -> Callable[Parameters, Result]:
    from numba import njit

    try:
        kernel = njit(cache=True, **options)(function)
    except RuntimeError:
        return cast(Callable[Parameters, Result], njit(**options)(function))
    try:
        _kept(kernel)
    except (ImportError, AttributeError):
        # Left by a version whose classes had other places: Numba unpickles it before it sees that
        # it is stale.
        kernel._cache.flush()
    return cast(Callable[Parameters, Result], kernel)


def _kept(kernel: object) -> dict[object, object]:
    """The machine code on disk, by signature. NUMBA_DISABLE_JIT leaves none."""
    cache: Any = getattr(kernel, "_cache", None)
    return cache._cache_file._load_index() if hasattr(cache, "_cache_file") else {}
