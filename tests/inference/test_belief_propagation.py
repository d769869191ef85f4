"""Belief propagation: exact on forests, close on weak loops."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.inference.belief_propagation import BeliefPropagation
from workbench.inference.solution import Status
from workbench.network import BlockKind, blocks_from_members, network_from_clauses


@pytest.mark.parametrize("seed", range(20))
def test_exact_on_forests(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=9, n_rows=13, tree=True)
    listing = enumerate_states(network, weights)
    solution = BeliefPropagation().solve(network, weights)
    if not listing.feasible:
        return
    np.testing.assert_allclose(solution.values, listing.marginals, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_close_on_weak_loops(seed: int) -> None:
    network, weights = random_mln(
        seed, n_atoms=9, n_rows=14, weight_size=0.3, scales=False, hard=0.0, blocks=False
    )
    solution = BeliefPropagation().solve(network, weights)
    assert solution.status in (Status.CONVERGED, Status.EXACT)
    np.testing.assert_allclose(
        solution.values, enumerate_states(network, weights).marginals, atol=0.03
    )


def test_damping_rises_until_messages_settle() -> None:
    network, weights = random_mln(0, n_atoms=12, n_rows=60, weight_size=4.0, hard=0.0, blocks=False)
    restless = BeliefPropagation(patience=10**9).solve(network, weights)
    settled = BeliefPropagation().solve(network, weights)
    assert restless.status == Status.LIMIT
    assert "would have changed" in restless.reason
    assert settled.status == Status.CONVERGED
    assert settled.diagnostics["damping"] > BeliefPropagation().damping


@pytest.mark.parametrize("kind", list(BlockKind))
def test_a_block_with_units_and_a_tail_is_a_tree(kind: BlockKind) -> None:
    blocks = blocks_from_members(5, [[0, 1, 2]], kind)
    network = network_from_clauses(
        5, [[1], [2], [-3, 4], [-4, -5], [5]], [0, 1, 2, -1, 3], blocks=blocks
    )
    weights = np.array([0.4, -0.8, 1.2, 0.3])
    solution = BeliefPropagation().solve(network, weights)
    assert solution.status == Status.EXACT
    np.testing.assert_allclose(
        solution.values, enumerate_states(network, weights).marginals, atol=1e-6
    )


@pytest.mark.parametrize("kind", list(BlockKind))
def test_forests_of_heavy_weights_are_exact(kind: BlockKind) -> None:
    blocks = blocks_from_members(6, [[2, 3, 4]], kind)
    clauses = [[1, 2], [-1], [-2], [3], [4], [-3, 6], [-6]]
    network = network_from_clauses(6, clauses, range(7), blocks=blocks)
    weights = np.array([600.0, 550.0, 560.0, 2000.0, 2100.0, 1300.0, 1301.0])
    solution = BeliefPropagation().solve(network, weights)
    assert solution.status == Status.EXACT
    np.testing.assert_allclose(
        solution.values, enumerate_states(network, weights).marginals, atol=1e-6
    )


def test_settled_messages_are_kept_where_no_legal_state_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = network_from_clauses(3, [[1, 2], [2, 3], [1, 3], [1]], [-1, -1, -1, 0])
    assert BeliefPropagation().solve(network, np.ones(1)).status == Status.CONVERGED
    monkeypatch.setattr("workbench.inference.belief_propagation.legal_state", lambda *_, **__: None)
    unproven = BeliefPropagation().solve(network, np.ones(1))
    assert unproven.status == Status.LIMIT
    assert "no state that keeps all hard rows" in unproven.reason
    assert not np.isnan(unproven.values).any()
