"""The papers' tables, reproduced."""

from experiments.kept import keep, kept
from experiments.records import (
    FigureDifference,
    Measurement,
    add_measurement,
    differences,
    read_record,
    recorded_table,
)
from experiments.registry import EXPERIMENTS, experiment, published, reproduce, systems
from experiments.table import FoldScore, ReproductionTable, Row, rows_from_folds

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
