"""Which kept records files speak of: their columns of ids, and the table they are of."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from workbench.arrays import Array
from workbench.database import KeptLinkage
from workbench.errors import Diagnostic, InputError, UsageError
from workbench.tables import StagedTable
from workbench.tables.names import words
from workbench.tables.records import Records
from workbench.verbs.linking.description import Description
from workbench.verbs.linking.id_columns import fault_of_ids, id_columns

_POINTED = re.compile(r"(-?[0-9]+)\.0")
_WHOLE = re.compile(r"-?[0-9]+")


def columns_of_ids(
    tables: Sequence[StagedTable], description: Description, asked: str | None, *, needed: bool
) -> list[str | None]:
    """Of each table the column with the records' names: the one asked for, or the one called as the
    kept one is.

    Raises E0663 where there is none, or kept records are called by their rows' numbers and `needed`
    by what else.
    """
    if asked is not None:
        return id_columns(tables, asked)
    if needed and description.id_column is None:
        raise UsageError.of(
            "E0663",
            "kept records are called by their rows' numbers, and it is not said which column has "
            "them",
            help="name it by --id",
        )
    return _kept_ids(tables, description)


def _kept_ids(tables: Sequence[StagedTable], description: Description) -> list[str | None]:
    """Of each table the column that is called as the kept one with the ids is."""
    if description.id_column is None:
        return [None] * len(tables)
    wanted = words(description.id_column)
    found = [
        next((name for name in table.columns if words(name) == wanted), None) for table in tables
    ]
    if None in found:
        id_columns([tables[found.index(None)]], description.id_column)
    return found


def as_kept(store: KeptLinkage, ids: Array) -> Array:
    """Ids as the kept ones are written: where one side alone has whole numbers as fractions, as
    programs write them that met a blank among them, 12.0 is 12.
    """
    pointed = [bool(_POINTED.fullmatch(name)) for name in ids.tolist()]
    kept = store.pointed_ids()
    if all(pointed) and kept == 0:
        return np.array([_POINTED.sub(r"\1", name) for name in ids.tolist()], object)
    whole = all(_WHOLE.fullmatch(name) for name in ids.tolist())
    if whole and kept == 1:
        return np.array([f"{name}.0" for name in ids.tolist()], object)
    return ids


def source_of(table: StagedTable, description: Description) -> int:
    """Which of the linked tables new records belong to: of two the one of the same name."""
    if len(description.sources) == 1:
        return 0
    names = [name.casefold() for name in description.sources]
    if table.name.casefold() not in names:
        raise UsageError.of(
            "E0683",
            f"{table.source.shown}: records are linked between "
            f"{' and '.join(description.sources)}, and it is not said of which these are",
            help=f"call the file {description.sources[0]} or {description.sources[1]}",
        )
    return names.index(table.name.casefold())


def refuse_unclear_ids(
    source: Array, ids: Array, tables: Sequence[StagedTable], columns: Sequence[str | None]
) -> None:
    """Raise InputError E0664 for ids that are blank or come twice."""
    rows = np.repeat(np.arange(len(tables), dtype=np.int32), [table.rows for table in tables])
    fault = fault_of_ids(Records((), rows, ids, columns[0], ()), tables, columns)
    again = [
        name for name, count in zip(*np.unique(ids.astype(str), return_counts=True)) if count > 1
    ]
    if fault is None and again and len(set(source.tolist())) == 1:
        fault = Diagnostic(
            "E0664", f"two files have a record {again[0]}", help="give each record once"
        )
    if fault is not None:
        raise InputError((fault,))
