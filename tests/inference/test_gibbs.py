"""Gibbs sampling against enumeration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_hinge_network, random_mln
from workbench.inference.chain_record import Record
from workbench.inference.gibbs import Gibbs
from workbench.inference.gibbs_kernels import row_values, true_members
from workbench.inference.mcsat import MCSAT
from workbench.inference.sampling import answer
from workbench.inference.solution import Status
from workbench.network.layout import lay_out
from workbench.verbs.common import as_json


@pytest.mark.parametrize("seed", range(8))
def test_marginals_of_soft_networks_with_blocks(seed: int) -> None:
    make = random_mln if seed % 2 else random_hinge_network
    network, weights = make(seed, n_atoms=8, hard=0.0)
    weights = weights * 0.5
    solution = Gibbs(samples=8000).solve(network, weights, seed=seed)
    expected = enumerate_states(network, weights).marginals
    assert solution.status == Status.CONVERGED
    np.testing.assert_allclose(solution.values, expected, atol=0.03)
    np.testing.assert_allclose(
        np.asarray(solution.diagnostics["raw_probability"]), expected, atol=0.05
    )


def test_same_seed_same_answer_and_start_from_map() -> None:
    network, weights = random_mln(2, n_atoms=12, n_rows=20)
    first = Gibbs(samples=200, from_map=True).solve(network, weights, seed=3)
    again = Gibbs(samples=200, from_map=True).solve(network, weights, seed=3)
    np.testing.assert_array_equal(first.values, again.values)
    assert first.hard_violation == 0


@pytest.mark.parametrize("engine", [Gibbs(samples=200), MCSAT(samples=200)])
def test_the_number_of_threads_changes_nothing(
    engine: Gibbs | MCSAT, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, weights = random_mln(2, n_atoms=12, n_rows=20)
    several = engine.solve(network, weights, seed=3)
    monkeypatch.setattr("workbench.inference.chains.os.cpu_count", lambda: 1)
    one = engine.solve(network, weights, seed=3)
    np.testing.assert_array_equal(several.values, one.values)
    np.testing.assert_equal(several.diagnostics, one.diagnostics)


def test_a_large_r_hat_of_a_precise_figure_is_no_disagreement() -> None:
    n = 3
    precise = Record(
        np.full(n, 1e-4),
        np.full(n, 1e-4),
        1000,
        np.full(n, 50.0),
        np.full(n, 1e-5),
        np.full(n, 1.4),
        "",
    )
    assert answer(precise, "gibbs", 4, 1000).status == Status.CONVERGED
    apart = replace(precise, error=np.array([1e-5, 0.3, 1e-5]))
    solution = answer(apart, "gibbs", 4, 1000)
    assert solution.status == Status.FEASIBLE
    assert "1 of 3 atoms" in solution.reason


def test_chains_that_stand_still_apart_are_counted_for_forms_without_infinity() -> None:
    still = Record(
        np.ones(3), np.ones(3), 1000, np.ones(3), np.zeros(3), np.array([1.0, np.inf, np.inf]), ""
    )
    figures = still.diagnostics()
    assert (figures["r_hat"], figures["r_hat_infinite"]) == (np.inf, 2)
    assert (as_json(figures)["r_hat"], as_json(figures)["r_hat_infinite"]) == (None, 2)


@pytest.mark.parametrize("blocks", [True, False])
def test_chains_start_at_the_values_of_rows_and_the_true_members_of_blocks(blocks: bool) -> None:
    network, weights = random_mln(5, n_atoms=12, n_rows=20, blocks=blocks)
    layout = lay_out(network, weights, clauses=True)
    y = (np.arange(12) % 3 == 0).astype(np.int8)
    known, state = layout.row_id >= 0, layout.lift(y)
    expected = network.b + network.A @ state
    np.testing.assert_allclose(row_values(layout, y)[known], expected[layout.row_id[known]])
    true = true_members(layout, y)
    assert (true is not None) == blocks  # without any, kernels are compiled for none
    for block, member in enumerate(true if true is not None else ()):
        members = layout.block_atom[layout.block_ptr[block] : layout.block_ptr[block + 1]]
        assert member in members[y[members] == 1] if y[members].any() else member == -1
