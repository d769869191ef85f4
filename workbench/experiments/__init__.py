"""The papers' tables, reproduced."""

from workbench.experiments.kept import keep, kept
from workbench.experiments.records import (
    FigureDifference,
    Measurement,
    add_measurement,
    differences,
    read_record,
    recorded_table,
)
from workbench.experiments.registry import EXPERIMENTS, experiment, published, reproduce, systems
from workbench.experiments.table import FoldScore, ReproductionTable, Row, rows_from_folds

__all__ = [
    "EXPERIMENTS",
    "FigureDifference",
    "FoldScore",
    "Measurement",
    "ReproductionTable",
    "Row",
    "add_measurement",
    "differences",
    "experiment",
    "keep",
    "kept",
    "published",
    "read_record",
    "recorded_table",
    "reproduce",
    "rows_from_folds",
    "systems",
]
