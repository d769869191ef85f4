"""Files of new records read as the kept ones were: columns by name, cells in the kept manner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Array, Int32
from workbench.errors import Diagnostic, InputError
from workbench.tables import StagedTable, Staging
from workbench.tables.names import words
from workbench.tables.profile import readings_of
from workbench.tables.readings import Reading
from workbench.tables.records import RecordColumn, read_columns, read_ids
from workbench.verbs.linking.description import Description
from workbench.verbs.linking.ids import source_of
from workbench.verbs.linking.kept import values_of
from workbench.verbs.linking.kept_settings import KeptSettings


@dataclass(frozen=True)
class NewRecords:
    """Records as they are read: which source each is of, its id, and of each field its value."""

    source: Int32
    ids: Array
    values: list[Array]
    left_out: dict[str, str]
    warnings: list[Diagnostic]

    @classmethod
    def together(cls, parts: Sequence[NewRecords]) -> NewRecords:
        """The records of all files, one behind the other."""
        return cls(
            np.concatenate([one.source for one in parts]),
            np.concatenate([one.ids for one in parts]),
            [np.concatenate(values) for values in zip(*(one.values for one in parts))],
            {name: why for one in parts for name, why in one.left_out.items()},
            [note for one in parts for note in one.warnings],
        )

    def only(self, kept: Array) -> NewRecords:
        """Some of the records."""
        return replace(
            self,
            source=self.source[kept],
            ids=self.ids[kept],
            values=[values[kept] for values in self.values],
        )


def read_new(
    staging: Staging, table: StagedTable, id_column: str | None, description: Description
) -> NewRecords:
    """The records of one file.

    Raises E0662 where no column is one that is compared.
    """
    place = source_of(table, description)
    by_words = {words(name): name for name in table.columns}
    there = {name: by_words[words(name)] for name in description.columns if words(name) in by_words}
    if not there:
        raise InputError.of(
            "E0662",
            f"{table.source.shown} has none of the columns that are compared: "
            f"{', '.join(description.columns)}",
            help=f"its columns are {', '.join(table.columns[:8])}",
        )
    own = readings_of(staging, table)
    asked = [
        (
            name,
            called,
            description.columns[name][0],
            _fitting(description.columns[name], place, own[called]),
        )
        for name, called in there.items()
    ]
    columns = read_columns(staging, table, asked)
    notes = list(table.notes)
    for name, called, _, reading in asked:
        lost = _lost(description, staging, table, called, columns[name], reading)
        if lost > 0:
            notes.append(_unread(table, called, lost))
    missing = [name for name in description.columns if name not in there]
    if missing:
        notes.append(_missing(table, missing))
    left_out = {
        name: "no kept record has such a column"
        for name in table.columns
        if name not in (id_column, *there.values())
    }
    values = values_of(description.model, columns, table.rows)
    source = np.full(table.rows, place, np.int32)
    return NewRecords(source, read_ids(staging, table, id_column), values, left_out, notes)


def _lost(
    description: Description,
    staging: Staging,
    table: StagedTable,
    called: str,
    column: RecordColumn,
    reading: Reading,
) -> int:
    """How many cells say nothing, as all that were linked are numbers, or dates."""
    if column.kind == "number":
        filled = staging.filled(table, called, reading.blanks)
        return filled - int((column.codes >= 0).sum())
    if isinstance(description.model, KeptSettings):
        return int(
            np.append(description.model.unread(column.name, column.texts), False)[
                column.codes
            ].sum()
        )
    return 0


def _fitting(column: tuple[str, tuple[Reading, ...]], place: int, own: Reading) -> Reading:
    """The kept way of reading, or the file's own where the kept one cannot be meant."""
    kind, kept = column[0], column[1][place]
    if kind == "date" and own.format and kept.format not in (own.format, own.other_format):
        return replace(kept, format=own.format)
    if kind == "number" and own.decimal and kept.decimal not in (own.decimal, own.other_decimal):
        return replace(kept, decimal=own.decimal, unit=own.unit or kept.unit)
    return kept


def _missing(table: StagedTable, names: Sequence[str]) -> Diagnostic:
    return Diagnostic.warning(
        "E0685",
        f"{table.source.shown} has no column {', '.join(names)}: nothing is known of its records "
        "there",
        help="columns are found by their names, as the linked files have them",
    )


def _unread(table: StagedTable, name: str, lost: int) -> Diagnostic:
    return Diagnostic.warning(
        "E0685",
        f"{lost:,} cells of {name} in {table.source.shown} are no numbers or dates: there nothing "
        "is known",
        help="the column held nothing else when the linkage was fitted",
    )
