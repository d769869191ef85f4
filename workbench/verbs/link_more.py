"""`link_more`: records added to a kept linkage, corrected and removed, by its weights; what they do not touch stays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Unpack

import numpy as np
import pyarrow

from workbench.arrays import Array, Bool, Float, Int32, Int64
from workbench.database import Database, KeptLinkage, kept_linkage
from workbench.errors import UsageError
from workbench.linkage.blocking import LARGEST_BLOCK, Pairs
from workbench.linkage.clustering import cluster, figures_by_group, joined_records
from workbench.linkage.fields import Field
from workbench.progress import Conduct
from workbench.verbs.link_gone import remove_kept
from workbench.verbs.link_kept import Description, component_rows
from workbench.verbs.link_more_result import MoreLinked, Regrouped, linked_pairs
from workbench.verbs.link_new import Added, add_new
from workbench.verbs.options import How, conduct_of

__all__ = ["link_more"]

MOST_PAIRS = 20_000_000
"""So many pairs are compared at most where blocking is not used."""


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
    """Link new records against those of a linkage that the workspace keeps, and keep them too; all of it or nothing.

    Parameters
    ----------
    database : Database
    sources : sequence of paths
        Tables of new records. Columns are found by their names; records whose id is kept with the same values are
        passed over.
    run : int, optional
        The linkage; without it the newest one that is kept.
    id_column : str, optional
        The column with the records' names; without it the one that the linkage has them in.
    correct : bool
        Records whose id is kept with other values take the place of those.
    remove : bool
        The records that the tables name by their ids are kept no longer; ids that are not kept change nothing.
    **how
        `time_limit` and `progress`, as in `link`.

    Raises
    ------
    UsageError
        E0663, E0682, E0683, E0686, E0687 for what is asked.
    InputError
        E0662, E0664, E0684 for records that cannot be taken.

    Notes
    -----
    The log odds of a pair are those of the fit: how rare values are is not counted again. Pairs are compared that share
    a key and have a new record in them; of the components that log odds above 0 join to a new record, and of those that
    a corrected or removed one was in, all pairs inside. How many records held a value when the model was fitted
    is known of removed ones, too.
    """
    begun, conduct = perf_counter(), conduct_of(how)
    if correct and remove:
        raise UsageError.of("E0686", "records are corrected or removed, not both", help="make two calls of it")
    with database.transaction():
        store, description = _kept(database, run)
        conduct.progress.step("reading", 0, None)
        if remove:
            added = remove_kept(store, description, sources, id_column)
        else:
            added = add_new(store, description, sources, id_column, correct=correct)
        conduct.progress.step("candidates", 0, None)
        beside = _found(store, description, added)
        pairs = beside.pairs(np.isin(beside.number, added.asked))
        scores = beside.log_odds(pairs)
        components = _touched(beside, pairs, scores, added)
        touched = _Some(store, description, store.records("component", components.tolist()))
        store.forget_components(components)
        regrouped = _regrouped(touched, conduct) if len(touched) else None
        return MoreLinked(
            run_id=store.run,
            sources=description.sources,
            added=added,
            compared=linked_pairs(beside.rows, pairs, scores),
            regrouped=regrouped,
            records=store.groups(added.numbers, [] if regrouped is None else regrouped.moved(added.once("cluster"))),
            figures=store.figures(),
            seconds=perf_counter() - begun,
        )


@dataclass(frozen=True)
class _Some:
    """Some of the kept records, in the order of their numbers."""

    store: KeptLinkage
    description: Description
    rows: pyarrow.Table

    def __len__(self) -> int:
        return int(self.rows.num_rows)

    @cached_property
    def number(self) -> Int64:
        return self._ints("number")

    @cached_property
    def cluster(self) -> Int64:
        return self._ints("cluster")

    @cached_property
    def component(self) -> Int64:
        return self._ints("component")

    @cached_property
    def fields(self) -> list[Field]:
        places = range(len(self.description.model.fields))
        texts = [self.rows.column(f"f{place}").to_numpy() for place in places]
        counts = [self._ints(f"n{place}") for place in places]
        return self.description.model.fields_of(texts, counts, self.store.words)

    @cached_property
    def crowded(self) -> Array:
        """The joint keys of these records that too many of all share, uint64."""
        keys = np.unique(np.concatenate([np.zeros(0, np.uint64), *self.description.model.keys(self.fields)]))
        sizes = self.store.sizes(keys)
        return np.array([key for key, size in sizes.items() if size > LARGEST_BLOCK], np.uint64)

    def pairs(self, new: Bool) -> Pairs:
        """The candidates that have one of some records in them."""
        second = self._ints("source").astype(np.int32) if len(self.description.sources) == 2 else None
        return self.description.model.pairs(self.fields, second, self.crowded, new)

    def log_odds(self, pairs: Pairs) -> Float:
        return self.description.model.scores(self.fields)(pairs)

    def _ints(self, name: str) -> Int64:
        return np.asarray(self.rows.column(name), np.int64)


def _kept(database: Database, run: int | None) -> tuple[KeptLinkage, Description]:
    """The linkage that is asked for, and what it says of itself."""
    store = kept_linkage(database, run)
    if store is None:
        raise UsageError.of(
            "E0682",
            "the workspace keeps no linkage" if run is None else f"run {run} keeps no linkage",
            help="link files with --workspace first, without --labels, --settings and --one-to-one",
        )
    description = Description.read(store.model())
    if description is None:
        raise UsageError.of(
            "E0682", f"the linkage of run {store.run} was kept by another version", help="link its files anew"
        )
    return store, description


def _found(store: KeptLinkage, description: Description, added: Added) -> _Some:
    """The new and corrected records with all that share a key with one of them."""
    new = _Some(store, description, store.records("number", added.asked.tolist()))
    model = description.model
    if model.every and len(new):
        _refuse_too_many(len(new), store.figures()["records"])
        return _Some(store, description, store.records("number", store.numbers(None).tolist()))
    near, _ = model.near_keys(new.fields)
    keys = np.unique(np.concatenate([near, *model.keys(new.fields)]))
    asked = keys[~np.isin(keys, np.append(new.crowded, np.uint64(0)))]
    return _Some(store, description, store.records("number", store.numbers(asked).tolist()))


def _refuse_too_many(new: int, records: int) -> None:
    if new * records > MOST_PAIRS:
        raise UsageError.of(
            "E0687",
            f"{new:,} new records would be compared with all of {records:,}: the linkage was of few records, and knows "
            "no keys to find others by",
            help="link all files anew, or add fewer records at a time",
        )


def _touched(beside: _Some, pairs: Pairs, scores: Float, added: Added) -> Int64:
    """The components that a new or corrected record joins, and those that a corrected or removed one was in."""
    joined = scores > 0
    rows = np.concatenate((pairs.left[joined], pairs.right[joined]))
    return np.union1d(beside.component[rows], added.once("component"))


def _regrouped(touched: _Some, conduct: Conduct) -> Regrouped:
    """Records clustered again, and kept so."""
    n = len(touched)
    pairs = touched.pairs(np.ones(n, np.bool_))
    scores = touched.log_odds(pairs)
    found = cluster(n, pairs, scores, touched.log_odds, deadline=conduct.deadline, progress=conduct.progress)
    group = joined_records(n, pairs, scores)
    energy, bound = figures_by_group(found, group, pairs, scores)
    _, first = np.unique(found.label, return_index=True)
    after, component = touched.number[first[found.label]], touched.number[group]
    columns = {"number": touched.number, "cluster": after, "component": component}
    touched.store.regroup(
        pyarrow.table({name: _int32(column) for name, column in columns.items()}),
        component_rows(component, energy, bound),
    )
    return Regrouped(touched.number, touched.rows, touched.cluster, after, found.status == "limit")


def _int32(column: Int64) -> Int32:
    return column.astype(np.int32)
