"""Max-margin learning against enumeration,
an independent quadratic solver and its own optimality conditions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cvxpy
import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.learning.small_networks import network as small_network
from tests.learning.small_networks import random_network, states, templates
from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.errors import UsageError
from workbench.inference.exact import Exact
from workbench.inference.integer_program import IntegerProgram
from workbench.inference.lp import LinearRelaxation
from workbench.learning import Example, make_learner
from workbench.learning.margin_losses import f1_world, hamming_world, zero_one_world
from workbench.learning.margin_program import FREE, MarginProgram, solve_dual
from workbench.learning.max_margin import MaxMargin
from workbench.learning.max_margin_online import OnlineMaxMargin
from workbench.learning.separation import separate
from workbench.network import potentials
from workbench.network.ground_network import Blocks


def by_clarabel(
    gram: np.ndarray, loss: np.ndarray, group: np.ndarray, penalty: float
) -> tuple[np.ndarray, np.ndarray]:
    """The dual's optimum by a solver of its own, slow and independent."""
    values, vectors = np.linalg.eigh(gram)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    a = cvxpy.Variable(loss.size, nonneg=True)
    n_groups = int(group.max(initial=FREE)) + 1
    limits = [cvxpy.sum(a[np.flatnonzero(group == g)]) <= penalty for g in range(n_groups)]
    problem = cvxpy.Problem(cvxpy.Maximize(loss @ a - cvxpy.sum_squares(root.T @ a) / 2), limits)
    problem.solve(solver="CLARABEL")
    return np.maximum(a.value, 0.0), np.array([float(limit.dual_value) for limit in limits])


