"""A network at weights that are settled: its unit groundings priced once, in one column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float
from workbench.network.energy import unit_offset
from workbench.network.ground_network import GroundNetwork

__all__ = ["priced"]


def priced(network: GroundNetwork, weights: Float) -> tuple[GroundNetwork, Float]:
    """The network with all unit groundings under one more template of weight 1, and the weights with that 1.

    Energies, reported energies and hard violations of every state are what they were; counts by template are not. An
    engine evaluates many states at the same weights: each then costs O(n_atoms) for the units instead of O(nnz of
    unit), which for a model of words is a thousand times as much. Networks with few units are returned as they are.
    """
    if network.unit.nnz <= 2 * network.n_atoms:
        return network, weights
    weights = np.asarray(weights, np.float64)
    gain = np.asarray(network.unit @ weights, np.float64)
    atoms = np.flatnonzero(gain)
    last = network.n_templates
    unit = csr_array((gain[atoms], (atoms, np.full(atoms.size, last))), shape=(network.n_atoms, last + 1))
    empty, zero = np.zeros((last + 1, 2)), np.zeros(last + 1)
    reduced = replace(
        network,
        power=np.append(network.power, np.int8(1)),
        unit=unit,
        constant=np.append(zero[:last], float(weights @ network.constant)),
        groundings=np.vstack([network.groundings, np.zeros((1, 3))]),
        unit_scale=np.vstack([empty[:last], [[0.0, unit_offset(network, weights)]]]),
        evidence_satisfied=np.vstack([network.evidence_satisfied, np.zeros((1, 2))]),
        evidence_violated=np.vstack([network.evidence_violated, np.zeros((1, 2))]),
    )
    return reduced, np.append(weights, 1.0)
