"""Cliques of pairs counted: the same objective at 0/1 atoms, never a smaller one between,
far fewer rows.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from workbench.inference.cliques import count_cliques
from workbench.inference.integer_program import IntegerProgram
from workbench.inference.linear_program import solve_highs
from workbench.inference.relaxation import solve_relaxation
from workbench.network import network_from_clauses
from workbench.network.relax import HingeProblem, relax


def rivals(seed: int) -> HingeProblem:
    """Overlapping groups of literals of either sign, of two weights,
    one pair listed by two rules.
    """
    rng = np.random.default_rng(seed)
    clauses, template = [], []
    for group in range(3):
        literals = (rng.choice(12, 6, replace=False) + 1) * rng.choice([-1, 1], 6)
        pairs = [[int(a), int(b)] for a, b in combinations(literals, 2)]
        clauses += pairs + pairs[:1]
        template += [group % 2] * len(pairs) + [2]
    clauses += [[atom + 1] for atom in range(12)]
    template += [3 + atom for atom in range(12)]
    network = network_from_clauses(12, clauses, template, n_templates=15)
    return relax(network, np.concatenate([[1.5, 0.7, 1.5], rng.normal(size=12)]))


@pytest.mark.parametrize("seed", range(10))
def test_the_objective_stays_at_every_state_and_rises_between(seed: int) -> None:
    problem = rivals(seed)
    counted = count_cliques(problem)
    assert counted.n > problem.n
    rng = np.random.default_rng(seed)
    for corner in rng.integers(0, 2, (200, 12)).astype(np.float64):
        x = counted.reduce(corner)
        assert counted.violation(x) <= 1e-9
        assert counted.energy(x) == pytest.approx(problem.energy(problem.reduce(corner)))
    assert (
        counted.energy(counted.reduce(np.full(12, 0.5))) >= problem.energy(np.full(12, 0.5)) - 1e-9
    )
    whole = solve_highs(problem, integer=True)
    assert (
        whole.bound + 1e-6 >= solve_highs(counted).bound >= solve_relaxation(problem).bound - 1e-6
    )
    assert solve_highs(counted, integer=True).bound == pytest.approx(whole.bound)


def test_a_complete_graph_is_one_clique() -> None:
    """Thirty of weight 1 that each gain 4.5: five true cost 10 and gain 22.5,
    and the relaxation says so.
    """
    n = 30
    clauses = [[-a, -b] for a, b in combinations(range(1, n + 1), 2)] + [
        [a] for a in range(1, n + 1)
    ]
    network = network_from_clauses(n, clauses, [0] * (n * (n - 1) // 2) + [1] * n, n_templates=2)
    weights = np.array([1.0, 4.5])
    problem = relax(network, weights)
    counted = count_cliques(problem)
    assert (counted.n_hinges, counted.n_rows) == (n - 1, n)
    assert solve_highs(counted).bound == pytest.approx(4.5 * n - 22.5 + 10.0)
    found = IntegerProgram().solve(network, weights)
    assert found.energy == pytest.approx(found.bound)
    assert found.values.sum() == 5
