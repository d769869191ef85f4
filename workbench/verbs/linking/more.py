"""`link_more`: records added to a kept linkage, corrected and removed, by its weights."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Unpack

import numpy as np
import pyarrow

from workbench.arrays import Bool, Float, Int32, Int64
from workbench.database import Database, KeptLinkage, kept_linkage
from workbench.errors import UsageError
from workbench.linkage.blocking import Pairs
from workbench.linkage.clustering import figures_by_group
from workbench.linkage.components import joined_records
from workbench.linkage.matching import best_of_each
from workbench.progress import Conduct
from workbench.verbs.linking.gone import remove_kept
from workbench.verbs.linking.kept import Description, component_rows, group_counts
from workbench.verbs.linking.kept_records import KeptRecords, records_beside
from workbench.verbs.linking.kept_settings import KeptSettings
from workbench.verbs.linking.more_result import MoreLinked, Regrouped, linked_pairs
from workbench.verbs.linking.new import Added, add_new
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
        store, description = _kept(database, run)
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
        regrouped = _regrouped(touched, conduct) if len(touched) else None
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


def _kept(database: Database, run: int | None) -> tuple[KeptLinkage, Description]:
    """The linkage that is asked for, and what it says of itself."""
    store = kept_linkage(database, run)
    if store is None:
        raise UsageError.of(
            "E0682",
            "the workspace keeps no linkage" if run is None else f"run {run} keeps no linkage",
            help="link files with --workspace first",
        )
    description = Description.read(store.model())
    if description is None:
        raise UsageError.of(
            "E0682",
            f"the linkage of run {store.run} was kept by another version",
            help="link its files anew",
        )
    return store, description


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
    joined, component = weighed.scores > 0, weighed.records.component
    rows = np.concatenate(
        (weighed.pairs.left[joined], weighed.pairs.right[joined], np.flatnonzero(weighed.moved))
    )
    return np.union1d(component[rows], added.once("component"))


def _regrouped(touched: KeptRecords, conduct: Conduct) -> Regrouped:
    """Records clustered again, and kept so."""
    n = len(touched)
    pairs = touched.pairs(np.ones(n, np.bool_))
    scores = touched.weighed(pairs, touched.scores(pairs))
    found = touched.clustered(pairs, scores, conduct)
    group = joined_records(n, pairs, scores)
    energy, bound = figures_by_group(found, group, pairs, scores)
    after, component = (_first_numbers(touched.number, of) for of in (found.label, group))
    _, place = np.unique(group, return_inverse=True)
    of = place[np.unique(component, return_index=True)[1]]
    columns = {"number": touched.number, "cluster": after, "component": component}
    touched.store.regroup(
        pyarrow.table({name: _int32(column) for name, column in columns.items()}),
        component_rows(component, energy[of], bound[of]),
    )
    return Regrouped(
        touched.number, touched.rows, touched.cluster, after, component, found.status == "limit"
    )


def _count(
    store: KeptLinkage, added: Added, touched: KeptRecords, regrouped: Regrouped | None
) -> None:
    """Keep how many records, clusters and components there are now."""
    new = np.isin(touched.number, added.new)
    before = [(touched.cluster[~new], touched.component[~new])]
    if added.removed is not None:
        before.append((_ints(added.removed, "cluster"), _ints(added.removed, "component")))
    once = group_counts(*(np.concatenate(columns) for columns in zip(*before)))
    now = (0, 0, 0) if regrouped is None else group_counts(regrouped.after, regrouped.component)
    alone = len(added.new) - int(new.sum())
    more = np.subtract(now, once) + np.array([alone, alone, 0])
    store.add_totals(*more.tolist())


def _ints(rows: pyarrow.Table, column: str) -> Int64:
    return np.asarray(rows.column(column), np.int64)


def _first_numbers(number: Int64, group: Int64) -> Int64:
    """Of each record the least number in its group."""
    _, of = np.unique(group, return_inverse=True)
    first = np.full(of.max(initial=-1) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, of, number)
    return np.asarray(first[of])


def _int32(column: Int64) -> Int32:
    return column.astype(np.int32)
