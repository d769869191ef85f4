"""A network at weights that are settled: its unit groundings priced once, in one column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float
from workbench.network.energy import unit_offset
from workbench.network.ground_network import GroundNetwork
from workbench.network.growth import with_template


def priced(network: GroundNetwork, weights: Float) -> tuple[GroundNetwork, Float]:
    """The network with all units under one more template of weight 1, and such weights.

    Energies, reported energies and hard violations of every state are what they were; counts by
    template are not. An engine evaluates many states at the same weights: each then costs
    O(n_atoms) for the units instead of O(nnz of unit), which for a model of words is a thousand
    times as much. Networks with few units are returned as they are.
    """
    if network.unit.nnz <= 2 * network.n_atoms:
        return network, weights
    weights = np.asarray(weights, np.float64)
    n = network.n_templates
    bare = replace(
        network,
        unit=csr_array((network.n_atoms, n)),
        constant=np.zeros(n),
        unit_scale=np.zeros((n, 2)),
    )
    gain = np.asarray(network.unit @ weights, np.float64)
    reduced = with_template(
        bare, gain, float(weights @ network.constant), (0.0, unit_offset(network, weights))
    )
    return reduced, np.append(weights, 1.0)
