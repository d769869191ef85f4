"""Rules from candidates: planted ones are found, the number of rules is kept,
trees say what they predict.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from workbench.evaluation import auc_roc
from workbench.progress import PLAIN, Conduct, Progress
from workbench.structure import rule_choice, weighted_rules
from workbench.structure.boosted_trees import (
    MOST_TREES,
    RATE,
    STEP,
    _best_number,
    as_rules,
    fit_boosted_trees,
)
from workbench.structure.boosting import Boosted, BoostingSettings
from workbench.structure.class_rules import rules_of_classes
from workbench.structure.distilled_rules import with_what_trees_say
from workbench.structure.grown_rules import fit_grown_rules
from workbench.structure.rule_task import CountedLabels, RuleTask
from workbench.structure.screening import BinnedColumns, screened
from workbench.structure.terms import Condition, Cuts, Term, plain_between
from workbench.structure.weighted_rules import fit_weighted_rules
from workbench.study import learners
from workbench.study.learners import TargetKind, fit_learner


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other over short sums take ten times the processor's time."""
    with threadpool_limits(1):
        yield


def planted(n: int = 800, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 12))
    X[rng.random(X.shape) < 0.05] = np.nan
    z = (
        -1
        + 3 * (np.nan_to_num(X[:, 2], nan=-9) >= 0.5)
        - 2 * np.isnan(X[:, 5])
        + 0.8 * np.nan_to_num(X[:, 7])
    )
    return X, (rng.random(n) < 1 / (1 + np.exp(-z))).astype(float)


@pytest.mark.parametrize("plainer", [0, 1])
def test_of_columns_that_tell_alike_the_plainer_is_taken(plainer: int) -> None:
    rng = np.random.default_rng(3)
    said = rng.normal(size=400)
    X = said[:, None] + 0.4 * rng.normal(size=(400, 2))
    y = (rng.random(400) < 1 / (1 + np.exp(-2 * said))).astype(float)
    plainness = np.where(np.arange(2) == plainer, 1.0, 0.5)
    found = fit_weighted_rules(RuleTask(X, y, most_rules=1, plainness=plainness))
    assert [term.columns for term in found.terms] == [(plainer,)]
    assert auc_roc(found.scores(X), y) > 0.75
    assert found.predict(X).mean() == pytest.approx(y.mean(), abs=0.02)


def test_planted_rules_are_found_and_no_more_than_asked_for() -> None:
    X, y = planted()
    X_new, y_new = planted(seed=1)
    found = fit_weighted_rules(RuleTask(X, y, most_rules=8))
    assert 1 <= len(found) <= 8
    assert found.gap < 1e-3
    assert {2, 7} <= {column for term in found.terms for column in term.columns}
    assert auc_roc(found.predict(X_new), y_new) > 0.8


def test_a_threshold_far_from_the_middle_is_found_where_it_clearly_tells_more() -> None:
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(1500, 3))
    y = (rng.random(1500) < np.where(X[:, 1] >= 0.93, 0.8, 0.2)).astype(float)
    (step,) = {
        term for term in fit_weighted_rules(RuleTask(X, y, most_rules=1)).terms if term.conditions
    }
    (condition,) = step.conditions
    assert condition.column == 1
    assert condition.threshold == pytest.approx(0.93, abs=0.02)


@pytest.mark.parametrize("most", [1, 3, 30])
def test_a_number_is_predicted_by_at_most_so_many_rules(most: int) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 40))
    y = X[:, :20] @ rng.normal(size=20) + rng.normal(size=500)
    found = fit_grown_rules(RuleTask(X, y, most_rules=most))
    assert 1 <= len(found) <= most
    assert np.mean(np.abs(found.predict(X) - y)) < np.mean(np.abs(y - np.median(y)))


def test_noise_gives_no_rule_or_hardly_any() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(400, 30)), (rng.random(400) < 0.3).astype(float)
    found = fit_weighted_rules(RuleTask(X, y))
    new = rng.normal(size=(2000, 30))
    assert found.predict(new).std() < 0.12


