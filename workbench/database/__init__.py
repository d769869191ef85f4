"""DuckDB: schema, loaders, partitions, worlds, folds, runs, catalog and console."""

from workbench.database.alchemy import load_alchemy, load_alchemy_text
from workbench.database.attached import copy_attached, database_tables, load_attached
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
from workbench.database.dataset import (
    DATASET_KEYS,
    Dataset,
    FactsEntry,
    load_dataset,
    load_directory,
    load_file,
    read_dataset,
)
from workbench.database.encoded_facts import FactColumns, insert_facts, name_things
from workbench.database.facts import set_fact
from workbench.database.fingerprint import data_hash
from workbench.database.folds import Fold, clear_folds, held_out_keys, make_atom_folds, make_world_folds, read_folds
from workbench.database.identifiers import quoted, text_literal, unused_name
from workbench.database.ingest import LoadReport, Partition, Source
from workbench.database.outside import first_line, masked, outside, parquet_bytes
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
from workbench.database.table_files import TABLE_SUFFIXES, TablePreview, preview_table, read_fault
from workbench.database.tables import load_frame, load_tables
from workbench.database.text_files import chunks_of_lines, display_name, line_reader, open_binary
from workbench.database.toml_reader import TomlReader, read_toml

__all__ = [
    "DATASET_KEYS",
    "DEFAULT_WORLD",
    "TABLE_SUFFIXES",
    "Count",
    "Database",
    "Dataset",
    "FactColumns",
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
    "Source",
    "StoredPredicate",
    "TablePreview",
    "TomlReader",
    "Unlisted",
    "catalog",
    "changed_rows",
    "chunks_of_lines",
    "clear_folds",
    "combinations",
    "constants",
    "copy_attached",
    "data_hash",
    "database_tables",
    "degrees",
    "delete_run",
    "display_name",
    "distinct_values",
    "facts_page",
    "first_line",
    "held_out_keys",
    "insert_facts",
    "label_run",
    "labelled_values",
    "line_reader",
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
    "masked",
    "mean_metrics",
    "name_things",
    "neighbours",
    "open_binary",
    "outside",
    "parquet_bytes",
    "predictions_page",
    "preview_table",
    "query",
    "query_parameters",
    "quoted",
    "read_dataset",
    "read_fault",
    "read_folds",
    "read_run",
    "read_runs",
    "read_toml",
    "record_intervals",
    "record_run",
    "recorded_atoms",
    "run_table",
    "salvage",
    "same_folds",
    "scored_predictions",
    "set_fact",
    "text_literal",
    "top_values",
    "types_by_size",
    "unused_name",
    "worst_predictions",
]
