"""Scores of a clustering against the true one."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Integer


def cluster_scores(found: Integer, truth: Integer) -> dict[str, float]:
    """Pairwise and B-cubed precision, recall and F1 of one clustering against another.

    Parameters
    ----------
    found, truth : integer arrays, shape (n_records,)
        The cluster of each record; numbers need not agree, only who is with whom.

    Returns
    -------
    dict
        `precision`, `recall`, `F1` over pairs of records in one cluster; `B-cubed precision`,
        `B-cubed recall`, `B-cubed F1`, the harmonic mean of the averaged two (Bagga & Baldwin
        1998). Cost: a sort.
    """
    _, found = np.unique(np.asarray(found), return_inverse=True)
    _, truth = np.unique(np.asarray(truth), return_inverse=True)
    both, counts = np.unique(
        found.astype(np.int64) * (int(truth.max(initial=0)) + 1) + truth, return_counts=True
    )
    of_found, of_truth = np.divmod(both, int(truth.max(initial=0)) + 1)
    sizes_found, sizes_truth = np.bincount(found).astype(float), np.bincount(truth).astype(float)
    together = float((counts * (counts - 1.0)).sum())
    precision = (
        together / max(1e-300, float((sizes_found * (sizes_found - 1)).sum())) if together else 0.0
    )
    recall = (
        together / max(1e-300, float((sizes_truth * (sizes_truth - 1)).sum())) if together else 0.0
    )
    squared = counts.astype(float) ** 2
    cubed_precision = float((squared / sizes_found[of_found]).sum()) / max(1, len(found))
    cubed_recall = float((squared / sizes_truth[of_truth]).sum()) / max(1, len(found))
    return {
        "precision": precision,
        "recall": recall,
        "F1": _harmonic(precision, recall),
        "B-cubed precision": cubed_precision,
        "B-cubed recall": cubed_recall,
        "B-cubed F1": _harmonic(cubed_precision, cubed_recall),
    }


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0
