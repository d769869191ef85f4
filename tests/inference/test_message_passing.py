"""Messages between tables: against enumeration, on models of several states a variable."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from workbench.inference import make_engine
from workbench.inference.choose import choose
from workbench.inference.solution import Solution, Status
from workbench.interchange import FactorModel, GroundModel, ground_factors
from workbench.interchange.factors import FactorGroup
from workbench.network.energy import energy_offset


def random_model(
    seed: int, states: list[int], scopes: list[tuple[int, ...]], forbidden: float = 0.0
) -> FactorModel:
    """Normal logs for every table, and so large a share of forbidden combinations."""
    rng = np.random.default_rng(seed)
    groups = []
    for scope in [*((one,) for one in range(len(states))), *scopes]:
        logs = rng.normal(size=(1, *(states[one] for one in scope)))
        if len(scope) > 1:
            logs[rng.random(logs.shape) < forbidden] = -np.inf
        groups.append(FactorGroup(np.array([scope]), logs))
    return FactorModel(np.array(states), tuple(groups))


def grid(n: int) -> list[tuple[int, ...]]:
    """The pairs of a square grid."""
    return [
        (a, b) for a, b in product(range(n * n), repeat=2) if (b == a + 1 and b % n) or b == a + n
    ]


def best_of(model: FactorModel) -> float:
    """The log of the likeliest state, by looking at each."""
    return max(
        model.log_value(np.array(state)) for state in product(*map(range, model.states.tolist()))
    )


def log_bound(ground: GroundModel, solution: Solution) -> float:
    """What no state's log exceeds."""
    return energy_offset(ground.network, ground.weights) + ground.offset - solution.bound


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
def test_finds_and_proves_what_enumeration_finds(seed: int, forbidden: float) -> None:
    scopes = [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3, 4), (0, 2, 5), (4, 5)]
    model = random_model(seed, [3, 2, 4, 2, 3, 2], scopes, forbidden)
    ground = ground_factors(model)
    solution = make_engine("messages").solve(ground.network, ground.weights)
    best = best_of(model)
    if best == -np.inf:
        assert solution.status is Status.INFEASIBLE
        return
    assert solution.status is Status.OPTIMAL
    assert model.log_value(ground.chosen(solution.values)) == pytest.approx(best)
    assert log_bound(ground, solution) == pytest.approx(best)


def test_variables_of_one_possible_state_take_no_search() -> None:
    decided = FactorGroup(np.array([[1]]), np.array([[-np.inf, -0.2]]))
    model = FactorModel(np.array([3, 2]), (decided,))
    ground = ground_factors(model)
    solution = make_engine("messages").solve(ground.network, ground.weights)
    assert solution.status is Status.OPTIMAL
    assert log_bound(ground, solution) == pytest.approx(best_of(model))


def test_a_chain_needs_no_search() -> None:
    model = random_model(1, [4] * 12, [(one, one + 1) for one in range(11)])
    ground = ground_factors(model)
    solution = make_engine("messages").solve(ground.network, ground.weights)
    assert solution.status is Status.OPTIMAL
    assert solution.diagnostics["nodes"] == 0


def test_a_search_cut_short_keeps_a_bound_and_a_state() -> None:
    model = random_model(3, [3] * 25, grid(5))
    ground = ground_factors(model)
    least = make_engine("exact", "map").solve(ground.network, ground.weights).energy
    cut = make_engine("messages", max_nodes=1).solve(ground.network, ground.weights)
    assert cut.bound <= least + 1e-9
    assert least - 1e-9 <= cut.energy <= least + 0.05 * abs(least)


def test_auto_asks_tables_of_several_rows_first() -> None:
    model = random_model(2, [4] * 100, grid(10))
    ground = ground_factors(model)
    solution = choose(ground.network, ground.weights, "map")[0].solve(
        ground.network, ground.weights
    )
    assert (solution.engine, solution.status) == ("messages", Status.OPTIMAL)
    assert solution.energy == pytest.approx(solution.bound)


def test_what_breaks_hard_rows_when_nodes_are_spent_is_called_a_limit() -> None:
    scopes = [(a, b) for a in range(9) for b in range(a)]
    seen = set()
    for seed in range(12):
        ground = ground_factors(random_model(seed, [3] * 9, scopes, forbidden=0.2))
        cut = make_engine("messages", max_nodes=1).solve(ground.network, ground.weights)
        seen.add((cut.status, cut.hard_violation > 0.0))
    assert (Status.LIMIT, True) in seen
    assert (Status.FEASIBLE, True) not in seen


def test_many_large_tables_are_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    ground = ground_factors(random_model(1, [4] * 9, grid(3)))
    monkeypatch.setattr("workbench.inference.message_passing.TOGETHER", 100)
    refused = make_engine("messages").declines(ground.network, ground.weights)
    assert "more than 100" in (refused or "")
