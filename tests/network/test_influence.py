"""What an answer changes, against enumeration of all states."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import workbench.network.influence as influence
from workbench.network import GroundNetwork, conditional_probability, energy, expected_change
from workbench.workspace import open_workspace

FACTS = "P(thing)\nNext(thing, thing)\n"


def ground(rules: str, pairs: list[tuple[str, str]]) -> tuple[GroundNetwork, np.ndarray]:
    with open_workspace() as ws:
        ws.declare(FACTS)
        ws.data.add("\n".join(f"Next({one},{two})" for one, two in pairs))
        found = ws.ground(FACTS + rules, query="P")
        return found.network, found.templates.weight


def enumerated(network: GroundNetwork, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    states = np.array(list(product([0.0, 1.0], repeat=network.n_atoms)))
    odds = np.array([-energy(network, weights, state) for state in states])
    return states, np.exp(odds - np.logaddexp.reduce(odds))


@pytest.mark.parametrize("pairs", [[("A", "B")], [("A", "B"), ("C", "B"), ("D", "B")]])
def test_of_direct_neighbours_it_is_what_enumeration_says(pairs: list[tuple[str, str]]) -> None:
    network, weights = ground(
        "1.3 Next(x, y) ^ P(x) => P(y)\n-0.4 P(x)\n0.9 Next(x, y) ^ !P(x) => !P(y)\n", pairs
    )
    states, mass = enumerated(network, weights)
    p = mass @ states
    found = expected_change(network, weights, p, np.arange(network.n_atoms))
    joined = (abs(network.A).T @ abs(network.A)).toarray() > 0
    for atom in range(network.n_atoms):
        told = [
            mass[states[:, atom] == value] @ states[states[:, atom] == value] for value in (1, 0)
        ]
        after = [told[0] / p[atom], told[1] / (1 - p[atom])]
        near = joined[atom] | (np.arange(network.n_atoms) == atom)
        expected = (
            p[atom] * np.abs(after[0] - p)[near].sum()
            + (1 - p[atom]) * np.abs(after[1] - p)[near].sum()
        )
        assert found[atom] == pytest.approx(expected, rel=1e-9)
    assert found.max() > 2 * (p * (1 - p)).max()


def test_atoms_asked_together_in_runs_change_as_much_as_each_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = "ABCDEFG"
    network, weights = ground(
        "1.3 Next(x, y) ^ P(x) => P(y)\n-0.4 P(x)\n0.6 Next(x, y) ^ Next(y, z) => P(x) v P(z)\n",
        [(one, other) for one, other in product(names, names) if (ord(one) * ord(other)) % 3 == 0],
    )
    p = np.linspace(0.05, 0.95, network.n_atoms)
    atoms = np.array([4, 0, 6, 2, 5])
    alone = [expected_change(network, weights, p, atoms[at : at + 1])[0] for at in range(5)]
    for entries in (1, 7, 10_000):
        monkeypatch.setattr(influence, "AT_ONCE", entries)
        assert expected_change(network, weights, p, atoms) == pytest.approx(alone)
    assert expected_change(network, weights, p, atoms[:0]).shape == (0,)


def test_the_probability_given_all_else_is_that_of_two_states() -> None:
    network, weights = ground(
        "0.7 Next(x, y) ^ P(x) => P(y)\n-0.3 P(x)\n", [("A", "B"), ("B", "C"), ("C", "A")]
    )
    rng = np.random.default_rng(0)
    for _ in range(5):
        state = rng.integers(0, 2, network.n_atoms).astype(float)
        found = conditional_probability(network, weights, state)
        for atom in range(network.n_atoms):
            one, zero = state.copy(), state.copy()
            one[atom], zero[atom] = 1, 0
            gap = energy(network, weights, one) - energy(network, weights, zero)
            assert found[atom] == pytest.approx(1 / (1 + np.exp(gap)))
