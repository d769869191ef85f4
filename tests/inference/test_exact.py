"""The exact engine against enumeration of every state."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_hinge_network, random_mln
from workbench.errors import UsageError
from workbench.inference.exact import Exact
from workbench.inference.maxwalksat import MaxWalkSAT
from workbench.inference.solution import Status
from workbench.network import GroundNetwork, energy, network_from_clauses


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
    sums = Exact(sums_only=True).solve(network, weights)
    assert sums.diagnostics["log_z"] == pytest.approx(listing.log_z)
    assert best.status == Status.OPTIMAL
    assert best.hard_violation == 0
    assert energy(network, weights, best.values) == pytest.approx(listing.least_energy)


@pytest.mark.parametrize("seed", range(10))
def test_rows_that_are_no_clauses(seed: int) -> None:
    network, weights = random_hinge_network(seed, hard=0.0)
    listing = enumerate_states(network, weights)
    solution = Exact("marginal").solve(network, weights)
    np.testing.assert_allclose(solution.values, listing.marginals, atol=1e-10)
    assert solution.diagnostics["log_z"] == pytest.approx(listing.log_z)


def ladder(length: int) -> GroundNetwork:
    """Two rails with rungs and a unit clause at the first atom: width 2,
    far too many states to list.
    """
    clauses = [[-2 * i - 1 - k, 2 * i + 3 + k] for i in range(length - 1) for k in (0, 1)]
    clauses += [[2 * i + 1, -2 * i - 2] for i in range(length)]
    return network_from_clauses(
        2 * length, [*clauses, [1]], [0] * (2 * length - 2) + [1] * length + [2]
    )


def test_a_long_ladder_by_the_derivative_of_log_z() -> None:
    network, weights, step = ladder(150), np.array([0.8, -0.6, 0.3]), np.array([0.0, 0.0, 1e-4])
    solution = Exact("marginal").solve(network, weights)
    assert solution.status == Status.EXACT
    assert solution.diagnostics["width"] == 2
    log_z = [
        float(str(Exact().solve(network, weights + sign * step).diagnostics["log_z"]))
        for sign in (1, -1)
    ]
    # The unit clause is violated with probability 1 - p: d log Z / dw = p - 1.
    assert (log_z[0] - log_z[1]) / 2e-4 == pytest.approx(solution.values[0] - 1, abs=1e-6)


def test_map_of_a_ladder_is_no_worse_than_local_search() -> None:
    network, weights = ladder(60), np.array([0.8, -0.6, 0.3])
    best = Exact("map").solve(network, weights)
    assert best.energy <= MaxWalkSAT().solve(network, weights).energy + 1e-9


def test_declines_what_is_too_wide() -> None:
    network, weights = random_mln(0, n_atoms=40, n_rows=300)
    assert "induced width" in str(Exact(width=5).declines(network, weights))
    with pytest.raises(UsageError, match="E0421"):
        Exact(width=5).solve(network, weights)


def grid(height: int, width: int) -> GroundNetwork:
    """Atoms as a grid, numbered row by row; each pair of neighbours and each atom has a clause."""
    number = np.arange(1, height * width + 1).reshape(height, width)
    across = np.stack([number[:, :-1].ravel(), -number[:, 1:].ravel()], axis=1)
    down = np.stack([-number[:-1].ravel(), number[1:].ravel()], axis=1)
    clauses = [*across.tolist(), *down.tolist(), *number.reshape(-1, 1).tolist()]
    templates = np.repeat([0, 1, 2], [len(across), len(down), number.size])
    return network_from_clauses(number.size, clauses, templates.tolist())


def test_a_grid_is_eliminated_row_by_row() -> None:
    """The order of the narrowest next table alone is wider than the grid."""
    solution = Exact(width=12).solve(grid(12, 12), np.array([1.3, 0.7, -0.4]))
    assert solution.status == Status.EXACT
    assert solution.diagnostics["width"] == 12


def test_a_likeliest_state_keeps_only_its_choices() -> None:
    network, weights = grid(40, 6), np.array([1.3, 0.7, -0.4])
    memory = 2**13
    assert "table entries" in str(Exact(memory=memory).declines(network, weights))
    found = Exact("map", memory=memory).solve(network, weights)
    assert found.status == Status.OPTIMAL
    np.testing.assert_array_equal(found.values, Exact("map").solve(network, weights).values)


def test_a_partition_function_alone_keeps_no_tables() -> None:
    """By rows from the top, each state of a row a number: the transfer matrix."""
    network, weights = grid(40, 6), np.array([1.3, 0.7, -0.4])
    memory = 2**12
    assert "table entries" in str(Exact(memory=memory).declines(network, weights))
    found = Exact(memory=memory, sums_only=True).solve(network, weights)
    assert np.isnan(found.values).all()
    state = (np.arange(64)[:, None] >> np.arange(6)) & 1
    # A clause of two literals costs its weight where both are false.
    within = weights[0] * ((state[:, :-1] == 0) & (state[:, 1:] == 1)).sum(axis=1)
    alone = weights[2] * (state == 0).sum(axis=1)
    down = weights[1] * (state @ (1 - state.T))
    log_sum = -(within + alone)
    for _ in range(39):
        log_sum = np.logaddexp.reduce(log_sum[:, None] - down, axis=0) - within - alone
    expected = np.logaddexp.reduce(log_sum)
    assert found.diagnostics["log_z"] == pytest.approx(expected)


def test_closed_form_where_every_clause_has_one_atom() -> None:
    network = network_from_clauses(2, [[1], [-2], [2]], [0, 1, 1], scale=[1.0, 2.0, 0.5])
    solution = Exact("marginal").solve(network, np.array([0.7, 0.4]))
    np.testing.assert_allclose(solution.values, 1 / (1 + np.exp([-0.7, 0.6])))
    assert "closed form" in solution.reason


@pytest.mark.parametrize("seed", range(12))
def test_what_it_does_not_decline_it_solves(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=8, n_rows=9)
    for width in range(8):
        for memory in (8, 64, 2**20):
            engine = Exact("map", width=width, memory=memory)
            if engine.declines(network, weights) is None:
                assert engine.solve(network, weights).status in (Status.OPTIMAL, Status.INFEASIBLE)
            else:
                with pytest.raises(UsageError):
                    engine.solve(network, weights)


def test_marginals_that_there_was_no_time_for_are_unknown() -> None:
    network = network_from_clauses(3, [[1, 2], [3]], [0, 0])
    found = Exact("marginal").solve(network, np.ones(1), deadline=0.0)
    assert found.status == Status.LIMIT
    np.testing.assert_allclose(found.values, [np.nan, np.nan, 1 / (1 + np.exp(-1))])
