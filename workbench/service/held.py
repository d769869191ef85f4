"""What a server holds, for the page that it serves to find."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.service.access import Audit, Tokens
    from workbench.service.folders import Folders
    from workbench.service.jobs import Jobs
    from workbench.workspace import Workspace


@dataclass(frozen=True)
class ServedWorkspace:
    """A server's workspace and its ways with it; a job may use so many bytes of memory."""

    workspace: Workspace
    jobs: Jobs
    memory: int
    tokens: Tokens
    audit: Audit
    folders: Folders


_held: list[ServedWorkspace] = []


@contextmanager
def holding(served: ServedWorkspace) -> Iterator[None]:
    """The page finds the server for as long as it serves."""
    _held.append(served)
    try:
        yield
    finally:
        _held.remove(served)


def held() -> ServedWorkspace | None:
    """The server that this process is; None where the page has a process of its own."""
    return _held[-1] if _held else None
