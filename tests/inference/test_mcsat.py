"""MC-SAT against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_hinge_network, random_mln
from workbench.errors import UsageError
from workbench.inference.chains import legal_state, new_chain
from workbench.inference.mcsat import MCSAT, new_slice
from workbench.inference.mcsat_kernels import slice_step
from workbench.inference.propagation import propagate
from workbench.inference.solution import Status
from workbench.network import blocks_from_members, hard_violation, network_from_clauses
from workbench.network.ground_network import BlockKind
from workbench.network.layout import lay_out
from workbench.progress import Conduct


@pytest.mark.parametrize("seed", range(12))
def test_marginals_with_negative_weights_hard_clauses_and_blocks(seed: int) -> None:
    network, weights = random_mln(
        seed, n_atoms=9, n_rows=16, weight_size=0.6, scales=False, hard=0.2
    )
    expected = enumerate_states(network, weights).marginals
    solution = MCSAT(samples=4000).solve(network, weights, seed=seed)
    np.testing.assert_allclose(solution.values, expected, atol=0.04)
    np.testing.assert_allclose(
        np.asarray(solution.diagnostics["raw_probability"]), expected, atol=0.06
    )


@pytest.mark.parametrize("seed", range(6))
def test_no_sample_violates_a_hard_clause_or_block(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=25, n_rows=70, hard=0.5)
    layout = lay_out(network, weights, clauses=True)
    layout = layout._replace(fixed=propagate(layout, network).fixed)
    state = legal_state(network, weights, Conduct(seed), low=False)
    assert state is not None
    chain, work = new_chain(layout, state, seed, 0), new_slice(layout)
    for _ in range(200):
        slice_step(layout, work, chain.y, chain.ell, chain.block_true, chain.random, 500, 1)
        assert hard_violation(network, layout.lift(chain.y)) == 0


def test_overlapping_blocks_are_a_permutation() -> None:
    members = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8]]
    blocks = blocks_from_members(9, members, BlockKind.EXACTLY_ONE)
    network = network_from_clauses(9, [[1, 5], [9]], [0, 1], blocks=blocks)
    weights = np.array([1.0, 0.5])
    solution = MCSAT(samples=6000, search_steps=5000).solve(network, weights)
    np.testing.assert_allclose(
        np.asarray(solution.diagnostics["raw_probability"]),
        enumerate_states(network, weights).marginals,
        atol=0.04,
    )


def test_declines_rows_that_are_no_clauses() -> None:
    network, weights = random_hinge_network(1)
    with pytest.raises(UsageError, match="E0421"):
        MCSAT().solve(network, weights)


def test_contradiction_is_infeasible() -> None:
    network = network_from_clauses(2, [[1], [-1]], [-1, -1], n_templates=0)
    assert MCSAT().solve(network, np.zeros(0)).status == Status.INFEASIBLE


def test_same_seed_same_answer() -> None:
    network, weights = random_mln(4, n_atoms=20, n_rows=40)
    first = MCSAT(samples=100).solve(network, weights, seed=9)
    again = MCSAT(samples=100).solve(network, weights, seed=9)
    np.testing.assert_array_equal(first.values, again.values)
