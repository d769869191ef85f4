"""Gibbs sampling against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_hinge_network, random_mln
from workbench.inference.gibbs import Gibbs
from workbench.inference.solution import Status


@pytest.mark.parametrize("seed", range(8))
def test_marginals_of_soft_networks_with_blocks(seed: int) -> None:
    make = random_mln if seed % 2 else random_hinge_network
    network, weights = make(seed, n_atoms=8, hard=0.0)
    weights = weights * 0.5
    solution = Gibbs(samples=8000).solve(network, weights, seed=seed)
    expected = enumerate_states(network, weights).marginals
    assert solution.status == Status.CONVERGED
    np.testing.assert_allclose(solution.values, expected, atol=0.03)
    np.testing.assert_allclose(np.asarray(solution.diagnostics["raw_probability"]), expected, atol=0.05)


def test_same_seed_same_answer_and_start_from_map() -> None:
    network, weights = random_mln(2, n_atoms=12, n_rows=20)
    first = Gibbs(samples=200, from_map=True).solve(network, weights, seed=3)
    again = Gibbs(samples=200, from_map=True).solve(network, weights, seed=3)
    np.testing.assert_array_equal(first.values, again.values)
    assert first.hard_violation == 0
