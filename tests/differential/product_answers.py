"""Workspaces with a case's data, through the workbench's public names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from tests.differential.mln_programs import MlnCase
from workbench.database import Database, load_alchemy_text
from workbench.workspace import Workspace

MOST_KEPT = 2
_kept: dict[Hashable, Workspace] = {}


def kept(key: Hashable, make: Callable[[], Workspace]) -> Workspace:
    """The workspace of `key`, kept a while: programs may share their data."""
    workspace = _kept.pop(key, None) or make()
    _kept[key] = workspace
    while len(_kept) > MOST_KEPT:
        _kept.pop(next(iter(_kept))).close()
    return workspace


def forget() -> None:
    """Close the workspaces that are kept."""
    while _kept:
        _kept.popitem()[1].close()


@contextmanager
def workspace_of(case: MlnCase) -> Iterator[Workspace]:
    """A workspace with the case's data, and perhaps what another program left there."""
    yield kept((case.declarations, case.worlds), lambda: loaded(case))


def loaded(case: MlnCase, threads: int = 1) -> Workspace:
    """A workspace of its own with the case's program declared and its data loaded."""
    workspace = Workspace(Database.open(threads=threads))
    workspace.declare(case.text)
    for number, (name, _) in enumerate(case.worlds):
        load_alchemy_text(workspace.database, case.data(number), world=name)
    return workspace
