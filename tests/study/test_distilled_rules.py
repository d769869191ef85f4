"""Rules that say what trees say, too: where these foretell held-out rows no worse, else not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from workbench.structure.distilled_rules import with_what_trees_say
from workbench.structure.rule_task import CountedLabels, RuleTask
from workbench.structure.sparse_fits import sigmoid
from workbench.structure.weighted_rules import fit_weighted_rules
from workbench.study import learners


def _proxies(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Sixty numbers that each tell something of one, far from 0 where it holds."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, 1))
    X = hidden + rng.normal(size=(n, 60))
    odds = 3 * np.abs(hidden[:, 0]) - 2.5
    return X.astype(np.float32), (rng.random(n) < sigmoid(odds)).astype(np.float64)


def _loss(said: np.ndarray, y: np.ndarray) -> float:
    return -float(np.mean(np.log(np.where(y > 0.5, said, 1 - said))))


def test_what_few_terms_chosen_on_labels_miss_is_told_by_trees() -> None:
    X, y = _proxies(700, 0)
    X_new, y_new = _proxies(4000, 1)
    rules = fit_weighted_rules(RuleTask(X, y, most_rules=30))
    found = with_what_trees_say(rules, RuleTask(X, y))
    assert 0 < len(found) <= 30
    assert any(term.form in ("above", "below") for term in found.terms)
    assert _loss(found.predict(X_new), y_new) < _loss(rules.predict(X_new), y_new) - 0.015


def test_rules_stay_where_trees_tell_less() -> None:
    X, y = _proxies(700, 0)
    rules = replace(fit_weighted_rules(RuleTask(X, y, most_rules=30)), losses=(0.01, 0.01, 0.01))
    assert with_what_trees_say(rules, RuleTask(X, y)) is rules


def test_trees_say_nothing_where_labels_of_other_rows_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = _proxies(400, 0)
    X = np.column_stack((X, y + np.random.default_rng(2).normal(size=len(y)))).astype(np.float32)
    counted = CountedLabels((60,), lambda hidden: X[:, [60]])
    monkeypatch.setattr(learners, "with_what_trees_say", pytest.fail)
    model = learners.fit_learner("rules", "yes/no", RuleTask(X, y, counted=counted))
    assert 60 in model.columns
