"""Staged texts read as the mapping says: typed tables with a row for each thing or tuple."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.database import quoted, text_literal, unused_name
from workbench.errors import Diagnostic, InputError
from workbench.tables.composite import joined_value
from workbench.tables.facts import Target
from workbench.tables.kinds import MOST_CATEGORIES
from workbench.tables.mapping import ColumnMapping, TableMapping
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.values import (
    alike_value,
    any_date_value,
    date_from_parts,
    is_blank,
    number_value,
    truth_value,
)

ROW = "row_"


@dataclass(frozen=True)
class TypedTable:
    """A staged table, read: a row for each thing or tuple.

    Attributes
    ----------
    relation : str
        Its name in the staging's database. Beside the columns it has `row_`, the row of the source.
    columns : mapping of str to str
        The SQL name of each column that makes facts or names things: keys, references, categories
        and texts are VARCHAR, numbers DOUBLE, dates TIMESTAMP, yes and no DOUBLE 1 and 0; NULL
        where the cell is blank.
    subject : tuple of str
        The SQL names of what a row is about: the key, the references of a relation, or `row_`.
    target : str or None
        The SQL name of the target's column in its table: as said there, or DOUBLE 1 and 0 for a
        target of one value.
    """

    mapping: TableMapping
    relation: str
    columns: Mapping[str, str]
    rows: int
    subject: tuple[str, ...]
    target: str | None = None
    notes: tuple[Diagnostic, ...] = ()


def counted(staging: Staging, table: TableMapping) -> TableMapping:
    """A table of a mapping that was read, with the rows and blanks of a staged one,
    and where that came from.
    """
    staged = staging.tables[table.name]
    _check_columns(staged, table)
    wanted = [f"count(*) FILTER (NOT ({is_filled(staged, column)}))" for column in table.columns]
    blanks = staging.counts(staged.relation, wanted)
    columns = tuple(
        replace(column, missing=int(blank), reason=column.reason or "the mapping says so")
        for column, blank in zip(table.columns, blanks)
    )
    return replace(table, source=staged.source, rows=staged.rows, columns=columns)


def typed_table(
    staging: Staging, table: TableMapping, relation: str, target: Target | None
) -> TypedTable:
    """A staged table read into `relation`, as the mapping says and unchecked."""
    staged = staging.tables[table.name]
    _check_columns(staged, table)
    columns: dict[str, str] = {}
    cells = [f"rowid + {staged.first_row} AS {ROW}"]
    for column in table.columns:
        if (
            column.kind == "key"
            or column.makes_facts
            or column.kind == "reference"
            or column.name in table.display
        ):
            columns[column.name] = quoted(
                unused_name(column.name, [ROW, "rowid", *(name[1:-1] for name in columns.values())])
            )
            cells.append(f"{_value(staged, column)} AS {columns[column.name]}")
    asked = None
    if target is not None:
        asked = columns[target.column.name]
        if target.kind == "yes/no":
            asked = quoted(unused_name("target", [name[1:-1] for name in columns.values()]))
            cells.append(f"{_target_value(staged, target)} AS {asked}")
    staging.connection.execute(
        f"CREATE OR REPLACE TABLE {relation} AS SELECT {', '.join(cells)} FROM {staged.relation}"
    )
    if table.relation is not None:
        subject = tuple(columns[column.name] for column in table.references)
    else:
        subject = (columns[table.key],) if table.key is not None else (ROW,)
    notes: tuple[Diagnostic, ...] = ()
    if staged.rows > MOST_CATEGORIES:
        notes = _too_many_categories(staging, table, relation, columns)
    elif not staged.rows:
        message = f"{staged.source.shown} has columns and no rows"
        notes = (Diagnostic("E0233", message, staged.span(1), severity="warning"),)
    return TypedTable(table, relation, columns, staged.rows, subject, asked, notes)


def _too_many_categories(
    staging: Staging, table: TableMapping, relation: str, columns: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """Categories that a mapping asks for and that hardly repeat: a warning for each."""
    named = [
        column.name for column in table.columns if column.kind == "category" and column.makes_facts
    ]
    if not named:
        return ()
    counts = staging.rows(
        f"SELECT {', '.join(f'approx_count_distinct({columns[name]})' for name in named)} FROM "
        f"{relation}"
    )[0]
    return tuple(
        Diagnostic(
            "E0246",
            f"{table.name}.{name} has about {count:,} categories, more than {MOST_CATEGORIES:,}",
            staging.tables[table.name].span(1, name),
            'say kind = "text" for it in the mapping, unless rules are to speak of single values',
            severity="warning",
        )
        for name, count in zip(named, counts)
        if count > MOST_CATEGORIES
    )


def _check_columns(staged: StagedTable, table: TableMapping) -> None:
    for column in table.columns:
        for name in column.parts or (column.name,):
            if name not in staged.columns:
                raise InputError.of(
                    "E0235",
                    f"{staged.source.shown} has no column {name}",
                    span=staged.span(1),
                    help="add it (its cells may be blank), or take it out of the mapping; the "
                    f"file's columns are {', '.join(staged.columns)}",
                )


def _value(staged: StagedTable, column: ColumnMapping) -> str:
    """What a cell says, as a column's kind has it; NULL where it is blank or cannot be read."""
    if column.parts and column.kind != "date":
        cells = [staged.cell(part) for part in column.parts]
        return joined_value(cells, column.reading.blanks, column.reading.alike)
    if column.parts:
        return date_from_parts(*(staged.cell(part) for part in column.parts))
    cell, reading = staged.cell(column.name), column.reading
    text = f"CASE WHEN NOT {is_blank(cell, reading.blanks)} THEN {cell} END"
    if column.kind == "number":
        # A mapping of files that write 1.234,5 may be given a table that holds 1234.5 as a number.
        held = column.name in staged.numbers
        return number_value(text, "." if held else reading.decimal or ".", reading.unit)
    if column.kind == "date":
        return any_date_value(text, reading.format or "%Y-%m-%d")
    if column.kind == "yes/no":
        return f"({truth_value(text, reading.yes, reading.no)})::DOUBLE"
    return alike_value(text, reading.alike)


def _target_value(staged: StagedTable, target: Target) -> str:
    """1 where the row has the value asked for, 0 where it has another, NULL where it is blank."""
    column, value = target.column, target.value
    if column.kind == "yes/no":
        says = _value(staged, column)
        return f"1 - {says}" if value is not None and value in column.reading.no else says
    text = _value(staged, column)
    return (
        f"CASE WHEN {text} IS NULL THEN NULL WHEN {text} = {text_literal(value)} THEN 1 ELSE 0 "
        "END::DOUBLE"
    )


def is_filled(staged: StagedTable, column: ColumnMapping) -> str:
    """The test that a cell is not blank."""
    names = column.parts or (column.name,)
    return " AND ".join(
        f"NOT {is_blank(staged.cell(name), column.reading.blanks)}" for name in names
    )
