"""Facts from tables: CSV, TSV and Parquet files, data frames, and tables of other databases.

A row is a fact. The columns `value`, `world` and `partition` (in any case) have their own meaning
where they exist; the others are the predicate's arguments, in order, unless a mapping says
otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.ingest import LoadReport, Partition
from workbench.database.outside import copy_in, first_line, outside
from workbench.database.row_mapping import STAGED_ROWS, RowMapping, find_predicate, load_rows
from workbench.database.rows import handed_in
from workbench.database.table_files import is_parquet, numbered, read_fault, scan
from workbench.database.text_files import FactSource, display_name, line_reader
from workbench.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def predicate_of_file(path: str | os.PathLike[str]) -> str:
    """The predicate a table file holds by convention: its name up to the first dot."""
    return Path(path).name.split(".", 1)[0]


def load_tables(
    database: Database,
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    predicate: str | None = None,
    columns: Sequence[str] | None = None,
    value: str | None = None,
    header: bool = True,
    world: str = DEFAULT_WORLD,
    world_column: str | None = None,
    partition: Partition = "evidence",
) -> LoadReport:
    """Load CSV, TSV (each also `.gz`) or Parquet files, in one transaction.

    Raises E0203, E0204, E0206 to E0212: nothing is loaded then.

    Parameters
    ----------
    predicate : str or None
        The predicate of the rows; None takes each file's stem.
    columns : sequence of str or None
        The columns that are the arguments, in the predicate's order; None for all that have no
        meaning of their own.
    value : str or None
        The column that holds the truth value; None for one called `value`, else every row is true.
    header : bool
        Whether the first line of a text file names its columns; without one they are `column0`,
        `column1`, ...
    world, partition : str
        Used where the rows have no column of that name.
    world_column : str or None
        The column that names the world; None for one called `world`.
    """
    paths = (
        [Path(source)] if isinstance(source, str | os.PathLike) else [Path(path) for path in source]
    )
    report = LoadReport({}, ())
    with database.transaction() as connection:
        for path in paths:
            text = not is_parquet(path)
            name = display_name(path)
            place = FactSource(name, line_reader(path) if text else lambda line: None)
            stored = find_predicate(database, predicate or predicate_of_file(path), name)
            with outside() as reader:
                try:
                    copy_in(
                        numbered(scan(path, header), first=1 + (text and header)),
                        reader,
                        connection,
                        STAGED_ROWS,
                    )
                except duckdb.Error as error:
                    raise InputError((read_fault(error, place),)) from None
            report += load_rows(
                database, stored, place, RowMapping(columns, value, world, world_column, partition)
            )
    return report


def load_frame(
    database: Database,
    frame: pd.DataFrame,
    *,
    predicate: str,
    value: str | None = None,
    world: str = DEFAULT_WORLD,
    partition: Partition = "evidence",
) -> LoadReport:
    """Load a pandas data frame; see `load_tables`. Line numbers in errors count rows from 1."""
    stored = find_predicate(database, predicate, None)
    with database.transaction() as connection:
        try:
            with handed_in(connection, "incoming_frame", frame):
                numbering = numbered("incoming_frame", first=1)
                connection.execute(f"CREATE OR REPLACE TEMP TABLE {STAGED_ROWS} AS {numbering}")
        except duckdb.Error as error:
            raise InputError.of(
                "E0211", f"the data frame cannot be read: {first_line(error)}"
            ) from None
        return load_rows(
            database,
            stored,
            FactSource(None),
            RowMapping(value=value, world=world, partition=partition),
        )
