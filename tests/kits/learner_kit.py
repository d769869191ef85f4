"""What every learner must do, whatever it optimises: one set of checks over the registry."""

from __future__ import annotations

from threading import Event
from time import monotonic

import numpy as np
import pytest

from tests.learning.small_networks import network, random_network, states, templates
from workbench.learning import Example, LearnedWeights, Learner
from workbench.progress import Progress

__all__ = ["check_learner"]


def _examples(hard: int = 0) -> list[Example]:
    nets = [random_network(seed, hard=hard) for seed in (1, 2)]
    return [Example(net, states(net)[5 * index + 3]) for index, net in enumerate(nets)]


def _well_formed(answer: LearnedWeights, learner: Learner, n_templates: int) -> None:
    assert answer.weights.shape == (n_templates,)
    assert answer.weights.dtype == np.float64
    assert np.isfinite(answer.weights).all()
    assert answer.learner == learner.name
    assert isinstance(answer.status, str)
    assert answer.status
    assert len({column.size for column in answer.trace.values()}) <= 1


def check_learner(learner: Learner) -> None:
    """Shapes, fixed weights, determinism, several and awkward examples, deadline and cancel."""
    examples, given = _examples(), templates(4, fixed=(1,))
    before = [example.truth.copy() for example in examples]
    answer = learner.fit(examples, given, seed=3)
    _well_formed(answer, learner, 4)
    assert answer.weights[1] == 0.7
    assert learner.fit(examples, given, seed=3).weights == pytest.approx(answer.weights, abs=0)
    for example, truth in zip(examples, before):
        assert example.truth == pytest.approx(truth, abs=0)

    contradicted = network([(0, (1, 2)), (0, (-2, 3)), (-1, (-1, 2))], 3, 1)
    _well_formed(learner.fit([Example(contradicted, np.array([1.0, 0.0, 1.0]))], templates(1)), learner, 1)

    empty = Example(network([], 0, 4), np.zeros(0))
    _well_formed(learner.fit([examples[0], empty], given), learner, 4)

    _well_formed(learner.fit(examples, given, deadline=monotonic() - 1), learner, 4)

    event = Event()
    event.set()
    stopped = learner.fit(examples, given, progress=Progress(cancel_event=event))
    _well_formed(stopped, learner, 4)
    assert stopped.status == "cancelled" or not stopped.trace
