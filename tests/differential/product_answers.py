"""What the workbench answers to a case, through its public names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import workbench as wb
from tests.differential.mln_programs import MlnCase
from workbench.database import load_alchemy_text
from workbench.workspace import Workspace

__all__ = ["workspace_of"]


@contextmanager
def workspace_of(case: MlnCase) -> Iterator[Workspace]:
    """A workspace in memory with the case's program declared and its data loaded."""
    with wb.open() as workspace:
        workspace.declare(case.text)
        for number, (name, _) in enumerate(case.worlds):
            load_alchemy_text(workspace.database, case.data(number), world=name)
        yield workspace
