"""What people say of a pair of kept records, and their clusters made anew by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.database import Database, KeptLinkage, put_answer
from workbench.errors import UsageError
from workbench.progress import PLAIN
from workbench.verbs.linking.description import Description
from workbench.verbs.linking.kept_records import KeptRecords, stored_records
from workbench.verbs.linking.regrouping import count_groups, regroup


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


def answer_pair(
    database: Database,
    store: KeptLinkage,
    description: Description,
    pair: tuple[int, int],
    same: bool | None,
) -> Answered:
    """Keep an answer, None for none any more, and cluster the components of its records again: they
    are one component where the records are the same. All of it or nothing.

    Raises E0695 for a record beside itself.
    """
    lower, upper = sorted(pair)
    if lower == upper:
        raise UsageError.of(
            "E0695", "a record is the same as itself", help="name two records that differ"
        )
    with database.transaction():
        put_answer(store, lower, upper, same)
        ends = stored_records(store, description, np.array([lower, upper], np.int64))
        components = np.unique(ends.component)
        rows = store.records("component", components.tolist())
        touched = KeptRecords(store, description, rows)
        store.forget_components(components)
        regrouped = regroup(touched, PLAIN)
        count_groups(store, [(touched.cluster, touched.component)], regrouped)
        moved = int((regrouped.after != regrouped.before).sum())
        return Answered(moved, store.figures())