def test_few_rows_of_a_straight_line_are_learned_about_as_logistic_regression_learns_them() -> None:
    from sklearn.linear_model import LogisticRegression

    behind = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, new = rng.normal(size=(60, 4)), rng.normal(size=(3000, 4))
        w = np.array([1.2, -0.9, 0.7, 0.5])
        y, y_new = ((rng.random(len(A)) < 1 / (1 + np.exp(-A @ w))).astype(float) for A in (X, new))
        ours = auc_roc(fit_weighted_rules(RuleTask(X, y)).scores(new), y_new)
        behind.append(auc_roc(LogisticRegression().fit(X, y).decision_function(new), y_new) - ours)
    assert np.mean(behind) < 0.03  # without straight terms: 0.09


def test_leaves_of_trees_add_up_to_what_the_trees_say() -> None:
    X, y = planted()
    design = X[:, [2, 5, 7]]
    model = Boosted(design, y, BoostingSettings(leaves=6), discrete=True)
    model.grow(20)
    (rules,) = as_rules(model, design, np.array([2, 5, 7]))
    np.testing.assert_allclose(rules.scores(X), model.scores(design)[:, 0], atol=1e-9)


def test_leaves_of_trees_of_classes_add_up_to_what_the_trees_say() -> None:
    X, y = planted()
    y = y + (X[:, 2] > 1)
    design = X[:, [2, 5, 7]]
    model = Boosted(design, y, BoostingSettings(leaves=6), discrete=True)
    model.grow(10)
    scores = [rules.scores(X) for rules in as_rules(model, design, np.array([2, 5, 7]))]
    np.testing.assert_allclose(np.stack(scores, axis=1), model.scores(design), atol=1e-9)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (2, 3, 2.5),
        (10.99, 11.5, 11.2),
        (12_345, 13_001, 12_700),
        (-1, 4, 2),
        (0.7, 0.8, 0.75),
        (0.1234, 0.1235, 0.12345),
    ],
)
def test_thresholds_have_few_digits(low: float, high: float, found: float) -> None:
    assert plain_between(low, high) == pytest.approx(found, rel=1e-12)


def test_a_threshold_parts_what_doubles_say_as_single_precision_does() -> None:
    values = np.round(np.random.default_rng(0).random(300), 3)
    cuts = Cuts(values.astype(np.float32)[:, None])
    for threshold in np.unique(values.astype(np.float32).astype(float))[:-1]:
        cut = cuts.above(0, threshold)
        np.testing.assert_array_equal(values < cut, values.astype(np.float32) <= threshold)


def test_boosted_trees_learn() -> None:
    X, y = planted()
    X_new, y_new = planted(seed=1)
    assert auc_roc(fit_boosted_trees(RuleTask(X, y), discrete=True)[0].predict(X_new), y_new) > 0.78


def test_an_unknown_value_passes_only_tests_that_say_so() -> None:
    X = np.array([[1.0], [3.0], [np.nan]])
    assert Condition(0, "at_least", 2.0).holds(X).tolist() == [False, True, False]
    assert Condition(0, "below", 2.0).holds(X).tolist() == [True, False, False]
    assert Condition(0, "below", 2.0, or_missing=True).holds(X).tolist() == [True, False, True]
    assert Condition(0, "missing").holds(X).tolist() == [False, False, True]
    assert Term((), 0, "number", 0.0, 2.0, 1.0, 1.0).values(X).tolist() == [0.0, 1.0, 0.0]


def test_one_class_or_no_column_gives_the_mean() -> None:
    ones = np.ones(20)
    assert fit_weighted_rules(RuleTask(np.zeros((20, 2)), ones)).predict(np.zeros((1, 2)))[0] > 0.99
    flat = fit_grown_rules(RuleTask(np.empty((20, 0)), np.arange(20.0)))
    assert flat.predict(np.empty((3, 0))).tolist() == [9.5] * 3


