"""Tables that come in parts: a file for each month, year or number, read as one table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from workbench.database import text_literal
from workbench.errors import Diagnostic, InputError, Span
from workbench.tables.mapping import TablesMapping
from workbench.tables.months import ENGLISH_OF
from workbench.tables.names import unused
from workbench.tables.sources import TableSource, name_of_file
from workbench.tables.staged import StagedTable

_MONTH = "|".join(sorted((*ENGLISH_OF, *map(str.lower, ENGLISH_OF.values())), key=len)[::-1])
_YEAR = r"(?:19|20)\d\d"
_BETWEEN = r"[\s_.-]"
_DATE = rf"{_YEAR}{_BETWEEN}?(?:0[1-9]|1[0-2]){_BETWEEN}?(?:0[1-9]|[12]\d|3[01])"
_YEAR_MONTH = rf"{_YEAR}{_BETWEEN}?(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2]){_BETWEEN}{_YEAR}"
_NAMED_MONTH = rf"(?:{_YEAR}{_BETWEEN}?)?(?:{_MONTH})(?:{_BETWEEN}?{_YEAR})?"
_QUARTER = rf"(?:{_YEAR}{_BETWEEN}?)?[qkt][1-4](?:{_BETWEEN}?{_YEAR})?"
_SAYS = {
    "date": re.compile(_DATE),
    "month": re.compile(f"{_YEAR_MONTH}|{_NAMED_MONTH}", re.IGNORECASE),
    "year": re.compile(_YEAR),
    "quarter": re.compile(_QUARTER, re.IGNORECASE),
}
"""What a column of parts is called, by how these are written."""
_NUMBER = r"(?:part|teil|pt|no|nr)?-?\d{1,6}"
_PART = "|".join((_DATE, _YEAR_MONTH, _NAMED_MONTH, _QUARTER, _YEAR, _NUMBER))
_BEHIND = re.compile(rf"(?P<name>.*?\w){_BETWEEN}*\(?(?P<part>{_PART})\)?", re.IGNORECASE)
_BEFORE = re.compile(rf"(?P<part>{_PART}){_BETWEEN}+(?P<name>.*\w)", re.IGNORECASE)
_FOLDER = "folder"


def table_and_part(source: str) -> tuple[str, str]:
    """What a table is called by one of its parts' names, and the part: `sales_2024-01` is `sales`
    and `2024-01`, `january/sales` is `sales` and `january`; no part where the name has none.
    """
    folder, slash, name = source.rpartition("/")
    if slash:
        return name, folder.rpartition("/")[2]
    for form in (_BEHIND, _BEFORE):
        found = form.fullmatch(source)
        if found is not None and not found["name"].isdigit():
            bare = found["name"].rstrip(" _.-")
            separated = len(bare) < found.start("part") or form is _BEFORE
            if separated or found["part"][0].isdigit():
                return bare, found["part"]
    return source, ""


def part_of(source: TableSource, table: str) -> str:
    """Which part of a table a file is: by its name, else by the folder that it is in."""
    name = name_of_file(source.path)
    found, part = table_and_part(name)
    return part if part and found == table else Path(source.path).resolve().parent.name


def parts_of(
    sources: Sequence[TableSource], mapping: TablesMapping | None
) -> tuple[TableSource, ...]:
    """Sources, those that are parts of a mapping's tables that come in such as these tables."""
    tables = () if mapping is None else mapping.tables
    known = {table.name: table.source for table in tables if table.source.more}
    named = {table.name for table in tables}
    found: dict[str, TableSource] = {}
    for source in sources:
        name = source.name if source.name in named else table_and_part(source.name)[0]
        if name not in known or source.part is not None:
            found[source.name] = source
        elif name in found:
            found[name] = replace(found[name], more=(*found[name].more, source.path))
        else:
            found[name] = replace(source, name=name, column_of_part=known[name].column_of_part)
    return tuple(found.values())


def together(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable]
) -> list[StagedTable]:
    """Staged tables, files of the same columns that are called alike but for their part as one;
    a column says which part a row is of, where the parts' names say more than a number.
    """
    groups: dict[tuple[str, tuple[str, ...]], list[StagedTable]] = {}
    for table in tables:
        whole = table.source.part is not None or table.source.more
        name = table.name if whole else table_and_part(table.name)[0]
        groups.setdefault((name.casefold(), tuple(sorted(table.columns))), []).append(table)
    taken = {table.name.casefold() for table in tables}
    return [
        group[0]
        if len(group) == 1 or (name in taken and name not in {one.name.casefold() for one in group})
        else _as_one(connection, group)
        for (name, _), group in groups.items()
    ]


def _as_one(connection: duckdb.DuckDBPyConnection, group: Sequence[StagedTable]) -> StagedTable:
    name = table_and_part(group[-1].name)[0]
    column = _column_of_part(group)
    first, *others = (
        with_part(connection, one, column, table_and_part(one.name)[1]) for one in group
    )
    table = first
    for other in others:
        table = with_rows_of(connection, table, other)
    more = tuple(one.source.path for one in others)
    source = replace(first.source, name=name, more=more, column_of_part=column)
    said = f"{len(group)} files of the same columns are one table, {name}: "
    said += ", ".join(one.source.shown for one in group[:3]) + (", ..." if len(group) > 3 else "")
    said += f"; its column {column} says which a row is of" if column else ""
    help = "wrong? write a [[tables]] for each into the mapping, under a name of its own"
    place = Span(first.source.shown, 1, 1, 1, 1)
    note = Diagnostic("E0245", said, place, help, severity="note")
    return replace(table, name=name, source=source, notes=(*table.notes, note))


def _column_of_part(group: Sequence[StagedTable]) -> str | None:
    """What the column of parts is called; None where these are but numbers."""
    names = [one.name for one in group]
    parts = [part for _, part in map(table_and_part, names) if part]
    for said, form in _SAYS.items():
        if all(map(form.fullmatch, parts)):
            return unused(said, set(group[0].columns))
    return unused(_FOLDER, set(group[0].columns)) if any("/" in name for name in names) else None


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
