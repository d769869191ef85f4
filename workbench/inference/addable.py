"""Weights so far apart that sums in float64 lose the smaller ones."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float
from workbench.network.ground_network import GroundNetwork
from workbench.network.runs import row_runs

HEAVY = 1e9
"""No weight below this is too heavy: learners leave weights of 1e-15 that nobody misses."""
PRECISION = 1e-3
"""The share of a weight that the sum's rounding may take."""


def lost_weights(network: GroundNetwork, weights: Float) -> tuple[int, int] | None:
    """The heaviest template and one whose weight is lost beside it; None where none is.

    An energy is a sum over groundings. A weight is lost where the rounding of the summed absolute
    weights, 2^-52 of it, is more than a thousandth of the weight: states that differ by it could
    not be told apart.
    """
    weights = np.asarray(weights, np.float64)
    rows = np.zeros(max(weights.size, 1))
    for _, run in row_runs(network):
        rows += np.bincount(
            np.maximum(run.template, 0), np.abs(run.effective_weights(weights)), minlength=rows.size
        )
    total = rows[: weights.size] + np.abs(weights) * network.unit_scale.sum(axis=1)
    used = np.flatnonzero(total > 0.0)
    if not used.size:
        return None
    heaviest = used[np.argmax(np.abs(weights[used]))]
    lightest = used[np.argmin(np.abs(weights[used]))]
    if abs(weights[heaviest]) <= HEAVY:
        return None
    lost = abs(weights[lightest]) * PRECISION < float(total.sum()) * np.finfo(np.float64).eps
    return (int(heaviest), int(lightest)) if lost else None
