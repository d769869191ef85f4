"""The learners' Gibbs chain against enumeration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.learning.small_networks import distribution, network, random_network
from workbench.learning.chain import GibbsChain
from workbench.network import potentials
from workbench.network.ground_network import Blocks


@pytest.mark.parametrize(("seed", "kind"), [(0, None), (1, None), (2, 0), (3, 1)])
def test_expectations_agree_with_enumeration(seed: int, kind: int | None) -> None:
    net = random_network(seed, hard=1)
    if kind is not None:
        members = np.zeros((1, net.n_atoms), np.int8)
        members[0, [0, 3, 4]] = 1
        net = replace(net, blocks=Blocks(csr_array(members), np.array([kind], np.int8), np.ones(1, np.int8)))
    weights = np.random.default_rng(seed).normal(size=4) * 0.6
    legal, probability, phi = distribution(net, weights)
    samples = GibbsChain(net).run(weights, legal[0], sweeps=20_000, burn_in=100, seed=1)
    assert samples.probability == pytest.approx(probability @ legal, abs=0.02)
    assert samples.mean == pytest.approx(probability @ phi, abs=0.1)
    covariance = (phi.T * probability) @ phi - np.outer(probability @ phi, probability @ phi)
    direction = np.ones(4)
    assert samples.covariance_product(direction) == pytest.approx(covariance @ direction, abs=0.25)


def test_counts_are_those_of_the_state() -> None:
    net = random_network(7)
    samples = GibbsChain(net).run(np.ones(4), np.zeros(7), sweeps=5, seed=2)
    assert samples.potentials[-1] == pytest.approx(potentials(net, samples.state))


def test_full_blocks_stay_false_and_empty_networks_run() -> None:
    net = random_network(7)
    members = np.zeros((1, net.n_atoms), np.int8)
    members[0, :3] = 1
    net = replace(net, blocks=Blocks(csr_array(members), np.zeros(1, np.int8), np.zeros(1, np.int8)))
    samples = GibbsChain(net).run(np.ones(4), np.ones(7), sweeps=50, seed=2)
    assert not samples.state[:3].any()
    assert not samples.probability[:3].any()
    assert GibbsChain(network([], 0, 2)).run(np.ones(2), np.zeros(0), sweeps=2).mean == pytest.approx(np.zeros(2))
