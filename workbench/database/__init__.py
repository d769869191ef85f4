"""DuckDB: schema, loaders, partitions, worlds, folds, runs, catalog and console."""

from workbench.database.alchemy import load_alchemy, load_alchemy_text
from workbench.database.attached import load_attached
from workbench.database.catalog import (
    Count,
    FactsPage,
    Neighbour,
    PredicateSummary,
    catalog,
    combinations,
    constants,
    degrees,
    distinct_values,
    facts_page,
    neighbours,
    top_values,
    types_by_size,
)
from workbench.database.console import QueryResult, query, query_parameters
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.dataset import Dataset, FactsEntry, load_dataset, load_directory, load_file, read_dataset
from workbench.database.facts import set_fact
from workbench.database.fingerprint import data_hash
from workbench.database.folds import Fold, clear_folds, held_out_keys, make_atom_folds, make_world_folds, read_folds
from workbench.database.identifiers import quoted
from workbench.database.ingest import LoadReport, Partition
from workbench.database.outside import parquet_bytes
from workbench.database.predictions import (
    RecordedAtoms,
    Unlisted,
    changed_rows,
    labelled_values,
    predictions_page,
    recorded_atoms,
    same_folds,
    scored_predictions,
    worst_predictions,
)
from workbench.database.psl import load_psl_data, load_psl_table
from workbench.database.runs import (
    Run,
    RunRecord,
    delete_run,
    label_run,
    mean_metrics,
    read_run,
    read_runs,
    record_intervals,
    record_run,
    run_table,
)
from workbench.database.salvage import Salvage, salvage
from workbench.database.schema import StoredPredicate
from workbench.database.table_files import TABLE_SUFFIXES, TablePreview, preview_table
from workbench.database.tables import load_frame, load_tables

__all__ = [
    "DEFAULT_WORLD",
    "TABLE_SUFFIXES",
    "Count",
    "Database",
    "Dataset",
    "FactsEntry",
    "FactsPage",
    "Fold",
    "LoadReport",
    "Neighbour",
    "Partition",
    "PredicateSummary",
    "QueryResult",
    "RecordedAtoms",
    "Run",
    "RunRecord",
    "Salvage",
    "StoredPredicate",
    "TablePreview",
    "Unlisted",
    "catalog",
    "changed_rows",
    "clear_folds",
    "combinations",
    "constants",
    "data_hash",
    "degrees",
    "delete_run",
    "distinct_values",
    "facts_page",
    "held_out_keys",
    "label_run",
    "labelled_values",
    "load_alchemy",
    "load_alchemy_text",
    "load_attached",
    "load_dataset",
    "load_directory",
    "load_file",
    "load_frame",
    "load_psl_data",
    "load_psl_table",
    "load_tables",
    "make_atom_folds",
    "make_world_folds",
    "mean_metrics",
    "neighbours",
    "parquet_bytes",
    "predictions_page",
    "preview_table",
    "query",
    "query_parameters",
    "quoted",
    "read_dataset",
    "read_folds",
    "read_run",
    "read_runs",
    "record_intervals",
    "record_run",
    "recorded_atoms",
    "run_table",
    "salvage",
    "same_folds",
    "scored_predictions",
    "set_fact",
    "top_values",
    "types_by_size",
    "worst_predictions",
]
