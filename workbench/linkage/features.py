"""Pairs as columns of similarities, for learners that have labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.process import cpdist
from scipy.sparse import csr_array

from workbench.arrays import Float, Float32, Int32
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field, Frequencies
from workbench.linkage.similarity import (
    in_threes,
    jaro_winkler,
    weighted_words,
    words_alike,
)
from workbench.linkage.sorting import distinct_pairs

_SCORERS = (fuzz.ratio, fuzz.partial_ratio, fuzz.token_sort_ratio, fuzz.token_set_ratio)


def whole_record(fields: Sequence[Field], among: Frequencies | None = None) -> Field:
    """All words of a record's fields as one field of long texts;
    `among` where the records are some of many.
    """
    codes = np.stack([field.codes for field in fields], axis=1)
    unique, inverse = np.unique(codes, axis=0, return_inverse=True)
    texts = [
        " ".join(str(field.texts[code]) for field, code in zip(fields, row) if code >= 0)
        for row in unique
    ]
    codes = inverse.ravel().astype(np.int32)
    return Field("whole record", "words", np.array(texts, object), codes, among=among)


def pair_features(fields: Sequence[Field], pairs: Pairs, whole: Field) -> Float:
    """Similarities of each field and of whole records, shape (n_pairs, n_features);
    NaN where a value is missing.
    """
    columns = [_of_field(field, pairs) for field in (*fields, whole)]
    return np.concatenate(columns, axis=1).astype(np.float64)


def _of_field(field: Field, pairs: Pairs) -> Float32:
    left, right = field.codes[pairs.left], field.codes[pairs.right]
    there = np.flatnonzero((left >= 0) & (right >= 0))
    one, other, place = distinct_pairs(left[there], right[there], len(field.texts))
    values = _numbers(field, one, other) if field.kind == "number" else _texts(field, one, other)
    found = np.full((len(pairs), values.shape[1]), np.nan, np.float32)
    found[there] = values[place]
    return found


def _numbers(field: Field, one: Int32, other: Int32) -> Float32:
    values = field.numbers
    gap = np.abs(values[one] - values[other])
    size = np.maximum(np.abs(values[one]), np.abs(values[other]))
    return np.column_stack((gap, gap / np.maximum(size, 1e-9), gap == 0)).astype(np.float32)


def _texts(field: Field, one: Int32, other: Int32) -> Float32:
    texts = field.texts
    columns = [jaro_winkler(texts, one, other), (one == other).astype(np.float32)]
    columns += [
        cpdist(texts[one], texts[other], scorer=score, dtype=np.float32).ravel()
        for score in _SCORERS
    ]
    columns.append(words_alike(weighted_words(field), one, other))
    columns.append(words_alike(weighted_words(in_threes(field)), one, other))
    columns += _shared_words(field, one, other)
    lengths = np.array([len(str(text)) for text in texts], np.float32)
    columns.append(np.abs(lengths[one] - lengths[other]))
    return np.column_stack(columns).astype(np.float32)


def _shared_words(field: Field, one: Int32, other: Int32) -> list[Float32]:
    """Weights of words shared and not shared, the rarest that is not,
    and the same of words with digits.
    """
    ids, starts, n_words = field.words.ids, field.words.starts, len(field.words.texts)
    weight = np.log1p(field.filled / np.maximum(field.held, 1.0))
    digits = np.array(
        [any(letter.isdigit() for letter in word) for word in field.words.texts], np.bool_
    )
    found: list[Float32] = []
    for kept in (np.ones(n_words, np.bool_), digits):
        rows = csr_array(
            (np.where(kept, weight, 0.0)[ids], ids.copy(), starts.copy()),
            shape=(len(field.texts), n_words),
        )
        rows.eliminate_zeros()
        left, right = rows[one], rows[other]
        shared = np.asarray(left.minimum(right).sum(axis=1)).ravel()
        totals = [np.asarray(side.sum(axis=1)).ravel() for side in (left, right)]
        apart = abs(left - right)
        least = np.minimum(*totals)
        found += [
            shared.astype(np.float32),
            (shared / np.maximum(least, 1e-9)).astype(np.float32),
            (shared / np.maximum(totals[0] + totals[1] - shared, 1e-9)).astype(np.float32),
            np.asarray(apart.max(axis=1).toarray()).ravel().astype(np.float32),
            np.minimum(totals[0] - shared, totals[1] - shared).astype(np.float32),
        ]
    return found
