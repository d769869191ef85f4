"""The learners of hinge-loss MRFs: gradients against quadrature, margins against the definition,
traces and status.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad

from tests.inference.hinge_networks import WEIGHTS, hinge_network
from workbench.errors import UsageError
from workbench.inference.admm import ADMM
from workbench.learning.expectation_maximisation import ExpectationMaximisation
from workbench.learning.hinge_pseudolikelihood import HingePseudolikelihood, Pseudolikelihood
from workbench.learning.margin_losses import hamming_world
from workbench.learning.max_margin import HingeLargeMargin
from workbench.learning.perceptron import HingePerceptron
from workbench.learning.search import WeightSearch
from workbench.learning.training import Example, prepare
from workbench.network.energy import energy, potentials
from workbench.network.ground_network import GroundNetwork, Templates


def templates(fixed: tuple[int, ...] = ()) -> Templates:
    flags = np.zeros(4, bool)
    flags[list(fixed)] = True
    index = np.arange(4, dtype=np.int32)
    return Templates(WEIGHTS.copy(), flags, index, index * 0, np.ones(4), ("a", "b", "c", "d"))


def example(network: GroundNetwork, weights: np.ndarray = WEIGHTS) -> Example:
    return Example(network, ADMM(tolerance=1e-6).solve(network, weights).values)


def quadrature_log_pseudolikelihood(
    network: GroundNetwork, weights: np.ndarray, labels: np.ndarray
) -> float:
    total = 0.0
    for atom in range(network.n_atoms):

        def density(value: float, atom: int = atom) -> float:
            state = labels.copy()
            state[atom] = value
            return float(np.exp(energy(network, weights, labels) - energy(network, weights, state)))

        total -= np.log(quad(density, 0.0, 1.0, limit=200)[0])
    return total


@pytest.mark.parametrize("kind", ["linear", "squared", "mixed"])
def test_pseudolikelihood_and_gradient_against_quadrature(kind: str) -> None:
    network = hinge_network(4, n_atoms=8, n_rows=30, squared=kind)
    labels = np.random.default_rng(0).random(8)
    world = prepare([Example(network, labels)], templates()).worlds[0]
    terms = Pseudolikelihood(world, 16, 10, 0)
    value, gradient = terms.value_and_gradient(WEIGHTS, labels)
    assert value == pytest.approx(
        quadrature_log_pseudolikelihood(network, WEIGHTS, labels), abs=2e-3
    )
    step = 1e-5
    for index in range(4):
        ahead, behind = WEIGHTS.copy(), WEIGHTS.copy()
        ahead[index] += step
        behind[index] -= step
        slope = (
            terms.value_and_gradient(ahead, labels)[0] - terms.value_and_gradient(behind, labels)[0]
        ) / (2 * step)
        assert gradient[index] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_simplexes_are_integrated_as_a_whole() -> None:
    network = hinge_network(5, n_atoms=6, n_rows=25, blocks=2)
    labels = ADMM().solve(network, WEIGHTS).values
    world = prepare([Example(network, labels)], templates()).worlds[0]
    terms = Pseudolikelihood(world, 8, 4000, 0)
    value, gradient = terms.value_and_gradient(WEIGHTS, labels)
    rng = np.random.default_rng(1)
    expected = 0.0
    for block in range(2):
        members = np.arange(3 * block, 3 * block + 3)
        exact = network.blocks.kind[block] == 0
        parts = rng.dirichlet(np.ones(3 if exact else 4), 4000)[:, :3]
        states = np.tile(labels, (4000, 1))
        states[:, members] = parts
        energies = np.array([energy(network, WEIGHTS, state) for state in states])
        expected -= np.log(np.mean(np.exp(energy(network, WEIGHTS, labels) - energies)))
    assert value == pytest.approx(expected, abs=0.15)
    step = 1e-5
    for index in range(4):
        ahead = WEIGHTS.copy()
        ahead[index] += step
        assert gradient[index] == pytest.approx(
            (terms.value_and_gradient(ahead, labels)[0] - value) / step, rel=1e-2
        )


def test_maximum_pseudolikelihood_finds_a_stationary_point() -> None:
    network = hinge_network(6, n_atoms=40, n_rows=160)
    labels = np.clip(np.random.default_rng(2).normal(0.5, 0.3, 40), 0.0, 1.0)
    answer = HingePseudolikelihood(optimiser="lbfgs", iterations=200).fit(
        [Example(network, labels)], templates()
    )
    world = prepare([Example(network, labels)], templates()).worlds[0]
    _, gradient = Pseudolikelihood(world, 8, 10, 0).value_and_gradient(answer.weights, labels)
    assert np.all(
        np.abs(np.where(answer.weights > 1e-9, gradient, np.minimum(-gradient, 0.0))) < 0.05
    )
    steps = HingePseudolikelihood(iterations=30).fit([Example(network, labels)], templates())
    assert steps.status == "iterations"
    assert steps.trace["objective"][-1] > steps.trace["objective"][0]


def test_the_perceptron_learns_weights_whose_state_is_close_to_the_labels() -> None:
    network = hinge_network(7, n_atoms=60, n_rows=240, squared="squared")
    wanted = np.array([3.0, 0.1, 1.0, 0.5])
    labelled = example(network, wanted)
    answer = HingePerceptron(iterations=60).fit([labelled], templates())
    assert np.all(answer.weights >= 0.0)
    before = np.abs(ADMM().solve(network, np.ones(4)).values - labelled.truth).mean()
    after = np.abs(ADMM().solve(network, answer.weights).values - labelled.truth).mean()
    assert after < 0.5 * before
    assert len(answer.trace["gradient_norm"]) == 60


def test_fixed_templates_keep_their_weight() -> None:
    network = hinge_network(8, n_atoms=20, n_rows=60)
    labelled = example(network)
    for learner in (
        HingePerceptron(iterations=5),
        HingePseudolikelihood(iterations=5),
        HingeLargeMargin(max_planes=5),
        WeightSearch(trials=3),
    ):
        assert learner.fit([labelled], templates(fixed=(2,))).weights[2] == WEIGHTS[2], learner.name


def test_large_margin_planes_hold_for_other_states() -> None:
    network = hinge_network(9, n_atoms=30, n_rows=120, squared="linear")
    labels = np.round(ADMM().solve(network, WEIGHTS).values)
    learner = HingeLargeMargin(C=10.0, precision=1e-3, tolerance=1e-5)
    answer = learner.fit([Example(network, labels)], templates())
    assert answer.status == "converged"
    weights = answer.weights
    slack = max(
        0.0,
        *(
            np.abs(state - labels).sum()
            - weights @ (potentials(network, state) - potentials(network, labels))
            for state in np.random.default_rng(3).random((200, 30)).round()
        ),
    )
    augmented = hamming_world(network, labels, np.ones(labels.size, bool)).network
    worst = ADMM(tolerance=1e-7).solve(augmented, np.append(weights, 1.0))
    value = np.abs(worst.values - labels).sum() - weights @ (
        potentials(network, worst.values) - potentials(network, labels)
    )
    assert value >= slack - 1e-3
    assert np.all(np.diff(answer.trace["dual"]) >= -1e-3 * answer.trace["dual"].max())


def test_grid_and_random_search() -> None:
    network = hinge_network(10, n_atoms=30, n_rows=100, squared="squared")
    labelled = example(network, np.array([1.0, 0.1, 1.0, 0.1]))
    grid = WeightSearch(method="grid", values=(0.1, 1.0), trials=16).fit([labelled], templates())
    np.testing.assert_allclose(grid.weights / grid.weights.max(), [1.0, 0.1, 1.0, 0.1])
    random = WeightSearch(trials=20).fit([labelled], templates())
    assert random.diagnostics["loss"] == random.trace["objective"].min()
    with pytest.raises(UsageError, match="E0521"):
        WeightSearch(method="grid", trials=10).fit([labelled], templates())
    with pytest.raises(UsageError, match="E0505"):
        WeightSearch(values=(0.0, 1.0)).fit([labelled], templates())


def test_hidden_atoms_are_completed_round_by_round() -> None:
    network = hinge_network(11, n_atoms=30, n_rows=100, squared="squared")
    labelled = example(network)
    truth = labelled.truth.copy()
    truth[::3] = np.nan
    answer = ExpectationMaximisation(HingePerceptron(iterations=10), rounds=3).fit(
        [replace(labelled, truth=truth)], templates()
    )
    assert answer.diagnostics["hidden_atoms"] == 10
    assert np.all(np.isfinite(answer.weights))
    assert 1 <= len(answer.trace["largest_move"]) <= 3


def test_labels_outside_the_interval_are_refused() -> None:
    network = hinge_network(12)
    with pytest.raises(UsageError, match="E0502"):
        HingePerceptron().fit([Example(network, np.full(network.n_atoms, 1.5))], templates())
