"""Some kept records: their pairs and log odds, as a linkage of all would have them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow

from workbench.arrays import Array, Bool, Float, Int32, Int64
from workbench.database import KeptLinkage
from workbench.errors import UsageError
from workbench.linkage.blocking import LARGEST_BLOCK, Pairs
from workbench.linkage.clustering import Clustering, cluster
from workbench.linkage.components import SETTLED
from workbench.linkage.fields import Field
from workbench.linkage.matching import match_one_to_one
from workbench.progress import Conduct
from workbench.verbs.linking.description import Description
from workbench.verbs.linking.kept_settings import KeptSettings

MOST_PAIRS = 20_000_000
"""So many pairs are compared at most where blocking is not used."""


@dataclass(frozen=True)
class KeptRecords:
    """Some of the kept records, in the order of their sources and numbers."""

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
    def source(self) -> Int32:
        return self._ints("source").astype(np.int32)

    @cached_property
    def top(self) -> Float:
        """The log odds of each record's best pair, NaN where they are not known yet."""
        return np.array(
            [np.nan if one is None else one for one in self.rows.column("top").to_pylist()]
        )

    @cached_property
    def fields(self) -> list[Field]:
        places = range(len(self.description.model.fields))
        texts = [self.rows.column(f"f{place}").to_numpy() for place in places]
        counts = [self._ints(f"n{place}") for place in places]
        return self.description.model.fields_of(texts, counts, self.store.words)

    @cached_property
    def keys(self) -> Array:
        """The keys that any of the records is found by, uint64, each once."""
        near, _ = self.description.model.near_keys(self.fields)
        return np.unique(np.concatenate([near, *self._joint_keys]))

    @cached_property
    def crowded(self) -> Array:
        """Their joint keys that too many of all records share, uint64."""
        keys = np.unique(np.concatenate([np.zeros(0, np.uint64), *self._joint_keys]))
        sizes = self.store.sizes(keys) if len(keys) else {}
        return np.array([key for key, size in sizes.items() if size > LARGEST_BLOCK], np.uint64)

    def pairs(self, new: Bool) -> Pairs:
        """The candidates with one of some records in them, and those whose answer was given."""
        second = self.source if len(self.description.sources) == 2 else None
        found = self.description.model.pairs(self.fields, second, self.crowded, new)
        given, _ = self._labelled
        met = new[given.left] | new[given.right]
        labelled = Pairs(given.left[met], given.right[met])
        return found.joined(labelled, len(self)) if len(labelled) else found

    def scores(self, pairs: Pairs) -> Float:
        """The log odds of candidates by themselves."""
        return self.description.model.of_candidates(self.fields, self.store.words)(pairs)

    def weighed(self, pairs: Pairs, scores: Float, top: Float | None = None) -> Float:
        """The log odds of candidates beside rival pairs, those whose answer was given settled.

        Parameters
        ----------
        top : float64 array, shape (n_records,), optional
            The best of each record's pairs as they are now; else as they are kept.
        """
        rivals, n = self.description.rivals, len(self)
        found = (
            scores
            if rivals is None
            else rivals.applied(pairs, scores, self.top if top is None else top)
        )
        labelled, same = self._labelled
        at = np.searchsorted(pairs.keys(n), labelled.keys(n))
        there = np.append(pairs.keys(n), -1)[at] == labelled.keys(n)
        found = found.copy()
        found[at[there]] = np.where(same[there], SETTLED, -SETTLED)
        return found

    def clustered(self, pairs: Pairs, evidence: Float, conduct: Conduct) -> Clustering:
        """The clusters of whole components, by log odds beyond the cut."""
        if self.description.one_to_one:
            return match_one_to_one(len(self), pairs, evidence, self.source)
        unfound, cut_at = (
            self.description.model.of_unfound(self.fields, self.source),
            self.description.cut_at,
        )
        return cluster(
            len(self), pairs, evidence, lambda some: unfound(some) - cut_at, conduct=conduct
        )

    @cached_property
    def _joint_keys(self) -> list[Array]:
        return self.description.model.keys(self.fields)

    @cached_property
    def _labelled(self) -> tuple[Pairs, Bool]:
        """Pairs of these whose answer was given; which are the same."""
        order = np.argsort(self.number)
        given = self.store.labels(self.number)
        ends = np.searchsorted(self.number, given[:, :2], sorter=order)
        there = (ends < len(order)).all(axis=1)
        places = order[ends[there]]
        both = (self.number[places] == given[there, :2]).all(axis=1)
        pair = np.sort(places[both], axis=1).astype(np.int32)
        at = np.lexsort((pair[:, 1], pair[:, 0]))
        return Pairs(pair[at, 0], pair[at, 1]), given[there, 2][both][at] > 0

    def as_written(self) -> dict[str, list[str | None]]:
        """Values by field as people write them: they are kept as they are compared."""
        return {
            one.name: _as_written(one.kind, self.rows.column(f"f{place}").to_pylist())
            for place, one in enumerate(self.description.model.fields)
        }

    def _ints(self, name: str) -> Int64:
        return np.asarray(self.rows.column(name), np.int64)


def stored_records(store: KeptLinkage, description: Description, numbers: Int64) -> KeptRecords:
    """The records of some numbers."""
    return KeptRecords(store, description, store.records("number", numbers.tolist()))


def records_beside(store: KeptLinkage, description: Description, numbers: Int64) -> KeptRecords:
    """The records of some numbers, and all that may be compared with one of them.

    Raises E0687 for too many, where all pairs are compared.
    """
    some, model = stored_records(store, description, numbers), description.model
    if model.every and len(some):
        _refuse_too_many(len(some), store.figures()["records"])
        return stored_records(store, description, store.numbers(None))
    if isinstance(model, KeptSettings):
        found = _by_rules(store, model, numbers)
    else:
        found = store.numbers(some.keys[~np.isin(some.keys, np.append(some.crowded, np.uint64(0)))])
    labelled = store.labels(numbers)[:, :2].ravel()
    return stored_records(store, description, np.unique(np.concatenate((numbers, found, labelled))))


def _by_rules(store: KeptLinkage, model: KeptSettings, numbers: Int64) -> Int64:
    """The records that some blocking rule pairs with one of some."""
    rows = store.values(model.blocked_by)
    all_numbers, source = (np.asarray(rows.column(name), np.int64) for name in ("number", "source"))
    texts = {model.fields[place].name: rows.column(f"f{place}") for place in model.blocked_by}
    at = np.flatnonzero(np.isin(all_numbers, numbers))
    return np.asarray(all_numbers[model.partners(texts, source.astype(np.int32), at)])


def _refuse_too_many(new: int, records: int) -> None:
    if new * records > MOST_PAIRS:
        raise UsageError.of(
            "E0687",
            f"{new:,} new records would be compared with all of {records:,}: the linkage was of "
            "few records, and knows no keys to find others by",
            help="link all files anew, or add fewer records at a time",
        )


def _as_written(kind: str, cells: list[str | None]) -> list[str | None]:
    if kind != "number":
        return cells
    return [None if cell is None else f"{float(cell):.12g}" for cell in cells]
