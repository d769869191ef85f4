"""`link_more`: records added to a kept linkage, corrected and removed, by its weights."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Unpack

import numpy as np
import pyarrow

from workbench.arrays import Bool, Float, Int64
from workbench.database import Database, KeptLinkage
from workbench.errors import Diagnostic, UsageError
from workbench.linkage.blocking import Pairs
from workbench.linkage.matching import best_of_each
from workbench.tables import stage
from workbench.tables.records import read_ids
from workbench.verbs.linking.answering import count_groups, regroup
from workbench.verbs.linking.description import Description, linkage_at_hand
from workbench.verbs.linking.ids import as_kept, columns_of_ids, refuse_unclear_ids, source_of
from workbench.verbs.linking.kept_records import KeptRecords, records_beside
from workbench.verbs.linking.kept_settings import KeptSettings
from workbench.verbs.linking.more_result import MoreLinked, Regrouped, linked_pairs
from workbench.verbs.linking.new import Added, add_new
from workbench.verbs.linking.reading import named_apart
from workbench.verbs.options import How, conduct_of


def link_more(
    database: Database,
    sources: Sequence[str | os.PathLike[str]],
    *,
    run: int | None = None,
    id_column: str | None = None,
    correct: bool = False,
    remove: bool = False,
    **how: Unpack[How],
) -> MoreLinked:
    """Link new records against those of a linkage that the workspace keeps, and keep them too; all
    of it or nothing.

    Raises E0663, E0682, E0683, E0686, E0687 for what is asked; E0662, E0664, E0684 for records that
    cannot be taken.

    Parameters
    ----------
    sources : sequence of paths
        Tables of new records. Columns are found by their names; records whose id is kept with the
        same values are passed over.
    run : int, optional
        The linkage; without it the newest one that is kept.
    id_column : str, optional
        The column with the records' names; without it the one that the linkage has them in.
    correct : bool
        Records whose id is kept with other values take the place of those.
    remove : bool
        The records that the tables name by their ids are kept no longer; ids that are not kept
        change nothing.
    **how
        `time_limit` and `progress`, as in `link`.

    Notes
    -----
    The log odds of a pair are those of the fit: how rare values are is not counted again. Pairs are
    compared that share a key and have a new record in them; of the components that log odds above 0
    join to a new record, and of those that a corrected or removed one was in, all pairs inside. How
    many records held a value when the model was fitted is known of removed ones, too.
    """
    begun, conduct = perf_counter(), conduct_of(how)
    if correct and remove:
        raise UsageError.of(
            "E0686", "records are corrected or removed, not both", help="make two calls of it"
        )
    with database.transaction():
        store, description = linkage_at_hand(database, run)
        conduct.progress.step("reading", 0, None)
        if remove:
            added = remove_kept(store, description, sources, id_column)
        else:
            added = add_new(store, description, sources, id_column, correct=correct)
        conduct.progress.step("candidates", 0, None)
        weighed = _weighed(store, description, added)
        components = _touched(weighed, added)
        touched = KeptRecords(store, description, store.records("component", components.tolist()))
        store.forget_components(components)
        regrouped = regroup(touched, conduct) if len(touched) else None
        conduct.progress.step("keeping", 0, None)
        _count(store, added, touched, regrouped)
        return MoreLinked(
            run_id=store.run,
            sources=description.sources,
            added=added,
            compared=weighed.of(added.asked),
            regrouped=regrouped,
            records=store.groups(
                added.numbers, [] if regrouped is None else regrouped.moved(added.once("cluster"))
            ),
            figures=store.figures(),
            seconds=perf_counter() - begun,
            by_settings=isinstance(description.model, KeptSettings),
        )


@dataclass(frozen=True)
class _Weighed:
    """Compared pairs: their records, log odds, and which records' best pair is another now."""

    records: KeptRecords
    pairs: Pairs
    scores: Float
    moved: Bool

    def of(self, asked: Int64) -> pyarrow.Table:
        """The pairs that have one of some records in them, as they are told."""
        new = np.isin(self.records.number, asked)
        some = new[self.pairs.left] | new[self.pairs.right]
        return linked_pairs(
            self.records.rows,
            Pairs(self.pairs.left[some], self.pairs.right[some]),
            self.scores[some],
        )


def _weighed(store: KeptLinkage, description: Description, added: Added) -> _Weighed:
    """The pairs of new and corrected records; one to one also of those whose best pair moved."""
    beside = records_beside(store, description, added.asked)
    new = np.isin(beside.number, added.asked)
    pairs = beside.pairs(new)
    scores = beside.scores(pairs)
    if description.rivals is None:
        return _Weighed(
            beside, pairs, beside.weighed(pairs, scores), np.zeros(len(beside), np.bool_)
        )
    near = np.concatenate((added.asked, beside.number[pairs.left], beside.number[pairs.right]))
    near = np.unique(np.concatenate((near, _once_near(store, description, added))))
    wide = records_beside(store, description, near)
    inside = np.isin(wide.number, near)
    pairs = wide.pairs(inside)
    scores = wide.scores(pairs)
    best = best_of_each(len(wide), pairs, scores)
    moved = inside & (best != wide.top)
    store.put_tops(wide.number[moved], best[moved])
    again = moved[pairs.left] | moved[pairs.right]
    asked = Pairs(pairs.left[again], pairs.right[again])
    return _Weighed(
        wide, asked, wide.weighed(asked, scores[again], np.where(inside, best, wide.top)), moved
    )


def _once_near(store: KeptLinkage, description: Description, added: Added) -> Int64:
    """The records that shared a key with a changed one as it was, or were labelled with it."""
    if added.before is None or not added.before.num_rows:
        return np.zeros(0, np.int64)
    gone = KeptRecords(store, description, added.before)
    found = store.numbers(None if description.model.every else gone.keys)
    labelled = store.labels(gone.number)[:, :2].ravel()
    return (
        np.concatenate((found, np.intersect1d(labelled, store.numbers(None))))
        if len(labelled)
        else found
    )


def _touched(weighed: _Weighed, added: Added) -> Int64:
    """The components that a new or corrected record joins, and those that a corrected or removed
    one was in.

    One to one also those of records whose best pair is another one now, and that they join.
    """
    joined = weighed.scores > weighed.records.description.cut_at
    component = weighed.records.component
    rows = np.concatenate(
        (weighed.pairs.left[joined], weighed.pairs.right[joined], np.flatnonzero(weighed.moved))
    )
    return np.union1d(component[rows], added.once("component"))


def _count(
    store: KeptLinkage, added: Added, touched: KeptRecords, regrouped: Regrouped | None
) -> None:
    """Keep how many records, clusters and components there are now."""
    new = np.isin(touched.number, added.new)
    before = [(touched.cluster[~new], touched.component[~new])]
    if added.removed is not None:
        before.append((_ints(added.removed, "cluster"), _ints(added.removed, "component")))
    count_groups(store, before, regrouped, alone=len(added.new) - int(new.sum()))


def _ints(rows: pyarrow.Table, column: str) -> Int64:
    return np.asarray(rows.column(column), np.int64)


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
    return Diagnostic.warning(
        "E0657",
        f"{len(missed):,} of {asked:,} ids are of no kept record, such as {missed[0]}: nothing is "
        "removed for them",
        help="are they gone already, or written otherwise (0017 for 17)?",
    )
