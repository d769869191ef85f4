"""The exact engine against enumeration of every state."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.inference.exact import Exact
from workbench.inference.solution import Status
from workbench.network import energy


@pytest.mark.parametrize("seed", range(20))
def test_marginals_map_and_log_z_equal_enumeration(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=9, n_rows=8, satisfiable=seed % 3 > 0)
    listing = enumerate_states(network, weights)
    marginal = Exact("marginal").solve(network, weights)
    best = Exact("map").solve(network, weights)
    if not listing.feasible:
        assert marginal.status == best.status == Status.INFEASIBLE
        return
    np.testing.assert_allclose(marginal.values, listing.marginals, atol=1e-12)
    assert marginal.diagnostics["log_z"] == pytest.approx(listing.log_z)
    assert best.status == Status.OPTIMAL
    assert best.hard_violation == 0
    assert energy(network, weights, best.values) == pytest.approx(listing.least_energy)
