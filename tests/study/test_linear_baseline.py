"""The linear models beside a study say what scikit-learn's say."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.arrays import Float
from workbench.study.linear_baseline import linear_numbers, linear_probabilities


def drawn(seed: int, n: int = 200) -> tuple[Float, Float]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * [1, 10, 0.1, 1, 0] + 3
    z = X[:, 0] + 5 * X[:, 2] + rng.logistic(size=n)
    X[rng.random(n) < 0.1, 0] = np.nan
    X[:, 3] = np.nan
    return X, z


@pytest.mark.parametrize("cuts", [[18], [17, 19]])
def test_probabilities(cuts: list[float]) -> None:
    from sklearn.linear_model import LogisticRegression

    (X, z), (asked, _) = drawn(0), drawn(1)
    y = np.digitize(z, cuts).astype(np.float64)
    theirs = piped(LogisticRegression(max_iter=2000, tol=1e-9)).fit(X, y).predict_proba(asked)
    np.testing.assert_allclose(linear_probabilities(X, y, asked), theirs, atol=1e-4)


def test_numbers() -> None:
    from sklearn.linear_model import RidgeCV

    (X, z), (asked, _) = drawn(0), drawn(1)
    theirs = piped(RidgeCV(np.geomspace(0.1, 1000, 9))).fit(X, z).predict(asked)
    np.testing.assert_allclose(linear_numbers(X, z, asked), theirs, rtol=1e-6)


def piped(last: object) -> object:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    impute = SimpleImputer(add_indicator=True, keep_empty_features=True)
    return make_pipeline(impute, StandardScaler(), last)
