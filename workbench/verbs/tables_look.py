"""A look at tables before they are loaded, and the tables that a workspace was filled from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from workbench.database import Database
from workbench.errors import Diagnostic
from workbench.progress import SILENT, Progress
from workbench.tables import (
    ColumnKind,
    Reading,
    Staging,
    TablesMapping,
    as_given,
    corrected,
    counted,
    find_sources,
    format_mapping,
    parts_of,
    read_mapping,
    renamed,
    stage,
    target_of,
)
from workbench.tables.epochs import possible_reading
from workbench.tables.names import singular_words, type_name
from workbench.verbs.tables_beside import names_brought, proposed_beside, tables_beside

Labels = Literal["evidence", "withheld"]

SHOWN = 8
SAMPLED = 1000
LIKELY = (
    *(("yes/no", True), ("category", True), ("yes/no", False)),
    *(("number", True), ("category", False), ("number", False)),
)
"""Kinds of columns that can be predicted, with blanks or without, the likeliest first."""


@dataclass(frozen=True)
class TablesLook:
    """What some tables seem to hold.

    Attributes
    ----------
    mapping : TablesMapping
        What their columns are taken for, and why.
    rows : mapping of table to rows
        The first few of each, as texts; None where a cell is empty.
    columns : mapping of table to column names
    readings : mapping of (table, column) to Reading
        How the cells of each column are written, told by the first thousand.
    more_rows : bool
        Whether they hold more rows of tables that the workspace was filled from, to be read as
        these were.
    """

    mapping: TablesMapping
    rows: Mapping[str, tuple[tuple[str | None, ...], ...]]
    columns: Mapping[str, tuple[str, ...]]
    readings: Mapping[tuple[str, str], Reading]
    notes: tuple[Diagnostic, ...]
    more_rows: bool = False

    @property
    def targets(self) -> tuple[str, ...]:
        """The columns that could be predicted, as `TABLE.COLUMN`, the likeliest first.

        Blanks ask for a yes or no or a category, but a number may be blank where nobody knew it;
        of columns without blanks the last of a table is the likeliest, for there people put what
        they found out. One value alone has nothing to be told from.
        """
        found = [
            (LIKELY.index(sort), f"{table.name}.{column.name}")
            for table in self.mapping.tables
            for column in reversed(table.columns)
            if (sort := (column.kind, column.missing > 0)) in LIKELY
            and not column.parts
            and column.distinct != 1
        ]
        return tuple(name for _, name in sorted(found, key=lambda one: one[0]))

    def corrected(
        self,
        table: str,
        column: str,
        *,
        kind: ColumnKind | None = None,
        predicate: str | None = None,
        refers_to: str | None = None,
    ) -> TablesLook:
        """The look with one column taken for something else, as `workbench.tables.corrected`."""
        mapping = corrected(
            self.mapping,
            table,
            column,
            kind=kind,
            predicate=predicate,
            refers_to=refers_to,
            readings=self.readings,
        )
        return replace(self, mapping=mapping)

    def renamed(self, old: str, new: str) -> TablesLook:
        """The look with a table called otherwise, and the things of its rows by that name; raises
        as `workbench.tables.renamed`.
        """
        mapping = renamed(self.mapping, old, new)
        things = type_name(singular_words(new))
        if things not in {table.type for table in mapping.tables}:
            tables = tuple(
                replace(one, type=things) if one.name == new else one for one in mapping.tables
            )
            mapping = replace(mapping, tables=tables)

        def called(name: str) -> str:
            return new if name == old else name

        return replace(
            self,
            mapping=mapping,
            rows={called(name): rows for name, rows in self.rows.items()},
            columns={called(name): columns for name, columns in self.columns.items()},
            readings={(called(name), of): one for (name, of), one in self.readings.items()},
        )

    def predicting(self, predict: str | None) -> TablesLook:
        """The look with another column to be predicted.

        Raises E0235, E0237 for a column that cannot be.
        """
        mapping = replace(self.mapping, predict=predict)
        target_of(mapping)
        return replace(self, mapping=mapping)


def look_at_tables(
    database: Database,
    sources: Iterable[str | os.PathLike[str]],
    *,
    anew: bool = False,
    progress: Progress = SILENT,
) -> TablesLook:
    """Profile tables without loading them: beside those that the workspace was filled from, and
    more rows of some of these as they were read, unless they are to be read anew. Cancelling
    `progress` stops it.

    Raises InputError as `workbench.tables.stage`, for files that are no tables or cannot be read.
    """
    from workbench.grounding.interruption import statements_heeding

    at_hand = None if anew else others_at_hand(database)
    as_mapped = None if anew else tables_at_hand(database)
    brought = parts_of(find_sources(sources), as_mapped)
    found = (*tables_beside(at_hand, brought), *brought)
    watched = partial(statements_heeding, progress)
    with stage(
        found, lists_apart=True, as_mapped=as_mapped, parts_together=True, watched=watched
    ) as staging:
        known = None if anew else mapping_of_more_rows(database, staging)
        names = names_brought(staging, at_hand, brought)
        mapping = known or proposed_beside(database, staging, at_hand, names)
        new = {name: table for name, table in staging.tables.items() if name in names}
        readings = {
            (table.name, name): possible_reading([cell for cell in cells if cell is not None])
            for table in new.values()
            for name, cells in zip(table.columns, zip(*_head(staging, table.name, SAMPLED)))
        }
        return TablesLook(
            mapping,
            {name: _head(staging, name, SHOWN) for name in new},
            {name: table.columns for name, table in new.items()},
            readings,
            tuple(note for table in new.values() for note in table.notes),
            known is not None,
        )


def mapping_of_more_rows(database: Database, staging: Staging) -> TablesMapping | None:
    """The mapping of the tables that the workspace was filled from, where these are more rows of
    them: tables of the same names with no other columns.
    """
    mapping = tables_at_hand(database)
    if mapping is None or mapping.definitions:
        return None
    for staged in staging.tables.values():
        table = mapping.by_name.get(staged.name)
        if table is None:
            return None
        columns = {part for column in table.columns for part in column.parts or (column.name,)}
        if not set(staged.columns) <= columns:
            return None
    return recounted(staging, as_given(staging, mapping, asking=True))


def recounted(staging: Staging, mapping: TablesMapping) -> TablesMapping:
    """The mapping with the numbers of those of its tables that are staged."""
    tables = (
        counted(staging, table) if table.name in staging.tables else table
        for table in mapping.tables
    )
    return replace(mapping, tables=tuple(tables))


def _head(staging: Staging, name: str, rows: int) -> tuple[tuple[str | None, ...], ...]:
    relation = staging.tables[name].relation
    # A sort of whole rows takes a fifth of a megabyte a column, however few rows there are.
    first = f"SELECT rowid FROM {relation} ORDER BY rowid LIMIT {rows}"
    found = staging.rows(f"SELECT rowid, * FROM {relation} WHERE rowid IN ({first})")
    return tuple(row[1:] for row in sorted(found, key=lambda row: row[0]))


def remember_tables(
    database: Database, mapping: TablesMapping, labels: Labels | None = None
) -> None:
    """Keep which tables were loaded, and as what; files by their whole path. And what the known
    cells of the target became, unless that stays.
    """
    with TemporaryDirectory() as elsewhere:
        database.remember("tables", format_mapping(mapping, elsewhere))
    if labels is not None:
        database.remember("labels", labels)


def labels_at_hand(database: Database) -> Labels:
    """What the known cells of the target became in the tables that were loaded last."""
    return "evidence" if database.setting("labels") == "evidence" else "withheld"


def tables_at_hand(database: Database) -> TablesMapping | None:
    """The wide tables that were loaded last, and what they were taken for; None without any."""
    kept = database.setting("tables")
    return None if kept is None else mapping_of_text(kept)


def others_at_hand(database: Database) -> TablesMapping | None:
    """The tables at hand, where others can come beside them: what SQL makes of all cannot grow."""
    at_hand = tables_at_hand(database)
    return None if at_hand is None or at_hand.definitions else at_hand


def move_tables(database: Database, place_of: Callable[[str], str]) -> None:
    """Read the tables that were loaded last from where their files lie now, when they are read
    again.
    """
    mapping = tables_at_hand(database)
    if mapping is not None:
        tables = (replace(one, source=one.source.moved(place_of)) for one in mapping.tables)
        remember_tables(database, replace(mapping, tables=tuple(tables)))


def mapping_of_text(text: str) -> TablesMapping:
    """A mapping that is written as TOML; raises as `read_mapping`."""
    with TemporaryDirectory() as elsewhere:
        path = Path(elsewhere, "dataset.toml")
        path.write_text(text, encoding="utf-8")
        return read_mapping(path)
