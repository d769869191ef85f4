"""The learners' Gibbs chain against enumeration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.inference.hinge_networks import WEIGHTS, hinge_network
from tests.learning.small_networks import distribution, network, random_network
from workbench.errors import Cancelled
from workbench.inference.admm import ADMM
from workbench.learning.chain import GibbsChain
from workbench.learning.unit_chain import UnitChain
from workbench.network import potentials
from workbench.network.ground_network import BlockKind, Blocks, GroundNetwork
from workbench.progress import Conduct, Progress


@pytest.mark.parametrize(("seed", "kind"), [(0, None), (1, None), (2, 0), (3, 1)])
def test_expectations_agree_with_enumeration(seed: int, kind: int | None) -> None:
    net = random_network(seed, hard=1)
    if kind is not None:
        members = np.zeros((1, net.n_atoms), np.int8)
        members[0, [0, 3, 4]] = 1
        net = replace(
            net, blocks=Blocks(csr_array(members), np.array([kind], np.int8), np.ones(1, np.int8))
        )
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
    net = replace(
        net, blocks=Blocks(csr_array(members), np.zeros(1, np.int8), np.zeros(1, np.int8))
    )
    samples = GibbsChain(net).run(np.ones(4), np.ones(7), sweeps=50, seed=2)
    assert not samples.state[:3].any()
    assert not samples.probability[:3].any()
    assert GibbsChain(network([], 0, 2)).run(
        np.ones(2), np.zeros(0), sweeps=2
    ).mean == pytest.approx(np.zeros(2))


@pytest.mark.parametrize(
    ("seed", "kinds"), [(3, {}), (3, {"hard": 2}), (5, {"blocks": 1}), (3, {"blocks": 1})]
)
def test_truth_values_agree_with_a_grid(seed: int, kinds: dict[str, int]) -> None:
    """Means and variances over three atoms against sums over a grid;
    a block that is one exactly loses a dimension.
    """
    net = hinge_network(seed, n_atoms=3, n_rows=8, **kinds)
    middle = np.arange(0.5, 60.0) / 60.0
    grid = np.stack(np.meshgrid(middle, middle, middle, indexing="ij"), axis=-1).reshape(-1, 3)
    if net.blocks.n_blocks and net.blocks.kind[0] == BlockKind.EXACTLY_ONE:
        grid = grid[(grid[:, 2] < 1 / 60) & (grid[:, 0] + grid[:, 1] < 1.0)]
        grid[:, 2] = 1.0 - grid[:, 0] - grid[:, 1]
    elif net.blocks.n_blocks:
        grid = grid[grid.sum(axis=1) <= 1.0]
    ell = grid @ net.A.toarray().T + net.b
    grid = grid[~((ell > 1e-9) & net.hard).any(axis=1)]
    phi = np.array([potentials(net, state) for state in grid[::3]])
    probability = np.exp(-phi @ WEIGHTS)
    probability /= probability.sum()
    start = ADMM(tolerance=1e-8).solve(net, WEIGHTS).values
    samples = UnitChain(net).run(WEIGHTS, start, sweeps=4000, burn_in=50, seed=1)
    assert samples.probability == pytest.approx(probability @ grid[::3], abs=0.03)
    assert samples.mean == pytest.approx(probability @ phi, abs=0.06)


@pytest.mark.parametrize(
    ("chain", "net"), [(GibbsChain, random_network(7)), (UnitChain, hinge_network(1))]
)
def test_sweeps_end_on_a_cancel_and_at_the_deadline(
    chain: type[GibbsChain | UnitChain], net: GroundNetwork
) -> None:
    cancelled = Progress()
    cancelled.cancel_event.set()
    weights, state = np.ones(net.n_templates), np.zeros(net.n_atoms)
    for conduct, status in [
        (Conduct(deadline=0.0), "limit"),
        (Conduct(progress=cancelled), "cancelled"),
    ]:
        with pytest.raises(Cancelled, match=status):
            chain(net, conduct).run(weights, state, sweeps=1)
