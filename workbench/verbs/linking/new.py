"""New records put behind the kept ones, and corrected ones in their places: ids checked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow

from workbench.arrays import Array, Bool, Int64
from workbench.database import KeptLinkage
from workbench.errors import Diagnostic, InputError
from workbench.linkage.exchanged import exchanged_values
from workbench.linkage.fields import Field
from workbench.tables import stage
from workbench.verbs.linking.description import Description
from workbench.verbs.linking.ids import as_kept, columns_of_ids, refuse_unclear_ids
from workbench.verbs.linking.kept import key_rows, record_rows, value_key
from workbench.verbs.linking.new_reading import NewRecords, read_new
from workbench.verbs.linking.reading import named_apart

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

    Raises E0662, E0663, E0664, E0684 and the faults of files.
    """
    first = store.next_number()
    with stage(named_apart(sources)) as staging:
        tables = tuple(staging.tables.values())
        columns = columns_of_ids(tables, description, id_column, needed=correct)
        read = NewRecords.together(
            [
                read_new(staging, table, column, description)
                for table, column in zip(tables, columns)
            ]
        )
        if description.id_column is None and id_column is None:
            read = replace(
                read,
                ids=np.array([str(first + 1 + row) for row in range(len(read.ids))], object),
            )
        else:
            refuse_unclear_ids(read.source, read.ids, tables, columns)
            read = replace(read, ids=as_kept(store, read.ids))
    read = replace(read, values=in_place(store, description, read.values))
    known, differs = _kept_already(store, read)
    if differs.any() and not correct:
        raise _kept_otherwise(read.ids[differs])
    wanted = (known < 0) | differs
    new = read.only(wanted)
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
        read.left_out,
        tuple(read.warnings),
    )


def _as_they_were(groups: pyarrow.Table, numbers: Int64, before: pyarrow.Table) -> pyarrow.Table:
    """The groups of records, of corrected ones those that they were in."""
    order = np.argsort(numbers)
    at = order[np.searchsorted(numbers, np.asarray(before.column("number")), sorter=order)]
    found = {name: groups.column(name).to_numpy().copy() for name in groups.column_names}
    for name, column in found.items():
        column[at] = before.column(name).to_numpy()
    return pyarrow.table(found)


def _kept_already(store: KeptLinkage, read: NewRecords) -> tuple[Int64, Bool]:
    """Numbers of records kept already, -1 for new ones; which are kept with other values."""
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


def in_place(store: KeptLinkage, description: Description, values: list[Array]) -> list[Array]:
    """Values of records as the fit called them, those that stand in each other's column put in
    their own.
    """
    values = [
        np.array([one.called.get(text, text) for text in of_field.tolist()], object)
        for one, of_field in zip(description.model.fields, values)
    ]
    names = [one.name for one in description.model.fields]
    for place, one in enumerate(description.model.fields):
        other = names.index(one.exchanged) if one.exchanged else -1
        if other > place:
            both = [values[place], values[other]]
            asked = [[(at, of_field) for of_field in both] for at in (place, other)]
            held = _held(store, [each for of_place in asked for each in of_place])
            values = exchanged_values(values, (place, other), (held[:2], held[2:]))
    return values


def _fields(store: KeptLinkage, description: Description, values: list[Array]) -> list[Field]:
    """Fields of new records, with how often their values were held in the fit."""
    counts = _held(store, list(enumerate(values)))
    return description.model.fields_of(values, counts, store.words)


def _held(store: KeptLinkage, values: Sequence[tuple[int, Array]]) -> list[Int64]:
    """How many fitted records held each value in the field of a place; of none 0."""
    keys = {
        (place, text): value_key(place, text)
        for place, of_field in values
        for text in of_field.tolist()
        if text is not None
    }
    held = store.held(np.array(list(keys.values()), np.uint64))
    return [
        np.array([held.get(keys.get((place, text), 0), 0) for text in of_field.tolist()], np.int64)
        for place, of_field in values
    ]
