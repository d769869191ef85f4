"""Copies of a workspace: in memory, to try changes on, or in a file of its own."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.database.database import Database
from workbench.database.rows import copy_table
from workbench.database.schema import create_predicate_table, create_type_table
from workbench.database.workspace_format import DISPLAY_NAMES
from workbench.errors import InputError


def copy_of(
    database: Database,
    path: str | os.PathLike[str] | None = None,
    *,
    facts: bool = True,
    runs: bool = True,
) -> Database:
    """A copy of declarations, constants and facts in memory, to try changes on; or, at a path, of
    everything.

    Without `facts` declarations alone are copied (at a path, constants too), without `runs` no
    recorded run. Cost: linear in the number of facts.

    Raises E0201 when there is a file at `path` already.
    """
    if path is not None and Path(path).exists():
        raise InputError.of(
            "E0201", f"there is a file at {path} already", help="choose another name for the copy"
        )
    other = Database.open(path, threads=1)
    with database.reading() as source, other.transaction() as target:
        tables = ["world", "constant_type", "predicate", "predicate_argument", "program_constant"]
        if path is not None:
            tables += ["folds", "setting"]
        if path is not None and runs:
            parts = ("weight", "predicate", "prediction", "base", "metric", "trace")
            tables += ["run", *(f"run_{part}" for part in parts)]
        for table in tables:
            copy_table(source, target, table)
        if source.execute("FROM duckdb_tables() WHERE table_name = 'display_name'").fetchall():
            target.execute(DISPLAY_NAMES)
            copy_table(source, target, "display_name")
        for table in database.type_tables().values():
            create_type_table(target, table)
            if facts or path is not None:
                copy_table(source, target, table)
        type_tables = database.type_tables()
        for predicate in database.predicates().values():
            create_predicate_table(target, predicate, type_tables)
            if facts:
                copy_table(source, target, predicate.table_name)
        other.forget_catalog()
        other.refresh_domains()
    return other
