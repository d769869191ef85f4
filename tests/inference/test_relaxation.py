"""The relaxation, its solvers, rounding and integer programs, against enumeration, OP3 written out,
and each other.
"""

from __future__ import annotations

import dataclasses
from threading import Event
from time import monotonic

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_hinge_network, random_mln
from workbench.errors import WorkbenchError
from workbench.inference import integer_program
from workbench.inference.cutting_plane import CuttingPlane
from workbench.inference.integer_program import IntegerProgram
from workbench.inference.linear_program import LinearAnswer, nothing, solve_highs
from workbench.inference.lp import LinearRelaxation
from workbench.inference.maxwalksat import MaxWalkSAT
from workbench.inference.relaxation import solve_relaxation
from workbench.inference.roof_duality import has_roof_dual, solve_roof_dual
from workbench.inference.rounding import round_state
from workbench.inference.solution import Engine, Status
from workbench.network import reported_energy
from workbench.network.build import blocks_from_members, network_from_clauses
from workbench.network.energy import energy_offset, hard_violation
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation
from workbench.network.hinge_problem import HingeProblem
from workbench.network.relax import relax, relaxed_potentials
from workbench.progress import Conduct

SEEDS = range(40)


def optimization_problem_3(network: GroundNetwork, weights: np.ndarray) -> float:
    """The relaxation written out clause by clause with the paper's z, as a reported energy."""
    effective = network.effective_weights(weights)
    n, m = network.n_atoms, network.n_rows
    cost = np.concatenate([-(network.unit @ weights), np.zeros(m)])
    constant = float(weights @ network.constant) + energy_offset(network, weights)
    upper, right, equal, equal_right = [], [], [], []
    dense = network.A.toarray().astype(float)
    for row in range(m):
        positive, negated = dense[row] < 0, dense[row] > 0
        at_least = np.zeros(n + m)
        at_least[:n] = dense[row]
        if network.relation[row] != Relation.HINGE:
            upper.append(at_least)
            right.append(negated.sum() - 1.0)
        elif effective[row] >= 0:
            cost[n + row] = -effective[row]
            constant += effective[row]
            at_least[n + row] = 1.0
            upper.append(at_least)
            right.append(float(negated.sum()))
        else:
            cost[n + row] = effective[row]
            for atom in np.flatnonzero(dense[row]):
                line = np.zeros(n + m)
                line[n + row] = 1.0
                line[atom] = 1.0 if positive[atom] else -1.0
                upper.append(line)
                right.append(1.0 if positive[atom] else 0.0)
    members = network.blocks.members.toarray()
    for block in range(network.blocks.n_blocks):
        line = np.concatenate([members[block], np.zeros(m)])
        exactly = network.blocks.kind[block] == BlockKind.EXACTLY_ONE
        (equal if exactly else upper).append(line)
        (equal_right if exactly else right).append(float(network.blocks.right[block]))
    answer = linprog(
        cost,
        A_ub=np.array(upper) if upper else None,
        b_ub=np.array(right) if upper else None,
        A_eq=np.array(equal) if equal else None,
        b_eq=np.array(equal_right) if equal else None,
        bounds=(0.0, 1.0),
    )
    return float(answer.fun + constant)


