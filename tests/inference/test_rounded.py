"""Convex engines on Markov logic: the relaxation's bound,
and a rounded state that is never below it.
"""

from __future__ import annotations

import pytest

from tests.oracles.random_networks import random_mln
from workbench.inference import make_engine
from workbench.inference.rounded import Rounded


@pytest.mark.parametrize("engine", ["admm", "pdhg", "clarabel"])
def test_bound_is_the_relaxations_and_states_are_whole(engine: str) -> None:
    for seed in range(6):
        network, weights = random_mln(seed)
        found = Rounded(make_engine(engine)).solve(network, weights)
        relaxation = make_engine("lp").solve(network, weights)
        best = make_engine("ilp").solve(network, weights)
        assert set(found.values.tolist()) <= {0.0, 1.0}
        assert found.values.shape == (network.n_atoms,)
        assert found.bound <= best.energy + 1e-6
        assert found.bound == pytest.approx(min(relaxation.bound, found.energy), abs=2e-2)
        assert found.energy >= best.energy - 1e-6 or found.hard_violation > 0
