"""What people say of a pair of kept records, and their clusters made anew by it:
components clustered again, and what is counted of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow

from workbench.arrays import Int32, Int64
from workbench.database import KeptLinkage, put_answer
from workbench.errors import UsageError
from workbench.linkage.clustering import figures_by_group
from workbench.linkage.components import joined_records
from workbench.progress import PLAIN, Conduct
from workbench.verbs.linking.kept import component_rows, group_counts
from workbench.verbs.linking.kept_records import KeptRecords
from workbench.verbs.linking.more_result import Regrouped


def regroup(touched: KeptRecords, conduct: Conduct) -> Regrouped:
    """Records clustered again, and kept so."""
    n = len(touched)
    pairs = touched.pairs(np.ones(n, np.bool_))
    evidence = touched.weighed(pairs, touched.scores(pairs)) - touched.description.cut_at
    found = touched.clustered(pairs, evidence, conduct)
    group = joined_records(n, pairs, evidence)
    energy, bound = figures_by_group(found, group, pairs, evidence)
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


def count_groups(
    store: KeptLinkage,
    before: Sequence[tuple[Int64, Int64]],
    regrouped: Regrouped | None,
    *,
    alone: int = 0,
) -> None:
    """Keep how many records, clusters and components there are now.

    Parameters
    ----------
    before : sequence of (clusters, components)
        Of the records that were clustered again, or that are gone.
    alone : int
        New records that no other is like.
    """
    once = group_counts(*(np.concatenate(columns) for columns in zip(*before)))
    now = (0, 0, 0) if regrouped is None else group_counts(regrouped.after, regrouped.component)
    more = np.subtract(now, once) + np.array([alone, alone, 0])
    store.add_totals(*more.tolist())


def _first_numbers(number: Int64, group: Int64) -> Int64:
    """Of each record the least number in its group."""
    _, of = np.unique(group, return_inverse=True)
    first = np.full(of.max(initial=-1) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, of, number)
    return np.asarray(first[of])


def _int32(column: Int64) -> Int32:
    return column.astype(np.int32)


@dataclass(frozen=True)
class PairQuestion:
    """A pair that is little sure.

    Attributes
    ----------
    left, right : str
        Records by their names.
    together : bool
        Whether they are in one cluster now.
    """

    left: str
    right: str
    probability: float
    together: bool


@dataclass(frozen=True)
class Answered:
    """What an answer changed.

    Attributes
    ----------
    moved : int
        Records that are in another cluster than before.
    figures : mapping
        As `Linkage.figures`.
    """

    moved: int
    figures: Mapping[str, Any]


def answer_pair(ends: KeptRecords, same: bool | None) -> Answered:
    """Keep an answer about two records, None for none any more, and cluster their components again:
    they are one component where the records are the same.

    Raises E0695 for a record beside itself.
    """
    if len(ends) < 2:
        raise UsageError.of(
            "E0695", "a record is the same as itself", help="name two records that differ"
        )
    store = ends.store
    lower, upper = sorted(ends.number.tolist())
    put_answer(store, lower, upper, same)
    components = np.unique(ends.component)
    rows = store.records("component", components.tolist())
    touched = KeptRecords(store, ends.description, rows)
    store.forget_components(components)
    regrouped = regroup(touched, PLAIN)
    count_groups(store, [(touched.cluster, touched.component)], regrouped)
    moved = int((regrouped.after != regrouped.before).sum())
    return Answered(moved, store.figures())
