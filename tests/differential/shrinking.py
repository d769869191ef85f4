"""The smallest case that still shows a difference."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Protocol, TypeVar


class Case(Protocol):
    """A case of a check: it can show itself, and offer cases with less in them."""

    @property
    def seed(self) -> int: ...

    def shown(self) -> str: ...

    def smaller(self) -> list[Case]: ...


Some = TypeVar("Some", bound=Case)


def smallest(case: Some, still: Callable[[Some], bool], seconds: float = 60.0) -> Some:
    """Take away rules, worlds and facts while `still` holds, until time is up."""
    until = monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for other in case.smaller():
            if monotonic() > until:
                return case
            if still(other):
                case, progress = other, True
                break
    return case
