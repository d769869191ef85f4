"""Few terms that say what a few and all others say together."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.evaluation import auc_roc
from workbench.structure import rule_choice
from workbench.structure.condensed import condensed, share_of_all
from workbench.structure.rule_task import RuleTask
from workbench.structure.weighted_rules import fit_weighted_rules


def test_a_sum_of_few_columns_is_found_and_weighed_as_it_was() -> None:
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(50, 4000)) + rng.normal(size=4000)
    said = 3 * columns[7] - 2 * columns[20] + columns[41] + 5
    kept, weights, intercept = condensed(columns, said, 10)
    assert kept.tolist() == sorted(kept, key=lambda at: -abs(weights[kept.tolist().index(at)]))
    np.testing.assert_array_equal(np.sort(kept), [7, 20, 41])
    np.testing.assert_allclose(weights @ columns[kept] + intercept, said, atol=0.05)


def test_the_columns_are_those_that_tell_most_together_one_after_the_other() -> None:
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(12, 300))
    said = columns.sum(axis=0) + rng.normal(size=300)
    kept, *_ = condensed(columns, said, 6)
    expected: list[int] = []
    for _ in range(6):
        left = {}
        for at in set(range(12)) - set(expected):
            design = np.column_stack((columns[[*expected, at]].T, np.ones(300)))
            left[at] = np.linalg.lstsq(design, said, rcond=None)[1][0]
        expected.append(min(left, key=left.__getitem__))
    assert kept.tolist() == expected


def test_what_is_the_same_everywhere_needs_no_column() -> None:
    kept, weights, intercept = condensed(np.ones((3, 20)), np.full(20, 2.5), 3)
    assert len(kept) == len(weights) == 0
    assert intercept == 2.5


@pytest.mark.parametrize(("better", "share"), [("few", 0.0), ("neither", 0.5), ("all", 1.0)])
def test_both_count_half_unless_one_is_clearly_better(better: str, share: float) -> None:
    rng = np.random.default_rng(2)
    truth = [rng.normal(size=200), rng.normal(size=200)]
    few, every = (
        [one + rng.normal(size=200) * (0.01 if better == name else 2.0) for one in truth]
        for name in ("few", "all")
    )
    found, losses = share_of_all(few, every, lambda at, said: np.abs(said - truth[at]))
    assert found == share
    mixed = [(1 - found) * one + found * other for one, other in zip(few, every)]
    assert losses == pytest.approx([np.abs(m - t).mean() for m, t in zip(mixed, truth)])


def test_of_many_numbers_alike_all_together_tell_more_than_the_few_that_fit_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gained = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        hidden = rng.normal(size=(4000, 6))
        alike = np.repeat(hidden, 6, axis=1) + rng.normal(size=(4000, 36))
        X = np.column_stack((alike, rng.normal(size=(4000, 60))))
        odds = 0.6 * hidden.sum(axis=1)
        y = (rng.random(4000) < 1 / (1 + np.exp(-odds))).astype(np.float64)
        task = RuleTask(X[:300], y[:300])
        both = fit_weighted_rules(task)
        assert len(both) <= 30
        with monkeypatch.context() as patched:
            patched.setattr(rule_choice, "share_of_all", lambda *of: (0.0, ()))
            few = fit_weighted_rules(task)
        gained.append(
            auc_roc(both.scores(X[300:]), y[300:]) - auc_roc(few.scores(X[300:]), y[300:])
        )
    assert np.mean(gained) > 0.01