def feasible_truth(seed: int, **options: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """A random network, weights, and a random state that its hard rows and blocks allow."""
    network, weights = random_mln(seed, n_atoms=8, n_rows=14, **options)
    listing = enumerate_states(network, weights)
    allowed = listing.states[np.isfinite(listing.energy)]
    return network, weights, allowed[seed % len(allowed)]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("loss", ["hamming", "0/1"])
def test_the_oracle_finds_the_most_violated_margin(seed: int, loss: str) -> None:
    network, weights, truth = feasible_truth(seed)
    scored = np.ones(truth.size, bool)
    scored[seed % truth.size] = seed % 3 > 0
    make = hamming_world if loss == "hamming" else zero_one_world
    found = separate(make(network, truth, scored), weights, IntegerProgram())
    listing = enumerate_states(network, weights)
    at_truth = potentials(network, truth)
    worst = -np.inf
    for state in listing.states[np.isfinite(listing.energy)]:
        wrong = float(np.abs(state - truth)[scored].sum())
        if loss == "0/1" and wrong == 0.0:
            continue
        cost = wrong if loss == "hamming" else 1.0
        worst = max(worst, cost - float(weights @ (potentials(network, state) - at_truth)))
    if worst == -np.inf:
        assert found.upper == 0.0
        return
    assert found.rounded.violation(weights) == pytest.approx(worst, abs=1e-6)
    assert found.upper == pytest.approx(worst, abs=1e-6)
    relaxed = separate(make(network, truth, scored), weights, LinearRelaxation())
    assert relaxed.upper >= worst - 1e-6
    assert relaxed.rounded.violation(weights) <= worst + 1e-6
    assert relaxed.relaxed is not None
    assert relaxed.relaxed.violation(weights) == pytest.approx(relaxed.upper, abs=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_the_f1_oracle_is_exact_on_units_and_bounded_elsewhere(seed: int) -> None:
    network, weights, truth = feasible_truth(seed, scales=False)
    weights = weights * (0.05 if seed % 2 else 0.5)
    if seed % 3 == 0:
        rng = np.random.default_rng(seed)
        none = np.zeros(0, np.int64)
        network = replace(
            network,
            A=network.A[none],
            b=network.b[none],
            template=network.template[none],
            relation=network.relation[none],
            blocks=Blocks.none(network.n_atoms),
            unit=csr_array(rng.normal(size=network.unit.shape)),
        )
    scored = np.ones(truth.size, bool)
    scored[seed % truth.size] = False
    world = f1_world(network, truth, scored)
    found = separate(world, weights, IntegerProgram())
    listing = enumerate_states(network, weights)
    at_truth = potentials(network, truth)
    worst = max(
        world.loss(state) - float(weights @ (potentials(network, state) - at_truth))
        for state in listing.states[np.isfinite(listing.energy)]
    )
    assert found.upper >= worst - 1e-6
    assert found.rounded.violation(weights) <= worst + 1e-6
    if seed % 3 == 0:
        assert found.upper == pytest.approx(worst)
        assert found.rounded.violation(weights) == pytest.approx(worst)


@pytest.mark.parametrize("seed", range(4))
def test_f1_training_says_how_far_it_got(seed: int) -> None:
    network, _, truth = feasible_truth(seed, blocks=False)
    learned = MaxMargin(penalty=2.0, loss="f1", max_iterations=60).fit(
        [Example(network, truth)], templates(5)
    )
    assert learned.status in ("converged", "oracle_limited", "iterations")
    assert np.isfinite(learned.weights).all()


@pytest.mark.parametrize("seed", range(12))
def test_the_dual_agrees_with_an_independent_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_groups, n = 1 + seed % 3, 25
    directions = rng.normal(size=(n, 6 + 40 * (seed % 2)))
    if seed % 4 == 0:
        directions[5] = directions[6]
    gram, loss = directions @ directions.T, rng.uniform(0, 5, n)
    group = np.arange(n) % n_groups
    group[-1] = FREE if seed % 5 == 0 else 0
    penalty = 10.0 ** (seed % 4 - 1)
    ours, slack = solve_dual(gram, loss, group, penalty, np.zeros(n))
    theirs, their_slack = by_clarabel(gram, loss, group, penalty)

    def dual(a: np.ndarray) -> float:
        return float(loss @ a - a @ gram @ a / 2)

    assert dual(ours) == pytest.approx(dual(theirs), rel=1e-5, abs=1e-6)
    np.testing.assert_allclose(slack, their_slack, atol=1e-3 * max(1.0, slack.max()))
    assert np.all(ours >= 0)
    for g in range(n_groups):
        assert ours[group == g].sum() <= penalty * (1 + 1e-9)


def test_the_program_warm_starts_drops_cuts_and_keeps_signs() -> None:
    rng = np.random.default_rng(0)
    program = MarginProgram(12, 5.0, nonnegative=True, patience=4)
    kept_all = MarginProgram(12, 5.0, nonnegative=True, patience=10_000)
    for _ in range(60):
        direction, loss = rng.normal(size=12) + 0.5, float(rng.uniform(0, 4))
        kept_all.add(direction, loss)
        kept_all.solve()
        if loss - direction @ program.weights > program.slack[0]:
            program.add(direction, loss)
            program.solve()
    assert np.all(kept_all.weights >= 0.0)
    assert program.n_cuts < kept_all.n_cuts
    short = (
        kept_all.loss[: kept_all.n_cuts] - kept_all.directions[: kept_all.n_cuts] @ kept_all.weights
    )
    assert np.all((short <= kept_all.slack[0] + 1e-6) | (kept_all.group[: kept_all.n_cuts] == FREE))
    kept_all.reset_penalty(0.5)
    kept_all.solve()
    fresh = by_clarabel(
        kept_all.gram[: kept_all.n_cuts, : kept_all.n_cuts],
        kept_all.loss[: kept_all.n_cuts],
        kept_all.group[: kept_all.n_cuts],
        0.5,
    )[1]
    assert kept_all.slack[0] == pytest.approx(fresh[0], abs=1e-3)


def test_a_cut_that_is_zero_but_for_rounding_hides_no_other() -> None:
    program = MarginProgram(n_weights=1, penalty=1.0)
    for direction, loss in ((-7 / 3, 16.0), (1e-16, 12.0), (1.0, 14.0)):
        program.add(np.array([direction]), loss)
        program.solve()
    weights = np.linspace(-9.0, 9.0, 18001)
    slack = np.maximum(np.maximum(16.0 + 7 / 3 * weights, 12.0), 14.0 - weights)
    assert program.lower_bound == pytest.approx((weights**2 / 2 + slack).min(), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_long_cuts_beside_signs_reach_the_optimum(seed: int) -> None:
    """Cuts as a million ground rules give them, nearly alike, each violated when it is added."""
    rng = np.random.default_rng(seed)
    middle, n = np.array([4e4, 8e4, -6e4, 1e3, 2e3, -3e2, -5e2]), 7
    program = MarginProgram(n, 0.1, nonnegative=True)
    cuts = [(middle * rng.normal(1.0, 0.6, n), float(rng.uniform(2e4, 6e4))) for _ in range(60)]
    for direction, loss in cuts:
        if loss - direction @ program.weights > program.slack[0]:
            program.add(direction, loss)
            program.solve()
    shared = program.group != FREE
    w, slack = cvxpy.Variable(n), cvxpy.Variable()
    scale = 1e-4
    met = scale * program.directions[shared] @ w + slack >= scale * program.loss[shared]
    cost = cvxpy.sum_squares(w) / 2 + 0.1 / scale * slack
    least = cvxpy.Problem(cvxpy.Minimize(cost), [met, w >= 0, slack >= 0]).solve(solver="CLARABEL")
    assert np.sum(shared) > 3
    assert program.lower_bound == pytest.approx(least, rel=1e-6)


def optimality(examples: list[Example], learner: MaxMargin, weights: np.ndarray) -> float:
    """The learning problem's exact objective at some weights, by enumeration."""
    slack = 0.0
    for example in examples:
        listing = enumerate_states(example.network, weights)
        allowed = listing.states[np.isfinite(listing.energy)]
        at_truth = potentials(example.network, example.truth)
        margins = [
            float(
                np.abs(state - example.truth).sum()
                - weights @ (potentials(example.network, state) - at_truth)
            )
            for state in allowed
        ]
        slack += max(0.0, *margins)
    return float(weights @ weights) / 2 + learner.penalty * slack


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"slacks": "worlds"},
        {"stabilisation": 1.0, "cached": 0},
        {"stabilisation": 1.0},
    ],
)
def test_training_reaches_the_optimum_of_the_exact_problem(
    seed: int, options: dict[str, Any]
) -> None:
    examples = []
    for k in (0, 100):
        network, _, truth = feasible_truth(seed + k)
        examples.append(Example(network, truth))
    learner = MaxMargin(
        penalty=0.5, engine=IntegerProgram(), cuts="rounded", epsilon=1e-4, **options
    )
    learned = learner.fit(examples, templates(5))
    assert learned.status == "converged"
    objective = optimality(examples, learner, learned.weights)
    assert learned.diagnostics["bound"] <= objective + 1e-6
    assert objective - float(str(learned.diagnostics["bound"])) <= 0.5 * 2 * 1e-4 + 1e-5
    assert learned.trace["dual"][-1] >= learned.trace["dual"][0]
    rng = np.random.default_rng(seed)
    for _ in range(20):
        other = learned.weights + rng.normal(scale=0.1, size=5)
        assert optimality(examples, learner, other) >= objective - 1e-3


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cuts", ["auto", "fractional", "rounded"])
def test_converged_is_said_only_with_a_bound(seed: int, cuts: str) -> None:
    network, _, truth = feasible_truth(seed, blocks=seed % 2 == 0)
    example = Example(network, truth)
    learner = MaxMargin(penalty=1.0, cuts=cuts)  # type: ignore[arg-type]
    learned = learner.fit([example], templates(5))
    assert learned.status in ("converged", "oracle_limited")
    if learned.status == "converged":
        regular = float(learned.weights @ learned.weights) / 2
        slack = optimality([example], learner, learned.weights) - regular
        assert slack <= float(learned.trace["slack"][-1]) + learner.epsilon + 1e-6
    else:
        assert float(str(learned.diagnostics["unproven_violation"])) > learner.epsilon
    if cuts == "fractional":
        assert learned.status == "converged"


