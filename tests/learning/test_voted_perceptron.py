"""The voted perceptron follows its update rule and separates what is separable."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learning.small_networks import Enumeration, network, random_network, templates
from workbench.learning import Example
from workbench.learning.perceptron import VotedPerceptron
from workbench.learning.pseudo_likelihood import PseudoLikelihood
from workbench.learning.starts import log_odds
from workbench.learning.training import prepare
from workbench.network import potentials


def test_updates_are_the_papers() -> None:
    net, labels = random_network(4), np.array([1, 0, 1, 1, 0, 0, 1.0])
    engine, example = Enumeration(), Example(random_network(4), np.array([1, 0, 1, 1, 0, 0, 1.0]))
    answer = VotedPerceptron(step=0.1, iterations=5, engine=engine).fit(
        [example], templates(4, fixed=(2,))
    )
    weights, history = log_odds(prepare([example], templates(4, fixed=(2,)))), []
    for _ in range(5):
        state = engine.solve(net, weights).values
        step = 0.1 * (potentials(net, state) - potentials(net, labels))
        step[2] = 0
        weights = weights + step
        history.append(weights)
    assert answer.weights == pytest.approx(np.mean(history, axis=0))
    assert answer.weights[2] == 0.7
    assert answer.status == "iterations"
    assert answer.trace["iteration"].size == 5


def test_map_state_of_learned_weights_is_the_labels() -> None:
    unit = np.zeros((4, 2))
    unit[:2, 0], unit[2:, 1] = 1, 1
    net = network([(0, (1, 3))], 4, 2, unit=unit)
    labels = np.array([1.0, 1.0, 0.0, 0.0])
    answer = VotedPerceptron(step=0.5, iterations=30, engine=Enumeration(), start="given").fit(
        [Example(net, labels)], templates(2)
    )
    assert Enumeration().solve(net, answer.weights).values == pytest.approx(labels)


def test_hidden_atoms_are_completed() -> None:
    net = random_network(2)
    labels = np.array([1, 0, np.nan, 1, np.nan, 0, 1.0])
    answer = VotedPerceptron(step=0.1, iterations=3, engine=Enumeration()).fit(
        [Example(net, labels)], templates(4)
    )
    assert np.isfinite(answer.weights).all()
    assert answer.diagnostics["hidden_atoms"] == 2


def test_may_start_at_the_pseudo_likelihood() -> None:
    example = Example(random_network(4), np.array([1, 0, 1, 1, 0, 0, 1.0]))
    start = PseudoLikelihood().fit([example], templates(4)).weights
    learner = VotedPerceptron(
        step=1e-9, iterations=1, engine=Enumeration(), start="pseudo_likelihood"
    )
    assert learner.fit([example], templates(4)).weights == pytest.approx(start, abs=1e-6)
