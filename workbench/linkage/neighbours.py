"""Candidates by near texts: values that share rare words, or rare letters in threes,
and are alike by cosine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from dataclasses import field as attribute

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Int32, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field
from workbench.linkage.similarity import in_threes
from workbench.linkage.sorting import are_among, different

ALIKE = 0.3
FEW = 50
"""Records that hold a value; those of more are found by no near text."""
ROWS = 5000
"""Values whose products with all others are held at once."""
TIED = 4.0
"""So many times the products that are allowed, at most, with words that are equally common."""


@dataclass(frozen=True)
class Near:
    """A field whose near texts are compared.

    Attributes
    ----------
    common : frozenset of str
        Words, or letters in threes, that many values hold: none is found by them.
    gain : int
        Pairs that nothing else found.
    values : pair of int64 arrays, or None
        The pairs of different values that are near, where they were looked for.
    """

    field: str
    common: frozenset[str] = frozenset()
    gain: int = 0
    values: tuple[Int64, Int64] | None = attribute(default=None, compare=False, repr=False)


def in_words(field: Field) -> Field:
    """The field by whose words texts are near: of short ones these are letters in threes."""
    return field if field.of_many_words else in_threes(field)


def add_near(field: Field, pairs: Pairs, second: Int32 | None, *, most: int) -> tuple[Near, Pairs]:
    """With pairs of near texts beside others.

    Words that many values hold are left out until the others make at most `most` products: counted
    before any is made.
    """
    words = in_words(field).words
    held = np.bincount(words.ids, minlength=len(words.texts))
    order = np.sort(held)
    products = np.cumsum(order.astype(float) ** 2) / 2
    allowed = int(np.searchsorted(products, most))
    largest = int(order[min(allowed, len(order) - 1)]) if len(order) else 0
    # Words that are as common as the last one that is let in come with it, if they are not many.
    if len(order) and products[np.searchsorted(order, largest, side="right") - 1] > TIED * most:
        largest -= 1
    near = Near(field.name, frozenset(words.texts[word] for word in np.flatnonzero(held > largest)))
    near = replace(near, values=_near_values(field, near))
    joined = pairs.joined(near_pairs(field, near, second), len(field.codes))
    return replace(near, gain=len(joined) - len(pairs)), joined


def near_pairs(
    field: Field, near: Near, second: Int32 | None, values: Int64 | None = None
) -> Pairs:
    """Pairs of records whose values are near or equal; of near ones those with one of `values`
    alone, where these are given.
    """
    if values is None and near.values is not None:
        one, other = near.values
    else:
        one, other = _near_values(field, near, values)
    return _of_records(field, one, other, second, len(field.codes))


def are_near(field: Field, near: Near, pairs: Pairs) -> Bool:
    """Which pairs of records have near or equal values."""
    left, right = field.codes[pairs.left], field.codes[pairs.right]
    found = (left >= 0) & (right >= 0) & (field.counts[left] <= FEW) & (field.counts[right] <= FEW)
    asked = np.flatnonzero(found & (left != right))
    one, other = near.values if near.values is not None else _near_values(field, near)
    low, high = (side(left[asked], right[asked]) for side in (np.minimum, np.maximum))
    n = len(field.texts)
    found[asked] = are_among(low.astype(np.int64) * n + high, one * n + other)
    return found


def _near_values(field: Field, near: Near, values: Int64 | None = None) -> tuple[Int64, Int64]:
    """Pairs of different values that are near, each once, the one that stands first on the left;
    or those of `values` and any other.
    """
    rows, found = _rare_words(field, near), []
    left = np.arange(rows.shape[0]) if values is None else values
    for start in range(0, len(left), ROWS):
        some = left[start : start + ROWS]
        # Of all values a pair is asked once: each with those that stand behind it.
        first = start if values is None else 0
        product = csr_array(rows[some] @ rows[first:].T)
        alike = np.flatnonzero(product.data >= ALIKE)
        one = some[np.searchsorted(product.indptr, alike, side="right") - 1]
        other = product.indices[alike].astype(np.int64) + first
        kept = other > one if values is None else other != one
        found.append((one[kept], other[kept]))
    one, other = (np.concatenate(side).astype(np.int64) for side in zip(*found))
    return one, other


def _rare_words(field: Field, near: Near) -> csr_array:
    """The values as rows of their words, common ones left out."""
    words = in_words(field)
    rare = np.array([word not in near.common for word in words.words.texts], np.bool_)
    rows = words.weighted
    kept = rare[rows.indices]
    starts = np.append(0, np.cumsum(kept, dtype=np.int32))[rows.indptr]
    return csr_array((rows.data[kept], rows.indices[kept], starts), shape=rows.shape)


def _of_records(field: Field, one: Int64, other: Int64, second: Int32 | None, n: int) -> Pairs:
    """Pairs of records that hold these pairs of values, or equal ones held by few."""
    order = np.argsort(field.codes, kind="stable")
    order = order[np.searchsorted(field.codes[order], 0) :]
    starts = np.searchsorted(field.codes[order], np.arange(len(field.texts) + 1))
    few, sizes = field.counts <= FEW, np.diff(starts)
    same = np.flatnonzero(few & (sizes > 1))
    left_values = np.concatenate((one[few[one] & few[other]], same))
    right_values = np.concatenate((other[few[one] & few[other]], same))
    counts_left, counts_right = sizes[left_values], sizes[right_values]
    products = counts_left * counts_right
    pair = np.repeat(np.arange(len(products)), products)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(products) - products, products)
    left = order[starts[left_values[pair]] + within // counts_right[pair]]
    right = order[starts[right_values[pair]] + within % counts_right[pair]]
    keep = left != right if second is None else second[left] != second[right]
    low, high = np.minimum(left, right)[keep], np.maximum(left, right)[keep]
    keys = different(low.astype(np.int64) * n + high)
    return Pairs.of_keys(keys, n)
