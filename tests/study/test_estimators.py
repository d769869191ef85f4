"""Estimators in the manner of scikit-learn: the checks that apply, frames and files alike,
tables they did not see.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks

import workbench as wb
from workbench import RelationalClassifier, RelationalRegressor
from workbench.errors import InputError, UsageError
from workbench.evaluation import auc_roc

APPLY = (
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
)


def tables(seed: int, n: int = 260) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    towns = pd.DataFrame(
        {"town": [f"t{i}" for i in range(12)], "income": rng.normal(50, 10, 12).round(1)}
    )
    at = rng.integers(0, 12, n)
    area = rng.normal(100, 30, n).round(1)
    z = area / 30 - 3.3 + (towns["income"].to_numpy()[at] - 50) / 6
    price = (2 * area + 3 * towns["income"].to_numpy()[at] + rng.normal(0, 5, n)).round(2)
    houses = pd.DataFrame(
        {"house": [f"h{i}" for i in range(n)], "town": [f"t{i}" for i in at], "area": area}
    )
    houses["sold"] = np.where(rng.random(n) < 1 / (1 + np.exp(-2 * z)), "yes", "no")
    houses["price"] = price
    houses["size"] = np.where(area > 115, "large", np.where(area > 90, "middling", "small"))
    return {"houses": houses, "towns": towns}


def without(frames: dict[str, pd.DataFrame], *columns: str) -> dict[str, pd.DataFrame]:
    return {
        name: frame.drop(columns=[c for c in columns if c in frame])
        for name, frame in frames.items()
    }


@pytest.mark.parametrize(
    "estimator", [RelationalClassifier(), RelationalRegressor()], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("check", APPLY)
def test_the_checks_that_apply(check: str, estimator: RelationalClassifier) -> None:
    getattr(estimator_checks, check)(type(estimator).__name__, clone(estimator))


def test_a_yes_or_no(tmp_path: Path) -> None:
    frames = without(tables(0), "price", "size")
    model = RelationalClassifier(rules=8)
    with pytest.raises(NotFittedError):
        model.predict(frames)
    assert model.fit(frames, "houses.sold") is model
    assert 1 <= len(model.rules_) <= 8
    assert "=> Sold(x)" in model.program_
    new = without(tables(1), "price", "size")
    truth = (new["houses"]["sold"] == "yes").to_numpy()
    new["houses"]["sold"] = None
    said = model.predict_proba(new)
    assert said.shape == (260, 2)
    np.testing.assert_allclose(said.sum(axis=1), 1)
    assert auc_roc(said[:, 1], truth.astype(float)) > 0.8
    np.testing.assert_array_equal(model.predict(new), said[:, 1] > 0.5)
    assert model.score(new, truth) == pytest.approx(np.mean((said[:, 1] > 0.5) == truth))
    for name, frame in new.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    np.testing.assert_array_equal(model.predict_proba(tmp_path), said)


def test_one_of_several_values() -> None:
    frames = without(tables(0), "price", "sold")
    model = RelationalClassifier(rules=9).fit(frames, "houses.size")
    assert model.classes_.tolist() == ["large", "middling", "small"]
    new = without(tables(1), "price", "sold")
    assert model.score(new, new["houses"]["size"].to_numpy()) > 0.8


@pytest.mark.parametrize("learner", ["rules", "boosted_trees"])
def test_a_number(learner: str) -> None:
    frames = without(tables(0), "sold", "size")
    model = RelationalRegressor(learner=learner, rules=10).fit(frames, "houses.price")  # type: ignore[arg-type]
    new = without(tables(1), "sold", "size")
    truth = new["houses"]["price"].to_numpy()
    new["houses"]["price"] = np.nan
    assert model.score(new, truth) > (0.9 if learner == "rules" else 0.7)


def test_tables_to_predict_need_no_column_of_what_is_predicted() -> None:
    frames = without(tables(0), "sold", "size")
    model = RelationalRegressor(rules=2).fit(frames, "houses.price")
    blank = {**frames, "houses": frames["houses"].assign(price=np.nan)}
    np.testing.assert_array_equal(model.predict(without(frames, "price")), model.predict(blank))


def test_parameters_that_cannot_be_are_said() -> None:
    frames = without(tables(0), "size")
    with pytest.raises(UsageError, match="E0635"):
        RelationalClassifier(learner="trees").fit(frames, "houses.sold")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="E0634"):
        RelationalClassifier(rules=0).fit(frames, "houses.sold")


def test_what_cannot_be_is_said() -> None:
    frames = without(tables(0), "size")
    with pytest.raises(InputError, match="E0643"):
        RelationalClassifier().fit(frames, "houses.price")
    with pytest.raises(InputError, match="E0643"):
        RelationalRegressor().fit(frames, "houses.sold")
    with pytest.raises(UsageError, match="E0644"):
        RelationalClassifier().fit({"houses": [1, 2]}, "houses.sold")
    model = RelationalRegressor(rules=2).fit(frames, "houses.price")
    with pytest.raises(InputError, match="E0642"):
        model.predict({"houses": frames["houses"]})


def test_a_workspace_studies_and_links_data_frames(tmp_path: Path) -> None:
    """By name, as it does files; the commands to go on, which name files, are left out."""
    frames = tables(3, 120)
    name = next(iter(set(frames) - {"towns"}))
    target = f"{name}.price"
    for table, frame in frames.items():
        frame.to_parquet(tmp_path / f"{table}.parquet", index=False)
    people = pd.DataFrame({"id": range(60), "name": [f"Ada Lund {n % 30}" for n in range(60)]})
    people["born"] = [f"19{10 + n % 30}-02-03" for n in range(60)]
    people.to_csv(tmp_path / "people.csv", index=False)
    with wb.open() as ws:
        ours = ws.study(frames, target, folds=2)
        files = ws.study([tmp_path / f"{table}.parquet" for table in frames], target, folds=2)
        linked = [ws.link(one) for one in ({"people": people}, tmp_path / "people.csv")]
        assert [run.kind for run in ws.runs.all()] == ["link", "link", "study", "study"]
    assert (ours.program, ours.metrics) == (files.program, files.metrics)
    assert files.commands
    assert not ours.commands
    first, second = (each.clusters for each in linked)
    assert first["cluster"].tolist() == second["cluster"].tolist()
