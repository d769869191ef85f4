"""Folding what hard unit rows decide changes no energy."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.simplify import forced_values, simplify
from tests.oracles.enumeration import enumerate_states, satisfied_counts
from tests.oracles.random_networks import random_mln
from workbench.network import hard_violation, reported_energy


@pytest.mark.parametrize("seed", range(40))
def test_energies_counts_and_violations_stay(seed: int) -> None:
    network, weights = random_mln(seed, hard=0.4, n_rows=18)
    forced = forced_values(network)
    smaller = simplify(network)
    assert smaller.n_rows <= network.n_rows
    for state in enumerate_states(network, weights).states:
        if np.any(state[~np.isnan(forced)] != forced[~np.isnan(forced)]):
            assert hard_violation(smaller, state) > 0
            continue
        assert reported_energy(smaller, weights, state) == pytest.approx(
            reported_energy(network, weights, state)
        )
        np.testing.assert_allclose(
            satisfied_counts(smaller, state), satisfied_counts(network, state), atol=1e-9
        )
        assert hard_violation(smaller, state) == hard_violation(network, state)


def test_fixed_atoms_leave_the_other_rows() -> None:
    for seed in range(40):
        network, _ = random_mln(seed, hard=0.4, n_rows=18, scales=False)
        known = ~np.isnan(forced_values(network))
        smaller = simplify(network)
        wide = np.flatnonzero(np.diff(smaller.A.indptr) > 1)
        assert not known[smaller.A[wide].indices].any()
