"""Work that hears no cancel, or takes all memory: why a process has to be ended."""

from __future__ import annotations

from collections.abc import Mapping
from time import sleep
from typing import Any

import numpy as np

from workbench.progress import Progress
from workbench.workspace import Workspace


def asleep(workspace: Workspace, arguments: Mapping[str, Any], progress: Progress) -> None:
    """Never ends, and never looks at its progress again."""
    progress.step("asleep", 1, 1)
    while True:
        sleep(60)


def greedy(workspace: Workspace, arguments: Mapping[str, Any], progress: Progress) -> int:
    """Takes a hundred megabytes at a time."""
    return len([np.ones(100 << 20, np.int8) for _ in range(1000)])


def recorded_then_asleep(
    workspace: Workspace, arguments: Mapping[str, Any], progress: Progress
) -> None:
    """Leaves a run behind before it goes deaf."""
    workspace.infer("P(t)\nQ(t)\n1 P(x) => Q(x)\n", query=["Q"], engine="exact")
    asleep(workspace, arguments, progress)
