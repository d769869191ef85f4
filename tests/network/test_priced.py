"""Pricing the units once changes no energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.network import hard_violation, reported_energy
from workbench.network.priced import priced


@pytest.mark.parametrize("seed", range(20))
def test_energies_stay(seed: int) -> None:
    network, weights = random_mln(seed)
    rng = np.random.default_rng(seed)
    unit = csr_array(rng.normal(size=network.unit.shape))
    unit_scale = np.column_stack(
        [np.maximum(unit.toarray(), 0).sum(axis=0), np.maximum(-unit.toarray(), 0).sum(axis=0)]
    )
    network = replace(
        network, unit=unit, unit_scale=unit_scale, constant=rng.normal(size=weights.size)
    )
    small, prices = priced(network, weights)
    assert small.unit.nnz <= network.n_atoms
    for state in enumerate_states(network, weights).states[::13]:
        assert reported_energy(small, prices, state) == pytest.approx(
            reported_energy(network, weights, state)
        )
        assert hard_violation(small, state) == hard_violation(network, state)
