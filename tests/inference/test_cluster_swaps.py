"""Cluster swaps: against enumeration, and where chains cannot meet without them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.inference.test_chain_starts import topics
from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_block_grid, random_mln
from workbench.inference.chains import hard_price, legal_state, new_chain
from workbench.inference.cluster_kernels import cluster_sweep
from workbench.inference.mcsat import MCSAT
from workbench.inference.propagation import propagate
from workbench.inference.solution import Status
from workbench.network import (
    BlockKind,
    GroundNetwork,
    blocks_from_members,
    hard_violation,
    network_from_clauses,
)
from workbench.network.layout import lay_out
from workbench.progress import Conduct


def potts(users: int, topics: int, seed: int) -> GroundNetwork:
    """A ring of users who follow one another, one topic each, with some leanings of their own."""
    rng = np.random.default_rng(seed)
    atom = 1 + np.arange(users * topics).reshape(users, topics)
    clauses = [
        [-int(atom[u, t]), int(atom[(u + 1) % users, t])]
        for u in range(users)
        for t in range(topics)
    ]
    leanings = [[int(rng.choice(atom[u]))] for u in range(users)]
    blocks = blocks_from_members(atom.size, (atom - 1).tolist(), BlockKind.EXACTLY_ONE)
    template = [0] * len(clauses) + [1] * len(leanings)
    return network_from_clauses(
        atom.size, clauses + leanings, template, n_templates=2, blocks=blocks
    )


@pytest.mark.parametrize("seed", range(6))
def test_swaps_leave_the_distribution_as_it_is(seed: int) -> None:
    """Five swaps to every other draw: what they got wrong those could not hide."""
    if seed < 2:
        network, weights = potts(5, 3, seed), np.array([1.3, 0.6])
    elif seed < 4:
        network, weights = random_block_grid(seed)
    else:
        network, weights = random_mln(seed, n_atoms=9, n_rows=14, weight_size=1.5)
    layout = lay_out(network, weights)
    layout = layout._replace(fixed=propagate(layout, network).fixed)
    state = legal_state(network, weights, Conduct(seed))
    assert state is not None
    chain, price = new_chain(layout, state, seed, 0), hard_price(layout)
    seen, ignored = np.zeros(network.n_atoms), np.zeros(network.n_atoms)
    for _ in range(6000):
        for _ in range(5):
            cluster_sweep(
                layout, chain.cluster, price, chain.y, chain.ell, chain.block_true, chain.random
            )
        chain.redraw(layout, price, ignored)
        seen += layout.lift(chain.y)
    np.testing.assert_allclose(seen / 6000, enumerate_states(network, weights).marginals, atol=0.04)
    assert hard_violation(network, layout.lift(chain.y)) == 0


def test_chains_agree_on_circles_that_change_their_topic_as_one() -> None:
    found = MCSAT().solve(topics(), np.array([1.4, 0.5]), seed=1)
    assert found.status is Status.CONVERGED, found.reason
