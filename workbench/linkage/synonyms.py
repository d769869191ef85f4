"""Values that stand for each other: records of one thing say ICML here and Proc. ICML there.

In a column of few values two of them are taken for one where records that share a rare value of
another column hold both about as often as either twice: what merely goes together, such as sizes of
one article, is held so as chance has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import gammainc

from workbench.arrays import Float
from workbench.linkage.fields import Field

MOST_VALUES = 60
RARE = 8
"""Records that hold a value by which others are paired, at most."""
LIFT = 3.0
"""So many times as often as chance has it."""
BY_CHANCE = 1e-3
"""Expected pairs of values that would be held together so often by chance."""
AS_OFTEN = 0.5
"""Of the pairs that would hold both if each were written half of the times."""


def called_alike(fields: Sequence[Field]) -> list[Field]:
    """The fields with values of the same meaning called as these are mostly."""
    return [_renamed(field, _names(field, fields)) for field in fields]


def _renamed(field: Field, called: dict[str, str]) -> Field:
    if not called:
        return field
    texts = [called.get(text, text) for text in field.texts.tolist()]
    kept, place = np.unique(np.array(texts, object), return_inverse=True)
    codes = np.append(place, -1)[field.codes].astype(np.int32)
    return replace(field, texts=kept, codes=codes, called=called)


def _names(field: Field, others: Sequence[Field]) -> dict[str, str]:
    """Values of a field of few and what these are called mostly, by records that share a rare value
    of another field.
    """
    if field.kind != "category" or not 1 < len(field.texts) <= MOST_VALUES:
        return {}
    together = np.zeros((len(field.texts),) * 2)
    for one in others:
        together += 0.0 if one is field else _together(field, one)
    alone = together.sum(axis=0)
    chance = np.outer(alone, alone) / max(float(together.sum()), 1.0)
    either = np.sqrt(np.outer(np.diag(together), np.diag(together)))
    often = (together > LIFT * chance) & (together > AS_OFTEN * either)
    # That a Poisson count is no less; counts of 0 are never so.
    surely = gammainc(np.maximum(together, 1e-9), chance) < BY_CHANCE / together.size
    group = connected_components(often & surely, directed=False)[1]
    named = [np.argmax(np.where(group == of, field.counts, -1)) for of in group]
    return {
        str(text): str(field.texts[name])
        for text, name in zip(field.texts, named)
        if text != field.texts[name]
    }


def _together(field: Field, by: Field) -> Float:
    """How many pairs of records that share a rare value of another field hold each two values."""
    n = len(field.texts)
    rare = (by.codes >= 0) & (field.codes >= 0)
    rare[rare] &= by.counts[by.codes[rare]] <= RARE
    rows = np.flatnonzero(rare)
    held = coo_array((np.ones(len(rows)), (by.codes[rows], field.codes[rows])), (len(by.texts), n))
    counts = held.tocsr()
    found = (counts.T @ counts).toarray()
    found[np.diag_indices(n)] -= np.asarray(counts.sum(axis=0)).ravel()
    return np.asarray(found)
