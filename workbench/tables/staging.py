"""Wide tables in a DuckDB of their own: read once, as text,
before anything reaches the workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from workbench.database import (
    FactSource,
    copy_attached,
    display_name,
    line_reader,
    memory_of_a_load,
    outside,
    quoted,
    read_fault,
    text_literal,
)
from workbench.errors import Diagnostic, InputError
from workbench.tables.delimited import read_form
from workbench.tables.lists import ListTable, flat_columns, list_tables
from workbench.tables.mapping import TablesMapping
from workbench.tables.margins import without_margins
from workbench.tables.names import column_names
from workbench.tables.parts import part_of, together, with_part, with_rows_of
from workbench.tables.sources import TableSource, more_of
from workbench.tables.staged import StagedTable, Staging, row_count, without_columns
from workbench.tables.staged_sheets import stage_sheet, stage_sheets
from workbench.tables.text_lists import lists_told, text_lists
from workbench.tables.values import trimmed

NUMERIC = ("DOUBLE", "FLOAT", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "U")
"""What types of numbers begin with."""

WIDE = 100
"""Columns from which on DuckDB takes longer to look for what a statement says twice, with the
square of its columns, than to compute it twice."""


@contextmanager
def stage(
    sources: Iterable[TableSource],
    *,
    lists_apart: bool = False,
    as_mapped: TablesMapping | None = None,
    parts_together: bool = False,
    watched: Callable[[duckdb.DuckDBPyConnection], AbstractContextManager[Any]] = nullcontext,
) -> Iterator[Staging]:
    """Read tables into a database of their own, which is gone when the `with` block ends.

    With `lists_apart`, lists in the cells of files are tables that refer to these: those of JSON
    and Parquet, and texts with separators, of tables that `as_mapped` has as it says;
    with `parts_together`, files of one table's parts are one table. Statements run inside
    `watched(connection)`, which may stop them.
    What does not fit into memory is put on disk. Cost: some ten CPU-seconds for a gigabyte of text.

    Raises E0204, E0209, E0211, E0213, E0232 for a file or database that cannot be read, at its
    line; E0233 for a table without columns.
    """
    with TemporaryDirectory(prefix="workbench-tables-") as directory:
        workplace = Path(directory) / "texts"
        workplace.mkdir()
        with outside() as connection, watched(connection):
            # In memory, and only what does not fit on disk: a database file would be compressed at
            # four times the cost.
            connection.execute(f"SET temp_directory = {text_literal(directory)}")
            connection.execute(f"SET memory_limit = '{memory_of_a_load()}'")
            # Lists come with the files that they stand in.
            files = [source for source in sources if not source.is_list]
            taken = [source.name for source in files] if lists_apart else None
            tables = [
                table
                for number, source in enumerate(files)
                for table in _stage_whole(connection, source, f"t{number}", workplace, taken)
            ]
            if max((len(table.columns) for table in tables), default=0) > WIDE:
                connection.execute("SET disabled_optimizers = 'common_subexpressions'")
            if parts_together:
                tables = together(connection, tables)
            if lists_apart:
                told = {} if as_mapped is None else lists_told(as_mapped)
                tables = [*tables, *text_lists(connection, tables, told)]
            yield Staging(connection, tables)


def _stage_whole(
    connection: duckdb.DuckDBPyConnection,
    source: TableSource,
    relation: str,
    workplace: Path,
    taken: Collection[str] | None,
) -> list[StagedTable]:
    """A table with the rows of its further files below its own; what these lack is blank."""
    table, *lists = _stage(connection, source, relation, workplace, taken)
    column = source.column_of_part
    table = with_part(connection, table, column, part_of(source, source.name))
    for number, other in enumerate(more_of(source)):
        added = _stage(connection, other, f"{relation}_more_{number}", workplace, None)[0]
        added = with_part(connection, added, column, part_of(other, source.name))
        table = with_rows_of(connection, table, added)
    found = replace(table.source, more=source.more, column_of_part=column)
    return [replace(table, source=found), *lists]


def _stage(
    connection: duckdb.DuckDBPyConnection,
    source: TableSource,
    relation: str,
    workplace: Path,
    taken: Collection[str] | None,
) -> list[StagedTable]:
    if source.form == "delimited":
        return [_stage_delimited(connection, source, relation, workplace)]
    if source.form == "excel":
        stage_it = stage_sheets if source.of_sheets else stage_sheet
        return [stage_it(connection, source, relation)]
    if source.form in ("sqlite", "duckdb", "postgres"):
        return [_stage_attached(connection, source, relation)]
    return _stage_file(connection, source, relation, taken)


def _stage_delimited(
    connection: duckdb.DuckDBPyConnection, source: TableSource, relation: str, workplace: Path
) -> StagedTable:
    form = read_form(
        Path(source.path),
        workplace,
        separator=source.separator,
        encoding=source.encoding,
        header=source.header,
    )
    found = TableSource(
        source.name, source.path, "delimited", None, form.separator, form.encoding, form.header
    )
    if not form.names:
        raise without_columns(source)
    place = FactSource(
        source.shown,
        line_reader(Path(source.path)) if form.encoding == "utf-8" else lambda line: None,
    )
    for in_parallel in (True, False):
        # A text that no cell holds stands for NULL, so that only cells missing at a line's end are
        # NULL, and are counted; DuckDB pads them in parallel only where no quoted cell holds a line
        # break.
        scan = (
            f"read_csv({text_literal(form.path)}, auto_detect = false, header = {form.header}, "
            f"skip = {form.above}, delim = {text_literal(form.separator)}, "
            "quote = '\"', escape = '\"', nullstr = '\x01', "
            f"null_padding = true, parallel = {in_parallel}, max_line_size = {form.longest_line}, "
            f"buffer_size = {max(4 * form.longest_line, 32 << 20)}, columns = {{"
            + ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(form.names)))
            + "})"
        )
        try:
            rows = _create(connection, relation, len(form.names), scan)
            break
        except duckdb.Error as error:
            if in_parallel and "null_padding" in str(error) and "parallel" in str(error):
                continue
            raise InputError((read_fault(error, place),)) from None
    first = 1 + form.above + form.header
    table = StagedTable(source.name, relation, found, form.names, rows, first, form.notes)
    table = without_margins(connection, table, form.header)
    return _with_note_of_short_rows(connection, table)


def _create(connection: duckdb.DuckDBPyConnection, relation: str, width: int, scan: str) -> int:
    cells = ", ".join(f"{trimmed(f'c{number}')} AS c{number}" for number in range(width))
    connection.execute(f"CREATE OR REPLACE TABLE {relation} AS SELECT {cells} FROM {scan}")
    return row_count(connection, relation)


def _with_note_of_short_rows(
    connection: duckdb.DuckDBPyConnection, table: StagedTable
) -> StagedTable:
    last = f"c{len(table.columns) - 1}"
    short, first = connection.execute(
        f"SELECT count(*), min(rowid) FROM {table.relation} WHERE {last} IS NULL"
    ).fetchall()[0]
    if not short or len(table.columns) == 1:
        return table
    row = first + table.first_row
    lines = "1 row has" if short == 1 else f"{short:,} rows have"
    note = Diagnostic(
        "E0245",
        f"{lines} fewer than {len(table.columns)} cells in {table.source.shown}, the first is row "
        f"{row}: the missing ones are taken for blanks",
        table.span(row),
        "is a separator missing there?",
        severity="warning",
    )
    return StagedTable(
        table.name,
        table.relation,
        table.source,
        table.columns,
        table.rows,
        table.first_row,
        (*table.notes, note),
    )


def _stage_attached(
    connection: duckdb.DuckDBPyConnection, source: TableSource, relation: str
) -> StagedTable:
    names = copy_attached(
        connection, source.path, source.part or source.name, source.form, "incoming_table"
    )
    cells = ", ".join(f"{_text_of(quoted(name))} AS c{number}" for number, name in enumerate(names))
    connection.execute(f"CREATE OR REPLACE TABLE {relation} AS SELECT {cells} FROM incoming_table")
    numbers = _numbers(connection, "incoming_table", names)
    connection.execute("DROP TABLE incoming_table")
    rows = row_count(connection, relation)
    return StagedTable(source.name, relation, source, tuple(names), rows, 1, numbers=numbers)


def _stage_file(
    connection: duckdb.DuckDBPyConnection,
    source: TableSource,
    relation: str,
    taken: Collection[str] | None,
) -> list[StagedTable]:
    """A Parquet file, or JSON: a list of objects, or an object a line. With the names that are
    `taken` its lists are tables of their own.
    """
    path = text_literal(source.path)
    scan = (
        f"read_parquet({path})"
        if source.form == "parquet"
        else f"read_json({path}, format = 'auto', sample_size = -1)"
    )

    try:
        columns = list(flat_columns(connection, scan))
        lists = [] if taken is None else list_tables(connection, scan, source.name, columns, taken)
        apart = {one.part for one in lists}
        plain = [column for column in columns if column.name not in apart]
        cells = ", ".join(column.cell for column in plain)
        names = tuple(column.name for column in plain)
        whole = ListTable(source.name, None, names, f"SELECT {cells} FROM {scan}")
        return [
            _stage_select(connection, source, f"{relation}_{number}", one)
            for number, one in enumerate([whole, *lists])
        ]
    except duckdb.Error as error:
        reader = line_reader(Path(source.path)) if source.form == "json" else lambda line: None
        raise InputError(
            (read_fault(error, FactSource(display_name(source.path), reader)),)
        ) from None


def _stage_select(
    connection: duckdb.DuckDBPyConnection, source: TableSource, relation: str, one: ListTable
) -> StagedTable:
    source = replace(source, name=one.name, part=one.part)
    names = column_names(one.columns, source.shown)
    variables = [f"v{number}" for number in range(len(names))]
    cells = ", ".join(f"{_text_of(v)} AS c{number}" for number, v in enumerate(variables))
    connection.execute(
        f"CREATE OR REPLACE TABLE {relation} AS SELECT {cells} "
        f"FROM ({one.select}) v({', '.join(variables)})"
    )
    rows, numbers = row_count(connection, relation), _numbers(connection, f"({one.select})", names)
    return StagedTable(one.name, relation, source, names, rows, 1, numbers=numbers)


def _numbers(
    connection: duckdb.DuckDBPyConnection, relation: str, names: Sequence[str]
) -> frozenset[str]:
    """The columns of a relation that hold numbers, as the columns are called here."""
    described = connection.execute(f"DESCRIBE FROM {relation}").fetchall()
    return frozenset(
        name for name, (_, kind, *_) in zip(names, described) if kind.startswith(NUMERIC)
    )


def _text_of(cell: str) -> str:
    """A cell of any type as a text, in SQL. A whole number that was stored as a float, as all are
    beside blanks in a data frame, is 12 and not 12.0: it may be a key elsewhere.
    """
    whole = f"regexp_replace({cell}::VARCHAR, '^(-?[0-9]+)\\.0$', '\\1')"
    return (
        f"CASE WHEN typeof({cell}) IN ('DOUBLE', 'FLOAT') THEN {whole} "
        f"ELSE {trimmed(f'{cell}::VARCHAR')} END"
    )
