"""Cosine TF-IDF similarity of field values, in the ranges that the Cora rules speak of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from experiments.relational_attributes import TrueFacts
from workbench.arrays import Int64

if TYPE_CHECKING:
    import pandas as pd

BINS = (0, 20, 40, 60, 80, 100)
"""Upper ends in per cent: 0, (0, 20], (20, 40], (40, 60], (60, 80], (80, 100]."""


def similarity_bins(words: TrueFacts, n_values: int, n_words: int) -> Int64:
    """The bin of every ordered pair of values, shape (n_values, n_values), entries 0 .. 5.

    Parameters
    ----------
    words : TrueFacts
        (value, word) facts. A value without a word has similarity 0 to all others and 1 to itself.

    Notes
    -----
    scikit-learn's TF-IDF (smoothed inverse document frequency, vectors of length 1) fitted on these
    values alone.
    """
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfTransformer

    counts = csr_array(
        (np.ones(len(words.facts)), (words.facts[:, 0], words.facts[:, 1])),
        shape=(n_values, n_words),
    )
    vectors = csr_array(TfidfTransformer().fit_transform(counts))
    cosine = np.clip((vectors @ vectors.T).toarray(), 0.0, 1.0)
    np.fill_diagonal(cosine, 1.0)
    return np.asarray(np.ceil(np.round(cosine * 5, 9)), np.int64)


def bin_facts(field: str, names: list[str], bins: Int64) -> Mapping[str, pd.DataFrame]:
    """The facts of `<field>Score0` .. `<field>Score100` over all ordered pairs of values."""
    import pandas as pd

    array = np.array(names, object)
    facts = {}
    for number, end in enumerate(BINS):
        left, right = np.nonzero(bins == number)
        facts[f"{field}Score{end}"] = pd.DataFrame({"x": array[left], "y": array[right]})
    return facts
