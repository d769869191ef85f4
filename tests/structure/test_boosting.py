"""Boosted trees are scikit-learn's; compiled, they are grown as in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from workbench.arrays import Float
from workbench.network.compiled import plain
from workbench.structure import tree_growth
from workbench.structure.boosting import Boosted, BoostingSettings

FEW = BoostingSettings(leaves=8, bins=31, l2=5.0, least=10, share=0.3, seed=3)
MANY = BoostingSettings()


def drawn(seed: int = 0, n: int = 500) -> tuple[Float, dict[str, Float]]:
    """Numbers, few values, unknown ones; and a class of two, of three, and a number."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        (rng.normal(size=(n, 6)), rng.integers(0, 3, (n, 6)), rng.exponential(size=(n, 4)).round(1))
    )
    X[:, 3:9][rng.random((n, 6)) < 0.15] = np.nan
    z = X[:, 0] + np.nan_to_num(X[:, 7]) * (np.nan_to_num(X[:, 4]) > 0)
    noisy = z + rng.logistic(size=n)
    return X, {
        "two": (noisy > 1).astype(np.float64),
        "three": np.digitize(noisy, [0, 1.5]).astype(np.float64),
        "number": noisy,
    }


@pytest.mark.parametrize("settings", [FEW, MANY], ids=["columns drawn", "all columns"])
@pytest.mark.parametrize("target", ["two", "three", "number"])
def test_trees_say_what_those_of_scikit_learn_say(target: str, settings: BoostingSettings) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    X, labels = drawn()
    y, asked = labels[target], drawn(1)[0]
    given = {
        "max_iter": 30, "learning_rate": settings.rate, "max_leaf_nodes": settings.leaves,
        "max_bins": settings.bins, "min_samples_leaf": settings.least,
        "l2_regularization": settings.l2, "max_features": settings.share,
        "random_state": settings.seed, "early_stopping": False,
    }  # fmt: skip
    with threadpool_limits(1):
        if target == "number":
            model = HistGradientBoostingRegressor(loss="absolute_error", **given).fit(X, y)
            theirs = model.predict(asked)
        else:
            theirs = HistGradientBoostingClassifier(**given).fit(X, y).predict_proba(asked)
    ours = Boosted(X, y, settings, discrete=target != "number")
    ours.grow(10)
    ours.grow(20)
    np.testing.assert_allclose(ours.predict(asked), theirs, rtol=1e-9)


def test_scores_of_later_rounds_add_to_those_of_earlier_ones() -> None:
    X, labels = drawn()
    model = Boosted(X, labels["three"], FEW, discrete=True)
    scores = model.scores(X)
    for _ in range(2):
        model.grow(3)
        scores += model.scores(X, len(model.trees) - 3)
    np.testing.assert_allclose(scores, model.scores(X))


def test_a_column_without_known_values_is_never_cut() -> None:
    X, labels = drawn()
    X[:, 2] = np.nan
    model = Boosted(X, labels["two"], FEW, discrete=True)
    model.grow(20)
    assert all(2 not in tree.column for trees in model.trees for tree in trees)


def test_compiled_trees_are_those_of_the_plain_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    bins = rng.integers(0, 5, (80, 3)).astype(np.uint8)
    gradients = (rng.normal(size=80) + (bins[:, 1] > 2)).astype(np.float32)
    arguments = (
        bins, np.array([0, 5, 10, 15]), np.array([False, True, False]), gradients,
        np.ones(80, np.float32), np.ones((10, 3), np.bool_), np.empty((5, 15, 3)), 5, 1.0,
    )  # fmt: skip
    compiled = tree_growth.grow_tree(*arguments)
    for name in ("_sum", "_subtract", "_best_split", "_parted"):
        monkeypatch.setattr(tree_growth, name, plain(getattr(tree_growth, name)))
    for one, other in zip(compiled, plain(tree_growth.grow_tree)(*arguments)):
        np.testing.assert_allclose(one, other, rtol=1e-12)
