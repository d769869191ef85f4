"""HiGHS's integer search from a given state: the optimum by enumeration,
whatever the solver makes of the state.
"""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import highspy
import numpy as np
import pytest

from tests.oracles.random_networks import random_mln
from workbench.inference.linear_program import solve_highs
from workbench.network.hinge_problem import HingeProblem
from workbench.network.relax import relax


def cheapest(problem: HingeProblem) -> float:
    """The least energy of a 0/1 state, by enumeration."""
    states = (
        problem.reduce(np.array(state, dtype=float))
        for state in product((0, 1), repeat=problem.n_atoms)
    )
    return min(
        (problem.energy(x) for x in states if problem.violation(x) <= 1e-9), default=float("inf")
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_given_start_changes_no_answer(seed: int) -> None:
    held = 0
    for k in range(25):
        problem = relax(*random_mln(100 * seed + k))
        best = cheapest(problem)
        start = np.random.default_rng(k).integers(0, 2, problem.n_atoms).astype(float)
        if not np.isfinite(best) or problem.violation(problem.reduce(start)) > 1e-9:
            continue
        answer = solve_highs(problem, integer=True, start=start)
        assert answer.status == "optimal"
        assert answer.objective == pytest.approx(best, abs=1e-6)
        assert answer.bound == pytest.approx(best, abs=1e-6)
        held += 1
    assert held >= 5


class Misjudging(highspy.Highs):
    """A solver that claims a lower objective for what it found from a given start,
    until it forgets the start.
    """

    too_low: float = 0.0

    def setSolution(self, *given: Any) -> Any:
        self.too_low = 0.5
        return super().setSolution(*given)

    def clearSolver(self) -> Any:
        self.too_low = 0.0
        return super().clearSolver()

    def getInfo(self) -> Any:
        told = super().getInfo()
        return SimpleNamespace(
            objective_function_value=told.objective_function_value - self.too_low,
            mip_dual_bound=told.mip_dual_bound - self.too_low,
            simplex_iteration_count=told.simplex_iteration_count,
            ipm_iteration_count=told.ipm_iteration_count,
            primal_solution_status=told.primal_solution_status,
        )


def test_a_misjudged_start_is_solved_again_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = relax(*random_mln(3))
    best = cheapest(problem)
    monkeypatch.setattr(highspy, "Highs", Misjudging)
    answer = solve_highs(problem, integer=True, start=np.zeros(problem.n_atoms))
    assert (answer.status, answer.objective) == ("optimal", pytest.approx(best, abs=1e-6))
    assert answer.bound == pytest.approx(best, abs=1e-6)


def test_a_claim_that_no_state_bears_out_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Misjudging, "clearSolver", highspy.Highs.clearSolver)
    monkeypatch.setattr(highspy, "Highs", Misjudging)
    problem = relax(*random_mln(3))
    answer = solve_highs(problem, integer=True, start=np.zeros(problem.n_atoms))
    assert (answer.status, answer.bound) == ("feasible", -float("inf"))