def test_own_columns_alone_are_chosen_where_others_only_fit_by_chance() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 160))
    y = (rng.random(300) < 1 / (1 + np.exp(-1.5 * X[:, 0] + 1.5 * X[:, 1]))).astype(float)
    unseen = rng.normal(size=(2000, 160))
    true = 1 / (1 + np.exp(-1.5 * unseen[:, 0] + 1.5 * unseen[:, 1]))
    scoped = fit_weighted_rules(RuleTask(X, y, own=np.arange(4)))
    assert {at for term in scoped.terms for at in term.columns} <= {0, 1, 2, 3}
    told = fit_weighted_rules(RuleTask(X, y, own=np.arange(4, 8)))
    assert {0, 1} <= {at for term in told.terms for at in term.columns}
    assert np.corrcoef(scoped.predict(unseen), true)[0, 1] > 0.9


def test_near_columns_are_chosen_where_far_ones_only_fit_by_chance() -> None:
    """Own columns do not tell enough, and far ones are so many that some of them seem to."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(200, 900))
    y = (rng.random(200) < 1 / (1 + np.exp(-0.9 * X[:, 4] + 0.9 * X[:, 5]))).astype(float)
    own, near = np.arange(4), np.arange(8)
    found, wide = (
        fit_weighted_rules(RuleTask(X, y, own=own, near=columns)) for columns in (near, None)
    )
    told, chance = ({at for term in one.terms for at in term.columns} for one in (found, wide))
    assert {4, 5} <= told <= set(range(8))
    assert not chance <= set(range(8))


def test_beyond_many_rows_terms_are_chosen_on_a_sample_and_weighed_by_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = planted(4000)
    whole = fit_weighted_rules(RuleTask(X, y, most_rules=8))
    monkeypatch.setattr(weighted_rules, "MOST_ROWS", 1000)
    found = fit_weighted_rules(RuleTask(X, y, most_rules=8))
    assert {2, 7} <= {column for term in found.terms for column in term.columns}
    assert found.predict(X).mean() == pytest.approx(y.mean(), abs=1e-3)
    new, y_new = planted(4000, seed=1)
    assert auc_roc(found.predict(new), y_new) > auc_roc(whole.predict(new), y_new) - 0.01


def test_of_columns_that_say_the_same_the_first_stays() -> None:
    X, y = planted()
    twice = np.column_stack((X[:, 2], X, X[:, 7] * 2019 + 1e-3))
    kept = set(screened(twice, y, discrete=True, most=250).tolist())
    assert {0, 8} <= kept
    assert not {3, 13} & kept


def test_few_trees_that_do_best_are_made_more_and_smaller() -> None:
    X, y = planted(300)
    design = np.nan_to_num(X[:, 8:])  # noise: the first few trees do best
    training, left_out = np.arange(200), np.arange(200, 300)
    n_trees, rate, complete, loss = _best_number(
        design, y, training, left_out, discrete=True, conduct=PLAIN
    )
    assert complete
    assert 0.3 < loss < 1.0
    assert 100 < n_trees <= MOST_TREES
    assert rate * n_trees == pytest.approx(RATE * STEP)


def test_numbers_alone_are_chosen_where_thresholds_and_pairs_fit_by_chance() -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(250, 6))
    y = (rng.random(250) < 1 / (1 + np.exp(-2 * X[:, 0] - X[:, 1]))).astype(float)
    found = fit_weighted_rules(RuleTask(X, y))
    assert {term.column for term in found.terms} == {0, 1}
    assert all(term.form == "number" for term in found.terms)


def test_linear_columns_stand_beside_trees_as_they_are() -> None:
    def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        X = np.column_stack((rng.normal(size=(400, 8)), rng.poisson(2, 400)))
        return X, (rng.random(400) < 1 / (1 + np.exp(2 - X[:, 8] - 1.5 * (X[:, 0] > 0.5)))).astype(
            float
        )

    (X, y), (new, y_new) = drawn(0), drawn(1)
    (found,) = fit_boosted_trees(RuleTask(X, y), discrete=True, linear=[8])
    (without,) = fit_boosted_trees(RuleTask(X[:, :8], y), discrete=True)
    assert [term.form for term in found.terms if 8 in term.columns] == ["number"]
    assert auc_roc(found.predict(new), y_new) > auc_roc(without.predict(new[:, :8]), y_new) + 0.05
    (alone,) = fit_boosted_trees(
        RuleTask(np.column_stack((np.zeros(400), X[:, 8])), y), discrete=True, linear=[1]
    )
    assert [term.column for term in alone.terms] == [1]


def test_trees_stand_alone_as_those_of_a_fit_that_sees_no_labels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.structure.boosted_trees.MOST_TREES", 2 * STEP)
    X, y = planted(300)
    counted = np.column_stack((X, y + np.random.default_rng(4).poisson(1, len(y))))
    blind = np.column_stack((X, np.zeros(len(y))))
    (beside,), (unseeing,) = (
        fit_boosted_trees(RuleTask(one, y), discrete=True, linear={12}) for one in (counted, blind)
    )
    assert beside.terms[-1].column == 12
    assert beside.alone is not None
    assert unseeing.alone is None
    assert beside.alone.terms == unseeing.terms
    assert np.array_equal(beside.alone.weights, unseeing.weights)
    assert beside.alone.intercept == unseeing.intercept


def test_what_columns_tell_of_some_rows_is_what_these_rows_say_where_values_are_few() -> None:
    X, y = planted(400)
    few = np.round(X[:, :6]).clip(-1, 1)
    rows = np.flatnonzero(np.random.default_rng(2).random(400) < 0.6)
    some = BinnedColumns.of(few).gains(y, rows, np.arange(6), discrete=True)
    alone = BinnedColumns.of(few[rows]).gains(
        y[rows], np.arange(len(rows)), np.arange(6), discrete=True
    )
    np.testing.assert_allclose(some, alone, rtol=1e-9)
    assert int(np.argmax(some)) == 2
    turned = BinnedColumns.of(few).gains(
        np.where(np.isin(np.arange(400), rows), y, 1 - y), rows, np.arange(6), discrete=True
    )
    np.testing.assert_array_equal(some, turned)  # other rows' labels are not looked at


def test_counts_of_labels_stay_where_they_foretell_rows_whose_labels_they_do_not_know() -> None:
    def fitted(counts: np.ndarray, hidden_counts: np.ndarray) -> set[int]:
        def hiding(rows: np.ndarray) -> np.ndarray:
            left_out = np.isin(np.arange(n), rows)[:, None]
            return np.where(left_out, hidden_counts[:, None], counts[:, None])

        X = np.column_stack((rng.normal(size=(n, 3)), counts))
        found = fit_weighted_rules(RuleTask(X, y, counted=CountedLabels((3,), hiding)))
        return {column for term in found.terms for column in term.columns}

    rng = np.random.default_rng(8)
    n = 240
    y = (rng.random(n) < 0.4).astype(float)
    true = y + rng.normal(0, 0.8, n)
    assert 3 in fitted(true, true)
    # It tells the labels of the rows that are learned from alone.
    assert 3 not in fitted(true, 1 - true)


@pytest.mark.parametrize("kind", ["yes/no", "number", "category"])
def test_trees_and_rules_of_the_same_rows_count_half_each(
    kind: TargetKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 4))
    sum_ = X[:, 0] + X[:, 1] + 2.0 * (X[:, 2] > 0.5)
    cuts = {"yes/no": [0.5], "category": [0.0, 1.0]}.get(kind)
    y = sum_ if cuts is None else np.searchsorted(cuts, sum_).astype(float)
    task = RuleTask(X, y, most_rules=6)
    found = fit_learner("boosted_trees", kind, task, n_classes=3)
    discrete = kind != "number"
    trees = fit_boosted_trees(task, discrete=discrete, n_classes=3 if kind == "category" else 2)
    monkeypatch.setattr(learners, "with_what_trees_say", lambda rules, task: rules)
    rules = (
        rules_of_classes(task, 3)
        if kind == "category"
        else fit_learner("rules", kind, task, n_classes=3).parts
    )
    for part, one, other in zip(found.parts, trees, rules):
        assert np.allclose(part.scores(X), (one.scores(X) + other.scores(X)) / 2)


def test_a_cancel_is_answered_with_the_rules_chosen_so_far() -> None:
    X, y = planted()
    X_new, y_new = planted(seed=1)
    cancel = Event()

    def report(stage: str, done: float, total: float | None, message: str) -> None:
        if done:
            cancel.set()

    conduct = Conduct(progress=Progress(report, cancel))
    rules = fit_weighted_rules(RuleTask(X, y, conduct=conduct))
    assert len(rules) > 0
    assert not rules.complete
    assert auc_roc(rules.predict(X_new), y_new) > 0.75
    assert with_what_trees_say(rules, RuleTask(X, y, conduct=conduct)) is rules


def test_what_is_clearly_behind_is_out_of_the_race() -> None:
    rng = np.random.default_rng(0)
    typical = rng.uniform(0.2, 1.0, 300)
    errors = {
        (0, 0, 0.5): typical + 0.05,
        (0, 1, 0.5): typical,
        (1, 0, 0.5): typical + 0.3,
        (1, 0, 0.1): typical + rng.normal(0.001, 0.1, 300),
        (1, 1, 0.5): typical + 0.2,
    }
    for n_rows, left in ((300, {(0, 1), (1, 0)}), (40, {(0, 0), (0, 1), (1, 0), (1, 1)})):
        tries = rule_choice.Tries()
        tries.begin(np.zeros(n_rows))
        for (scope, stage, share), each in errors.items():
            choice = rule_choice.Tuning(scope, stage, share, None)
            odds = np.log(np.expm1(np.maximum(each[:n_rows], 0.01)))  # err so much where it is no
            tries.add(choice, odds, frozenset())
        tries.drop_behind()
        known = {(scope, stage) for scope in range(2) for stage in range(2)}
        assert {one for one in known if tries.races(*one)} == left
    assert tries.last_racing(1) == 2


@pytest.mark.parametrize("reads", [True, False])
def test_all_terms_read_labels_of_other_rows_only_where_few_do(reads: bool) -> None:
    tries, y = rule_choice.Tries(), np.tile([0.0, 1.0], 50)
    tries.begin(y)
    for scope, sure in ((0, 2.0 if reads else 1.0), (1, 1.5)):
        tries.add(rule_choice.Tuning(scope, 0, 0.5, None), sure * (2 * y - 1), frozenset())
    for scope in (0, 1):
        tries.add(rule_choice.Tuning(scope, rule_choice.DENSE, 0.0, 1.0), 2 * y - 1, None)
    mixed = tries.mixed([0])
    assert mixed.few.scope == (0 if reads else 1)
    assert mixed.every is None or mixed.every.scope == mixed.few.scope


def test_terms_are_of_columns_that_half_of_the_held_out_sets_keep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    supports = [frozenset({(1,), (2, 5)}), frozenset({(1,)}), frozenset({(1,), (3,)})]
    assert rule_choice.stable(supports) == {(1,)}
    assert rule_choice.stable(supports[:2]) == {(1,), (2, 5)}
    assert rule_choice.stable(supports[:1]) is None
    X, y = planted()
    monkeypatch.setattr(rule_choice, "share_of_all", lambda *of: (0.0, ()))
    monkeypatch.setattr(rule_choice, "stable", lambda supports: frozenset({(0,)}))
    assert {term.columns for term in fit_weighted_rules(RuleTask(X, y)).terms} == {(0,)}


def test_a_term_that_moves_the_sum_by_next_to_nothing_is_no_rule() -> None:
    X = np.random.default_rng(3).random((200, 3))
    terms = tuple(Term(column=column, form="number", low=0.0, high=1.0) for column in range(3))
    rules = weighted_rules.WeightedRules(terms, np.array([2.0, -1.0, 0.01]), -0.5, True)
    kept = rules.without_slight(X)
    assert kept.terms == terms[:2]
    assert kept.scores(X).mean() == pytest.approx(rules.scores(X).mean())
    assert np.abs(kept.scores(X) - rules.scores(X)).max() < 0.01
    assert kept.without_slight(X).terms == kept.terms
    none = weighted_rules.constant_rules(np.array([0.0, 1.0]), True)
    assert none.without_slight(X) is none
