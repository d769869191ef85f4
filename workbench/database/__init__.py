"""DuckDB: schema, loaders, partitions, worlds, folds, runs."""
