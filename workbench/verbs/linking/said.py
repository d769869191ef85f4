"""What people said of pairs, by the sources and ids of their records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.database import KeptLinkage, answered_pairs
from workbench.verbs.linking.description import Description
from workbench.verbs.linking.kept_records import stored_records

Said = tuple[tuple[int, str], tuple[int, str], bool]
"""The source and id of two records, in that order, and whether they are the same."""


def is_across(said: Said, sources: Sequence[str]) -> bool:
    """Whether labels can say an answer: of two sources those of pairs across."""
    (left, _), (right, _), _ = said
    return len(sources) == 1 or left != right


def answers_by_id(store: KeptLinkage, description: Description) -> list[Said]:
    """Each answer by the sources and ids of its records, the latest last."""
    given = answered_pairs(store)
    numbers = sorted({number for pair in given for number in pair[:2]})
    records = stored_records(store, description, np.array(numbers, np.int64))
    ids = zip(records.source.tolist(), records.rows.column("id").to_pylist())
    known = dict(zip(records.number.tolist(), ids))
    said = ((*sorted((known[lower], known[upper])), same) for lower, upper, same in given)
    return [(left, right, same) for left, right, same in said]
