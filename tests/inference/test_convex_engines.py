"""ADMM, PDHG, block coordinate descent and CVXPY's solvers agree on the MAP energy,
and their bounds hold.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult

from tests.inference.hinge_networks import WEIGHTS, hinge_network, with_rows
from workbench.arrays import Float
from workbench.inference import admm
from workbench.inference.admm import ADMM
from workbench.inference.block_coordinate import BlockCoordinateDescent
from workbench.inference.conflict import smallest_conflict
from workbench.inference.convex_solution import Recorder
from workbench.inference.cvxpy_engine import ConvexSolver
from workbench.inference.feasible_point import make_feasible
from workbench.inference.folding import fold
from workbench.inference.partition import partition
from workbench.inference.pdhg import PDHG
from workbench.inference.polish import Polish
from workbench.inference.primal_dual import PrimalDual
from workbench.inference.reweighed import Reweighed
from workbench.inference.simplex import project_to_simplex
from workbench.inference.solution import Engine, Status
from workbench.network.ground_network import GroundNetwork, Relation
from workbench.network.hinge_problem import HingeProblem
from workbench.network.relax import relax
from workbench.progress import PLAIN, Conduct

SHAPES = {
    "linear": {"squared": "linear"},
    "squared": {"squared": "squared"},
    "mixed, hard rows": {"hard": 6, "equal": 2},
    "linear, blocks": {"squared": "linear", "blocks": 8},
    "squared, blocks": {"squared": "squared", "blocks": 8},
    "islands, blocks, hard rows": {"islands": 6, "hard": 5, "blocks": 3, "n_atoms": 42},
}
FIRST_ORDER: list[Engine] = [
    ADMM(tolerance=1e-6),
    PDHG(tolerance=1e-6),
    BlockCoordinateDescent(tolerance=1e-6),
]


def program_of(network: GroundNetwork) -> HingeProblem:
    return fold(relax(network, WEIGHTS))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", [0, 1])
def test_engines_agree_with_an_interior_point_method(shape: str, seed: int) -> None:
    network = hinge_network(seed, **SHAPES[shape])  # type: ignore[arg-type]
    exact = ConvexSolver("clarabel").solve(network, WEIGHTS)
    assert exact.status is Status.OPTIMAL
    taken = [engine for engine in FIRST_ORDER if engine.declines(network, WEIGHTS) is None]
    assert len(taken) == (3 if "squared" in shape else 2)
    for engine in taken:
        answer = engine.solve(network, WEIGHTS)
        assert answer.status is Status.OPTIMAL, engine.name
        assert answer.energy == pytest.approx(exact.energy, rel=1e-5, abs=1e-6), engine.name
        assert answer.bound <= exact.energy + 1e-7
        assert answer.hard_violation <= 1e-6
        assert np.all((answer.values >= 0) & (answer.values <= 1))


@pytest.mark.parametrize("shape", SHAPES)
def test_lanes_of_rows_iterate_as_one_pass_does(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = program_of(hinge_network(3, **SHAPES[shape]))  # type: ignore[arg-type]

    def run() -> PrimalDual:
        found = PrimalDual(program, max_iterations=100, check_every=20)
        found.run(1e-12)
        return found

    whole = run()
    monkeypatch.setattr(PrimalDual, "many_rows", 0)
    lanes, again = run(), run()
    assert lanes.iteration == whole.iteration
    np.testing.assert_allclose(lanes.z.x, whole.z.x, atol=1e-9)
    assert lanes.best_bound == pytest.approx(whole.best_bound, rel=1e-9)
    assert lanes.residual == pytest.approx(whole.residual, rel=1e-6, abs=1e-12)
    assert lanes.z.x.tobytes() == again.z.x.tobytes()


def test_a_run_that_begins_again_hears_who_asks_now() -> None:
    program = program_of(hinge_network(3))
    run = PrimalDual(program, max_iterations=100, check_every=20, stop=lambda: True)
    run.begin_again(program, None, Recorder(Conduct(), "pdhg"))
    assert not run.stop()


@pytest.mark.parametrize("shape", SHAPES)
def test_admm_in_lanes_answers_as_in_one_pass(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = hinge_network(4, **SHAPES[shape])  # type: ignore[arg-type]
    whole = ADMM(tolerance=1e-6).solve(network, WEIGHTS)
    monkeypatch.setattr(admm, "MANY_ROWS", 0)
    by_rows, again = (ADMM(tolerance=1e-6).solve(network, WEIGHTS) for _ in range(2))
    np.testing.assert_allclose(by_rows.values, whole.values, atol=1e-6)
    assert by_rows.bound == pytest.approx(whole.bound, rel=1e-6)
    assert by_rows.values.tobytes() == again.values.tobytes()


def test_admm_with_components_in_lanes_answers_with_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = hinge_network(4, islands=6, hard=5, blocks=3, n_atoms=42)
    whole = ADMM(tolerance=1e-6).solve(network, WEIGHTS)
    largest = int(np.diff(partition(program_of(network)).starts.row).max())
    monkeypatch.setattr(admm, "MANY_ROWS", largest + 1)
    lanes = ADMM(tolerance=1e-6).solve(network, WEIGHTS)
    assert network.n_rows > largest + 1
    assert lanes.values.tobytes() == whole.values.tobytes()
    assert lanes.bound == whole.bound


@pytest.mark.parametrize("solver", ["ecos", "highs", "osqp", "scs"])
def test_solvers_by_name(solver: str) -> None:
    pytest.importorskip(solver if solver != "highs" else "highspy")
    shape = {"squared": "linear"} if solver == "highs" else {"hard": 4}
    network = hinge_network(3, **shape)  # type: ignore[arg-type]
    exact = ConvexSolver("clarabel").solve(network, WEIGHTS)
    answer = ConvexSolver(solver).solve(network, WEIGHTS)
    assert answer.energy == pytest.approx(exact.energy, rel=2e-3)
    assert answer.bound <= exact.energy + 1e-6
    assert answer.hard_violation <= 1e-6


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), scale=st.floats(0.0, 3.0))
def test_any_multipliers_bound_any_point(seed: int, scale: float) -> None:
    network = hinge_network(seed % 7, hard=3, equal=1, blocks=3)
    program = program_of(network)
    rng = np.random.default_rng(seed)
    x = ADMM(tolerance=1e-3).solve(network, WEIGHTS).values
    multipliers = scale * rng.standard_normal(program.n_rows)
    assert program.dual_bound(multipliers) <= program.energy(x) + 1e-6


@given(seed=st.integers(0, 40), shape=st.sampled_from(sorted(SHAPES)))
@settings(max_examples=30, deadline=None)
def test_a_polished_pair_is_no_worse_and_its_bound_holds(seed: int, shape: str) -> None:
    program = program_of(hinge_network(seed, **SHAPES[shape]))  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    x = make_feasible(program, rng.random(program.n))
    multipliers = program.clip_multipliers(rng.normal(size=program.n_rows))
    assert x is not None
    polish = Polish(program)
    lowered, raised = polish.point(x), polish.bound(multipliers)
    assert program.energy(lowered) <= program.energy(x) + 1e-9
    assert program.violation(lowered) <= program.violation(x) + 1e-9
    assert program.dual_bound(multipliers) - 1e-9 <= raised <= program.energy(lowered) + 1e-9


def test_coefficients_that_cancel_leave_the_rows() -> None:
    network = hinge_network(0, squared="linear")
    A = network.A.copy()
    A.data[::5] = 0.0
    answer = PDHG(tolerance=1e-3).solve(replace(network, A=A), WEIGHTS)
    assert np.all(program_of(replace(network, A=A)).A.data != 0.0)
    assert answer.status is Status.OPTIMAL


def test_simplexes_and_single_atoms_leave_the_rows() -> None:
    network = hinge_network(0, n_atoms=9, n_rows=10, squared="linear")
    A = np.zeros((3, 9))
    A[0, :3] = 2.0
    A[1, 4:7] = 1.0
    A[2, 8] = -1.0
    grown = with_rows(network, A, [-2.0, -0.5, 0.25], Relation.AT_MOST)
    program = program_of(grown)
    assert program.n_blocks == 2
    np.testing.assert_allclose(program.block_right, [1.0, 0.5])
    assert program.lower[8] == 0.25
    assert program.n_rows == 10
    assert program.blocks_as_rows().n_rows == 12


def test_contradicting_hard_rows_are_named() -> None:
    network = hinge_network(0, n_atoms=9, n_rows=10, squared="linear", hard=2)
    A = np.zeros((2, 9))
    A[0, [3, 4]], A[1, [3, 4]] = 1.0, -1.0
    broken = with_rows(network, A, [-0.5, 1.0], Relation.AT_MOST)
    for engine in (ADMM(max_iterations=200), PDHG(max_iterations=400), ConvexSolver("clarabel")):
        answer = engine.solve(broken, WEIGHTS)
        assert answer.status is Status.INFEASIBLE
        assert answer.conflict is not None
        assert answer.conflict.tolist() == [12, 13]


def test_a_warm_start_at_the_answer_saves_iterations() -> None:
    network = hinge_network(2, n_atoms=60, n_rows=200, squared="squared")
    cold = ADMM(tolerance=1e-5).solve(network, WEIGHTS)
    warm = PDHG(tolerance=1e-4).solve(network, WEIGHTS, start=cold.values)
    assert warm.energy == pytest.approx(cold.energy, rel=2e-4)


def test_negative_weights_are_declined() -> None:
    network = hinge_network(0)
    weights = WEIGHTS * np.array([1, -1, 1, 1])
    for engine in (ADMM(), PDHG(), ConvexSolver()):
        assert "negative weight" in str(engine.declines(network, weights))


def test_a_limit_is_said() -> None:
    network = hinge_network(1, n_atoms=60, n_rows=300, squared="linear", size=5)
    answer = ADMM(tolerance=1e-12, max_iterations=20).solve(network, WEIGHTS)
    assert answer.status is Status.LIMIT
    assert answer.gap > 1e-12
    assert set(answer.trace) >= {"seconds", "energy", "bound", "violation"}


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(
        st.sampled_from([-1.0, 0.0, 1 / 7, 0.3, 1.0]) | st.floats(-2, 2), min_size=1, max_size=9
    ),
    metric=st.sampled_from([1.0, 3.0, 0.7]),
    exact=st.booleans(),
)
def test_simplex_projection_meets_its_optimality_conditions(
    values: list[float], metric: float, exact: bool
) -> None:
    target = np.array(values)
    scale = metric * (1.0 + np.arange(target.size) % 3)
    x = target.copy()
    project_to_simplex(x, scale, x.size, 1.0, exact)
    assert np.all(x >= 0.0)
    total = x.sum()
    assert total == pytest.approx(1.0, abs=1e-9) if exact else total <= 1.0 + 1e-9
    shift = scale * (target - x)
    inside = x > 1e-12
    multiplier = float(shift[inside].mean()) if inside.any() else 0.0
    np.testing.assert_allclose(shift[inside], multiplier, atol=1e-8)
    assert np.all(shift[~inside] <= multiplier + 1e-8)
    if not exact and total < 1.0 - 1e-9:
        assert multiplier == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("engine", FIRST_ORDER, ids=lambda one: one.name)
def test_a_point_that_was_not_found_in_time_is_a_limit_and_no_proof(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = hinge_network(3, squared="squared", hard=4)
    monkeypatch.setattr("workbench.inference.convex_solution.make_feasible", lambda *_, **__: None)
    answer = engine.solve(network, WEIGHTS)
    assert answer.status is Status.LIMIT
    assert "no state that keeps the hard rows was found" in answer.reason
    assert answer.conflict is None
    assert not np.isnan(answer.values).any()


def test_a_linear_program_that_was_cut_short_proves_no_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = hinge_network(3, hard=4)
    cut_short = OptimizeResult(status=1, x=None)
    monkeypatch.setattr("scipy.optimize.linprog", lambda *_, **__: cut_short)
    assert smallest_conflict(network) is None
    assert make_feasible(program_of(network), np.full(program_of(network).n, 0.5), passes=0) is None


@pytest.mark.parametrize("engine", [ADMM(), PDHG()], ids=lambda engine: engine.name)
@pytest.mark.parametrize("shape", SHAPES)
def test_other_weights_of_the_same_rows_need_no_other_layout(
    engine: ADMM | PDHG, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = hinge_network(3, **SHAPES[shape])  # type: ignore[arg-type]
    zero = np.where(np.arange(4) == 2, 0.0, WEIGHTS)
    ways = [WEIGHTS, WEIGHTS[::-1].copy(), 3.0 * WEIGHTS, zero, 2.0 * zero, WEIGHTS]
    made: list[GroundNetwork] = []

    def counted(self: ADMM | PDHG, network: GroundNetwork, weights: Float) -> HingeProblem:
        made.append(network)
        return fold(relax(network, weights))

    monkeypatch.setattr(type(engine), "problem", counted)
    run, state = Reweighed(engine, network), None
    for weights in ways:
        found = run.infer(weights, PLAIN, state)
        layouts = len(made)
        fresh = engine.infer(network, weights, PLAIN, state)
        del made[layouts:]
        assert (found.energy, found.bound, found.status) == (
            fresh.energy,
            fresh.bound,
            fresh.status,
        )
        assert np.array_equal(found.values, fresh.values)
        state = found.values
    assert len(made) == 3
