"""Tables brought beside those at hand: one mapping of all, and what of it is new."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.database import Database, delete_predicate
from workbench.errors import Diagnostic
from workbench.tables import (
    ColumnMapping,
    Staging,
    TableMapping,
    TablesMapping,
    TableSource,
    propose,
    target_of,
    with_columns,
)
from workbench.tables.proposed_names import with_predicates

SHOWN = 5
VALUES = ("text", "category", "number")
"""Kinds of columns that turn out to refer to a table once that is there."""


def tables_beside(
    at_hand: TablesMapping | None, brought: Collection[TableSource]
) -> tuple[TableSource, ...]:
    """The sources of the tables at hand that are not brought again, where they can still be read:
    what they refer to, and what refers to them, may be among what is brought.
    """
    names = {source.name for source in brought}
    if at_hand is None or names <= at_hand.by_name.keys():
        return ()
    tables = (table for table in at_hand.tables if table.name not in names)
    sources = (table.source for table in tables if not table.source.is_list)
    return tuple(one for one in sources if _can_be_read(one))


def names_brought(
    staging: Staging, at_hand: TablesMapping | None, brought: Collection[TableSource]
) -> frozenset[str]:
    """The staged tables that were not there before, or are brought again; lists in them, too."""
    there = set(at_hand.by_name) if at_hand is not None else set()
    return frozenset({source.name for source in brought} | (set(staging.tables) - there))


def _can_be_read(source: TableSource) -> bool:
    """Whether all its files are still there; databases elsewhere are not asked again."""
    return source.form != "postgres" and all(
        Path(path).exists() for path in (source.path, *source.more)
    )


def proposed_beside(
    database: Database,
    staging: Staging,
    at_hand: TablesMapping | None,
    brought: Collection[str],
    predict: str | None = None,
) -> TablesMapping:
    """What the staged tables seem to hold, and tables at hand beside them: these as they were
    loaded, but for what refers to one that is brought.
    """
    taken = {name: stored.argument_types for name, stored in database.predicates().items()}
    found = propose(staging, predict=predict, taken=taken)
    if at_hand is None:
        return found
    before = _before(at_hand, found, brought)
    left = _named(table for table in at_hand.tables if table.name not in brought) - _named(before)
    if left:  # what columns were called is free for what they are now
        free = {name: types for name, types in taken.items() if name not in left}
        found = replace(found, tables=tuple(with_predicates(found.tables, free)))
        before = _before(at_hand, found, brought)
    new = [table for table in found.tables if table.name in brought]
    asked = predict or at_hand.predict
    if predict is None and asked is not None and at_hand.place(asked)[0] in brought:
        asked = None
    return replace(at_hand, tables=(*before, *new), predict=asked)


def _before(
    at_hand: TablesMapping, found: TablesMapping, brought: Collection[str]
) -> list[TableMapping]:
    proposed = found.by_name
    return [
        _referring(table, proposed.get(table.name), brought, at_hand.predict)
        for table in at_hand.tables
        if table.name not in brought
    ]


def _referring(
    before: TableMapping,
    proposed: TableMapping | None,
    brought: Collection[str],
    asked: str | None,
) -> TableMapping:
    """A table at hand whose columns hold keys of tables that are brought; what is to be predicted
    stays what it is.
    """
    if proposed is None:
        return before
    if before.relation is None and before.key is None and proposed.relation is not None:
        return replace(proposed, source=before.source)
    new = {
        column.name: column
        for column in proposed.columns
        if column.kind == "reference" and column.table in brought and not column.parts
    }

    def now(column: ColumnMapping) -> ColumnMapping:
        open_to_it = column.kind in VALUES and f"{before.name}.{column.name}" != asked
        return new.get(column.name, column) if open_to_it else column

    return replace(before, columns=tuple(map(now, before.columns)))


def what_is_new(
    mapping: TablesMapping, at_hand: TablesMapping | None, brought: Collection[str]
) -> TablesMapping:
    """The mapping without those columns of tables at hand whose facts are loaded already."""
    before = (at_hand or TablesMapping(())).by_name
    target = target_of(mapping)
    asked = None if at_hand is None else at_hand.predict

    def fresh(table: TableMapping) -> TableMapping:
        known = before.get(table.name)
        if known is None or table.name in brought:
            return table
        if known.relation != table.relation:
            return table
        same = {(one.name, one.kind, one.predicate, one.table) for one in known.columns}
        names = {
            column.name
            for column in table.columns
            if (column.name, column.kind, column.predicate, column.table) not in same
        }
        if target is not None and target.table.name == table.name and mapping.predict != asked:
            names.add(target.column.name)
        return with_columns(table, names)

    tables = {table.name: table for table in map(fresh, mapping.tables)}
    loaded = target is not None and target.column not in tables[target.table.name].columns
    return replace(
        mapping, tables=tuple(tables.values()), predict=None if loaded else mapping.predict
    )


def as_typed(fresh: TablesMapping, whole: TablesMapping) -> TablesMapping:
    """What is new, with all columns of tables without a key: only these tell which of their rows
    are the same.
    """
    keyless = {table.name: table for table in whole.tables if table.key is None}
    return replace(fresh, tables=tuple(keyless.get(one.name, one) for one in fresh.tables))


def drop_replaced(
    database: Database, at_hand: TablesMapping | None, mapping: TablesMapping
) -> list[str]:
    """Remove the facts of columns of tables at hand that are something else now; the predicates
    that are gone.
    """
    tables = () if at_hand is None else at_hand.tables
    before = _named(table for table in tables if table.name in mapping.by_name)
    gone = sorted((before - _named(mapping.tables)) & database.predicates().keys())
    for name in gone:
        delete_predicate(database, name)
    return gone


def about_replaced(gone: Sequence[str], brought: Collection[str]) -> list[Diagnostic]:
    """That tables of the names of earlier ones took their place, and what is lost by it."""
    if not gone:
        return []
    tables = ", ".join(sorted(brought))
    return [
        Diagnostic.warning(
            "E0259",
            f"{tables} comes again with other columns, in place of what was loaded: the facts of "
            f"{', '.join(gone[:SHOWN])} are gone"
            + (f", and {len(gone) - SHOWN:,} more" if len(gone) > SHOWN else ""),
            help="where these are other tables, load them under a name of their own",
        )
    ]


def _named(tables: Iterable[TableMapping]) -> set[str]:
    """The predicates that they fill."""
    return {
        name
        for table in tables
        for name in (*(column.predicate for column in table.columns), table.relation)
        if name is not None
    }
