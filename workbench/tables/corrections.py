"""A mapping corrected by hand: another kind, name or table for a column, another name for a table,
with all that hangs on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from workbench.database import relations_read
from workbench.errors import UsageError, WorkbenchError
from workbench.tables.facts import mapped_predicates, target_of
from workbench.tables.kinds import ColumnKind
from workbench.tables.mapping import ColumnMapping, TableMapping, TablesMapping
from workbench.tables.names import predicate_name, type_name, words
from workbench.tables.readings import Reading
from workbench.tables.values import BLANKS, MORE_BLANKS, YES_NO

SILENT = ("key", "constant", "empty", "ignore")
BY_HAND = "chosen by hand"


def corrected(
    mapping: TablesMapping,
    table: str,
    column: str,
    *,
    kind: ColumnKind | None = None,
    predicate: str | None = None,
    refers_to: str | None = None,
    readings: Mapping[tuple[str, str], Reading] | None = None,
) -> TablesMapping:
    """The mapping with one column taken for something else.

    Raises E0235 for a table or column that is not there; E0837 for a kind, name or reference that
    cannot be.

    Parameters
    ----------
    kind : str, optional
        None leaves it.
    predicate : str, optional
        What the column's facts are called.
    refers_to : str, optional
        The table whose key the column holds, where its kind is `reference`.
    readings : mapping of (table, column) to Reading, optional
        How cells are written, for a column that becomes a number, a date, or yes or no.
    """
    there = mapping.table(table)
    before = there.column(column)
    wanted = kind or before.kind
    if wanted not in get_args(ColumnKind):
        raise _cannot(
            f"{wanted} is no kind of column", f"kinds are {', '.join(get_args(ColumnKind))}"
        )
    reading = (readings or {}).get((table, column), Reading())
    after = _as_kind(mapping, there, before, wanted, reading, refers_to)
    if predicate is not None and after.predicate is not None:
        if not words(predicate):
            raise _cannot(f"{predicate!r} cannot name facts", "a name has letters and digits")
        after = replace(after, predicate=predicate_name(words(predicate)))
    tables = tuple(
        _with_column(one, before, after) if one is there else one for one in mapping.tables
    )
    found = _with_whole_references(replace(mapping, tables=tables))
    _check(found)
    return found


def renamed(mapping: TablesMapping, old: str, new: str) -> TablesMapping:
    """The mapping with a table called otherwise, wherever it is referred to.

    Raises E0235 for a table that is not there; E0837 for a name that another has, or that has no
    letter and no digit, and where a definition reads the table.
    """
    mapping.table(old)
    taken = {name.casefold() for name in mapping.by_name if name != old}
    reading = [one.name for one in mapping.definitions if old.casefold() in relations_read(one.sql)]
    if not words(new):
        raise _cannot(f"{new!r} cannot name a table", "a name has letters and digits")
    if new.casefold() in taken:
        raise _cannot(f"there is a table {new} already", "take another name")
    if reading:
        raise _cannot(
            f"{old} is what the definition {', '.join(reading)} reads",
            "write the new name there and at the table, in the mapping, and load it again",
        )
    place, column = mapping.place(mapping.predict or "")
    predict = f"{new}.{column}" if place == old else mapping.predict
    tables = tuple(_called(table, old, new) for table in mapping.tables)
    return replace(mapping, tables=tables, predict=predict)


def _called(table: TableMapping, old: str, new: str) -> TableMapping:
    """A table with the new name for its own, and in its references."""
    columns = tuple(
        replace(column, table=new) if column.table == old else column for column in table.columns
    )
    source = replace(table.source, name=new) if table.name == old else table.source
    return replace(table, source=source, columns=columns)


def _as_kind(
    mapping: TablesMapping,
    table: TableMapping,
    column: ColumnMapping,
    kind: ColumnKind,
    reading: Reading,
    refers_to: str | None,
) -> ColumnMapping:
    """The column as another kind; what it was called stays."""
    if kind == column.kind and refers_to in (None, column.table):
        return column
    changed = replace(column, kind=kind, table=None, type=None, reason=BY_HAND, unreadable="error")
    named = column.predicate or predicate_name(words(column.name))
    if kind in SILENT:
        return replace(changed, predicate=None)
    if kind == "reference":
        if refers_to is None or mapping.table(refers_to).key is None:
            keyed = [one.name for one in mapping.tables if one.key is not None and one is not table]
            raise _cannot(
                f"{table.name}.{column.name} is to be a reference: say to which table",
                f"tables with a key are {', '.join(keyed)}"
                if keyed
                else "no other table has a key",
            )
        return replace(changed, table=refers_to, predicate=None if table.relation else named)
    if kind == "category":
        return replace(
            changed, predicate=named, type=type_name((*words(table.type), *words(column.name)))
        )
    if kind == "text":
        return replace(changed, predicate=named)
    return replace(
        changed, predicate=named, reading=_reading(column, kind, reading), unreadable="blank"
    )


def _reading(column: ColumnMapping, kind: ColumnKind, found: Reading) -> Reading:
    blanks = tuple(dict.fromkeys((*BLANKS, *MORE_BLANKS, *column.reading.blanks)))
    if kind == "number":
        return Reading(blanks, found.decimal or ".", unit=found.unit)
    if kind == "date":
        return Reading(blanks, format=found.format or "%Y-%m-%d")
    every = tuple(
        tuple(dict.fromkeys(word for pair in YES_NO for word in pair[side])) for side in (0, 1)
    )
    return Reading(blanks, yes=found.yes or every[0], no=found.no or every[1])


def _with_column(table: TableMapping, before: ColumnMapping, after: ColumnMapping) -> TableMapping:
    """The table with a column in place of another; its key and its shape follow."""
    columns = tuple(after if column is before else column for column in table.columns)
    if after.kind == "key" and before.kind != "key":
        columns = tuple(
            _no_key(column) if column.kind == "key" and column is not after else column
            for column in columns
        )
        return replace(table, columns=_named_references(columns), key=after.name, relation=None)
    if before.kind == "key" and after.kind != "key":
        return replace(table, columns=columns, key=None, display=())
    if table.relation is not None and sum(column.kind == "reference" for column in columns) < 2:
        return replace(table, columns=_named_references(columns), relation=None)
    return replace(table, columns=columns)


def _no_key(column: ColumnMapping) -> ColumnMapping:
    return replace(
        column,
        kind="text",
        predicate=predicate_name(words(column.name)),
        table=None,
        reason=BY_HAND,
    )


def _named_references(columns: tuple[ColumnMapping, ...]) -> tuple[ColumnMapping, ...]:
    """References with names of their own: in a relation they have none."""
    return tuple(
        replace(column, predicate=predicate_name(words(column.name)))
        if column.kind == "reference" and column.predicate is None
        else column
        for column in columns
    )


def _with_whole_references(mapping: TablesMapping) -> TablesMapping:
    """References to tables that have no key any more become texts."""
    keyed = {table.name for table in mapping.tables if table.key is not None}
    tables = []
    for table in mapping.tables:
        for column in table.columns:
            if column.table is not None and column.table not in keyed:
                text = (
                    _no_key(column) if column.kind == "reference" else replace(column, table=None)
                )
                table = _with_column(table, column, text)
        tables.append(table)
    return replace(mapping, tables=tuple(tables))


def _check(mapping: TablesMapping) -> None:
    """Refuse two columns of other types under one name,
    and a target that cannot be one any more.
    """
    seen: dict[str, tuple[str, tuple[str, ...]]] = {}
    for found in mapped_predicates(mapping):
        where = f"{found.table}.{found.column.name}" if found.column is not None else found.table
        other, types = seen.setdefault(found.name.casefold(), (where, found.types))
        if types != found.types:
            raise _cannot(
                f"{where} and {other} would both be called {found.name}, and say different things",
                "give one of them another name",
            )
    target_of(mapping)


def _cannot(message: str, cure: str) -> WorkbenchError:
    return UsageError.of("E0837", message, help=cure)
