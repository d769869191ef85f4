"""Records of a kept linkage that are to go: found by their ids, and taken out with their keys."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from workbench.database import KeptLinkage
from workbench.errors import Diagnostic
from workbench.tables import stage
from workbench.tables.records import read_ids
from workbench.verbs.linking.description import Description
from workbench.verbs.linking.ids import as_kept, columns_of_ids, refuse_unclear_ids, source_of
from workbench.verbs.linking.new import Added
from workbench.verbs.linking.reading import named_apart


def remove_kept(
    store: KeptLinkage,
    description: Description,
    sources: Sequence[str | os.PathLike[str]],
    id_column: str | None,
) -> Added:
    """Take the records that files name by their ids out of a linkage; of ids that are not kept
    nothing comes.

    Raises E0663, E0664, E0683 and the faults of files.
    """
    with stage(named_apart(sources)) as staging:
        tables = tuple(staging.tables.values())
        columns = columns_of_ids(tables, description, id_column, needed=True)
        of_table = [source_of(table, description) for table in tables]
        ids = [read_ids(staging, table, column) for table, column in zip(tables, columns)]
        source, names = np.repeat(of_table, [table.rows for table in tables]), np.concatenate(ids)
        refuse_unclear_ids(source, names, tables, columns)
        names = as_kept(store, names)
        left_out = {
            name: "records are removed by their ids"
            for table, column in zip(tables, columns)
            for name in table.columns
            if name != column
        }
        warnings = tuple(note for table in tables for note in table.notes)
    wanted = set(zip(source.tolist(), names.tolist()))
    kept = store.records("id", names.tolist())
    places = zip(*(kept.column(name).to_pylist() for name in ("number", "source", "id")))
    found = {tuple(place): number for number, *place in places if tuple(place) in wanted}
    gone = np.array(list(found.values()), np.int64)
    missed = [name for source, name in sorted(wanted) if (source, name) not in found]
    if missed:
        warnings = (*warnings, _not_kept(missed, len(wanted)))
    none = np.zeros(0, np.int64)
    return Added(none, none, none, store.remove(gone), left_out, warnings)


def _not_kept(missed: Sequence[str], asked: int) -> Diagnostic:
    return Diagnostic(
        "E0657",
        f"{len(missed):,} of {asked:,} ids are of no kept record, such as {missed[0]}: nothing is "
        "removed for them",
        help="are they gone already, or written otherwise (0017 for 17)?",
        severity="warning",
    )
