"""Candidates by near texts: values that share rare words, or rare letters in threes,
and are alike by cosine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Int32, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field
from workbench.linkage.similarity import in_threes, weighted_words, words_alike
from workbench.linkage.sorting import different

ALIKE = 0.3
FEW = 50
"""Records that hold a value; those of more are found by no near text."""
ROWS = 10_000
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
    """

    field: str
    common: frozenset[str] = frozenset()
    gain: int = 0


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
    joined = pairs.joined(near_pairs(field, near, second), len(field.codes))
    return replace(near, gain=len(joined) - len(pairs)), joined


def near_pairs(
    field: Field, near: Near, second: Int32 | None, values: Int64 | None = None
) -> Pairs:
    """Pairs of records whose values are near or equal; of near ones those with one of `values`
    alone, where these are given.
    """
    rows = _rare_words(field, near)
    columns, found = rows.T.tocsr(), []
    left = np.arange(rows.shape[0]) if values is None else values
    for start in range(0, len(left), ROWS):
        some = left[start : start + ROWS]
        product = (rows[some] @ columns).tocoo()
        one = some[product.row]
        alike = product.data >= ALIKE
        alike &= (product.col > one) if values is None else (product.col != one)
        found.append((one[alike], product.col[alike]))
    one, other = (np.concatenate(side).astype(np.int64) for side in zip(*found))
    return _of_records(field, one, other, second, len(field.codes))


def are_near(field: Field, near: Near, pairs: Pairs) -> Bool:
    """Which pairs of records have near or equal values."""
    rows = _rare_words(field, near)
    left, right = field.codes[pairs.left], field.codes[pairs.right]
    found = (left >= 0) & (right >= 0) & (field.counts[left] <= FEW) & (field.counts[right] <= FEW)
    asked = np.flatnonzero(found & (left != right))
    found[asked] = words_alike(rows, left[asked], right[asked]) >= ALIKE
    return found


def _rare_words(field: Field, near: Near) -> csr_array:
    """The values as rows of their words, common ones left out."""
    words = in_words(field)
    rare = np.array([word not in near.common for word in words.words.texts], np.bool_)
    rows = csr_array(weighted_words(words).multiply(rare[None, :]))
    rows.eliminate_zeros()
    return rows


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
