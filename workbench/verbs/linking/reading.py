"""Files of records read for linkage: columns, ids, and what is wrong with them, in words."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from pathlib import Path

import numpy as np

from workbench.errors import Diagnostic, InputError, UsageError
from workbench.linkage.choice import FieldChoice, choose_fields
from workbench.linkage.exchanged import called_alike, put_in_place
from workbench.linkage.fields import Field, make_field
from workbench.tables import StagedTable, Staging, TableSource, find_sources, stage
from workbench.tables.names import words
from workbench.tables.records import Records, read_records
from workbench.verbs.linking.alike_columns import about_alike, alike_columns
from workbench.verbs.linking.id_columns import fault_of_ids, id_columns, rows_instead

SHOWN = 3
MOST_IN_ONE_ONLY = 0.5
"""Of a file's columns; where more have no like in the other file, names may mean the same."""


@dataclass(frozen=True)
class LinkedRecords:
    """Records and the fields they are compared by."""

    records: Records
    choice: FieldChoice
    warnings: tuple[Diagnostic, ...]


def read_linked(sources: Sequence[str | os.PathLike[str]], id_column: str | None) -> LinkedRecords:
    """Read one or two files of records.

    Raises E0660 for a file given twice or beside its copy, E0663 for an id column that is not
    there, E0667 for other than one or two tables; E0662 where there is nothing to compare, E0664
    for ids that repeat or are blank, E0666 for too few records.
    """
    with stage(linked_tables(sources)) as staging:
        staged = tuple(staging.tables.values())
        shared, alike = _compared_columns(staging, staged, id_column)
        records, ids, notes = identified(staging, id_column, shared, strict=id_column is not None)
    given = [
        make_field(column.name, column.kind, column.texts, column.codes)
        for column in records.columns
    ]
    given, exchanged = put_in_place(given)
    given = called_alike(given)
    choice = choose_fields(given, one_source=len(staged) == 1)
    alone = _in_one_only(staged, shared, ids)
    choice = replace(
        choice,
        left_out={**choice.left_out, **{name: why for of in alone for name, why in of.items()}},
    )
    if not choice.fields:
        said = "; ".join(f"{name}: {why}" for name, why in choice.left_out.items())
        raise InputError.of(
            "E0662",
            "no column can tell whether two records are of the same thing "
            f"({said or 'there is none'})",
            help="two files need columns of the same names; one file needs a column beside the id",
        )
    notes += [*about_alike(staged, alike), *_about_columns(staged, choice, alone)]
    notes += [_about_exchanged(names, number) for names, number in exchanged.items()]
    notes += [_about_called(field) for field in choice.fields if field.called]
    notes += _about_empty_records(records, choice)
    return LinkedRecords(records, choice, tuple(notes))


def _compared_columns(
    staging: Staging, staged: Sequence[StagedTable], id_column: str | None
) -> tuple[list[list[str]], list[list[str]]]:
    """The columns to compare, of each its name in every table: those of one name, and of two tables
    those that hold the like; and these alone.
    """
    shared = _of_one_name(staged)
    if len(staged) == 1:
        return shared, []
    ids = id_columns(staged, id_column)
    taken = [{*(names[place] for names in shared), ids[place]} for place in range(2)]
    alike = alike_columns(staging, staged, taken)
    if not shared and not alike:
        raise _of_no_name(staged)
    return [*shared, *alike], alike


def linked_tables(sources: Sequence[str | os.PathLike[str]]) -> list[TableSource]:
    """The one or two tables that sources hold, called by different names."""
    _refuse_twice(sources)
    tables = named_apart(sources)
    if not 1 <= len(tables) <= 2:
        raise UsageError.of(
            "E0667",
            f"records are linked within one table or between two; given are {len(tables)}: "
            + ", ".join(table.shown for table in tables[:4]),
            help="name one or two files of one table each",
        )
    return tables


def identified(
    staging: Staging, id_column: str | None, shared: Sequence[Sequence[str]], *, strict: bool
) -> tuple[Records, list[str | None], list[Diagnostic]]:
    """Records with the columns `shared` and ids that tell them apart, the columns these stand in,
    and what to say.

    Parameters
    ----------
    strict : bool
        Whether an id column that does not tell records apart is refused, or rows' numbers are taken
        instead.
    """
    staged = tuple(staging.tables.values())
    notes = [note for table in staged for note in table.notes]
    ids = id_columns(staged, id_column)
    compared = [names for names in shared if not set(zip(range(2), names)) & set(enumerate(ids))]
    records = read_records(staging, staged, compared, ids)
    if fault := fault_of_ids(records, staged, ids):
        if strict:
            raise InputError((fault,))
        notes.append(rows_instead(fault))
        records = read_records(staging, staged, shared, [None] * len(staged))
    if len(records) < 2 or (len(staged) == 2 and len(set(records.source.tolist())) < 2):
        raise InputError.of(
            "E0666",
            f"{' and '.join(t.source.shown for t in staged)}: too few records to link",
            help="give two or more",
        )
    return records, ids, notes


