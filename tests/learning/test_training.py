"""Counts, conditioning and the log-odds start against enumeration and hand-made cases."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learning.small_networks import distribution, network, random_network, templates
from workbench.errors import UsageError
from workbench.learning import Example, make_learner
from workbench.learning.starts import log_odds
from workbench.learning.training import condition, prepare
from workbench.network import potentials


@pytest.mark.parametrize("seed", range(5))
def test_conditioning_keeps_potentials(seed: int) -> None:
    net = random_network(seed)
    rng = np.random.default_rng(seed)
    state = rng.integers(0, 2, net.n_atoms).astype(float)
    known = np.where(rng.random(net.n_atoms) < 0.5, state, np.nan)
    reduced = condition(net, known)
    assert potentials(reduced, np.where(np.isnan(known), state, 0.0)) == pytest.approx(
        potentials(net, state)
    )


def test_log_odds_count_every_grounding() -> None:
    # template 0: two rows, one violated at the labels; template 1: three units, all satisfied
    unit = np.zeros((3, 2))
    unit[:, 1] = (1, -1, 1)
    net = network([(0, (1, 2)), (0, (-1, 2))], 3, 2, unit=unit)
    training = prepare([Example(net, np.array([1.0, 0.0, 1.0]))], templates(2))
    assert log_odds(training) == pytest.approx([np.log(1.5 / 1.5), np.log(3.5 / 0.5)])


def test_groundings_of_negative_scale_count_as_true_when_violated() -> None:
    net = network([(0, (1, 2)), (0, (-1, 2))], 2, 1, scale=[1.0, -2.0])
    training = prepare([Example(net, np.array([1.0, 0.0]))], templates(1))
    assert log_odds(training) == pytest.approx([np.log(3.5 / 0.5)])


def test_violated_hard_rows_are_named_and_left_out() -> None:
    net = network([(0, (1, 2)), (-1, (-1, 2)), (-1, (1, -2))], 2, 1)
    training = prepare([Example(net, np.array([1.0, 0.0]))], templates(1))
    (world,) = training.worlds
    assert world.violated_hard_rows.tolist() == [1]
    assert world.network.n_rows == 2
    # a hidden atom that could still satisfy the row keeps it
    (open_world,) = prepare([Example(net, np.array([1.0, np.nan]))], templates(1)).worlds
    assert open_world.violated_hard_rows.size == 0


def test_bad_training_data_are_named() -> None:
    net = random_network(0)
    for examples, code in (
        ([], "E0501"),
        ([Example(net, np.zeros(3))], "E0502"),
        ([Example(net, np.full(net.n_atoms, 0.5))], "E0502"),
        ([Example(net, np.full(net.n_atoms, np.nan))], "E0503"),
    ):
        with pytest.raises(UsageError, match=code):
            prepare(examples, templates(4))
    with pytest.raises(UsageError, match="E0502"):
        prepare([Example(net, np.zeros(net.n_atoms))], templates(5))


def test_unknown_learners_and_parameters_are_named() -> None:
    with pytest.raises(UsageError, match="voted_perceptron"):
        make_learner("voted_percepton")
    with pytest.raises(UsageError, match="E0505"):
        make_learner("voted_perceptron", steps=3)


def test_enumeration_is_a_distribution() -> None:
    _, probability, _ = distribution(random_network(1, hard=3), np.ones(4))
    assert probability.sum() == pytest.approx(1)
