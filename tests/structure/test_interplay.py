"""Columns that tell something only together."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.structure.grown_rules import fit_grown_rules
from workbench.structure.interplay import telling_together
from workbench.structure.rule_task import RuleTask
from workbench.structure.weighted_rules import fit_weighted_rules


def _exclusive(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns, and a target that one of two values and a number tell together."""
    X = rng.normal(size=(rows, 12))
    X[:, ::3] = X[:, ::3] > 0
    X[rng.random((rows, 12)) < 0.05] = np.nan
    turned = (X[:, 3] > 0.5) != (X[:, 5] > 0)
    return X, (rng.random(rows) < np.where(turned, 0.7, 0.3)).astype(np.float64)


@pytest.mark.parametrize("seed", range(5))
def test_what_tells_only_together_is_found_and_chance_is_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = _exclusive(rng, 900)
    rows, among = np.arange(900), np.arange(12)
    assert {*telling_together(X, rows, y - y.mean(), among).tolist()} == {3, 5}
    chance = rng.permutation(y)
    assert not len(telling_together(X, rows, chance - chance.mean(), among))
    some = np.flatnonzero(rng.random(900) < 0.5)
    left = y[some] - y[some].mean()
    assert {*telling_together(X, some, left, np.array([5, 3])).tolist()} == {3, 5}


def test_nothing_is_found_among_no_columns_and_unknown_ones() -> None:
    left = np.array([0.5, -0.5, 0.5, -0.5])
    unknown = np.full((4, 3), np.nan)
    assert not len(telling_together(unknown, np.arange(4), left, np.arange(3)))
    assert not len(telling_together(unknown, np.arange(4), left, np.arange(1)))
    assert not len(telling_together(unknown, np.arange(0), left[:0], np.arange(3)))


def test_rules_say_what_two_columns_tell_only_together() -> None:
    rng = np.random.default_rng(9)
    X, y = _exclusive(rng, 1500)
    asked, truth = _exclusive(rng, 1500)
    found = fit_weighted_rules(RuleTask(X, y))
    said = found.predict(asked)
    right = ((said > 0.5) == (truth > 0.5)).mean()
    assert right > 0.66
    assert any({one.column for one in term.conditions} == {3, 5} for term in found.terms)


def test_a_number_is_predicted_by_what_two_of_many_columns_tell_only_together() -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(900, 200))
    y = 10.0 * ((X[:, 3] > 0) != (X[:, 5] > 0)) + 3 * rng.normal(size=900)
    found = fit_grown_rules(RuleTask(X[:600], y[:600]))
    assert {*found.terms[0].columns} == {3, 5}
    errors = np.abs(found.predict(X[600:]) - y[600:])
    assert errors.mean() < 0.7 * np.abs(np.median(y) - y[600:]).mean()
