"""The MaxSAT engine against enumeration, its limits, and what it says where python-sat is missing."""

from __future__ import annotations

from time import monotonic

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.errors import InputError
from workbench.inference import make_engine, registry
from workbench.inference.solution import Status
from workbench.network import network_from_clauses
from workbench.network.energy import energy_offset


@pytest.mark.parametrize("seed", range(40))
def test_it_proves_the_least_energy(seed: int) -> None:
    pytest.importorskip("pysat")
    network, weights = random_mln(seed, satisfiable=seed % 4 > 0)
    listing = enumerate_states(network, weights)
    solution = make_engine("rc2", "map").solve(network, weights)
    if not listing.feasible:
        assert solution.status == Status.INFEASIBLE
        return
    assert solution.status == Status.OPTIMAL
    assert solution.energy == pytest.approx(listing.least_energy + energy_offset(network, weights), abs=1e-6)
    assert solution.hard_violation == 0.0


def test_hard_rows_alone_are_satisfied() -> None:
    pytest.importorskip("pysat")
    network = network_from_clauses(3, [[1, 2], [-1, -2], [-1, 3]], [-1, -1, -1], n_templates=1)
    solution = make_engine("rc2", "map").solve(network, np.ones(1))
    assert solution.status == Status.OPTIMAL
    assert solution.energy == 0.0


def test_a_spent_deadline_leaves_a_state_and_a_bound() -> None:
    pytest.importorskip("pysat")
    network, weights = random_mln(3, n_atoms=60, n_rows=260, satisfiable=True)
    solution = make_engine("rc2", "map").solve(network, weights, deadline=monotonic() - 1.0)
    assert solution.status == Status.LIMIT
    assert solution.bound <= solution.energy


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="python-sat") as raised:
        make_engine("rc2", "map")
    assert "relational-workbench[maxsat]" in str(raised.value)
    assert raised.value.exit_code == 1
