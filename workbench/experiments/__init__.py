"""The papers' tables, reproduced."""

from workbench.experiments.registry import EXPERIMENTS, reproduce
from workbench.experiments.table import FoldScore, ReproductionTable, Row, rows_from_folds

__all__ = ["EXPERIMENTS", "FoldScore", "ReproductionTable", "Row", "reproduce", "rows_from_folds"]
