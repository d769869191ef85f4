"""What every learner must do, whatever it optimises: checks that read what the learner declares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Event
from time import monotonic

import numpy as np
import pytest

from tests.inference.hinge_networks import hinge_network
from tests.kits.interruptions import interruptions
from tests.learning.small_networks import network, random_network, states, templates
from workbench.errors import UsageError
from workbench.inference.admm import ADMM
from workbench.learning import Example, LearnedWeights, Learner
from workbench.learning.flip_counts import FlipCounts, flip_counts
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.progress import Progress


@dataclass(frozen=True)
class _Counts:
    """Counts as a database would give them."""

    of: GroundNetwork
    truth: np.ndarray

    def flip_counts(self) -> list[FlipCounts]:
        return [flip_counts(self.of, np.nan_to_num(self.truth))]


def _examples(domain: Domain, *, joint: bool, hard: int = 0) -> list[Example]:
    if domain is Domain.UNIT:
        nets = [hinge_network(seed, n_atoms=8, n_rows=16, hard=hard) for seed in (1, 2)]
        return [Example(net, ADMM().solve(net, np.ones(4)).values) for net in nets]
    nets = [random_network(seed, hard=hard, rows=14 if joint else hard) for seed in (1, 2)]
    return [_logical(net, states(net)[5 * index + 3]) for index, net in enumerate(nets)]


def _logical(net: GroundNetwork, truth: np.ndarray) -> Example:
    return Example(net, truth, counts=_Counts(net, truth))


def _well_formed(
    answer: LearnedWeights, learner: Learner, domain: Domain, n_templates: int
) -> None:
    assert answer.weights.shape == (n_templates,)
    assert answer.weights.dtype == np.float64
    assert np.isfinite(answer.weights).all()
    assert domain is Domain.BOOLEAN or (answer.weights >= 0.0).all()
    assert answer.learner == learner.name
    assert answer.status in {"converged", "iterations", "limit", "cancelled", "oracle_limited"}
    assert len({column.size for column in answer.trace.values()}) <= 1


def check_learner(learner: Learner, domain: Domain) -> None:
    """All checks in one domain; in one that the learner does not declare, that it is refused."""
    declared = learner.declares
    examples, given = _examples(domain, joint=declared.joint), templates(4, fixed=(1,))
    if domain not in declared.domains:
        with pytest.raises(UsageError, match="E0522" if not declared.counts else "E0523"):
            learner.fit([replace(one, counts=None) for one in examples], given)
        return
    _check_answer(learner, domain, examples, given)
    _check_awkward(learner, domain, examples, given)
    _check_stops(learner, domain, examples, given)
    if not declared.joint:
        with pytest.raises(UsageError, match="E0510"):
            learner.fit(_examples(domain, joint=True), given)


def _check_answer(learner: Learner, domain: Domain, examples: list[Example], given: object) -> None:
    """Shapes, fixed weights, declared objective, determinism; examples stay as they are."""
    before = [example.truth.copy() for example in examples]
    answer = learner.fit(examples, given, seed=3)
    _well_formed(answer, learner, domain, 4)
    assert answer.weights[1] == 0.7
    assert ("objective" in answer.trace) == learner.declares.objective
    assert learner.fit(examples, given, seed=3).weights == pytest.approx(answer.weights, abs=0)
    for example, truth in zip(examples, before):
        assert example.truth == pytest.approx(truth, abs=0)


def _check_awkward(
    learner: Learner, domain: Domain, examples: list[Example], given: object
) -> None:
    """Hidden labels, a hard rule that the labels violate, an empty database."""
    truth = examples[0].truth.copy()
    truth[:2] = np.nan
    _well_formed(
        learner.fit([replace(examples[0], truth=truth), examples[1]], given), learner, domain, 4
    )

    clauses = [(-1, (-1, 2)), *([(0, (1, 2)), (0, (-2, 3))] if learner.declares.joint else [])]
    contradicted = replace(
        network(clauses, 3, 1, unit=np.array([[1.0], [0.0], [-1.0]])), domain=domain
    )
    labels = np.array([1.0, 0.0, 1.0])
    _well_formed(learner.fit([_logical(contradicted, labels)], templates(1)), learner, domain, 1)

    empty = _logical(replace(network([], 0, 4), domain=domain), np.zeros(0))
    _well_formed(learner.fit([examples[0], empty], given), learner, domain, 4)


def _check_stops(learner: Learner, domain: Domain, examples: list[Example], given: object) -> None:
    """A deadline that has passed, and a cancel."""
    _well_formed(learner.fit(examples, given, deadline=monotonic() - 1), learner, domain, 4)
    event = Event()
    event.set()
    stopped = learner.fit(examples, given, progress=Progress(cancel_event=event))
    _well_formed(stopped, learner, domain, 4)
    assert stopped.status == "cancelled" or not stopped.trace or not stopped.trace["iteration"].size
    for progress in interruptions():
        interrupted = learner.fit(examples, given, progress=progress)
        _well_formed(interrupted, learner, domain, 4)
        assert interrupted.weights[1] == 0.7
