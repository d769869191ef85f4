"""Rows that tables of a workspace get or lose, as facts: by the mapping that these were loaded
with; and the files that hold them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from workbench.database import Database, handed_in, quoted
from workbench.errors import Diagnostic, InputError, Span
from workbench.tables.checked import type_tables
from workbench.tables.facts import target_of
from workbench.tables.load import load_tables_as_mapped
from workbench.tables.mapping import TableMapping, TablesMapping
from workbench.tables.parts import called_as_mapped
from workbench.tables.rows_there import without_rows_there
from workbench.tables.sources import TableSource
from workbench.tables.staged import Staging
from workbench.tables.staging import stage
from workbench.tables.typed import ROW, TypedTable


def load_more_rows(
    apart: Database,
    sources: Sequence[TableSource],
    mapping: TablesMapping,
    *,
    labels: Literal["evidence", "withheld"],
    world: str,
    among: Database | None,
) -> tuple[Diagnostic, ...]:
    """The facts of rows of tables that were mapped, into a workspace apart; what is to be said of
    the rows.

    Columns that a file does not have say nothing; but where that of the target is missing, its
    cells are blank: asked for.

    `among`: the workspace whose tables get the rows; None where they lose them.

    Raises what `type_tables` does; E0854 for a table that the mapping does not have, for rows to go
    that nothing tells apart, and where definitions in SQL read the tables.
    """
    _check(sources, mapping, gone=among is None)
    with stage(sources, lists_apart=True, as_mapped=mapping) as staging:
        given = as_given(staging, mapping, asking=among is not None)
        typed = typed_among(staging, given, among, world)
        load_tables_as_mapped(apart, staging, given, world=world, typed=typed, labels=labels)
        notes = [note for table in staging.tables.values() for note in table.notes]
        notes += _of_no_column(staging, mapping)
        return (*notes, *(note for table in typed.values() for note in table.notes))


def _of_no_column(staging: Staging, mapping: TablesMapping) -> Iterator[Diagnostic]:
    """E0260 for columns of files that their tables do not have."""
    for name, staged in staging.tables.items():
        table = mapping.table(name)
        known = {part for one in table.columns for part in one.parts or (one.name,)}
        known |= {one.name for one in table.columns}
        for column in staged.columns:
            if column not in known:
                yield Diagnostic.warning(
                    "E0260",
                    f"{name} has no column {column}: its cells are left out",
                    staged.span(staged.first_row, column),
                    help=f"call it as one of its columns: {', '.join(sorted(known))}; a new column "
                    "comes with the whole table, by load",
                )


def _check(sources: Sequence[TableSource], mapping: TablesMapping, *, gone: bool) -> None:
    for source in sources:
        at = Span(source.shown, 1, 1, 1, 1)
        table = mapping.by_name.get(source.name)
        if table is None:
            raise InputError.of(
                "E0854",
                f"the workspace has no table {source.name}",
                span=at,
                help=f"call the file as the table whose rows it has: {', '.join(mapping.by_name)}",
            )
        if gone and table.relation is None and table.key is None:
            raise InputError.of(
                "E0854",
                f"nothing tells the rows of {source.name} apart, so none can be found to go",
                span=at,
                help="name the facts instead, as P(A, B)",
            )
    if mapping.definitions:
        raise InputError.of(
            "E0854",
            f"{mapping.definitions[0].name} is made by SQL from whole tables, so no rows can come "
            "or go alone",
            span=mapping.definitions[0].span,
            help="load all tables into a new workspace, or define it in the rules (:=)",
        )


def as_given(staging: Staging, mapping: TablesMapping, *, asking: bool) -> TablesMapping:
    """The mapping with those columns that the staged tables have; rows that ask need none of the
    target.
    """
    target = target_of(mapping)
    if asking and target is not None and not target.column.parts:
        staged = staging.tables.get(target.table.name)
        if staged is not None and target.column.name not in staged.columns:
            staging.add_blank_column(target.table.name, target.column.name)
    return replace(
        mapping,
        tables=tuple(
            with_columns(table, staging.tables[table.name].columns)
            if table.name in staging.tables
            else table
            for table in mapping.tables
        ),
    )


def with_columns(table: TableMapping, given: Collection[str]) -> TableMapping:
    """A table with what names its rows, and those of its other columns that are given."""
    columns = tuple(
        column
        for column in table.columns
        if column.kind == "key"
        or (column.kind == "reference" and table.relation is not None)
        or set(column.parts or (column.name,)) <= set(given)
    )
    kept = {column.name for column in columns}
    return replace(
        table, columns=columns, display=tuple(name for name in table.display if name in kept)
    )


def typed_among(
    staging: Staging, mapping: TablesMapping, among: Database | None, world: str
) -> Mapping[str, TypedTable]:
    """The staged tables as the mapping says, of which the workspace has rows already."""
    if among is None:
        return type_tables(staging, mapping)
    known = _things_of_tables(staging, mapping, among)
    typed = dict(type_tables(staging, mapping, known))
    for name, table in typed.items():
        if table.subject == (ROW,) and name in known:
            typed[name] = without_rows_there(staging, table, mapping, among, world)
            _number_on(staging, typed[name], known[name])
    return typed


def _things_of_tables(
    staging: Staging, mapping: TablesMapping, among: Database
) -> Mapping[str, str]:
    """By table a relation, in the staging's database, of the things that it has."""
    found: dict[str, str] = {}
    type_tables = among.type_tables()
    for table in mapping.tables:
        stored = type_tables.get(mapping.type_of(table))
        if table.relation is None and stored is not None:
            found[table.name] = f"things_{len(found)}"
            names = among.cursor().sql(f"SELECT name FROM {quoted(stored)}").to_arrow_table()
            with handed_in(staging.connection, "names", names):
                staging.connection.execute(f"CREATE TABLE {found[table.name]} AS FROM names")
    return found


def _number_on(staging: Staging, table: TypedTable, things: str) -> None:
    """Rows that are called by their number come after those that there are."""
    last = f"(SELECT max(try_cast(name AS BIGINT)) FROM {things})"
    first = staging.tables[table.mapping.name].first_row
    staging.connection.execute(
        f"UPDATE {table.relation} SET {ROW} = {ROW} - {first} + coalesce({last} + 1, {first})"
    )


def with_more_files(mapping: TablesMapping, sources: Sequence[TableSource]) -> TablesMapping:
    """The mapping, its tables with the files of more rows of them.

    Lists in the cells of a file are tables of rows by number, so such files are left out.
    """
    apart = {source.path for source in sources if source.is_list}
    further = {
        source.name: (source.path, *source.more) for source in sources if source.path not in apart
    }
    return replace(
        mapping,
        tables=tuple(
            replace(table, source=_and(table.source, further[table.name]))
            if table.name in further
            else table
            for table in mapping.tables
        ),
    )


def _and(source: TableSource, paths: Sequence[str]) -> TableSource:
    known = (source.path, *source.more)
    return replace(source, more=(*source.more, *(path for path in paths if path not in known)))


def with_files_of(
    sources: Sequence[TableSource], mapping: TablesMapping
) -> tuple[TableSource, ...]:
    """Sources, with the further files that a mapping names for those of its tables that they
    are.
    """
    own = {
        (table.name, Path(table.source.path).resolve()): table.source.more
        for table in mapping.tables
    }
    return tuple(
        replace(source, more=own.get((source.name, Path(source.path).resolve()), ()))
        for source in called_as_mapped(sources, mapping.tables)
    )
