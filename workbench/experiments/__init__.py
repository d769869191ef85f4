"""The papers' tables, reproduced."""

from workbench.experiments.kept import keep, kept
from workbench.experiments.registry import EXPERIMENTS, published, reproduce, systems
from workbench.experiments.table import FoldScore, ReproductionTable, Row, rows_from_folds

__all__ = [
    "EXPERIMENTS",
    "FoldScore",
    "ReproductionTable",
    "Row",
    "keep",
    "kept",
    "published",
    "reproduce",
    "rows_from_folds",
    "systems",
]
