"""Rules of a category: a budget for all classes together, weights of a softmax, two classes."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import log_softmax

from workbench.arrays import Float
from workbench.progress import Conduct
from workbench.structure.class_rules import (
    FEWEST_ROWS,
    as_far_as_time_goes,
    fit_class_rules,
    rules_of_classes,
)
from workbench.structure.condensed import told_in_turn
from workbench.structure.rule_task import RuleTask
from workbench.structure.softmax_fits import PULL, fit_softmax
from workbench.structure.sparse_fits import softmax
from workbench.study.learners import fit_learner


def _planted(n_classes: int, seed: int = 0, n: int = 900) -> tuple[Float, Float]:
    """Rows of classes of which each but the first has two columns that tell it, and noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n).astype(float)
    X = rng.normal(size=(n, 2 * n_classes + 10))
    for place in range(1, n_classes):
        X[y == place, 2 * place] += 3.0
        X[y == place, 2 * place + 1] -= 2.0
    return X, y


def test_rules_of_all_classes_are_at_most_as_many_as_asked_for() -> None:
    X, y = _planted(6)
    X_new, y_new = _planted(6, seed=1)
    parts = fit_class_rules(RuleTask(X, y, most_rules=12), 6)
    assert sum(map(len, parts)) <= 12
    said = softmax(np.stack([part.scores(X_new) for part in parts], axis=1))
    many = softmax(
        np.stack(
            [part.scores(X_new) for part in rules_of_classes(RuleTask(X, y, most_rules=12), 6)],
            axis=1,
        )
    )
    right = [np.mean(one.argmax(axis=1) == y_new) for one in (said, many)]
    assert right[0] > 0.85
    assert right[0] > right[1] - 0.06, "few say nearly what many do"


def test_a_hard_class_has_more_rules_than_one_that_a_column_tells() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(4, size=1200).astype(float)
    X = rng.normal(size=(1200, 20))
    for place in (1, 2):
        X[y == place, place] += 8.0
    X[:, 10:18] += 0.9 * (y == 3)[:, None]
    parts = fit_class_rules(RuleTask(X, y, most_rules=10), 4)
    assert len(parts[3]) > max(len(parts[1]), len(parts[2]))


def test_of_two_classes_the_second_has_all_rules() -> None:
    X, y = _planted(2)
    first, second = fit_class_rules(RuleTask(X, y, most_rules=4), 2)
    assert not first.terms
    assert first.intercept == 0
    assert 0 < len(second) <= 4
    assert np.mean((second.scores(X) > 0) == y) > 0.95


def test_a_class_that_no_row_has_is_unlikely_and_stops_nothing() -> None:
    X, y = _planted(4)
    kept = y != 2
    parts = fit_class_rules(RuleTask(X[kept], y[kept], most_rules=9), 4)
    said = softmax(np.stack([part.scores(X[kept]) for part in parts], axis=1))
    assert said[:, 2].max() < 0.02
    assert np.mean(said.argmax(axis=1) == y[kept]) > 0.85


@pytest.mark.parametrize("around", [0.0, 1.0])
def test_weights_of_a_softmax_are_its_optimum(around: float) -> None:
    rng = np.random.default_rng(3)
    columns = [rng.normal(size=(m, 80)) for m in (2, 0, 3)]
    target = rng.dirichlet(np.ones(3), 80)
    weights, bases = fit_softmax(columns, target, around=around)

    def loss(at: Float) -> float:
        logits = np.stack([at[:2] @ columns[0], np.zeros(80), at[2:5] @ columns[2]], axis=1)
        off = np.append(at[:5] - around, 0.1 * at[5:])
        return float(-(target * log_softmax(logits + at[5:], axis=1)).sum() + PULL / 2 * off @ off)

    found = np.concatenate((*weights, bases))
    best = minimize(loss, np.zeros(8), method="BFGS", options={"gtol": 1e-7})
    assert loss(found) == pytest.approx(best.fun, rel=1e-7)
    assert np.allclose(found[:5], best.x[:5], atol=2e-3)
    assert check_grad(loss, lambda at: np.zeros(8), found) < 0.02


def test_columns_are_told_in_turn_by_what_each_adds() -> None:
    rng = np.random.default_rng(4)
    columns, shares = rng.normal(size=(12, 60)), rng.random(60)
    said = columns[3] * 2 + columns[7] + 0.1 * rng.normal(size=60)

    def left(places: list[int]) -> float:
        design = np.vstack((columns[places], np.ones(60))) * np.sqrt(shares)
        wanted = said * np.sqrt(shares)
        return float(((wanted - np.linalg.lstsq(design.T, wanted)[0] @ design) ** 2).sum())

    kept: list[int] = []
    for turn, _ in zip(told_in_turn(columns, said, shares), range(4)):
        before = left(kept)
        kept.append(turn.place)
        assert turn.gain == pytest.approx(before - left(kept))
        assert turn.left == pytest.approx(left(kept))
        others = set(range(12)) - set(kept)
        assert all(left([*kept[:-1], at]) >= left(kept) - 1e-9 for at in others)
    assert kept[:2] == [3, 7]


def test_under_a_deadline_fewer_rows_are_learned_from_and_it_is_said() -> None:
    X, y = _planted(4, n=2000)
    task = RuleTask(X, y, most_rules=8)
    assert as_far_as_time_goes(task, 4) is task
    soon = replace(task, conduct=Conduct(deadline=monotonic() + 0.001))
    fewer = as_far_as_time_goes(soon, 4)
    assert len(fewer.y) == FEWEST_ROWS
    assert np.bincount(fewer.y.astype(int)).min() > 30
    found = fit_learner("rules", "category", soon, n_classes=4)
    assert not found.complete
    assert fit_learner("rules", "category", task, n_classes=4).complete
