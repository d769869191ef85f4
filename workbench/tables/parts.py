"""Tables that come in parts: a file or sheet for each month, year or number, read as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import duckdb

from workbench.database import text_literal
from workbench.errors import Diagnostic, InputError, Span
from workbench.tables.mapping import TableMapping, TablesMapping
from workbench.tables.names import unused
from workbench.tables.part_names import (
    column_of_parts,
    column_of_sheets,
    part_of_sheet,
    sheets_of_one_table,
    table_and_part,
    with_year,
)
from workbench.tables.sources import TableSource, is_url, name_of_file
from workbench.tables.staged import StagedTable


def part_of(source: TableSource, table: str) -> str:
    """Which part of a table a file is: by its name, else by the folder that it is in."""
    name = name_of_file(source.path)
    found, part = table_and_part(name)
    if source.form == "excel":
        return part or name
    return part if part and found == table else Path(source.path).resolve().parent.name


def parts_of(
    sources: Sequence[TableSource], mapping: TablesMapping | None
) -> tuple[TableSource, ...]:
    """Sources, called as the tables of a mapping that are read from them; those that are parts of
    its tables that come in such as these tables.
    """
    tables = () if mapping is None else mapping.tables
    sources = called_as_mapped(sources, tables)
    known = {table.name: table.source for table in tables}
    found: dict[str, TableSource] = {}
    for source in sources:
        whole = known.get(_table_of(source, known) or "", source)
        if whole is source or (source.name in known and not (whole.more or whole.of_sheets)):
            found[source.name] = source
        elif whole.name not in found:
            column, part = whole.column_of_part, whole.part if whole.of_sheets else source.part
            found[whole.name] = replace(source, name=whole.name, part=part, column_of_part=column)
        elif source.path not in (found[whole.name].path, *found[whole.name].more):
            first = found[whole.name]
            found[whole.name] = replace(first, more=(*first.more, source.path))
    return tuple(found.values())


def _table_of(source: TableSource, known: Mapping[str, TableSource]) -> str | None:
    """Which table of a mapping a source is, or is a part of; None where it is none."""
    if source.name in known:
        return source.name
    apart = source.part is not None
    if source.form == "excel":
        apart = False
        for name, whole in known.items():
            if whole.of_sheets and fnmatchcase(source.part or "", whole.part or ""):
                return name
    name = table_and_part(source.name)[0]
    return name if name in known and known[name].more and not apart else None


def called_as_mapped(
    sources: Sequence[TableSource], tables: Sequence[TableMapping]
) -> list[TableSource]:
    """Sources under the names of the tables of a mapping that are read from the same place."""
    names = {table.name for table in tables}
    known = {
        _place(path, table.source.part): table.name
        for table in tables
        for path in (table.source.path, *table.source.more)
    }
    return [
        source
        if source.name in names
        else replace(source, name=known.get(_place(source.path, source.part), source.name))
        for source in sources
    ]


def _place(path: str, part: str | None) -> tuple[str | Path, str | None]:
    return path if is_url(path) else Path(path).resolve(), part


def together(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable]
) -> list[StagedTable]:
    """Staged tables, those of the same columns that are parts of one as one: files that are called
    alike but for their part, sheets of a workbook; a column says which part a row is of, where the
    parts' names say more than a number.
    """
    tables = _sheets_together(connection, tables)
    groups: dict[tuple[str, tuple[str, ...]], list[StagedTable]] = {}
    for table in tables:
        apart = table.source.part is not None and table.source.form != "excel"
        whole = apart or table.source.more or (table.source.of_sheets and not _of_a_year(table))
        name = table.name if whole else table_and_part(table.name)[0]
        groups.setdefault((name.casefold(), tuple(sorted(table.columns))), []).append(table)
    taken = {table.name.casefold() for table in tables}
    return [
        group[0]
        if len(group) == 1 or (name in taken and name not in {one.name.casefold() for one in group})
        else _files_as_one(connection, group)
        for (name, _), group in groups.items()
    ]


def _files_as_one(
    connection: duckdb.DuckDBPyConnection, group: Sequence[StagedTable]
) -> StagedTable:
    names = [table.name for table in group]
    kept = group[0].source.column_of_part  # of sheets, which have the year of their workbook
    column = None if kept else column_of_parts(names)
    table = _as_one(connection, group, column, [table_and_part(name)[1] for name in names])
    more = tuple(one.source.path for one in group[1:])
    column = table.source.column_of_part or kept
    source = replace(
        table.source, name=table_and_part(names[-1])[0], more=more, column_of_part=column
    )
    return _with_note(replace(table, source=source), group, "files")


def _of_a_year(table: StagedTable) -> bool:
    """Whether a table is all sheets of a workbook, told apart by when, and so is each workbook."""
    timed = table.source.column_of_part in ("month", "quarter")
    return timed and table.name == name_of_file(table.source.path)


def _sheets_together(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable]
) -> list[StagedTable]:
    """Staged tables, the sheets of each workbook that are parts of one table as this."""
    books: dict[str, list[StagedTable]] = {}
    for table in tables:
        alone = table.source.form != "excel" or table.source.more or table.source.of_sheets
        books.setdefault(table.name if alone else table.source.path, []).append(table)
    return [one for book in books.values() for one in _sheets_of_book(connection, book)]


def _sheets_of_book(
    connection: duckdb.DuckDBPyConnection, book: Sequence[StagedTable]
) -> list[StagedTable]:
    columns = {table.source.part or "": table.columns for table in book}
    found = sheets_of_one_table(columns) if len(columns) == len(book) > 1 else {}
    pattern_of = {sheet: pattern for pattern, sheets in found.items() for sheet in sheets}
    groups: dict[str, list[StagedTable]] = {}
    for table in book:
        groups.setdefault(pattern_of.get(table.source.part or "", table.name), []).append(table)
    return [
        sheets_as_one(connection, group, name) if name in found else group[0]
        for name, group in groups.items()
    ]


def sheets_as_one(
    connection: duckdb.DuckDBPyConnection, sheets: Sequence[StagedTable], pattern: str
) -> StagedTable:
    """The most sheets of a workbook of the same columns as one table."""
    alike: dict[tuple[str, ...], list[StagedTable]] = {}
    for sheet in sheets:
        alike.setdefault(tuple(sorted(sheet.columns)), []).append(sheet)
    group = max(alike.values(), key=len)
    names = [sheet.source.part or "" for sheet in group]
    column = group[0].source.column_of_part or column_of_sheets(names, pattern)
    book = name_of_file(group[0].source.path)
    parts = [part_of_sheet(name, pattern) for name in names]
    table = _as_one(connection, group, column, with_year(parts, book))
    name = pattern.strip("* _.-") or book
    source = replace(table.source, name=name, part=pattern)
    return _with_note(replace(table, source=source), group, "sheets")


def _as_one(
    connection: duckdb.DuckDBPyConnection,
    group: Sequence[StagedTable],
    column: str | None,
    parts: Sequence[str],
) -> StagedTable:
    column = None if column is None else unused(column, set(group[0].columns))
    table, *others = (
        with_part(connection, one, column, part) for one, part in zip(group, parts, strict=True)
    )
    for other in others:
        table = with_rows_of(connection, table, other)
    return replace(table, source=replace(table.source, column_of_part=column))


def _with_note(table: StagedTable, group: Sequence[StagedTable], what: str) -> StagedTable:
    name, column = table.source.name, table.source.column_of_part
    said = f"{len(group)} {what} of the same columns are one table, {name}: "
    said += ", ".join(one.source.shown for one in group[:3]) + (", ..." if len(group) > 3 else "")
    said += f"; its column {column} says which a row is of" if column else ""
    help = "wrong? write a [[tables]] for each into the mapping, under a name of its own"
    place = Span(group[0].source.shown, 1, 1, 1, 1)
    note = Diagnostic("E0245", said, place, help, severity="note")
    return replace(table, name=name, notes=(*table.notes, note))


def with_part(
    connection: duckdb.DuckDBPyConnection, table: StagedTable, column: str | None, part: str
) -> StagedTable:
    """The table with a column that says which part all of its rows are of."""
    if column is None or column in table.columns:
        return table
    connection.execute(
        f"ALTER TABLE {table.relation} ADD COLUMN c{len(table.columns)} VARCHAR "
        f"DEFAULT {text_literal(part)}"
    )
    return replace(table, columns=(*table.columns, column))


def with_rows_of(
    connection: duckdb.DuckDBPyConnection, table: StagedTable, added: StagedTable
) -> StagedTable:
    """The table with another's rows below its own; what that lacks is blank. E0235 for a column
    that only the other has.
    """
    for name in added.columns:
        if name not in table.columns:
            raise InputError.of(
                "E0235",
                f"{added.source.shown} has a column {name}, and the rest of {table.name} has none",
                span=added.span(1, name),
                help=f"the columns of {table.name} are {', '.join(table.columns)}",
            )
    into, cells = (", ".join(map(of.cell, added.columns)) for of in (table, added))
    connection.execute(
        f"INSERT INTO {table.relation} ({into}) SELECT {cells} FROM {added.relation} ORDER BY rowid"
    )
    connection.execute(f"DROP TABLE {added.relation}")
    return replace(table, rows=table.rows + added.rows, notes=(*table.notes, *added.notes))
