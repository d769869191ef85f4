"""Metrics against scikit-learn, hand-made cases and a naive Davis-Goadrich interpolation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import UsageError
from workbench.evaluation import (
    auc_pr,
    auc_roc,
    average_precision,
    best_threshold,
    binary_scores,
    calibration,
    categorical_accuracy,
    conditional_log_likelihood,
    continuous_scores,
    scores,
)

LABELLED = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=40)


def arrays(pairs: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([p for p, _ in pairs], float) / 6, np.array([t for _, t in pairs], float)


def naive_davis_goadrich(values: np.ndarray, truth: np.ndarray) -> float:
    """Point by point, as the paper's text says."""
    points = [(0.0, 0.0)]
    for threshold in sorted(set(values), reverse=True):
        chosen = values >= threshold
        points.append((float(truth[chosen].sum()), float((1 - truth[chosen]).sum())))
    total, area = truth.sum(), 0.0
    for (tp_a, fp_a), (tp_b, fp_b) in pairwise(points):
        for step in range(int(tp_b - tp_a)):
            ends = []
            for x in (step, step + 1):
                tp, fp = tp_a + x, fp_a + (fp_b - fp_a) / (tp_b - tp_a) * x
                ends.append(tp / (tp + fp) if tp + fp else tp_b / (tp_b + fp_b))
            area += sum(ends) / 2 / total
    return area


@given(LABELLED)
@settings(max_examples=150, deadline=None)
def test_areas_agree_with_oracles(pairs: list[tuple[int, bool]]) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    values, truth = arrays(pairs)
    if truth.sum() == 0:
        assert np.isnan(auc_pr(values, truth))
        return
    assert auc_pr(values, truth) == pytest.approx(naive_davis_goadrich(values, truth))
    assert average_precision(values, truth) == pytest.approx(average_precision_score(truth, values))
    if truth.min() == 0:
        assert auc_roc(values, truth) == pytest.approx(roc_auc_score(truth, values))


@given(LABELLED, st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_classification_agrees_with_scikit_learn(
    pairs: list[tuple[int, bool]], threshold: float
) -> None:
    from sklearn.metrics import f1_score, precision_score, recall_score

    values, truth = arrays(pairs)
    ours, guess = scores(values, truth, threshold=threshold), values >= threshold
    assert ours["F1"] == pytest.approx(f1_score(truth, guess, zero_division=0))
    assert ours["precision"] == pytest.approx(precision_score(truth, guess, zero_division=0))
    assert ours["recall"] == pytest.approx(recall_score(truth, guess, zero_division=0))
    assert ours["accuracy"] == pytest.approx(np.mean(guess == truth))


def test_one_score_for_all_is_the_base_rate() -> None:
    truth = np.r_[np.ones(3), np.zeros(9)]
    assert auc_pr(np.full(12, 0.4), truth) == pytest.approx(0.25)
    assert auc_roc(np.full(12, 0.4), truth) == pytest.approx(0.5)


def test_cll_is_clipped() -> None:
    assert conditional_log_likelihood(np.array([0.0]), np.array([1.0])) == pytest.approx(
        np.log(1e-6)
    )
    assert conditional_log_likelihood(np.array([0.8, 0.8]), np.array([1.0, 0.0])) == pytest.approx(
        np.log(0.16) / 2
    )


def test_unlabelled_atoms_are_skipped() -> None:
    assert scores([0.9, 0.1, 0.5], [1, 0, np.nan])["accuracy"] == 1
    assert scores([0.9, 0.1, 0.5], [1, 0, np.nan])["atoms"] == 2


def test_continuous_truth_is_scored_by_its_errors() -> None:
    ours = scores([0.5, 0.25], [0.25, 0.75])
    assert ours["MAE"] == pytest.approx(0.375)
    assert ours["RMSE"] == pytest.approx(np.sqrt((0.0625 + 0.25) / 2))
    wide = continuous_scores(np.array([5.0, 2.5]), np.array([2.5, 7.5]), span=10)
    assert wide["NMAE"] == pytest.approx(ours["MAE"])
    assert wide["NMSE"] == pytest.approx(ours["MSE"])


def test_bad_input_is_named() -> None:
    for bad, code in (
        (([0.5], [1, 0]), "E0701"),
        (([0.5], [np.nan]), "E0702"),
        (([np.nan], [1.0]), "E0701"),
    ):
        with pytest.raises(UsageError, match=code):
            scores(*bad)
    with pytest.raises(UsageError, match="E0703"):
        scores([0.5], [0.3], kind="binary")


def test_categorical_accuracy_takes_the_first_of_equal_tops() -> None:
    item = [0, 0, 1, 1, 2, 2]
    category = [1, 0, 0, 1, 0, 1]
    truth = [0, 1, 0, 1, 0, 0]
    assert categorical_accuracy(
        [0.5, 0.5, 0.9, 0.1, 0.3, 0.4], truth, item, category
    ) == pytest.approx(0.5)


def test_calibration_counts_every_atom_once() -> None:
    rng = np.random.default_rng(0)
    probability = rng.random(20_000)
    table = calibration(probability, (rng.random(20_000) < probability).astype(float))
    assert table.count.sum() == 20_000
    gap = np.abs(table.mean_predicted - table.fraction_true)
    assert np.average(gap, weights=table.count) < 0.02


@pytest.mark.parametrize("seed", range(6))
def test_no_threshold_has_a_better_f1(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, truth = rng.integers(0, 9, 40) / 8, (rng.random(40) < 0.4).astype(float)
    found = best_threshold(values, truth)
    tried = [binary_scores(values, truth, threshold=at)["F1"] for at in (*np.unique(values), found)]
    assert tried[-1] == max(tried)
    assert found not in values or found == 0


def test_where_all_count_as_yes_lower_values_do_too() -> None:
    """The least value itself was the threshold: of other rows those a little below were a no."""
    assert best_threshold(np.array([0.38, 0.88, 0.38]), np.array([1.0, 1.0, 1.0])) < 0.37
