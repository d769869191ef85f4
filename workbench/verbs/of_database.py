"""Functions of a database as methods of what holds one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from workbench.database import Database

P = ParamSpec("P")
R = TypeVar("R")


class OfDatabase(Generic[P, R]):
    """`name = OfDatabase(function)` in a class with a `database`: `one.name(...)` is
    `function(one.database, ...)`.

    The function's parameters and documentation are the method's.
    """

    def __init__(self, function: Callable[Concatenate[Database, P], R]) -> None:
        self.function = function

    def __get__(self, owner: Any, kind: type | None = None) -> Callable[P, R]:
        bound: Any = self.function if owner is None else partial(self.function, owner.database)
        return bound  # type: ignore[no-any-return]
