"""Clauses as features of examples: counts of substitutions, each distinct feature once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Int32, Int64
from workbench.structure.covers import CoverCache
from workbench.structure.weighting import equal_bodies

AT_ONCE = 1000
"""Clauses counted together: their counts of every example are in memory."""


@dataclass(frozen=True)
class ClauseFeatures:
    """What clauses say of the examples.

    Attributes
    ----------
    matrix : csr_array, float64, shape (n_examples, n_features)
        Satisfying substitutions of the body, or 0/1; where the clauses of a column differ, their
        mean.
    feature : int64 array, shape (n_clauses,)
        Each clause's column. Clauses equal on the `distinct_on` examples share one.
    copies : int64 array, shape (n_features,)
        Clauses that share it.
    """

    matrix: csr_array
    feature: Int64
    copies: Int64


def clause_features(cache: CoverCache, parts: Int32, distinct_on: Bool) -> ClauseFeatures:
    """Counts of the bodies (given by their components) over all examples.

    Parameters
    ----------
    parts : int32 array, shape (n_clauses, n_literals)
        From `CoverCache.parts` or `CoverCache.body_parts`.
    distinct_on : bool array, shape (n_examples,)
        Clauses with equal values on these examples are one feature: no weight learner could tell
        them apart. A weight on it stands for equal weights on each of its clauses, which is the
        optimum under L2 and an optimum under L1; so elsewhere the feature is the mean of its
        clauses.

    Notes
    -----
    Time O(n_clauses x n_examples); memory that of the distinct features.
    """
    feature = equal_bodies(cache, parts, distinct_on)
    copies = np.bincount(feature).astype(np.int64)
    sums = np.zeros((len(copies), cache.coverage.n_examples))
    for first in range(0, len(parts), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        np.add.at(sums, feature[some], cache.counts(parts[some]))
    return ClauseFeatures(csr_array((sums / copies[:, None]).T), feature, copies)
