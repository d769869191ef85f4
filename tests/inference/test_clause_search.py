"""MaxSAT and toulbar2 against enumeration, their limits, and what they say where their packages are missing."""

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

PACKAGES = {"rc2": "pysat", "toulbar2": "pytoulbar2"}


@pytest.fixture(params=PACKAGES)
def engine(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(PACKAGES[request.param])
    return str(request.param)


@pytest.mark.parametrize("seed", range(40))
def test_it_proves_the_least_energy(engine: str, seed: int) -> None:
    network, weights = random_mln(seed, satisfiable=seed % 4 > 0)
    listing = enumerate_states(network, weights)
    solution = make_engine(engine, "map").solve(network, weights)
    if not listing.feasible:
        assert solution.status == Status.INFEASIBLE
        return
    assert solution.status == Status.OPTIMAL
    assert solution.energy == pytest.approx(listing.least_energy + energy_offset(network, weights), abs=1e-6)
    assert solution.hard_violation == 0.0


def test_hard_rows_alone_are_satisfied(engine: str) -> None:
    network = network_from_clauses(3, [[1, 2], [-1, -2], [-1, 3]], [-1, -1, -1], n_templates=1)
    solution = make_engine(engine, "map").solve(network, np.ones(1))
    assert solution.status == Status.OPTIMAL
    assert solution.energy == 0.0


def test_a_spent_deadline_leaves_a_state_and_a_bound(engine: str) -> None:
    network, weights = random_mln(3, n_atoms=60, n_rows=260, satisfiable=True)
    solution = make_engine(engine, "map").solve(network, weights, deadline=monotonic() - 1.0)
    assert solution.status == Status.LIMIT
    assert solution.bound <= solution.energy


@pytest.mark.parametrize(
    ("engine", "package", "extra"), [("rc2", "python-sat", "maxsat"), ("toulbar2", "pytoulbar2", "toulbar2")]
)
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, engine: str, package: str, extra: str
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=package) as raised:
        make_engine(engine, "map")
    assert f"relational-workbench[{extra}]" in str(raised.value)
    assert raised.value.exit_code == 1
