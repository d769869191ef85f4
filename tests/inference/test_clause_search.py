"""MaxSAT and toulbar2 against enumeration, their limits,
and what they say where their packages are missing.
"""

from __future__ import annotations

from time import monotonic

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.errors import InputError
from workbench.inference import make_engine, registry
from workbench.inference.accepts import RELAXABLE, Accepts
from workbench.inference.clause_search import ClauseProblem, ClauseSearch, Found
from workbench.inference.solution import Status
from workbench.network import Domain, network_from_clauses
from workbench.network.energy import energy_offset
from workbench.progress import Conduct

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
    assert solution.energy == pytest.approx(
        listing.least_energy + energy_offset(network, weights), abs=1e-6
    )
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


def test_hard_rows_without_a_state_are_proven_in_time(engine: str) -> None:
    network = network_from_clauses(
        3, [[1, 2], [-1, 2], [1, -2], [-1, -2], [3]], [-1, -1, -1, -1, 0], n_templates=1
    )
    solution = make_engine(engine, "map").solve(network, np.ones(1), deadline=monotonic() + 30.0)
    assert solution.status == Status.INFEASIBLE


@pytest.mark.parametrize(("bound", "status"), [(0, Status.LIMIT), (1, Status.OPTIMAL)])
def test_what_a_search_found_in_time_is_kept_and_proven_by_its_bound_alone(
    bound: int, status: Status
) -> None:
    clauses = [[1], [-1, 2], [-2, 3], [-3, -1]]
    network = network_from_clauses(3, clauses, [0, 0, 0, 0], n_templates=1)
    weights = np.ones(1)
    least = enumerate_states(network, weights).least_energy + energy_offset(network, weights)

    class Interrupted(ClauseSearch):
        name = "search"
        accepts = Accepts({Domain.BOOLEAN: RELAXABLE})
        resolution = 1e-10

        def search(self, problem: ClauseProblem, whole: list[int], conduct: Conduct) -> Found:
            best = np.array([1.0, 1.0, 1.0])
            return best[problem.atoms], bound * max(whole), True

    answer = Interrupted().infer(network, weights, Conduct())
    assert answer.status == status
    assert answer.energy == pytest.approx(least)
    assert answer.bound <= least + 1e-9


@pytest.mark.parametrize(
    ("engine", "package", "extra"),
    [("rc2", "python-sat", "maxsat"), ("toulbar2", "pytoulbar2", "toulbar2")],
)
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, engine: str, package: str, extra: str
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=package) as raised:
        make_engine(engine, "map")
    assert f"relational-workbench[{extra}]" in str(raised.value)
    assert raised.value.exit_code == 1
