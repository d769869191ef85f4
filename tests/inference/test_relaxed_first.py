"""The relaxation first, then another engine: the least energy of enumeration, with a bound."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference import make_engine
from workbench.inference.exact import Exact
from workbench.inference.registry import with_parameters
from workbench.inference.relaxed_first import RelaxedFirst
from workbench.inference.solution import Solution, Status
from workbench.network import GroundNetwork, energy, network_from_clauses
from workbench.progress import Conduct, Progress


def pairs(seed: int) -> tuple[GroundNetwork, Float]:
    """12 atoms in three components of four: pairs that attract or repel, some of them hard."""
    rng = np.random.default_rng(seed)
    clauses, template = [], []
    for first in (1, 5, 9):
        for _ in range(7):
            a, b = rng.choice(4, 2, replace=False) + first
            clauses.append([int(a * rng.choice([-1, 1])), int(b * rng.choice([-1, 1]))])
            template.append(int(rng.integers(-1, 4)) if seed % 3 else int(rng.integers(0, 4)))
    units = [[atom] for atom in range(1, 13)]
    network = network_from_clauses(
        12, clauses + units, template + [4 + atom % 3 for atom in range(12)], n_templates=7
    )
    return network, np.append(rng.uniform(0.2, 2.0, 4), rng.normal(0.0, 0.6, 3))


@pytest.mark.parametrize("rest", ["exact", "cpi", "ilp"])
def test_the_least_energy_is_enumerations(rest: str) -> None:
    given, settled = 0, 0
    for seed in range(60):
        network, weights = pairs(seed)
        listing = enumerate_states(network, weights)
        found = RelaxedFirst(make_engine(rest, "map")).solve(network, weights)
        if not listing.feasible:
            assert found.status is Status.INFEASIBLE
            continue
        assert found.status is Status.OPTIMAL, found.reason
        assert found.hard_violation == 0
        assert energy(network, weights, found.values) == pytest.approx(listing.least_energy)
        assert found.bound <= found.energy
        assert found.bound == pytest.approx(found.energy)
        given += found.engine == rest
        settled += "settled 4" in found.reason or "settled 8" in found.reason
    assert given >= 10
    assert settled >= 5


@pytest.mark.parametrize("seed", range(6))
def test_what_is_no_pairs_goes_to_the_other_engine(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=8, n_rows=8, satisfiable=True)
    found = RelaxedFirst(make_engine("exact", "map")).solve(network, weights)
    least = enumerate_states(network, weights).least_energy
    assert energy(network, weights, found.values) == pytest.approx(least)


class _Stopped(Exact):
    """An engine that finds nothing before it is stopped."""

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        nothing = np.full(network.n_atoms, np.nan)
        return Solution(Status.CANCELLED, nothing, np.nan, -np.inf, np.nan, self.name)


def test_what_the_other_engine_does_not_find_is_rounded() -> None:
    for seed in range(0, 60, 3):
        network, weights = pairs(seed)
        found = RelaxedFirst(_Stopped("map")).solve(network, weights)
        assert np.isin(found.values, (0.0, 1.0)).all()
        assert -np.inf < found.bound <= found.energy


def test_a_time_limit_that_has_passed_and_a_cancel_are_said() -> None:
    network, weights = pairs(3)
    late = RelaxedFirst(Exact("map")).solve(network, weights, deadline=monotonic() - 1)
    assert late.status in (Status.LIMIT, Status.OPTIMAL)
    progress = Progress()
    progress.cancel_event.set()
    assert RelaxedFirst(Exact("map")).solve(network, weights, progress=progress).status is (
        Status.CANCELLED
    )


def test_parameters_are_the_other_engines() -> None:
    engine = RelaxedFirst(Exact("map"))
    limited = with_parameters(engine, {"width": 3})
    assert limited == replace(engine, engine=Exact("map", width=3))
    with pytest.raises(UsageError, match="no parameter flips"):
        with_parameters(engine, {"flips": 3})
