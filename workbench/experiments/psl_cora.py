"""Node labelling on Cora with hinge-loss MRFs (Bach et al. 2017)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.experiments.psl_documents import ALL, SYSTEMS, run_documents
from workbench.experiments.table import ReproductionTable
from workbench.progress import SILENT, Progress

__all__ = ["PUBLISHED", "SYSTEMS", "run"]

PUBLISHED: Mapping[tuple[str, str, str], float] = {
    (system, "cora", ALL): accuracy
    for system, accuracy in (
        ("HL-MRF-Q MLE", 0.816),
        ("HL-MRF-Q MPLE", 0.818),
        ("HL-MRF-Q LME", 0.789),
        ("HL-MRF-L MLE", 0.802),
        ("HL-MRF-L MPLE", 0.808),
        ("HL-MRF-L LME", 0.789),
        ("MRF MLE", 0.756),
        ("MRF MPLE", 0.797),
        ("MRF LME", 0.783),
    )
}


def run(
    *,
    data_dir: Path,
    folds: int | None = None,
    progress: Progress = SILENT,
    systems: Sequence[str] | None = None,
) -> ReproductionTable:
    """Predict the category of half of a test half's documents from the other half and the citations."""
    return run_documents("cora", PUBLISHED, data_dir=data_dir, folds=folds, progress=progress, systems=systems)