def _refuse_twice(sources: Sequence[str | os.PathLike[str]]) -> None:
    files = [path for path in map(Path, sources) if path.is_file()]
    for one, other in combinations(files, 2):
        if filecmp.cmp(one, other, shallow=False):
            said = f"{one} is given twice" if one.samefile(other) else f"{other} is a copy of {one}"
            raise UsageError.of(
                "E0660",
                f"{said}: every record would be linked with itself",
                help="to find duplicates within a file, give it once",
            )


def named_apart(sources: Sequence[str | os.PathLike[str]]) -> list[TableSource]:
    """The tables of sources, whose names differ: two of one name, in two folders, are numbered."""
    found: list[TableSource] = []
    for table in chain.from_iterable(find_sources([source]) for source in sources):
        taken = {one.name.casefold() for one in found}
        number, name = 2, table.name
        while name.casefold() in taken:
            name, number = f"{table.name}_{number}", number + 1
        found.append(replace(table, name=name))
    return found


def shared_columns(tables: Sequence[StagedTable]) -> list[list[str]]:
    """Of each column that all tables have, its name in every one; case and punctuation of names do
    not count.

    Raises E0662 where there is none.
    """
    found = _of_one_name(tables)
    if not found:
        raise _of_no_name(tables)
    return found


def _of_one_name(tables: Sequence[StagedTable]) -> list[list[str]]:
    by_words = [{words(name): name for name in table.columns} for table in tables]
    if len(tables) == 1:
        return [[name] for name in tables[0].columns]
    return [
        [of[key] for of in by_words] for key in by_words[0] if all(key in of for of in by_words)
    ]


def _of_no_name(tables: Sequence[StagedTable]) -> InputError:
    one, other = (f"{', '.join(table.columns[:6])}" for table in tables)
    return InputError.of(
        "E0662",
        f"{tables[0].source.shown} and {tables[1].source.shown} have no column of one name, and "
        f"none hold the like: {one} against {other}",
        help="call what is to be compared by one name in both files",
    )


def _in_one_only(
    tables: Sequence[StagedTable], shared: Sequence[Sequence[str]], ids: Sequence[str | None]
) -> list[dict[str, str]]:
    """Of each of two tables the columns that the other has not, and why they are not compared."""
    if len(tables) == 1:
        return []
    found = []
    for place, table in enumerate(tables):
        taken = {names[place] for names in shared} | {ids[place]}
        why = f"{tables[1 - place].name} has no such column"
        found.append({name: why for name in table.columns if name not in taken})
    return found


def _about_columns(
    tables: Sequence[StagedTable], choice: FieldChoice, alone: Sequence[Mapping[str, str]]
) -> list[Diagnostic]:
    """That two files have few columns of one name, and much in both goes uncompared."""
    if not alone or not all(
        len(names) > MOST_IN_ONE_ONLY * (len(names) + len(choice.fields)) for names in alone
    ):
        return []
    one, other = (
        f"{table.source.shown} alone has {_named(list(names))}"
        for table, names in zip(tables, alone)
    )
    return [
        Diagnostic.warning(
            "E0688",
            f"only {_named([field.name for field in choice.fields])} can be compared: {one}, "
            f"{other}",
            help="call columns that mean the same by one name in both files",
        )
    ]


def _about_exchanged(names: tuple[str, str], number: int) -> Diagnostic:
    return Diagnostic.warning(
        "E0697",
        f"{' and '.join(names)} stand in each other's column in {number:,} records: they are "
        "compared as if they stood in their own",
        help="where that is wrong, leave one of them out",
    )


def _about_called(field: Field) -> Diagnostic:
    pairs = [f"{one} for {other}" for one, other in sorted(field.called.items())]
    return Diagnostic.warning(
        "E0698",
        f"values of {field.name} stand for each other: {_named(pairs, SHOWN)}",
        help="where that is wrong, leave the column out",
    )


def _named(texts: Sequence[str], most: int = 6) -> str:
    """Some of the texts, the first ones."""
    return ", ".join(texts[:most]) + (", ..." if len(texts) > most else "")


def _about_empty_records(records: Records, choice: FieldChoice) -> list[Diagnostic]:
    filled = np.zeros(len(records), np.bool_)
    for field in choice.fields:
        filled |= field.codes >= 0
    empty = np.flatnonzero(~filled)
    if not len(empty):
        return []
    named = _named([str(text) for text in records.ids[empty[: SHOWN + 1]]], SHOWN)
    what = "1 record has" if len(empty) == 1 else f"{len(empty):,} records have"
    return [
        Diagnostic.warning(
            "E0665",
            f"{what} no value in any column that is compared: {named}; each stays by itself",
        )
    ]
