"""How alike two values are, of many pairs of values at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from rapidfuzz.distance import DamerauLevenshtein, JaroWinkler
from rapidfuzz.process import cpdist
from scipy.sparse import csr_array

from workbench.arrays import Array, Float32, Int32
from workbench.linkage.fields import Field
from workbench.linkage.words import threes_in

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
    shared = words_alike(field.informed, left, right)
    return shared / np.float32(np.log(max(field.filled, 3)))
