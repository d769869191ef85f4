"""New records for a kept linkage: columns found by name and read as the kept ones were, ids checked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow

from workbench.arrays import Array, Int32, Int64
from workbench.database import KeptLinkage
from workbench.errors import Diagnostic, InputError, UsageError
from workbench.linkage.fields import Field
from workbench.tables import StagedTable, Staging, find_sources, stage
from workbench.tables.names import words
from workbench.tables.profile import count_table
from workbench.tables.readings import Reading
from workbench.tables.records import RecordColumn, Records, read_column, read_ids
from workbench.verbs.link_kept import Description, key_rows, record_rows, values_of
from workbench.verbs.link_reading import fault_of_ids, id_columns, named_apart

__all__ = ["Added", "add_new"]

SHOWN = 3


@dataclass(frozen=True)
class Added:
    """What came of new records.

    Attributes
    ----------
    first : int
        The number of the first one.
    count : int
    numbers : int64 array
        Those of all records of the files: also of such as were kept already, and are passed over.
    left_out : dict of str to str
        Columns that are not compared, and why.
    warnings : tuple of Diagnostic
    """

    first: int
    count: int
    numbers: Int64
    left_out: dict[str, str]
    warnings: tuple[Diagnostic, ...]

    @property
    def new(self) -> Int64:
        """The numbers of the new ones."""
        return np.arange(self.first, self.first + self.count)

    @property
    def known(self) -> int:
        """How many were kept already."""
        return len(self.numbers) - self.count


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
            self, source=self.source[kept], ids=self.ids[kept], values=[values[kept] for values in self.values]
        )


def add_new(
    store: KeptLinkage, description: Description, sources: Sequence[str | os.PathLike[str]], id_column: str | None
) -> Added:
    """Read new records and put them behind the kept ones, each in a cluster of its own.

    Raises
    ------
    UsageError, InputError
        E0662, E0663, E0664, E0684 and the faults of files.
    """
    first = store.figures()["records"]
    with stage(named_apart(find_sources(sources))) as staging:
        tables = tuple(staging.tables.values())
        columns = id_columns(tables, id_column) if id_column else _kept_ids(tables, description)
        read = [_read(staging, table, column, description) for table, column in zip(tables, columns)]
        joined = _Read(
            np.concatenate([one.source for one in read]),
            np.concatenate([one.ids for one in read]),
            [np.concatenate(values) for values in zip(*(one.values for one in read))],
            {name: why for one in read for name, why in one.left_out.items()},
            [note for one in read for note in one.warnings],
        )
        if description.id_column is None and id_column is None:
            joined = replace(joined, ids=np.array([str(first + 1 + row) for row in range(len(joined.ids))], object))
        else:
            _refuse_unclear_ids(joined, tables, columns)
    known = _kept_already(store, joined)
    new = joined.only(known < 0)
    fields = _fields(store, description, new.values)
    numbers = np.arange(first, first + len(new.ids))
    rows = record_rows(numbers, new.source, new.ids, fields)
    for column in ("cluster", "component"):
        rows = rows.append_column(column, pyarrow.array(numbers.astype(np.int32)))
    store.add(rows, key_rows(description.model, fields, numbers))
    of_files = np.concatenate((known[known >= 0], numbers))
    return Added(first, len(numbers), of_files, joined.left_out, tuple(joined.warnings))


def _kept_ids(tables: Sequence[StagedTable], description: Description) -> list[str | None]:
    """Of each table the column that is called as the kept one with the ids is."""
    if description.id_column is None:
        return [None] * len(tables)
    wanted = words(description.id_column)
    found = [next((name for name in table.columns if words(name) == wanted), None) for table in tables]
    if None in found:
        id_columns([tables[found.index(None)]], description.id_column)
    return found


def _read(staging: Staging, table: StagedTable, id_column: str | None, description: Description) -> _Read:
    place = _source(table, description)
    by_words = {words(name): name for name in table.columns}
    there = {name: by_words[words(name)] for name in description.columns if words(name) in by_words}
    if not there:
        raise InputError.of(
            "E0662",
            f"{table.source.shown} has none of the columns that are compared: {', '.join(description.columns)}",
            help=f"its columns are {', '.join(table.columns[:8])}",
        )
    own = count_table(staging, table).by_name
    columns: dict[str, RecordColumn] = {}
    notes = list(table.notes)
    for name, called in there.items():
        kind, readings = description.columns[name]
        reading = _fitting(readings[place], own[called].reading, kind)
        columns[name] = read_column(staging, [table], [called], kind, [reading])
        lost = own[called].filled - int((columns[name].codes >= 0).sum()) if kind == "number" else 0
        if lost > 0:
            notes.append(_unread(table, called, lost))
    missing = [name for name in description.columns if name not in there]
    if missing:
        notes.append(_missing(table, missing))
    left_out = {
        name: "no kept record has such a column" for name in table.columns if name not in (id_column, *there.values())
    }
    values = values_of(description.model, columns, table.rows)
    source = np.full(table.rows, place, np.int32)
    return _Read(source, read_ids(staging, table, id_column), values, left_out, notes)


def _source(table: StagedTable, description: Description) -> int:
    """Which of the linked tables new records belong to: of two the one of the same name."""
    if len(description.sources) == 1:
        return 0
    names = [name.casefold() for name in description.sources]
    if table.name.casefold() not in names:
        raise UsageError.of(
            "E0683",
            f"{table.source.shown}: records are linked between {' and '.join(description.sources)}, and it is not said "
            "of which these are",
            help=f"call the file {description.sources[0]} or {description.sources[1]}",
        )
    return names.index(table.name.casefold())


def _fitting(kept: Reading, own: Reading, kind: str) -> Reading:
    """The kept way of reading, or the file's own where cells are written so that the kept one cannot be meant."""
    if kind == "date" and own.format and kept.format not in (own.format, own.other_format):
        return replace(kept, format=own.format)
    if kind == "number" and own.decimal and kept.decimal not in (own.decimal, own.other_decimal):
        return replace(kept, decimal=own.decimal, unit=own.unit or kept.unit)
    return kept