def local_consistency(network: GroundNetwork, weights: np.ndarray) -> float:
    """The local-consistency relaxation: a distribution over each clause's joint states,
    marginals that agree.
    """
    effective = network.effective_weights(weights)
    n = network.n_atoms
    cost = list(-(network.unit @ weights))
    rows, right = [], []
    constant = float(weights @ network.constant)
    dense = network.A.toarray().astype(float)
    n_columns = n + sum(2 ** np.count_nonzero(dense[row]) for row in range(network.n_rows))
    for row in range(network.n_rows):
        atoms = np.flatnonzero(dense[row])
        first = len(cost)
        states = (
            np.array(np.meshgrid(*[[0, 1]] * atoms.size, indexing="ij")).reshape(atoms.size, -1).T
        )
        cost += list(
            effective[row] * np.maximum(0.0, float(network.b[row]) + states @ dense[row, atoms])
        )
        total = np.zeros(n_columns)
        total[first : first + len(states)] = 1.0
        rows.append(total)
        right.append(1.0)
        for place, atom in enumerate(atoms):
            agree = np.zeros(n_columns)
            agree[first : first + len(states)] = states[:, place]
            agree[atom] = -1.0
            rows.append(agree)
            right.append(0.0)
    answer = linprog(np.array(cost), A_eq=np.array(rows), b_eq=np.array(right), bounds=(0.0, 1.0))
    return float(answer.fun + constant + energy_offset(network, weights))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_relaxed_objective_is_the_reported_energy_at_every_state(seed: int) -> None:
    network, weights = random_mln(seed)
    problem = relax(network, weights)
    for state in enumerate_states(network, weights).states[::17]:
        completed = problem.reduce(state)
        assert problem.energy(completed) == pytest.approx(reported_energy(network, weights, state))
        assert (problem.violation(completed) > 1e-9) == (hard_violation(network, state) > 0)
        violated = relaxed_potentials(network, weights, state)
        np.testing.assert_allclose(violated, np.maximum(network.A @ state + network.b, 0.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_relaxation_is_optimization_problem_3(seed: int) -> None:
    network, weights = random_mln(seed)
    assert solve_highs(relax(network, weights)).objective == pytest.approx(
        optimization_problem_3(network, weights), abs=1e-6
    )


@pytest.mark.parametrize("seed", range(12))
def test_without_hard_rows_it_is_the_local_consistency_relaxation(seed: int) -> None:
    network, weights = random_mln(seed, hard=0.0, blocks=False, max_width=3)
    assert solve_highs(relax(network, weights)).objective == pytest.approx(
        local_consistency(network, weights), abs=1e-6
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_flow_solves_clauses_of_two_literals(seed: int) -> None:
    network, weights = random_mln(
        seed, n_atoms=10, n_rows=30, max_width=2, blocks=False, satisfiable=seed % 4 > 0
    )
    problem = relax(network, weights)
    assert has_roof_dual(problem)
    flow, program = solve_roof_dual(problem), solve_highs(problem)
    assert flow.status == program.status
    if flow.status == "infeasible":
        return
    assert flow.objective == pytest.approx(program.objective, abs=1e-7)
    assert flow.bound == pytest.approx(program.objective, abs=1e-7)
    assert set(np.unique(flow.x)) <= {0.0, 0.5, 1.0}
    listing = enumerate_states(network, weights)
    if listing.feasible:
        settled = flow.x != 0.5
        optimal = listing.states[listing.energy <= listing.least_energy + 1e-9]
        assert np.any(np.all(optimal[:, settled] == flow.x[settled], axis=1))


@pytest.mark.parametrize("engine", [LinearRelaxation(), IntegerProgram(), CuttingPlane()])
def test_kernels_that_are_not_ready_in_time_are_a_limit(
    monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    network, weights = random_mln(3, n_atoms=10, n_rows=30, max_width=2, hard=0.0, blocks=False)
    least = enumerate_states(network, weights).least_energy + energy_offset(network, weights)
    go_on = Event()
    monkeypatch.setattr("workbench.inference.watched.GRACE", 0.05)
    for kernel in ("roof_duality.maximum_flow", "rounding._round"):
        monkeypatch.setattr(f"workbench.inference.{kernel}", lambda *arguments: go_on.wait())
    found = engine.solve(network, weights, deadline=monotonic() + 0.1)
    go_on.set()
    assert found.status == Status.LIMIT
    assert found.bound <= least + 1e-9
    assert found.energy >= least - 1e-9
    assert found.energy == pytest.approx(reported_energy(network, weights, found.values))


@pytest.mark.parametrize("seed", range(12))
def test_the_solvers_agree(seed: int) -> None:
    network, weights = random_mln(seed, n_atoms=12, n_rows=40)
    problem = relax(network, weights)
    reference = solve_highs(problem).objective
    for solver in ("simplex", "ipm", "pdhg"):
        answer = solve_relaxation(problem, solver)  # type: ignore[arg-type]
        assert answer.bound <= reference + 1e-6
        assert answer.objective == pytest.approx(reference, abs=1e-3)


@pytest.mark.parametrize("seed", range(60))
def test_bounds_never_exceed_the_least_energy(seed: int) -> None:
    network, weights = random_mln(seed, satisfiable=seed % 4 > 0)
    listing = enumerate_states(network, weights)
    least = listing.least_energy + energy_offset(network, weights)
    for engine in (
        LinearRelaxation(),
        LinearRelaxation(rounding="best"),
        IntegerProgram(),
        IntegerProgram(workers=1),
    ):
        solution = engine.solve(network, weights)
        if not listing.feasible:
            assert solution.status in (Status.INFEASIBLE, Status.FEASIBLE)
            assert solution.hard_violation > 0
            continue
        assert solution.bound <= least + 1e-6
        assert solution.bound <= solution.energy
        assert solution.energy == pytest.approx(reported_energy(network, weights, solution.values))
        assert solution.hard_violation == hard_violation(network, solution.values)
        if solution.status == Status.OPTIMAL:
            assert solution.energy == pytest.approx(least, abs=1e-6)
            assert solution.hard_violation == 0
        assert solution.status == Status.OPTIMAL or not isinstance(engine, IntegerProgram)


@pytest.mark.parametrize("seed", SEEDS)
def test_conditional_rounding_keeps_three_quarters(seed: int) -> None:
    network, weights = random_mln(
        seed, n_atoms=10, n_rows=40, hard=0.0, negative=False, blocks=False
    )
    problem = relax(network, weights)
    relaxed = solve_highs(problem)
    state = round_state(network, weights, relaxed.x[: network.n_atoms], method="conditional")
    soft = float(
        network.effective_weights(weights).sum() + weights @ network.unit_scale.sum(axis=1)
    )
    satisfied = soft - reported_energy(network, weights, state)
    assert satisfied >= 0.75 * (soft - relaxed.objective) - 1e-9


def test_rounding_breaks_ties_to_false_and_propagates_hard_rows() -> None:
    half = np.full(2, 0.5)
    tie = network_from_clauses(2, [[1, 2], [-1, -2]], [0, 0], n_templates=1)
    assert round_state(tie, np.ones(1), half).tolist() == [1.0, 0.0]
    forced = network_from_clauses(2, [[1, 2], [-1, -2]], [-1, -1], n_templates=1)
    assert round_state(forced, np.ones(1), half).tolist() == [1.0, 0.0]
    block = network_from_clauses(
        3,
        [[1, 2]],
        [0],
        n_templates=1,
        blocks=blocks_from_members(3, [[0, 1, 2]], BlockKind.EXACTLY_ONE),
    )
    assert round_state(block, np.ones(1), np.full(3, 0.5)).sum() == 1.0


def test_a_dead_end_breaks_hard_rows_and_is_repaired() -> None:
    # Pigeons: three in two holes have no state, but every variable at one half satisfies the
    # relaxation.
    clauses = [[1, 2], [3, 4], [5, 6], [-1, -3], [-1, -5], [-3, -5], [-2, -4], [-2, -6], [-4, -6]]
    network = network_from_clauses(6, [*clauses, [1]], [-1] * 9 + [0], n_templates=1)
    assert hard_violation(network, round_state(network, np.ones(1), np.full(6, 0.5)))
    solution = LinearRelaxation().solve(network, np.ones(1))
    assert solution.status == Status.LIMIT
    assert solution.hard_violation == 1.0
    assert IntegerProgram().solve(network, np.ones(1)).status == Status.INFEASIBLE


def test_a_spent_deadline_is_a_limit_with_a_bound() -> None:
    network, weights = random_mln(3, n_atoms=60, n_rows=260, satisfiable=True)
    solution = IntegerProgram().solve(network, weights, deadline=monotonic() - 1.0)
    assert solution.status in (Status.LIMIT, Status.OPTIMAL)
    assert solution.bound <= solution.energy


def test_a_state_that_stays_unproven_is_searched_on_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(7)
    clauses = [
        random.choice((-1, 1), 3) * (1 + random.choice(80, 3, replace=False)) for _ in range(400)
    ]
    network = network_from_clauses(80, [one.tolist() for one in clauses], np.arange(400))
    weights = random.uniform(-2, 2, 400)
    monkeypatch.setattr(integer_program, "solve_highs", lambda problem, **_: nothing(problem))
    found = IntegerProgram().solve(network, weights)
    rival = MaxWalkSAT(flips=integer_program.LONG).solve(network, weights)
    short = MaxWalkSAT().solve(network, weights)
    assert found.status is Status.FEASIBLE
    assert found.energy <= rival.energy + 1e-9
    assert rival.energy < short.energy - 1e-6


def test_a_relaxation_leaves_time_for_a_better_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is rounded from one that is cut short is poor: a quarter of the time is kept."""
    network, weights = random_mln(3, n_atoms=60, n_rows=260, satisfiable=True)
    left: list[float] = []

    def cut_short(problem: HingeProblem, conduct: Conduct) -> LinearAnswer:
        left.append((conduct.deadline or np.inf) - monotonic())
        return nothing(problem)

    monkeypatch.setattr(integer_program, "solve_relaxation", cut_short)
    found = IntegerProgram().solve(network, weights, deadline=monotonic() + 40.0)
    assert left[0] < 31.0
    assert 0.0 <= found.bound <= found.energy


def test_engines_decline_what_has_no_relaxation() -> None:
    network, weights = random_hinge_network(1)
    assert IntegerProgram().declines(network, weights) is not None
    assert LinearRelaxation(rounding="none").declines(network, -weights) is not None
    with pytest.raises(WorkbenchError, match="no convex relaxation"):
        relax(network, -weights)
    mln, w = random_mln(2)
    wide = dataclasses.replace(LinearRelaxation(), solver="flow")
    with pytest.raises(WorkbenchError, match="two literals"):
        wide.solve(mln, w)


@pytest.mark.parametrize("seed", range(6))
def test_unrounded_relaxation_solves_linear_hinges(seed: int) -> None:
    network, weights = random_hinge_network(seed, squared=False)
    solution = LinearRelaxation(rounding="none").solve(network, weights)
    assert solution.status == Status.OPTIMAL
    assert solution.hard_violation <= 1e-6


def test_same_seed_same_answer() -> None:
    network, weights = random_mln(5, n_atoms=30, n_rows=120)
    for engine in (LinearRelaxation(), IntegerProgram()):
        first, second = (engine.solve(network, weights, seed=7) for _ in range(2))
        np.testing.assert_array_equal(first.values, second.values)
        assert first.bound == second.bound
