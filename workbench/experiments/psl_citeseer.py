"""Node labelling on Citeseer with hinge-loss MRFs (Bach et al. 2017)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.experiments.psl_documents import ALL, SYSTEMS, run_documents
from workbench.experiments.table import ReproductionTable
from workbench.progress import SILENT, Progress

__all__ = ["PUBLISHED", "SYSTEMS", "run"]

PUBLISHED: Mapping[tuple[str, str, str], float] = {
    (system, "citeseer", ALL): accuracy
    for system, accuracy in (
        ("HL-MRF-Q MLE", 0.729),
        ("HL-MRF-Q MPLE", 0.729),
        ("HL-MRF-Q LME", 0.683),
        ("HL-MRF-L MLE", 0.724),
        ("HL-MRF-L MPLE", 0.729),
        ("HL-MRF-L LME", 0.695),
        ("MRF MLE", 0.686),
        ("MRF MPLE", 0.715),
        ("MRF LME", 0.687),
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
    return run_documents("citeseer", PUBLISHED, data_dir=data_dir, folds=folds, progress=progress, systems=systems)
