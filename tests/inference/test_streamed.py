"""Passes over parts of the rows: the same problem, its bound holds,
whatever the parts and wherever they lie.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.inference.hinge_networks import WEIGHTS, hinge_network
from workbench.inference.cvxpy_engine import ConvexSolver
from workbench.inference.folding import fold
from workbench.inference.primal_dual import PrimalDual
from workbench.inference.row_parts import streamed_program
from workbench.inference.solution import Status
from workbench.inference.streamed import PassingPrimalDual, Streamed
from workbench.mapped import mapped, release
from workbench.network import distances, hard_violations
from workbench.network.relax import relax
from workbench.network.runs import row_runs

SHAPES = {
    "linear": {"squared": "linear"},
    "squared": {"squared": "squared"},
    "mixed, hard rows": {"hard": 6, "equal": 2},
    "squared, blocks": {"squared": "squared", "blocks": 8},
    "islands, blocks, hard rows": {"islands": 6, "hard": 5, "blocks": 3, "n_atoms": 42},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rows_at_once", [1, 7, 10**6])
def test_an_interior_point_method_agrees_within_the_gap(shape: str, rows_at_once: int) -> None:
    network = hinge_network(1, **SHAPES[shape])  # type: ignore[arg-type]
    exact = ConvexSolver("clarabel").solve(network, WEIGHTS)
    engine = Streamed(tolerance=1e-4, memory=0, rows_at_once=rows_at_once)
    answer = engine.solve(network, WEIGHTS)
    assert answer.status is Status.OPTIMAL
    slack = 1e-4 * abs(exact.energy) + 1e-6
    assert exact.energy - 1e-6 <= answer.energy <= exact.energy + slack
    assert exact.energy - slack <= answer.bound <= exact.energy + 1e-6
    assert answer.hard_violation <= 1e-6
    again = engine.solve(network, WEIGHTS)
    assert again.values.tobytes() == answer.values.tobytes(), "threads must not decide the bytes"


@pytest.mark.parametrize("shape", SHAPES)
def test_a_pass_is_the_iteration_that_memory_makes(shape: str) -> None:
    network = hinge_network(2, **SHAPES[shape])  # type: ignore[arg-type]
    program = streamed_program(network, WEIGHTS, rows_at_once=5)
    passing = PassingPrimalDual(program, max_iterations=60, check_every=20)
    whole = PrimalDual(fold(relax(network, WEIGHTS)), max_iterations=60, check_every=20)
    ours, theirs = passing.run(1e-12), whole.run(1e-4)
    assert ours.bound == pytest.approx(theirs.bound, rel=1e-3, abs=1e-3)
    np.testing.assert_allclose(passing.z.x, whole.z.x, atol=2e-3)


def test_time_that_is_up_ends_it_with_what_is_proven() -> None:
    network = hinge_network(3, squared="linear")
    answer = Streamed(tolerance=0.0, rows_at_once=3).solve(network, WEIGHTS, deadline=0.0)
    exact = ConvexSolver("clarabel").solve(network, WEIGHTS)
    assert answer.status is Status.LIMIT
    assert answer.bound <= exact.energy + 1e-6
    assert answer.energy >= exact.energy - 1e-6


def test_runs_of_rows_are_the_network() -> None:
    network = hinge_network(4, hard=6, equal=2)
    state = np.linspace(0.0, 1.0, network.n_atoms)
    runs = list(row_runs(network, 7))
    assert len(runs) == -(-network.n_rows // 7)
    assert all(np.shares_memory(run.A.data, network.A.data) for _, run in runs), (
        "no entry is copied"
    )
    joined = np.concatenate([run.b + run.A @ state for _, run in runs])
    np.testing.assert_array_equal(joined, network.b + network.A @ state)
    nothing = replace(network, unit=network.unit * 0.0, constant=network.constant * 0.0)
    parts = [replace(run, unit=nothing.unit, constant=nothing.constant) for _, run in runs]
    np.testing.assert_allclose(
        sum(distances(part, state) for part in parts), distances(nothing, state)
    )
    np.testing.assert_array_equal(
        np.concatenate([hard_violations(p, state) for p in parts]), hard_violations(network, state)
    )


def test_a_mapped_array_keeps_what_left_memory() -> None:
    numbers = mapped(10**6, np.int32)
    assert not numbers.any()
    numbers[:] = np.arange(10**6)
    release(numbers[5:10], np.zeros(3))
    matrix = csr_array((numbers[:4], numbers[:4], np.array([0, 4])), shape=(1, 4))
    assert numbers.sum() == 10**6 * (10**6 - 1) // 2
    assert matrix.sum() == 6
    assert mapped(0, np.int8).size == 0
