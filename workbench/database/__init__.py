"""DuckDB: schema, loaders, partitions, worlds, folds, runs."""

from workbench.database.alchemy import load_alchemy, load_alchemy_text
from workbench.database.attached import load_attached
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.identifiers import quoted
from workbench.database.ingest import LoadReport, Partition
from workbench.database.psl import load_psl_data, load_psl_table
from workbench.database.schema import StoredPredicate
from workbench.database.table_files import TABLE_SUFFIXES, TablePreview, preview_table
from workbench.database.tables import load_frame, load_tables

__all__ = [
    "DEFAULT_WORLD",
    "TABLE_SUFFIXES",
    "Database",
    "LoadReport",
    "Partition",
    "StoredPredicate",
    "TablePreview",
    "load_alchemy",
    "load_alchemy_text",
    "load_attached",
    "load_frame",
    "load_psl_data",
    "load_psl_table",
    "load_tables",
    "preview_table",
    "quoted",
]
