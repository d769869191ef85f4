"""How alike two values are, of many pairs of values at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from rapidfuzz.distance import DamerauLevenshtein, JaroWinkler
from rapidfuzz.process import cpdist
from scipy.sparse import csr_array

from workbench.arrays import Array, Float32, Int32
from workbench.linkage.fields import WHOLE, Field, threes_in

CHUNK = 1 << 20


def jaro_winkler(texts: Array, left: Int32, right: Int32) -> Float32:
    """Jaro-Winkler similarity of `texts[left]` and `texts[right]` (Winkler 1990), in [0, 1]."""
    return _of_pairs(texts, left, right, np.float32, scorer=JaroWinkler.normalized_similarity)


def edits(texts: Array, left: Int32, right: Int32, *, most: int = 3) -> Array:
    """Insertions, deletions, changes and exchanges of neighbours between two texts;
    `most + 1` beyond `most`.
    """
    scorer = DamerauLevenshtein.distance
    return _of_pairs(texts, left, right, np.int8, scorer=scorer, score_cutoff=most)


def _of_pairs(texts: Array, left: Int32, right: Int32, kind: type, **how: Any) -> Array:
    """What rapidfuzz says of pairs of texts, chunk by chunk."""
    found: Array = np.empty(len(left), kind)
    for start in range(0, len(left), CHUNK):
        part = slice(start, start + CHUNK)
        found[part] = cpdist(texts[left[part]], texts[right[part]], dtype=kind, **how).ravel()
    return found


def weighted_words(field: Field) -> csr_array:
    """The values as rows of words, weighted by how rare they are among records
    and scaled to length 1 (tf-idf).
    """
    ids, starts = field.words.ids, field.words.starts
    weights = np.log1p(field.filled / np.maximum(field.held, 1.0))[ids]
    matrix = csr_array(
        (weights, ids.copy(), starts.copy()), shape=(len(field.texts), len(field.words.texts))
    )
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scale = np.repeat(1.0 / np.maximum(length, 1e-12), np.diff(starts))
    return csr_array((weights * scale, ids.copy(), starts.copy()), shape=matrix.shape)


def in_threes(field: Field) -> Field:
    """The field with values as letters in threes in the places of words."""
    texts = np.array([" ".join(threes_in(str(text))) for text in field.texts], object)
    among = None if field.among is None else replace(field.among, held=field.among.threes)
    return Field(field.name, "name", texts, field.codes, among=among)


def words_alike(matrix: csr_array, left: Int32, right: Int32) -> Float32:
    """Cosine of pairs of rows."""
    found = np.empty(len(left), np.float32)
    for start in range(0, len(left), CHUNK // 8):
        part = slice(start, start + CHUNK // 8)
        found[part] = np.asarray(
            matrix[left[part]].multiply(matrix[right[part]]).sum(axis=1)
        ).ravel()
    return found


def shared_information(field: Field, left: Int32, right: Int32) -> Float32:
    """How much the words say that two texts share, in the information of a single record."""
    ids, starts = field.words.ids, field.words.starts
    whole = np.array([word.endswith(WHOLE) for word in field.words.texts], np.bool_)
    held = np.maximum(field.held, 1.0)
    says = np.where(whole, np.maximum(np.log(field.filled / held), 0.0), 0.0)
    shape = (len(field.texts), len(held))
    rows = csr_array((np.sqrt(says)[ids], ids.copy(), starts.copy()), shape=shape)
    rows.eliminate_zeros()
    return words_alike(rows, left, right) / np.float32(np.log(max(field.filled, 3)))
