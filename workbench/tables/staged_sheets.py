"""Sheets of workbooks into a staging: one, or those that are parts of one table."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import duckdb

from workbench.errors import InputError
from workbench.tables.headers import left_out_above, over_two_rows
from workbench.tables.margins import without_empty_rows, without_margins
from workbench.tables.names import column_names
from workbench.tables.parts import sheets_as_one
from workbench.tables.sheets import sheet_batches, sheet_names
from workbench.tables.sources import TableSource
from workbench.tables.staged import StagedTable, row_count, without_columns
from workbench.tables.values import trimmed


def stage_sheets(
    connection: duckdb.DuckDBPyConnection, source: TableSource, relation: str
) -> StagedTable:
    """The sheets of a workbook that are parts of one table."""
    pattern = source.part or ""
    names = [name for name in sheet_names(Path(source.path)) if fnmatchcase(name, pattern)]
    sheets = [
        stage_sheet(connection, replace(source, part=name, more=()), f"{relation}_{number}")
        for number, name in enumerate(names)
    ]
    if not sheets:
        raise InputError.of(
            "E0211", f"{source.shown}: no sheet is called so", help="write another part"
        )
    table = sheets_as_one(connection, sheets, pattern)
    return replace(table, name=source.name, source=replace(table.source, name=source.name))


def stage_sheet(
    connection: duckdb.DuckDBPyConnection, source: TableSource, relation: str
) -> StagedTable:
    """A sheet, a batch at a time; columns that later rows add are put beside the earlier ones."""
    width = 0
    for header, batch in sheet_batches(Path(source.path), source.part or ""):
        cells = [f"c{number} VARCHAR" for number in range(len(header.cells))]
        if width == 0 and cells:
            connection.execute(f"CREATE OR REPLACE TABLE {relation} ({', '.join(cells)})")
            width = len(cells)
        for cell in cells[width:]:
            connection.execute(f"ALTER TABLE {relation} ADD COLUMN {cell}")
        width = max(width, len(cells))
        if batch is not None:
            connection.register("incoming_batch", batch)
            texts = trimmed("COLUMNS(*)")
            connection.execute(f"INSERT INTO {relation} BY NAME SELECT {texts} FROM incoming_batch")
            connection.unregister("incoming_batch")
    if not width:
        raise without_columns(source)
    names = column_names(header.cells, source.shown)
    rows = row_count(connection, relation)
    notes = [over_two_rows(source.shown)] if header.rows == 2 else []
    notes += [left_out_above(source.shown, header.above)] if header.above else []
    first = 1 + header.above + header.rows
    table = StagedTable(source.name, relation, source, names, rows, first, tuple(notes))
    return without_margins(connection, without_empty_rows(connection, table), header=True)