def test_auto_falls_back_on_the_exact_oracle() -> None:
    network, _, truth = feasible_truth(4, blocks=False)
    learned = MaxMargin(penalty=5.0, exact=IntegerProgram()).fit(
        [Example(network, truth)], templates(5)
    )
    assert learned.status == "converged"


def test_penalties_share_cuts_and_fixed_weights_stay() -> None:
    examples = [Example(net, states(net)[9]) for net in (random_network(1), random_network(2))]
    given = templates(4, fixed=(1,))
    learner = MaxMargin(engine=IntegerProgram(), epsilon=1e-4)
    path = tuple(learner.path(learner.prepared(examples, given), (0.1, 1.0)))
    for penalty, learned in zip((0.1, 1.0), path):
        alone = replace(learner, penalty=penalty).fit(examples, given)
        assert learned.weights[1] == 0.7
        np.testing.assert_allclose(learned.weights, alone.weights, atol=2e-2)


def test_examples_as_worlds_divide_the_penalty() -> None:
    examples = [Example(net, states(net)[9]) for net in (random_network(1), random_network(2))]
    together = MaxMargin(penalty=0.5).fit(examples, templates(4))
    worlds = MaxMargin(penalty=1.0, examples="worlds").fit(examples, templates(4))
    np.testing.assert_allclose(together.weights, worlds.weights, atol=1e-9)


