"""An answer that is said to be best still, beside all states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from tests.oracles.enumeration import enumerate_states
from workbench.network import GroundNetwork, energy, hard_violation, network_from_clauses
from workbench.network.settled import unsettled

N_ATOMS, N_TEMPLATES = 5, 4


def _network(clauses: list[tuple[list[int], int]], unit: np.ndarray) -> GroundNetwork:
    ordered = sorted(clauses, key=lambda one: one[1])
    made = network_from_clauses(
        N_ATOMS,
        [one for one, _ in ordered],
        [number for _, number in ordered],
        n_templates=N_TEMPLATES,
    )
    return replace(made, unit=csr_array(unit))


def test_what_is_called_settled_is_the_best_state_still() -> None:
    settled = 0
    for seed in range(800):
        rng = np.random.default_rng(seed)
        weights = rng.normal(size=N_TEMPLATES).round(1)
        parts = []
        for size in (5, 1, 1):
            clauses = []
            for _ in range(rng.integers(0, size + 1)):
                atoms = rng.choice(N_ATOMS, rng.integers(1, 3), replace=False) + 1
                clauses.append(
                    (
                        (atoms * rng.choice([-1, 1], atoms.size)).tolist(),
                        int(rng.integers(-1, N_TEMPLATES)),
                    )
                )
            unit = rng.integers(-1, 2, (N_ATOMS, N_TEMPLATES)) * (
                rng.random((N_ATOMS, N_TEMPLATES)) < 0.1
            )
            parts.append((clauses, unit.astype(np.float64)))
        (stays, unit), (comes, gain), (goes, loss) = parts
        before = _network([*stays, *goes], unit + loss)
        after = _network([*stays, *comes], unit + gain)
        found = enumerate_states(before, weights)
        if not found.feasible:
            continue
        came, went = _network(comes, gain), _network(goes, loss)
        moved = unsettled(came, went, weights, found.best_state)
        if moved.any():
            assert comes or goes or (gain != loss).any()
            continue
        settled += bool(comes or goes)
        assert hard_violation(after, found.best_state) == 0
        best = enumerate_states(after, weights).least_energy
        np.testing.assert_allclose(energy(after, weights, found.best_state), best, atol=1e-9)
    assert settled > 40
