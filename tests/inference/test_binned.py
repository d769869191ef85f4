"""Networks in bins smaller than they are: the answers and bounds of the whole."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.errors import UsageError
from workbench.inference.binned import Binned
from workbench.inference.registry import make_engine
from workbench.inference.solution import Status
from workbench.mapped import network_bytes
from workbench.network import energy_offset, hard_violation, network_from_clauses, reported_energy
from workbench.network.bins import binned
from workbench.network.ground_network import GroundNetwork
from workbench.network.part import Pieces
from workbench.progress import BestSoFar, Conduct

SMALL = int(network_bytes(20, 50, 12))


def whole(seed: int) -> tuple[GroundNetwork, np.ndarray]:
    """Sparse enough for several components; units, blocks, hard rows, weights of either sign."""
    return random_mln(seed, n_atoms=12, n_rows=9, max_width=3)


def least_reported(network: GroundNetwork, weights: np.ndarray) -> float:
    """By enumeration."""
    return enumerate_states(network, weights).least_energy + energy_offset(network, weights)


@pytest.mark.parametrize("seed", range(40))
def test_bins_hold_every_row_once_and_join_nothing(seed: int) -> None:
    network, weights = whole(seed)
    bins = binned(network, weights, 1)
    counted = (network.effective_weights(weights) != 0) | network.hard
    assert sorted(bins.row_order) == np.flatnonzero(counted).tolist()
    for number in range(bins.n):
        rows = bins.rows(number)
        assert np.all(np.diff(rows) > 0)
        assert set(network.A[rows].indices) <= set(bins.atoms(number))
    for row in network.blocks.members.toarray() > 0:
        assert np.unique(bins.of_atom[row]).size == 1


@pytest.mark.parametrize("seed", range(40))
def test_a_pieces_energies_differ_from_the_wholes_by_a_constant(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=8, n_rows=20)
    rng = np.random.default_rng(seed)
    inside = np.sort(rng.choice(8, 4, replace=False))
    pieces = Pieces(network, weights)
    state = (rng.random(8) < 0.5).astype(float)
    touching = np.flatnonzero(
        np.bincount(network.A[:, inside].tocoo().coords[0], minlength=network.n_rows)
    )
    piece = pieces.piece(inside, touching, state)
    differences, broken = [], []
    for _ in range(10):
        state[inside] = rng.random(4) < 0.5
        own = piece.reduce(state)
        here, there = (
            reported_energy(piece.problem, pieces.weights, own),
            reported_energy(network, weights, state),
        )
        differences.append(there - here)
        broken.append(hard_violation(network, state) - hard_violation(piece.problem, own))
    assert differences == pytest.approx([differences[0]] * 10)
    assert len(set(broken)) == 1


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("engine", ["auto", "ilp", "maxwalksat"])
def test_bins_find_what_the_whole_has(seed: int, engine: str) -> None:
    network, weights = whole(seed)
    found = Binned(engine, SMALL, "map").solve(network, weights)
    least = least_reported(network, weights)
    assert found.energy == pytest.approx(reported_energy(network, weights, found.values))
    assert found.bound <= least + 1e-7
    assert found.hard_violation == 0
    if engine != "maxwalksat":
        assert found.status is Status.OPTIMAL
        assert found.energy == pytest.approx(least)


@pytest.mark.parametrize("seed", range(10))
def test_marginals_of_bins_are_the_wholes(seed: int) -> None:
    network, weights = whole(seed)
    found = Binned("auto", SMALL, "marginal").solve(network, weights)
    assert found.status is Status.EXACT
    assert found.values == pytest.approx(enumerate_states(network, weights).marginals)


@pytest.mark.parametrize("seed", range(30))
def test_a_component_larger_than_a_bin_is_searched_and_bounded(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=12, n_rows=40, hard=0.05)
    found = Binned("auto", int(network_bytes(10, 10, 4)), "map").solve(network, weights)
    least = least_reported(network, weights)
    assert found.diagnostics["blocks"]
    assert found.bound <= least + 1e-7
    if not found.hard_violation:
        assert (
            least - 1e-9
            <= found.energy
            == pytest.approx(reported_energy(network, weights, found.values))
        )
    with pytest.raises(UsageError, match="hang together"):
        Binned("auto", 1, "marginal").solve(network, weights)


def test_a_contradiction_is_named_by_rows_of_the_whole() -> None:
    network = network_from_clauses(3, [[1, 2], [3], [-3]], [0, -1, -1], n_templates=1)
    found = Binned("ilp", SMALL, "map").solve(network, np.ones(1))
    assert found.status is Status.INFEASIBLE
    assert found.conflict is not None
    assert set(found.conflict) == {1, 2}


def test_what_an_engine_declines_is_declined() -> None:
    network, weights = whole(0)
    squared = replace(network, power=np.full_like(network.power, 2))
    assert Binned("ilp", SMALL, "map").declines(squared, weights) == make_engine("ilp").declines(
        squared, weights
    )


@pytest.mark.parametrize("seed", range(5))
def test_what_is_left_before_its_end_has_a_bound(seed: int) -> None:
    network, weights = whole(seed)
    least = least_reported(network, weights)
    late = Binned("auto", SMALL).solve(network, weights, deadline=monotonic() - 1.0)
    assert late.status is Status.LIMIT
    assert 0.0 <= late.bound <= least + 1e-7
    conduct = Conduct(best=BestSoFar(network))
    found = Binned("auto", SMALL).infer(network, weights, conduct)
    assert conduct.best.answer is not None
    values, bound = conduct.best.answer()
    assert values.tolist() == found.values.tolist()
    assert bound == pytest.approx(found.bound)