def test_hidden_atoms_are_completed_and_carry_no_loss() -> None:
    net = small_network([(0, (1, 2)), (1, (-2, 3)), (0, (-1, 3))], 3, 2)
    learned = MaxMargin(penalty=2.0).fit([Example(net, np.array([1.0, np.nan, 0.0]))], templates(2))
    assert learned.diagnostics["hidden_atoms"] == 1
    assert np.isfinite(learned.weights).all()


def test_weights_stay_nonnegative_for_psl() -> None:
    network, _, truth = feasible_truth(3)
    learned = MaxMargin(penalty=3.0, nonnegative=True).fit([Example(network, truth)], templates(5))
    assert np.all(learned.weights >= 0.0)


def test_fractional_cuts_need_a_relaxation() -> None:
    network, _, truth = feasible_truth(3)
    for options in ({"loss": "f1"}, {"engine": "ilp"}):
        with pytest.raises(UsageError, match="cuts=fractional"):
            MaxMargin(cuts="fractional", **options).fit([Example(network, truth)], templates(5))  # type: ignore[arg-type]


def test_the_penalty_may_choose_itself() -> None:
    examples = [Example(net, states(net)[9]) for net in (random_network(1), random_network(2))]
    for choose in ("training", "held_out"):
        learned = MaxMargin(choose=choose, penalties=(0.1, 1.0)).fit(examples, templates(4))  # type: ignore[arg-type]
        assert learned.diagnostics["chosen_by"] == choose
        assert np.shape(learned.diagnostics["F1"]) == (2,)
        assert learned.diagnostics["penalty"] in (0.1, 1.0)
    with pytest.raises(UsageError, match="held out"):
        MaxMargin(choose="held_out").fit(examples[:1], templates(4))


def test_it_is_registered() -> None:
    assert isinstance(make_learner("max_margin", penalty=2.0), MaxMargin)


@pytest.mark.parametrize("seed", range(3))
def test_online_training_comes_near_the_optimum(seed: int) -> None:
    examples = []
    for k in (0, 100, 200):
        network, _, truth = feasible_truth(seed + k)
        examples.append(Example(network, truth))
    batch = MaxMargin(penalty=0.3, slacks="worlds", engine=IntegerProgram(), cuts="rounded")
    online = OnlineMaxMargin(penalty=0.3, passes=300, engine=Exact("map"), relative_gap=1e-3)
    best = batch.fit(examples, templates(5))
    near = online.fit(examples, templates(5))
    assert near.status in ("converged", "iterations")
    at_best = optimality(examples, batch, best.weights)
    assert optimality(examples, batch, near.weights) <= at_best * 1.05 + 0.05
    assert near.trace["dual"][-1] <= at_best + 1e-2