def _refuse_unclear_ids(read: _Read, tables: Sequence[StagedTable], columns: Sequence[str | None]) -> None:
    rows = np.repeat(np.arange(len(tables), dtype=np.int32), [table.rows for table in tables])
    fault = fault_of_ids(Records((), rows, read.ids, columns[0], ()), tables, columns)
    again = [name for name, count in zip(*np.unique(read.ids.astype(str), return_counts=True)) if count > 1]
    if fault is None and again and len(set(read.source.tolist())) == 1:
        fault = Diagnostic("E0664", f"two files have a record {again[0]}", help="give each record once")
    if fault is not None:
        raise InputError((fault,))


def _kept_already(store: KeptLinkage, read: _Read) -> Int64:
    """The numbers of records that are kept already, -1 for new ones.

    Raises
    ------
    InputError
        E0684 where a record of that id is kept with other values.
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
    changed = [
        row
        for row, one in enumerate(there)
        if one is not None and one[1] != [of_field[row] for of_field in read.values]
    ]
    if changed:
        named = ", ".join(str(read.ids[row]) for row in changed[:SHOWN])
        raise InputError.of(
            "E0684",
            f"{len(changed):,} records are kept already with other values: {named}",
            help="a kept record is not corrected: give the new one another id, or link all files anew",
        )
    return np.array([-1 if one is None else one[0] for one in there], np.int64)


def _fields(store: KeptLinkage, description: Description, values: list[Array]) -> list[Field]:
    """Fields of new records, which know how often their values were held when the model was fitted."""
    counts = []
    for place, of_field in enumerate(values):
        asked = sorted({text for text in of_field.tolist() if text is not None})
        held = store.held(place, asked)
        counts.append(np.array([held.get(text, 0) for text in of_field.tolist()], np.int64))
    return description.model.fields_of(values, counts, store.words)


def _missing(table: StagedTable, names: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        "E0685",
        f"{table.source.shown} has no column {', '.join(names)}: nothing is known of its records there",
        help="columns are found by their names, as the linked files have them",
        severity="warning",
    )


def _unread(table: StagedTable, name: str, lost: int) -> Diagnostic:
    return Diagnostic(
        "E0685",
        f"{lost:,} cells of {name} in {table.source.shown} are no numbers: nothing is known of these records there",
        help="the column held numbers when the linkage was fitted",
        severity="warning",
    )
