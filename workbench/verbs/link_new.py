"""New records for a kept linkage: columns found by name and read as the kept ones were,
ids checked.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow

from workbench.arrays import Array, Bool, Int32, Int64
from workbench.database import KeptLinkage
from workbench.errors import Diagnostic, InputError
from workbench.linkage.fields import Field
from workbench.tables import StagedTable, Staging, find_sources, stage
from workbench.tables.names import words
from workbench.tables.profile import readings_of
from workbench.tables.readings import Reading
from workbench.tables.records import RecordColumn, read_columns, read_ids
from workbench.tables.values import is_blank
from workbench.verbs.link_ids import columns_of_ids, refuse_unclear_ids, source_of
from workbench.verbs.link_kept import Description, key_rows, record_rows, value_key, values_of
from workbench.verbs.link_kept_settings import KeptSettings
from workbench.verbs.link_reading import named_apart

__all__ = ["Added", "add_new"]

SHOWN = 3


@dataclass(frozen=True)
class Added:
    """What came of the records of some files.

    Attributes
    ----------
    new : int64 array
        The numbers of the new ones.
    corrected : int64 array
        The numbers of kept ones that have other values now.
    numbers : int64 array
        Those of all records of the files that are kept now: also of such as were before, and are
        passed over.
    before : pyarrow.Table or None
        The corrected and removed records as they were kept.
    left_out : dict of str to str
        Columns that are not compared, and why.
    warnings : tuple of Diagnostic
    """

    new: Int64
    corrected: Int64
    numbers: Int64
    before: pyarrow.Table | None
    left_out: dict[str, str]
    warnings: tuple[Diagnostic, ...]

    @property
    def count(self) -> int:
        """How many are new."""
        return len(self.new)

    @property
    def known(self) -> int:
        """How many were kept already, as they are."""
        return len(self.numbers) - len(self.new) - len(self.corrected)

    @property
    def asked(self) -> Int64:
        """The numbers of records whose pairs are to be compared."""
        return np.concatenate((self.corrected, self.new))

    @property
    def removed(self) -> pyarrow.Table | None:
        """Records that are kept no longer."""
        if self.before is None:
            return None
        gone = ~np.isin(np.asarray(self.before.column("number")), self.corrected)
        return self.before.filter(pyarrow.array(gone))

    def once(self, column: str) -> Int64:
        """The clusters or components that corrected and removed records were in."""
        found = [] if self.before is None else self.before.column(column).to_pylist()
        return np.unique(np.array(found, np.int64))


@dataclass(frozen=True)
class _Read:
    """Records as they are read: which source each is of, its id, and of each field its value."""

    source: Int32
    ids: Array
    values: list[Array]
    left_out: dict[str, str]
    warnings: list[Diagnostic]

    def only(self, kept: Array) -> _Read:
        return replace(
            self,
            source=self.source[kept],
            ids=self.ids[kept],
            values=[values[kept] for values in self.values],
        )


def add_new(
    store: KeptLinkage,
    description: Description,
    sources: Sequence[str | os.PathLike[str]],
    id_column: str | None,
    *,
    correct: bool = False,
) -> Added:
    """Read new records and put them behind the kept ones, each in a cluster of its own.

    With `correct`, kept records that come with other values are kept with these, in the cluster
    that they were in.

    Raises
    ------
    UsageError, InputError
        E0662, E0663, E0664, E0684 and the faults of files.
    """
    first = store.next_number()
    with stage(named_apart(find_sources(sources))) as staging:
        tables = tuple(staging.tables.values())
        columns = columns_of_ids(tables, description, id_column, needed=correct)
        read = [
            _read(staging, table, column, description) for table, column in zip(tables, columns)
        ]
        joined = _Read(
            np.concatenate([one.source for one in read]),
            np.concatenate([one.ids for one in read]),
            [np.concatenate(values) for values in zip(*(one.values for one in read))],
            {name: why for one in read for name, why in one.left_out.items()},
            [note for one in read for note in one.warnings],
        )
        if description.id_column is None and id_column is None:
            joined = replace(
                joined,
                ids=np.array([str(first + 1 + row) for row in range(len(joined.ids))], object),
            )
        else:
            refuse_unclear_ids(joined.source, joined.ids, tables, columns)
    known, differs = _kept_already(store, joined)
    if differs.any() and not correct:
        raise _kept_otherwise(joined.ids[differs])
    wanted = (known < 0) | differs
    new = joined.only(wanted)
    fields = _fields(store, description, new.values)
    numbers = known.copy()
    numbers[known < 0] = np.arange(first, first + np.count_nonzero(known < 0))
    before = store.remove(numbers[differs]) if differs.any() else None
    groups = pyarrow.table(
        {name: numbers[wanted].astype(np.int32) for name in ("cluster", "component")}
    )
    if before is not None:
        groups = _as_they_were(groups, numbers[wanted], before)
    rows = record_rows(numbers[wanted], new.source, new.ids, fields)
    for column in groups.column_names:
        rows = rows.append_column(column, groups.column(column))
    store.add(rows, key_rows(description.model, fields, numbers[wanted]))
    return Added(
        numbers[known < 0],
        numbers[differs],
        numbers,
        before,
        joined.left_out,
        tuple(joined.warnings),
    )


def _as_they_were(groups: pyarrow.Table, numbers: Int64, before: pyarrow.Table) -> pyarrow.Table:
    """The groups of records, of corrected ones those that they were in."""
    order = np.argsort(numbers)
    at = order[np.searchsorted(numbers, np.asarray(before.column("number")), sorter=order)]
    found = {name: groups.column(name).to_numpy().copy() for name in groups.column_names}
    for name, column in found.items():
        column[at] = before.column(name).to_numpy()
    return pyarrow.table(found)


def _read(
    staging: Staging, table: StagedTable, id_column: str | None, description: Description
) -> _Read:
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
    return _Read(source, read_ids(staging, table, id_column), values, left_out, notes)


def _lost(
    description: Description,
    staging: Staging,
    table: StagedTable,
    called: str,
    column: RecordColumn,
    reading: Reading,
) -> int:
    """How many cells say nothing, because all that were linked are numbers,
    or dates that conditions read.
    """
    if column.kind == "number":
        blank = is_blank(table.cell(called), reading.blanks)
        filled = staging.rows(f"SELECT count(*) FROM {table.relation} WHERE NOT {blank}")[0][0]
        return int(filled) - int((column.codes >= 0).sum())
    if isinstance(description.model, KeptSettings):
        return int(
            np.append(description.model.unread(column.name, column.texts), False)[
                column.codes
            ].sum()
        )
    return 0


def _fitting(column: tuple[str, tuple[Reading, ...]], place: int, own: Reading) -> Reading:
    """The kept way of reading, or the file's own where cells are written so
    that the kept one cannot be meant.
    """
    kind, kept = column[0], column[1][place]
    if kind == "date" and own.format and kept.format not in (own.format, own.other_format):
        return replace(kept, format=own.format)
    if kind == "number" and own.decimal and kept.decimal not in (own.decimal, own.other_decimal):
        return replace(kept, decimal=own.decimal, unit=own.unit or kept.unit)
    return kept


def _kept_already(store: KeptLinkage, read: _Read) -> tuple[Int64, Bool]:
    """The numbers of records that are kept already, -1 for new ones;
    and which are kept with other values.
    """
    kept = store.records("id", read.ids.tolist())
    stored = {
        (source, name): (number, values)
        for number, source, name, *values in zip(
            *(kept.column(name).to_pylist() for name in ("number", "source", "id")),
            *(kept.column(f"f{place}").to_pylist() for place in range(len(read.values))),
        )
    }  # fmt: skip
    there = [stored.get((int(source), name)) for source, name in zip(read.source, read.ids)]
    differs = [
        one is not None and one[1] != [of_field[row] for of_field in read.values]
        for row, one in enumerate(there)
    ]
    return np.array([-1 if one is None else one[0] for one in there], np.int64), np.array(
        differs, np.bool_
    )


def _kept_otherwise(ids: Array) -> InputError:
    named = ", ".join(map(str, ids[:SHOWN]))
    return InputError.of(
        "E0684",
        f"{len(ids):,} records are kept already with other values: {named}",
        help="say that they are corrected (--correct), or give the new ones other ids",
    )


def _fields(store: KeptLinkage, description: Description, values: list[Array]) -> list[Field]:
    """Fields of new records, which know how often their values were
    held when the model was fitted.
    """
    asked = [
        (place, text)
        for place, of_field in enumerate(values)
        for text in of_field.tolist()
        if text is not None
    ]
    held = store.held(np.array([value_key(place, text) for place, text in asked], np.uint64))
    known = {one: held.get(value_key(*one), 0) for one in asked}
    counts = [
        np.array([known.get((place, text), 0) for text in of_field.tolist()], np.int64)
        for place, of_field in enumerate(values)
    ]
    return description.model.fields_of(values, counts, store.words)


def _missing(table: StagedTable, names: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        "E0685",
        f"{table.source.shown} has no column {', '.join(names)}: nothing is known of its records "
        "there",
        help="columns are found by their names, as the linked files have them",
        severity="warning",
    )


def _unread(table: StagedTable, name: str, lost: int) -> Diagnostic:
    return Diagnostic(
        "E0685",
        f"{lost:,} cells of {name} in {table.source.shown} are no numbers or dates: there nothing "
        "is known",
        help="the column held nothing else when the linkage was fitted",
        severity="warning",
    )
