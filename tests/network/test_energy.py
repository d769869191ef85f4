"""Energies and counts against an interpreter that walks every row of every state."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states, satisfied_counts, total_scales
from tests.oracles.random_networks import random_hinge_network, random_mln, random_state
from workbench.network import (
    energy,
    energy_offset,
    hard_violation,
    network_from_clauses,
    reported_energy,
)


@pytest.mark.parametrize("seed", range(10))
def test_energy_and_violations_equal_enumeration(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=6, satisfiable=seed % 2 == 0)
    listing = enumerate_states(network, weights)
    for state, expected, violations in zip(listing.states, listing.energy, listing.violations):
        assert hard_violation(network, state) == violations
        if not violations:
            assert energy(network, weights, state) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_energy_is_minus_weighted_counts_up_to_a_constant(seed: int) -> None:
    for network, weights in (random_mln(seed), random_hinge_network(seed)):
        state = random_state(network, seed)
        counted = weights @ (total_scales(network) - satisfied_counts(network, state))
        assert energy(network, weights, state) == pytest.approx(counted)


def test_reported_energy_is_violated_positive_and_satisfied_negative_weight() -> None:
    network = network_from_clauses(
        3, [[1, 2], [-1, 3], [1], [-2], [3]], [0, 1, 2, 3, 1], scale=[1.0, 2.0, 1.0, 3.0, 1.0]
    )
    weights = np.array([1.5, -2.0, 0.7, -0.3])
    state = np.array([0.0, 0.0, 1.0])
    # 1 v 2 violated; !1 v 3 satisfied (-2 x 2); 1 violated; !2 satisfied (-0.3 x 3); 3 satisfied
    # (-2)
    assert reported_energy(network, weights, state) == pytest.approx(1.5 + 4.0 + 0.7 + 0.9 + 2.0)
    assert satisfied_counts(network, state).tolist() == pytest.approx([0.0, 3.0, 0.0, 3.0])


@pytest.mark.parametrize("seed", range(5))
def test_reported_energy_is_never_negative_on_an_mln(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=6, hard=0.0, blocks=False)
    listing = enumerate_states(network, weights)
    assert listing.least_energy + energy_offset(network, weights) >= -1e-9
