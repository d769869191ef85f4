"""The experiment `er-fodors-zagats`: see `er_labelled`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.experiments import er_labelled
from workbench.experiments.table import ReproductionTable
from workbench.progress import SILENT, Progress

__all__ = ["PUBLISHED", "SYSTEMS", "run"]

PUBLISHED = er_labelled.PUBLISHED["Fodors-Zagats"]
SYSTEMS = ("link",)


def run(
    *, data_dir: Path, folds: int | None = None, progress: Progress = SILENT, systems: Sequence[str] | None = None
) -> ReproductionTable:
    """Learn on train, choose the cut on valid, score on test; there are no folds."""
    del folds
    return er_labelled.run_labelled("er-fodors-zagats", "Fodors-Zagats", data_dir, progress, systems)
