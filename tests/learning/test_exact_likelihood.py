"""The exact learner on networks: scikit-learn's optimum, fixed weights, hard rows,
and what it declines.
"""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

from tests.learning.small_networks import network, templates
from workbench.errors import UsageError
from workbench.learning import Example, make_learner
from workbench.progress import Progress


def unit_example(seed: int, *, hard: bool = False) -> Example:
    rng = np.random.default_rng(seed)
    unit = rng.integers(-1, 3, (30, 4)).astype(float)
    rows = [(-1, (1, -2))] if hard else []
    return Example(network(rows, 30, 4, unit=unit), (rng.random(30) < 0.4).astype(float))


def test_the_optimum_is_scikit_learns() -> None:
    from sklearn.linear_model import LogisticRegression

    examples = [unit_example(1), unit_example(2, hard=True)]
    learned = make_learner("exact", l2=0.5).fit(examples, templates(4))
    X = np.concatenate([example.network.unit.toarray() for example in examples])
    y = np.concatenate([example.truth for example in examples])
    oracle = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(learned.weights, oracle.coef_[0], atol=1e-3)
    assert learned.status == "converged"
    assert float(learned.diagnostics["gap"]) <= 1e-6  # type: ignore[arg-type]


def test_fixed_weights_and_hidden_or_unscored_atoms_are_respected() -> None:
    example = unit_example(3)
    learned = make_learner("exact", l1=0.1, l2=0.0).fit([example], templates(4, fixed=(2,)))
    assert learned.weights[2] == 0.7
    truth = example.truth.copy()
    truth[20:] = np.nan
    hidden = make_learner("exact").fit([Example(example.network, truth)], templates(4))
    scored = np.arange(30) < 20
    unscored = make_learner("exact").fit(
        [Example(example.network, example.truth, scored)], templates(4)
    )
    np.testing.assert_allclose(hidden.weights, unscored.weights)


def test_cross_validated_penalty_and_binary_features() -> None:
    example = unit_example(4)
    learned = make_learner("exact", folds=3, binary=True).fit([example], templates(4))
    assert learned.diagnostics["penalty_factor"] in {2.0**power for power in range(-6, 5)}


def test_two_open_atoms_in_a_soft_clause_are_declined() -> None:
    joined = network([(0, (1, 2))], 3, 1)
    with pytest.raises(UsageError) as caught:
        make_learner("exact").fit([Example(joined, np.ones(3))], templates(1))
    assert caught.value.diagnostics[0].code == "E0510"


def test_cancel_is_a_status() -> None:
    event = Event()
    event.set()
    stopped = make_learner("exact").fit(
        [unit_example(5)], templates(4), progress=Progress(cancel_event=event)
    )
    assert stopped.status == "cancelled"
