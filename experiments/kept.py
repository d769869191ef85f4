"""Reproduced tables kept in a workspace: what was run last of each row, for the page to show."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from experiments.table import ReproductionTable

if TYPE_CHECKING:
    from workbench.workspace import Workspace


def keep(workspace: Workspace, table: ReproductionTable) -> None:
    """Keep a table; systems that it has no figures of stay as they were kept before."""
    before = kept(workspace, table.name)
    joined = table if before is None else table.over(before)
    workspace.remember(_key(table.name), json.dumps(joined.as_record()))


def kept(workspace: Workspace, name: str) -> ReproductionTable | None:
    """The table kept of an experiment, or None."""
    text = workspace.recall(_key(name))
    return None if text is None else ReproductionTable.from_record(json.loads(text))


def _key(name: str) -> str:
    return f"experiment:{name}"
