"""Learners that follow the likelihood, against its exact maximum by enumeration."""

from __future__ import annotations

from time import monotonic

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.learning.small_networks import (
    Enumeration,
    distribution,
    random_network,
    states,
    templates,
)
from workbench.errors import UsageError
from workbench.learning import Example, make_learner
from workbench.learning.newton import PreconditionedConjugateGradient
from workbench.network import potentials

PRIOR_SD = 1.0
GIBBS_COUNTS = {
    "step": 0.1,
    "iterations": 200,
    "counts": "gibbs",
    "sweeps": 30,
    "start": "given",
    "engine": Enumeration(),
}


def problem() -> tuple[list[Example], np.ndarray]:
    """Three worlds drawn from a model, and the exact weights of greatest posterior."""
    truth = np.array([0.8, -0.5, 0.3, 1.0])
    rng = np.random.default_rng(0)
    examples = []
    for seed in range(3):
        net = random_network(seed, hard=1)
        legal, probability, _ = distribution(net, truth)
        examples.append(Example(net, legal[rng.choice(len(legal), p=probability)]))
    tables = [
        (
            np.array([potentials(example.network, state) for state in states(example.network)]),
            example,
        )
        for example in examples
    ]

    def loss(weights: np.ndarray) -> float:
        total = weights @ weights / (2 * PRIOR_SD**2)
        for phi, example in tables:
            total += weights @ potentials(example.network, example.truth) + np.logaddexp.reduce(
                -phi @ weights
            )
        return total

    return examples, minimize(loss, np.zeros(4), method="BFGS").x


EXAMPLES, BEST = problem()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("mc_mle", {"rounds": 12, "sweeps": 2000}),
        ("diagonal_newton", {"iterations": 30, "sweeps": 1000}),
        ("pscg", {"iterations": 30, "sweeps": 1000}),
        (
            "contrastive_divergence",
            {"step": 3.0, "iterations": 400, "sweeps": 20, "persistent": True},
        ),
        ("voted_perceptron", GIBBS_COUNTS),
    ],
)
def test_reaches_the_maximum(name: str, parameters: dict[str, object]) -> None:
    answer = make_learner(name, prior_sd=PRIOR_SD, **parameters).fit(EXAMPLES, templates(4), seed=3)
    assert answer.weights == pytest.approx(BEST, abs=0.12)
    assert answer.learner == name
    assert len({column.size for column in answer.trace.values()}) == 1


def test_hidden_atoms_are_summed_out() -> None:
    net = random_network(5, rows=10)
    legal = states(net)
    labels = legal[33].copy()
    labels[[1, 4]] = np.nan
    given = np.array(
        [np.array_equal(s[~np.isnan(labels)], labels[~np.isnan(labels)]) for s in legal]
    )
    phi = np.array([potentials(net, state) for state in legal])

    def loss(weights: np.ndarray) -> float:
        score = -phi @ weights
        return (
            weights @ weights / 2 + np.logaddexp.reduce(score) - np.logaddexp.reduce(score[given])
        )

    best = minimize(loss, np.zeros(4), method="BFGS").x
    learner = make_learner(
        "contrastive_divergence", prior_sd=1.0, persistent=True, step=3.0, iterations=600, sweeps=20
    )
    answer = learner.fit([Example(net, labels)], templates(4), seed=1)
    assert answer.weights == pytest.approx(best, abs=0.12)


def test_fixed_weights() -> None:
    answer = make_learner("fixed", value=10.0).fit([], templates(3, fixed=(1,)))
    assert answer.weights.tolist() == [10.0, 0.7, 10.0]
    with pytest.raises(UsageError, match="E0506"):
        make_learner("fixed").fit([], templates(3))


def test_one_run_answers_for_several_numbers_of_iterations() -> None:
    learner = PreconditionedConjugateGradient(sweeps=20)
    together = learner.path(learner.prepared(EXAMPLES, templates(4)), (2, 5))
    for stop, learned in zip((2, 5), together):
        alone = make_learner("pscg", sweeps=20, iterations=stop).fit(EXAMPLES, templates(4))
        np.testing.assert_array_equal(learned.weights, alone.weights)


@pytest.mark.parametrize(
    "name", ["mc_mle", "diagonal_newton", "pscg", "contrastive_divergence", "voted_perceptron"]
)
def test_the_time_limit_holds_within_a_measurement(name: str) -> None:
    endless = {"sweeps": 10_000_000} | ({"counts": "gibbs"} if name == "voted_perceptron" else {})
    found = make_learner(name, **endless).fit(EXAMPLES, templates(4), deadline=monotonic() + 0.3)
    assert (found.status, found.trace.get("gradient_norm", np.zeros(0)).size) == ("limit", 0)


def test_a_direction_across_the_slope_is_not_taken_for_the_optimum() -> None:
    from workbench.learning.chain import CountSamples
    from workbench.learning.expectation import Measured, Moments
    from workbench.learning.newton import _Newton

    # Each potential of variance 1, apart.
    seen = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    moments = Moments((CountSamples(seen, np.zeros(0), np.zeros(0)),), np.zeros(2))
    step = _Newton(np.zeros(2), 1.0, 1e-6, 0.0, conjugate=True)
    # Of the step before: its slope, and a direction that makes the next one lie across the slope of
    # now.
    step._previous, step._direction = np.array([0.0, 1.0]), np.array([-1.0 + 1e-7, 5.0])
    following = step._proposed(Measured(np.array([1.0, 0.0]), moments=moments))
    assert following is not None
    assert following[0] > 0.1
