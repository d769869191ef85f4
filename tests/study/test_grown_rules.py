"""Rules of numbers: bends, products and the middle of skewed targets are found;
programs say what rules say.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from tests.study.test_study import assert_infer_says_the_same
from workbench.structure.grown_rules import _chosen, _Way, fit_grown_rules
from workbench.structure.pursuit import grow
from workbench.structure.rule_task import RuleTask
from workbench.structure.scopes import TermScope
from workbench.structure.sparse_fits import least_absolute
from workbench.structure.term_choices import MadeTerm, bent_terms, terms_of
from workbench.structure.terms import Condition, Term
from workbench.verbs.studying.inference import with_inferred
from workbench.verbs.studying.study import study


def test_weights_of_least_absolute_error_are_those_of_a_linear_program() -> None:
    from scipy.optimize import linprog

    rng = np.random.default_rng(0)
    Z = rng.normal(size=(120, 3))
    y = Z @ [1.0, -2.0, 0.5] + rng.standard_t(1.5, size=120)
    weights, intercept = least_absolute(Z, y, 0.0, rounds=200)
    n = len(y)
    design = np.column_stack((Z, -Z, np.ones(n), -np.ones(n), np.eye(n), -np.eye(n)))
    cost = np.concatenate((np.zeros(8), np.ones(2 * n)))
    least = linprog(cost, A_eq=design, b_eq=y).fun
    assert np.abs(y - Z @ weights - intercept).sum() == pytest.approx(least, rel=5e-3)


def test_bends_and_products_of_a_condition_with_a_number_are_grown() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(0.7, 1, size=(1200, 12))
    y = 2 * np.maximum(X[:, 0] - 0.5, 0) + 3 * (X[:, 1] > 0.4) * X[:, 2] + rng.laplace(0, 0.3, 1200)
    with threadpool_limits(1):
        found = fit_grown_rules(RuleTask(X, y, most_rules=8))
    assert 1 <= len(found) <= 8
    assert any(term.form == "above" and term.column == 0 for term in found.terms)
    assert any(
        term.conditions and term.form != "condition" and set(term.columns) == {1, 2}
        for term in found.terms
    )
    assert np.abs(found.predict(X) - y).mean() < 0.4


def test_no_column_is_grown_twice() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, size=(300, 3)).astype(float)
    y = X @ [1.0, 2.0, 3.0]
    terms = terms_of(X, [0, 1, 2])
    found = list(grow(X, y, terms, 30))
    values = np.column_stack([np.ones(300), *(term.values(X) for term in found)])
    assert np.linalg.matrix_rank(values) == values.shape[1]


def test_steps_and_products_must_gain_more_than_chance_does() -> None:
    """Straight lines hold on rows of a later time, where what steps fitted closely has passed."""
    errors = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(500, 12))
        y = X[:, 0] - 0.5 * X[:, 1] + rng.laplace(0, 1.0, 500)
        with threadpool_limits(1):
            found = fit_grown_rules(RuleTask(X[:300], y[:300], held_out=[np.arange(240, 300)]))
        assert all(term.form in ("number", "log") and not term.conditions for term in found.terms)
        errors.append(np.abs(found.predict(X[300:]) - y[300:]).mean())
    assert np.mean(errors) < 1.1


def test_the_middle_of_a_skewed_number_is_what_is_said_of_it() -> None:
    rng = np.random.default_rng(3)
    y = rng.lognormal(0, 2, 400)
    assert fit_grown_rules(RuleTask(np.empty((400, 0)), y)).predict(np.empty((1, 0)))[
        0
    ] == np.median(y)


def test_a_term_of_a_value_is_nothing_where_its_condition_fails() -> None:
    X = np.array([[1.0, 5.0], [0.0, 5.0], [1.0, np.nan]])
    term = Term((Condition(0, "at_least", 0.5),), 1, "above", 2.0, 9.0)
    assert term.values(X).tolist() == [5.0, 0.0, 0.0]
    assert term.columns == (0, 1)
    assert all(one.term.low < one.term.high for one in bent_terms(np.arange(200.0)[:, None], [0]))


def test_columns_that_are_unknown_in_the_same_rows_are_one_condition() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    # Two values of one category, or two totals over the same rows.
    X[rng.random(400) < 0.3, :2] = np.nan
    X[rng.random(400) < 0.2, 2] = np.nan
    unknown = [
        term
        for term, _, _ in terms_of(X, range(3))
        if term.conditions and term.conditions[0].test == "missing"
    ]
    assert [term.conditions[0].column for term in unknown] == [0, 2]


def test_a_program_of_bends_and_products_says_what_the_rules_say(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    n = 500
    area, smoker = rng.uniform(0, 100, n).round(1), rng.choice(["yes", "no"], n)
    cost = (
        10 + 0.8 * np.maximum(area - 60, 0) + 0.3 * area * (smoker == "yes") + rng.normal(0, 1, n)
    )
    told = pd.Series(cost.round(2)).where(np.arange(n) >= 40)
    table = pd.DataFrame(
        {"home_id": [f"h{i}" for i in range(n)], "area": area, "smoker": smoker, "cost": told}
    )
    table.to_csv(tmp_path / "homes.csv", index=False)
    found = study([tmp_path / "homes.csv"], "homes.cost", folds=2)
    assert any(" where " in rule.words for rule in found.rules)
    assert any(" above " in rule.words for rule in found.rules)
    asked = found.predictions[~found.predictions["known"]]
    truth = cost[asked["home_id"].str[1:].astype(int)]
    assert len(asked) == 40
    assert np.abs(asked["value"] - truth).mean() < 1.5  # the program's values, by inference
    assert (found.metrics["MAE"]["mean"] or np.inf) < 1.5


def test_of_a_step_and_a_bend_that_say_nearly_the_same_the_step_is_grown() -> None:
    """Shares of any at all: a line up to the least of them tells 0 from the rest as a step does."""
    rng = np.random.default_rng(3)
    shares = np.where(rng.random(400) < 0.5, 1 / rng.integers(6, 10, 400), 0.0)
    y = 2.0 * np.minimum(shares, 0.14) / 0.14 + rng.normal(0, 0.3, 400)
    step = Term((Condition(0, "at_least", 0.05),))
    bend = Term(column=0, form="below", low=0.0, high=0.14, spread=0.06)
    X = shares[:, None].astype(np.float32)
    made = [MadeTerm(term, term.values(X), b"") for term in (bend, step)]
    first = next(grow(X, y, made, 1, products=False))
    assert first == step


def test_one_held_out_set_chooses_the_fewest_terms_within_a_standard_error() -> None:
    rng = np.random.default_rng(3)
    way = _Way(TermScope(np.arange(4)), plain=True)
    typical = np.abs(rng.normal(size=200))
    slightly = typical - 0.001 + rng.normal(size=200) / 50
    errors = {(way, 0, 0.0): [2 * typical], (way, 2, 1.0): [typical], (way, 9, 1.0): [slightly]}
    assert slightly.mean() < typical.mean()
    assert _chosen(errors, [way])[1] == 2
    assert _chosen({one: 2 * each for one, each in errors.items()}, [way])[1] == 9


@pytest.mark.parametrize("learner", ["rules", "boosted_trees"])
def test_prices_that_multiply_are_told_by_their_logarithm(
    tmp_path: Path, learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.structure.boosted_trees.MOST_TREES", 60)
    before: list[pd.DataFrame] = []

    def kept(staging: Any, ready: Any, result: Any, explain: Any, **given: Any) -> Any:
        before.append(result.predictions.copy())
        return with_inferred(staging, ready, result, explain, **given)

    monkeypatch.setattr("workbench.verbs.studying.study.with_inferred", kept)
    rng = np.random.default_rng(6)
    weight, brand = rng.lognormal(0, 1, 300), rng.integers(5, size=300)
    price = 20 * weight * np.exp(0.6 * brand + 0.1 * rng.normal(size=300))
    rows = [
        f"p{at},{weight[at]:.3f},b{brand[at]},{'' if at % 8 == 0 else round(price[at], 2)}"
        for at in range(300)
    ]
    goods = tmp_path / "goods.csv"
    goods.write_text("good,weight,brand,price\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = study([goods], "goods.price", folds=2, learner=learner)
    assert "PredictedPrice(good) = positive_number" in found.program
    assert found.metrics["MAE"]["mean"] < 0.35 * found.baselines["base rate"]["MAE"]["mean"]
    assert all(rule.words.endswith(" %") for rule in found.rules)
    asked = found.predictions[~found.predictions["known"]]
    assert (asked["low"] > 0).all()
    own = before[0][~before[0]["known"]]
    assert list(asked["value"]) == pytest.approx(list(own["value"]), rel=1e-5)


def test_counts_that_multiply_are_told_by_the_logarithm_of_them_and_one(tmp_path: Path) -> None:
    """What is predicted is not below 0, nor are intervals; `infer` says the same."""
    rng = np.random.default_rng(6)
    size, brand = rng.lognormal(0, 0.8, 400), rng.integers(5, size=400)
    sold = rng.poisson(1.5 * size * np.exp(0.7 * brand - 1))
    rows = [
        f"p{at},{size[at]:.3f},b{brand[at]},{'' if at % 8 == 0 else sold[at]}" for at in range(400)
    ]
    goods = tmp_path / "goods.csv"
    goods.write_text("good,size,brand,sold\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = study([goods], "goods.sold", folds=2)
    assert "PredictedSold(good) = nonnegative_number" in found.program
    assert all(rule.words.endswith(" % (of the number plus 1)") for rule in found.rules)
    asked = found.predictions[~found.predictions["known"]]
    assert (asked["low"] >= 0).all()
    assert_infer_says_the_same(tmp_path, [goods], found, "good", 50)
