"""DuckDB: schema, loaders, partitions, worlds, folds, runs."""

from workbench.database.alchemy import Partition, load_alchemy, load_alchemy_text
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.identifiers import quoted
from workbench.database.ingest import LoadReport
from workbench.database.schema import StoredPredicate

__all__ = [
    "DEFAULT_WORLD",
    "Database",
    "LoadReport",
    "Partition",
    "StoredPredicate",
    "load_alchemy",
    "load_alchemy_text",
    "quoted",
]
