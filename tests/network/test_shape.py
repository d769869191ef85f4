"""Components, layout, propagation, storage, growth and explanation of networks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_hinge_network, random_mln, random_state
from workbench.inference.propagation import propagate
from workbench.network import (
    BlockKind,
    GroundNetwork,
    Relation,
    Rows,
    blocks_from_members,
    components,
    energy,
    explain_atom,
    extend,
    network_from_clauses,
)
from workbench.network.layout import lay_out


def test_components_by_rows_and_blocks() -> None:
    blocks = blocks_from_members(7, [[5, 6]], BlockKind.AT_MOST_ONE)
    network = network_from_clauses(7, [[1, 4], [4, -2], [3], [6, -7]], [0, 0, 0, -1], blocks=blocks)
    parts = components(network)
    assert parts.of_atom.tolist() == [0, 0, 1, 0, 2, 3, 3]
    assert parts.of_row.tolist() == [0, 0, 3]
    assert parts.of_block.tolist() == [3]
    order, starts = parts.atoms()
    assert [order[starts[c] : starts[c + 1]].tolist() for c in range(parts.n)] == [
        [0, 1, 3],
        [2],
        [4],
        [5, 6],
    ]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("make", [random_mln, random_hinge_network])
def test_layout_holds_the_same_energy(seed: int, make: object) -> None:
    network, weights = make(seed)  # type: ignore[operator]
    layout = lay_out(network, weights)
    state = random_state(network, seed)
    own = layout.reduce(state)
    np.testing.assert_array_equal(layout.lift(own), state)
    by_row = csr_array(
        (layout.row_coefficient, layout.row_atom, layout.row_ptr),
        shape=(layout.n_rows, layout.n_atoms),
    )
    potential = np.maximum(layout.b + by_row @ own, 0.0)
    potential[layout.kind == 3] **= 2
    total = layout.weight @ potential - layout.field @ own + weights @ network.constant
    assert total == pytest.approx(energy(network, weights, state))
    by_atom = csr_array(
        (layout.atom_coefficient, layout.atom_row, layout.atom_ptr),
        shape=(layout.n_atoms, layout.n_rows),
    )
    assert (by_row != by_atom.T).nnz == 0


def test_clauses_are_told_from_other_rows() -> None:
    assert random_mln(1)[0].clausal.all()
    assert not random_hinge_network(1)[0].clausal.all()


@pytest.mark.parametrize("seed", range(30))
def test_propagation_is_sound(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=7, hard=0.6, satisfiable=seed % 3 > 0)
    listing = enumerate_states(network, weights)
    for clauses in (False, True):
        layout = lay_out(network, weights, clauses=clauses)
        forced = propagate(layout, network)
        if not listing.feasible:
            continue
        assert forced.feasible
        legal = layout.reduce(listing.states[np.isfinite(listing.energy)])
        for atom, value in enumerate(forced.fixed):
            assert value < 0 or np.all(legal[:, atom] == value)


def test_propagation_names_a_small_conflict() -> None:
    clauses = [[-1, 2], [-2, 3], [-3, -4], [1], [4], [5, 6], [-5, 7]]
    network = network_from_clauses(7, clauses, [-1] * 7, n_templates=0)
    forced = propagate(lay_out(network, np.zeros(0)), network)
    assert forced.conflict is not None
    assert forced.conflict.tolist() == [0, 1, 2, 3, 4]


def same(left: GroundNetwork, right: GroundNetwork) -> None:
    for name in ("A", "unit"):
        assert (getattr(left, name) != getattr(right, name)).nnz == 0
        assert getattr(left, name).dtype == getattr(right, name).dtype
    for name in (
        "b",
        "template",
        "relation",
        "power",
        "constant",
        "groundings",
        "world",
        "unit_scale",
    ):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))
    assert (left.scale is None) == (right.scale is None)
    assert (left.blocks.members != right.blocks.members).nnz == 0


def test_a_network_grows_at_its_end() -> None:
    clauses, template = [[1, 2], [-2, 3], [1, -3], [2, 3]], [0, 1, -1, 1]
    whole = network_from_clauses(3, clauses, template)
    part = network_from_clauses(3, clauses[:1], template[:1], n_templates=2)
    later = network_from_clauses(3, clauses[1:], template[1:])
    grown = extend(part, Rows(later.A, later.b, later.template, later.relation))
    assert grown.n_rows == whole.n_rows
    assert grown.groundings[:, 0].tolist() == whole.groundings[:, 0].tolist()
    weights = np.array([1.0, -0.5])
    for state in enumerate_states(whole, weights).states:
        assert energy(grown, weights, state) == pytest.approx(energy(whole, weights, state))
    scaled = extend(part, Rows(later.A, later.b, later.template, later.relation, np.full(3, 2.0)))
    assert scaled.scale is not None
    assert scaled.scale.tolist() == [1, 2, 2, 2]
    assert scaled.relation.tolist().count(Relation.AT_MOST) == 1


@pytest.mark.parametrize("seed", range(8))
def test_explanations_sum_to_the_energy_difference(seed: int) -> None:
    network, weights = random_mln(seed, hard=0.0, blocks=False)
    state = random_state(network, seed)
    for atom in range(network.n_atoms):
        false, true = state.copy(), state.copy()
        false[atom], true[atom] = 0.0, 1.0
        parts = explain_atom(network, weights, state, atom)
        assert parts.log_odds == pytest.approx(
            energy(network, weights, false) - energy(network, weights, true)
        )


@pytest.mark.parametrize("seed", range(8))
def test_pressures_are_the_slope_of_the_energy(seed: int) -> None:
    network, weights = random_hinge_network(seed, hard=0.0, blocks=False)
    state = random_state(network, seed)
    step = 1e-7
    for atom in range(network.n_atoms):
        up, down = state.copy(), state.copy()
        up[atom] += step
        down[atom] -= step
        slope = (energy(network, weights, up) - energy(network, weights, down)) / (2 * step)
        assert explain_atom(network, weights, state, atom).log_odds == pytest.approx(
            -slope, abs=1e-5
        )
