"""MaxWalkSAT against enumeration, and its manners."""

from __future__ import annotations

import time
from threading import Event

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_hinge_network, random_mln
from workbench.inference.maxwalksat import MaxWalkSAT
from workbench.inference.solution import Status
from workbench.network import energy, network_from_clauses, reported_energy
from workbench.progress import Progress


@pytest.mark.parametrize("seed", range(40))
def test_finds_the_optimum_of_small_networks(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=9, satisfiable=True)
    listing = enumerate_states(network, weights)
    solution = MaxWalkSAT(flips=20_000, tries=20).solve(network, weights, seed=seed)
    assert solution.hard_violation == 0
    assert energy(network, weights, solution.values) == pytest.approx(
        listing.least_energy, abs=1e-9
    )
    assert solution.bound <= solution.energy + 1e-9
    assert solution.energy == pytest.approx(reported_energy(network, weights, solution.values))


@pytest.mark.parametrize("seed", range(10))
def test_rows_that_are_no_clauses(seed: int) -> None:
    network, weights = random_hinge_network(seed, hard=0.0, blocks=seed % 2 == 0)
    listing = enumerate_states(network, weights)
    solution = MaxWalkSAT(flips=20_000, tries=20).solve(network, weights, seed=seed)
    assert energy(network, weights, solution.values) == pytest.approx(
        listing.least_energy, abs=1e-9
    )


def test_a_contradiction_is_named() -> None:
    network = network_from_clauses(3, [[1], [-1, 2], [-2], [3]], [-1, -1, -1, -1], n_templates=0)
    solution = MaxWalkSAT().solve(network, np.zeros(0))
    assert solution.status == Status.INFEASIBLE
    assert solution.conflict is not None
    assert solution.conflict.tolist() == [0, 1, 2]


def test_same_seed_same_state_and_start_is_never_lost() -> None:
    network, weights = random_mln(3, n_atoms=40, n_rows=160)
    first = MaxWalkSAT(flips=500).solve(network, weights, seed=5)
    again = MaxWalkSAT(flips=500).solve(network, weights, seed=5)
    np.testing.assert_array_equal(first.values, again.values)
    good = MaxWalkSAT(flips=100_000).solve(network, weights, seed=1)
    kept = MaxWalkSAT(flips=1).solve(network, weights, seed=2, start=good.values)
    assert kept.energy <= good.energy + 1e-9


def test_deadline_and_cancel_give_the_best_state_so_far() -> None:
    network, weights = random_mln(3, n_atoms=40, n_rows=160)
    late = MaxWalkSAT().solve(network, weights, deadline=time.monotonic())
    assert late.status == Status.LIMIT
    event = Event()
    event.set()
    cancelled = MaxWalkSAT().solve(network, weights, progress=Progress(cancel_event=event))
    assert cancelled.status == Status.CANCELLED
    assert np.isin(cancelled.values, (0, 1)).all()


def test_nothing_unsatisfied_is_optimal() -> None:
    network = network_from_clauses(3, [[1, 2], [-2, 3], [-3]], [0, 1, 2])
    solution = MaxWalkSAT().solve(network, np.array([1.0, 2.0, 0.5]))
    assert solution.status == Status.OPTIMAL
    assert solution.energy == solution.bound == 0
