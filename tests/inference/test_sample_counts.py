"""Sampled counts against their exact means and covariances."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from tests.oracles.enumeration import expected_counts
from tests.oracles.random_networks import random_mln
from workbench.errors import InfeasibleError
from workbench.inference.sample_counts import sample_counts
from workbench.network import network_from_clauses


@pytest.mark.parametrize("method", ["mcsat", "gibbs"])
def test_means_variances_and_products(method: Literal["mcsat", "gibbs"]) -> None:
    network, weights = random_mln(5, n_atoms=8, hard=0.0, scales=False, weight_size=0.5)
    mean, covariance = expected_counts(network, weights)
    first = sample_counts(network, weights, method=method, samples=2000, chains=2, seed=1)
    drawn = sample_counts(network, weights, method=method, samples=2000, chains=2, seed=2, states=first.states)
    np.testing.assert_allclose(drawn.mean, mean, atol=0.1)
    np.testing.assert_allclose(drawn.variance, np.diag(covariance), atol=0.15)
    direction = np.array([1.0, -1.0, 0.5, 0.0, 2.0])
    np.testing.assert_allclose(drawn.covariance_product(direction), covariance @ direction, atol=0.3)


def test_a_contradiction_is_an_error() -> None:
    network = network_from_clauses(1, [[1], [-1]], [-1, -1], n_templates=0)
    with pytest.raises(InfeasibleError, match="E0401"):
        sample_counts(network, np.zeros(0))
