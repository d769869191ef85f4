"""Rows that count in place of rows alike: the same objective at 0/1 atoms, the same answers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.inference.aggregation import aggregate, alike
from workbench.inference.integer_program import IntegerProgram
from workbench.inference.solution import Status
from workbench.network import network_from_clauses
from workbench.network.energy import energy_offset
from workbench.network.relax import relax


def test_clauses_that_share_all_but_one_literal_become_one_row() -> None:
    shared = [[-1, -2, 3], [-1, -4, 3], [-1, -5, 3], [-1, 2]]
    network = network_from_clauses(5, shared, [0, 0, 0, 0], n_templates=1)
    problem = relax(network, np.ones(1))
    assert len(np.unique(alike(problem))) == 2
    merged = aggregate(problem)
    assert merged.n_hinges == 2
    counting = merged.A[[0]].toarray().ravel()
    assert sorted(counting.tolist()) == [-3.0, 1.0, 1.0, 1.0, 3.0]
    two_weights = network_from_clauses(5, shared, [0, 1, 0, 0], n_templates=2)
    assert len(np.unique(alike(relax(two_weights, np.array([1.0, 2.0]))))) == 3


@pytest.mark.parametrize("seed", range(20))
def test_the_integer_program_answers_the_same(seed: int) -> None:
    network, weights = random_mln(seed, n_rows=40, satisfiable=True)
    solution = IntegerProgram(aggregate="always").solve(network, weights)
    least = enumerate_states(network, weights).least_energy + energy_offset(network, weights)
    assert solution.status == Status.OPTIMAL
    assert solution.energy == pytest.approx(least, abs=1e-6)
