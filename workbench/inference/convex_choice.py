"""Which convex engine suits a network on [0, 1]."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float
from workbench.inference.admm import ADMM
from workbench.inference.pdhg import PDHG
from workbench.network.ground_network import GroundNetwork


def convex_engine(
    network: GroundNetwork, weights: Float, *, tolerance: float = 1e-4, finish: bool = False
) -> ADMM | PDHG:
    """ADMM where squared hinges prevail or the network is small, PDHG for many linear ones.

    Squared hinges make ADMM's steps strongly convex: it certifies a gap of 1e-4 in tens to hundreds
    of sweeps. With linear hinges it needs thousands, and PDHG's restarts win by a factor of two to
    ten. With `finish` an exact solver ends a small problem that they leave open.
    """
    weighted = np.abs(network.effective_weights(weights))
    squared = np.zeros(network.n_rows, np.bool_)
    if network.n_templates:
        squared = (network.power[np.maximum(network.template, 0)] == 2) & (network.template >= 0)
    share = float(weighted[squared].sum()) / max(float(weighted.sum()), 1e-300)
    if share >= 0.5 or network.n_rows < 2000:
        return ADMM(tolerance=tolerance, finish=finish)
    return PDHG(tolerance=tolerance, finish=finish)
