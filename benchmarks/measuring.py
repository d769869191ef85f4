"""What benchmarks measure by."""

from __future__ import annotations

from time import process_time

from workbench.inference.elsewhere import cpu_elsewhere

__all__ = ["cpu_seconds"]


def cpu_seconds() -> float:
    """CPU seconds of this process and of the solvers that worked for it in another."""
    return process_time() + cpu_elsewhere()
