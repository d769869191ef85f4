"""Candidates by near texts: values that share rare words, or rare letters in threes, and are alike by cosine."""

from __future__ import annotations

import numpy as np
from scipy.sparse import triu

from workbench.arrays import Int32, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field
from workbench.linkage.similarity import in_threes, weighted_words
from workbench.linkage.sorting import different

__all__ = ["near_pairs"]

ALIKE = 0.3


def near_pairs(field: Field, second: Int32 | None, *, most: int) -> Pairs:
    """Pairs of records whose values are near or equal.

    Words that many values hold are left out until the others make at most `most` products: counted before any is made.
    """
    n = len(field.codes)
    matrix = weighted_words(field if field.kind == "words" else in_threes(field))
    held = np.bincount(matrix.indices, minlength=matrix.shape[1])
    order = np.sort(held)
    products = np.cumsum(order.astype(float) ** 2) / 2
    allowed = int(np.searchsorted(products, most))
    largest = int(order[min(allowed, len(order) - 1)]) if len(order) else 0
    rare = matrix.multiply((held <= largest)[None, :]).tocsr()
    product = triu(rare @ rare.T, k=1).tocoo()
    near = product.data >= ALIKE
    return _of_records(field, product.row[near], product.col[near], second, n)


def _of_records(field: Field, one: Int64, other: Int64, second: Int32 | None, n: int) -> Pairs:
    """Pairs of records that hold these pairs of values, or equal ones held by few."""
    order = np.argsort(field.codes, kind="stable")
    order = order[np.searchsorted(field.codes[order], 0) :]
    starts = np.searchsorted(field.codes[order], np.arange(len(field.texts) + 1))
    few = field.counts <= 50
    same = np.flatnonzero(few & (field.counts > 1))
    left_values = np.concatenate((one[few[one] & few[other]], same))
    right_values = np.concatenate((other[few[one] & few[other]], same))
    counts_left, counts_right = field.counts[left_values], field.counts[right_values]
    products = counts_left * counts_right
    pair = np.repeat(np.arange(len(products)), products)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(products) - products, products)
    left = order[starts[left_values[pair]] + within // counts_right[pair]]
    right = order[starts[right_values[pair]] + within % counts_right[pair]]
    keep = left != right if second is None else second[left] != second[right]
    low, high = np.minimum(left, right)[keep], np.maximum(left, right)[keep]
    keys = different(low.astype(np.int64) * n + high)
    return Pairs.of_keys(keys, n)
