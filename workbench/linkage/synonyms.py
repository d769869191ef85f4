"""Values that stand for each other: records of one thing say ICML here and Proc. ICML there.

In a column of few values two of them are taken for one where records that share a rare value of
another column hold both about as often as either twice: what merely goes together, such as sizes
of one article, is held so as chance has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.special import gammainc

from workbench.arrays import Bool, Float
from workbench.linkage.fields import Field

MOST_VALUES = 60
RARE = 8
"""Records that hold a value by which others are paired, at most."""
ENOUGH = 100_000
"""Of these records."""
LIFT = 3.0
"""So many times as often as chance has it."""
BY_CHANCE = 1e-2
"""Expected pairs of values that would be held together so often by chance."""
AS_OFTEN = 0.5
"""Of the pairs that would hold both if each were written half of the times."""


def called_alike(fields: Sequence[Field]) -> list[Field]:
    """The fields with values of the same meaning called as these are mostly."""
    few = [_is_of_few_values(field) for field in fields]
    if not any(few):
        return list(fields)
    shared = [_shared(field) for field, skipped in zip(fields, few) if not skipped]
    # Records share now this, now that value where many are blank.
    ways = [_counting_once(pairs) for pairs in (*shared, *_joined(shared))]
    return [
        _renamed(field, _names(field, ways)) if named else field
        for field, named in zip(fields, few)
    ]


def _is_of_few_values(field: Field) -> bool:
    return field.kind == "category" and 1 < len(field.texts) <= MOST_VALUES


def _renamed(field: Field, called: dict[str, str]) -> Field:
    if not called:
        return field
    texts = [called.get(text, text) for text in field.texts.tolist()]
    kept, place = np.unique(np.array(texts, object), return_inverse=True)
    codes = np.append(place, -1)[field.codes].astype(np.int32)
    return replace(field, texts=kept, codes=codes, called=called)


def _names(field: Field, ways: Sequence[csr_array]) -> dict[str, str]:
    """Values of a field of few and what these are called mostly, by pairs of records that share a
    rare value of others.
    """
    often = np.zeros((len(field.texts),) * 2, np.bool_)
    for pairs in ways:
        often |= _often(_together(field, pairs), BY_CHANCE / (often.size * len(ways)))
    group = connected_components(often, directed=False)[1]
    named = [np.argmax(np.where(group == of, field.counts, -1)) for of in group]
    return {
        str(text): str(field.texts[name])
        for text, name in zip(field.texts, named)
        if text != field.texts[name]
    }


def _often(together: Float, by_chance: float) -> Bool:
    """Which two values are held together about as often as either twice, and not by chance."""
    alone = together.sum(axis=0)
    chance = np.outer(alone, alone) / max(float(together.sum()), 1.0)
    either = np.sqrt(np.outer(np.diag(together), np.diag(together)))
    # That a Poisson count is no less; counts of 0 are never so.
    surely = gammainc(np.maximum(together, 1e-9), chance) < by_chance
    return (together > LIFT * chance) & (together > AS_OFTEN * either) & surely


def _together(field: Field, pairs: csr_array) -> Float:
    """How many pairs of records hold each two values of a field."""
    rows = np.flatnonzero(field.codes >= 0)
    shape = (len(field.codes), len(field.texts))
    held = coo_array((np.ones(len(rows)), (rows, field.codes[rows])), shape).tocsr()
    return np.asarray((held.T @ (pairs @ held)).toarray())


def _shared(by: Field) -> csr_array:
    """Which two records share a rare value of a field, of so many that it is soon told."""
    rows = np.flatnonzero(by.codes >= 0)
    rows = rows[by.counts[by.codes[rows]] <= RARE]
    # Values are taken in no order of theirs: codes go by the alphabet.
    rows = rows[by.codes[rows] % -(-max(len(rows), 1) // ENOUGH) == 0]
    shape = (len(by.codes), len(by.texts))
    held = coo_array((np.ones(len(rows)), (rows, by.codes[rows])), shape).tocsr()
    pairs = csr_array(held @ held.T)
    pairs.setdiag(0.0)
    pairs.eliminate_zeros()
    return pairs


def _joined(shared: Sequence[csr_array]) -> list[csr_array]:
    """The pairs of several fields, each once."""
    if len(shared) < 2:
        return []
    total = shared[0]
    for pairs in shared[1:]:
        total = total + pairs
    return [total]


def _counting_once(pairs: csr_array) -> csr_array:
    """Each record counts for one with all its partners, as a thing's pairs are not independent."""
    found = csr_array((np.ones(pairs.nnz), pairs.indices, pairs.indptr), pairs.shape)
    each = diags_array(1.0 / np.sqrt(np.maximum(found.sum(axis=1), 1.0)))
    return csr_array(each @ found @ each)
